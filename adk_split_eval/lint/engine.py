"""Runs the rules over a project and turns what they report into findings with places."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from adk_split_eval.criteria.knowledge import at_least
from adk_split_eval.lint.documents import Document
from adk_split_eval.lint.plan_view import PlanView, open_plan
from adk_split_eval.lint.project import Project, open_project
from adk_split_eval.lint.rule import Checker, Report, Rule, Scope, all_rules
from adk_split_eval.lint.settings import Options, chosen, matches
from adk_split_eval.lint.views import real_path
from adk_split_eval.record.finding import Finding, Related

INTERNAL = "ASE699"
_RANK = {"error": 0, "warning": 1, "info": 2}


@dataclass(eq=False, repr=False)
class LintResult:
    """What one lint run says.

    Attributes:
        findings: by file, place and code.
        adk_version, assumed_how: the ADK version the rules spoke of, and how it was found.
        files: every file looked at.
        unreadable: named paths that could not be read at all (exit code 2).
        sources: path → document, for showing source lines.
    """

    findings: list[Finding]
    adk_version: str
    assumed_how: str
    files: list[str] = field(default_factory=list[str])
    unreadable: list[str] = field(default_factory=list[str])
    sources: dict[str, Document] = field(default_factory=dict[str, Document])

    def count(self, level: str) -> int:
        return sum(1 for f in self.findings if f.level == level)


def lint(paths: list[str], options: Options) -> LintResult:
    """Lints ``paths``. The collector is paused meanwhile: parsing makes millions of objects and no cycles."""
    _forget()
    paused = gc.isenabled()
    gc.disable()
    try:
        return _lint(paths, options)
    finally:
        if paused:
            gc.enable()


def _forget() -> None:
    """Nothing an earlier run remembered of the file system may speak in this one."""
    remembering = sys.modules.get("adk_split_eval.lint.functions")
    if remembering is not None:
        remembering.forget()


def _lint(paths: list[str], options: Options) -> LintResult:
    project = open_project(paths, options)
    return run_rules(project)


def run_rules(project: Project) -> LintResult:
    """Runs every rule that is on for this project."""
    result = LintResult(
        [], project.adk_version, project.assumed_how, [d.path for d in project.documents],
        [d.path for d in project.documents if d.unreadable and d.named],
        {d.path: d for d in project.documents},
    )  # fmt: skip
    plans = [open_plan(d) for d in project.documents if d.kind == "plan" and not d.unreadable]
    for plan in plans:
        if plan.frozen is not None:
            result.sources.setdefault(plan.frozen.path, plan.frozen)
        result.findings.extend(f for f in plan.findings if _wanted(f.code, "", f.path, project.options))
    for rule in all_rules():
        if not _is_on(rule, project):
            continue
        for target in _targets(rule.scope, project):
            result.findings.extend(_run(rule, rule.check, target, project))
        for plan in plans:
            if rule.plan_check is not None:
                result.findings.extend(_run(rule, rule.plan_check, plan, project))
            if rule.in_plans:
                result.findings.extend(_run(rule, partial(_plan_config_check, rule, project), plan, project))
    if project.options.command:
        from adk_split_eval.lint.selected import commands

        result.sources.update({c.document.path: c.document for c in commands(project)})
    result.findings = order(result.findings)
    return result


def _plan_config_check(rule: Rule, project: Project, plan: PlanView) -> Iterable[Report]:
    from adk_split_eval.lint.plan_configs import plan_reports

    return plan_reports(rule, rule.check, plan, project)


def order(findings: Iterable[Finding]) -> list[Finding]:
    """By file, place, level and code, each finding once."""
    unique = {(f.path, f.line, f.column, f.code, f.message): f for f in findings}
    return sorted(unique.values(), key=lambda f: (f.path, f.line, f.column, _RANK[f.level], f.code, f.message))


def _is_on(rule: Rule, project: Project) -> bool:
    version = project.knowledge.version
    if not at_least(version, rule.since) or (rule.until and not at_least(rule.until, version)):
        return False
    options = project.options
    if options.select and not chosen(rule.code, rule.name, options.select):
        return False
    return not (options.ignore and chosen(rule.code, rule.name, options.ignore))


def _wanted(code: str, name: str, path: str, options: Options) -> bool:
    if options.select and not chosen(code, name, options.select):
        return False
    if options.ignore and chosen(code, name, options.ignore):
        return False
    return not any(
        matches(path, glob, options.root) and chosen(code, name, codes) for glob, codes in options.per_file_ignores
    )


def _targets(scope: Scope, project: Project) -> Iterable[Any]:
    if scope == "document":
        return project.documents
    if scope == "set":
        return [*project.sets, *project.stand_ins]
    if scope == "config":
        return project.configs
    if scope == "pair":
        return project.pairs
    if scope == "command":
        return [project] if project.options.command else []
    return [project]


def _run(rule: Rule, check: Checker, target: Any, project: Project) -> Iterable[Finding]:
    """One rule on one target. A rule that breaks is itself a finding: nothing it should have said may vanish."""
    found: list[Finding] = []
    try:
        for report in check(target):
            if _wanted(rule.code, rule.name, report.document.path, project.options):
                found.append(to_finding(rule, report))
    except Exception as error:  # noqa: BLE001 - one rule's fault must not hide the others' findings
        document: Document | None = getattr(target, "document", None) or (
            target if isinstance(target, Document) else None
        )
        found.append(
            Finding(INTERNAL, "error", f"rule {rule.code} could not finish ({type(error).__name__}: {error}); what it would have said is unknown",
                    document.path if document else "", help="report this with the file")
        )  # fmt: skip
    return found


def to_finding(rule: Rule, report: Report) -> Finding:
    """Computes the places of a report."""
    document = report.document
    if report.span is not None:
        place = document.offset_place(*report.span)
    else:
        place = document.place(real_path(document, report.path), report.key)
    related = tuple(Related(other.path, *other.place(path)[:2], message) for other, path, message in report.related)
    return Finding(
        rule.code, report.level or rule.level, report.message, document.path, *place,
        confidence=report.confidence or rule.confidence, help=report.help, case_id=report.case_id,
        related=related, fix=report.fix,
    )  # fmt: skip
