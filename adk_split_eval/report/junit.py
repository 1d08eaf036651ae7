"""JUnit XML of a run: one test suite a half, one test case a case.

What CI makes of each verdict: FAIL is a ``failure``; ERROR and REJECTED are an ``error``; HIT, SIMULATOR, INCONCLUSIVE
and a pending FAIL never block, so they are ``skipped`` with their message (shown by every CI, red in none). With
``fail_on_hit`` a HIT is a ``failure``. Reasons, owner, next step and criteria stand in ``system-out``.
"""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

from adk_split_eval.record.case import Half
from adk_split_eval.record.jsonio import write_atomically
from adk_split_eval.record.result import CaseResult, RunResult
from adk_split_eval.record.text import one_line, safe_terminal, shorten
from adk_split_eval.report import view
from adk_split_eval.report.contrasts import Contrast, contrasts_of

MESSAGE_WIDTH = 300


def junit_xml(result: RunResult, *, fail_on_hit: bool = False) -> str:
    """The whole run as JUnit XML, ending in a newline. Characters XML forbids appear as visible escapes."""
    root = ElementTree.Element("testsuites", {"name": _text(f"adk-split-eval {result.plan_id}")})
    for half in view.HALVES:
        cases = view.cases_of(result, half)
        if cases:
            root.append(_suite(result, half, cases, fail_on_hit))
    contrasts = contrasts_of(result)
    if contrasts:
        root.append(_contrast_suite(result, contrasts, fail_on_hit))
    for key in ("tests", "failures", "errors", "skipped"):
        root.set(key, str(sum(int(suite.get(key, "0")) for suite in root)))
    ElementTree.indent(root)
    body = ElementTree.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{body}\n'


def write_junit(result: RunResult, path: Path, *, fail_on_hit: bool = False) -> None:
    """Write :func:`junit_xml` to ``path``, atomically.

    Raises:
        OSError: ``path`` cannot be written.
    """
    write_atomically(path, junit_xml(result, fail_on_hit=fail_on_hit))


def _suite(result: RunResult, half: Half, cases: list[CaseResult], fail_on_hit: bool) -> ElementTree.Element:
    told = view.HALF_TEXT[half]
    suite = ElementTree.Element("testsuite", {"name": _text(f"{result.plan_id} {told.role.lower()} ({told.title})")})
    if result.started_at:
        suite.set("timestamp", _text(result.started_at))
    properties = ElementTree.SubElement(suite, "properties")
    facts = {"run_id": result.run_id, "google-adk": result.adk_version, "adk-split-eval": result.tool_version}
    for name, value in facts.items():
        ElementTree.SubElement(properties, "property", {"name": name, "value": _text(value)})
    outcomes = [_case(suite, result, case, fail_on_hit) for case in cases]
    suite.set("tests", str(len(cases)))
    suite.set("failures", str(outcomes.count("failure")))
    suite.set("errors", str(outcomes.count("error")))
    suite.set("skipped", str(outcomes.count("skipped")))
    return suite


def _contrast_suite(result: RunResult, contrasts: list[Contrast], fail_on_hit: bool) -> ElementTree.Element:
    suite = ElementTree.Element("testsuite", {"name": _text(f"{result.plan_id} contrasts")})
    outcomes: list[str | None] = []
    for contrast in contrasts:
        attributes = {"classname": _text(f"{result.plan_id}.contrasts"), "name": _text(contrast.name)}
        element = ElementTree.SubElement(suite, "testcase", attributes)
        tag = contrast.outcome(fail_on_hit=fail_on_hit)
        outcomes.append(tag)
        if tag is not None:
            message = shorten(one_line(f"{contrast.verdict}: {'; '.join(contrast.reasons)}"), MESSAGE_WIDTH)
            child = ElementTree.SubElement(element, tag, {"message": _text(message)})
            child.text = _text("\n".join(contrast.reasons))
    suite.set("tests", str(len(contrasts)))
    suite.set("failures", str(outcomes.count("failure")))
    suite.set("errors", str(outcomes.count("error")))
    suite.set("skipped", str(outcomes.count("skipped")))
    return suite


def _case(suite: ElementTree.Element, result: RunResult, case: CaseResult, fail_on_hit: bool) -> str | None:
    element = ElementTree.SubElement(
        suite, "testcase", {"classname": _text(f"{result.plan_id}.{case.set}"), "name": _text(case.case_id)}
    )
    tag = outcome(case, fail_on_hit=fail_on_hit)
    if tag is not None:
        reasons = view.reasons_of(case)
        message = shorten(one_line(f"{case.verdict}: {reasons[0]}"), MESSAGE_WIDTH)
        attributes = {"message": _text(message)}
        if tag != "skipped":
            attributes["type"] = case.verdict
        child = ElementTree.SubElement(element, tag, attributes)
        child.text = _text("\n".join(reasons))
    ElementTree.SubElement(element, "system-out").text = _text(_details(case))
    return tag


def outcome(case: CaseResult, *, fail_on_hit: bool = False) -> str | None:
    """``failure``, ``error``, ``skipped``, or None for a green case."""
    if case.verdict in view.GREEN:
        return None
    if case.verdict in ("ERROR", "REJECTED"):
        return "error"
    if case.verdict == "FAIL":
        return "skipped" if view.is_pending(case) else "failure"
    return "failure" if case.verdict == "HIT" and fail_on_hit else "skipped"


def _details(case: CaseResult) -> str:
    lines = [f"verdict: {case.verdict}", f"trials: {view.counted_text(case)}{' flaky' if case.flaky else ''}"]
    lines += [f"reason: {one_line(reason)}" for reason in view.reasons_of(case)]
    lines += [f"also: {one_line(line)}" for line in view.also_of(case)]
    label, advice = view.advice(case)
    lines += [f"{label}: {one_line(warning)}" for warning in advice]
    if case.owner:
        lines.append(f"owner: {case.owner}")
    if case.next_step:
        lines.append(f"next: {case.next_step}")
    kinds: tuple[view.AskedKind, ...] = ("deterministic", "judged")
    for kind in kinds:
        for criterion in view.asked(case.criteria, kind):
            votes = view.votes_text(criterion)
            facts = ", ".join(f for f in (view.score_text(criterion), f"votes {votes}" if votes else "") if f)
            lines.append(
                f"{kind}: {criterion.name} {view.STATUS_WORDS[criterion.status]}{f' ({facts})' if facts else ''}"
            )
    return "\n".join(lines)


def _text(text: str) -> str:
    """``text`` in characters XML 1.0 allows; the rest, and what could deceive a reader, as visible escapes."""
    return safe_terminal(text, newlines=True)
