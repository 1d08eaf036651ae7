"""From plan files to what is wrong with them, without importing pydantic: what lint and loading share."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, cast

from adk_split_eval.plan.checked import CASE_CODES, SECTIONS, CheckedPlan, Entry
from adk_split_eval.plan.checks import shown
from adk_split_eval.plan.cross import check_across, check_ids
from adk_split_eval.plan.nodes import Document, DocumentPath, PlanError
from adk_split_eval.plan.reading import read_document
from adk_split_eval.plan.structure import Problem, case_prefix, check_structure
from adk_split_eval.record import Finding, Half

FROZEN = ".frozen.yaml"
_PLAN_ID = re.compile(r"""^\{?[ ]*["']?plan_id["']?[ ]*:[ ]*["']?(\w+)""", re.MULTILINE | re.ASCII)


def check_plan(path: str | Path, shown_as: str | None = None) -> CheckedPlan:
    """Check the plan at ``path`` with the frozen cases beside it; never raises for what is wrong with them."""
    try:
        document = read_document(Path(path), shown_as)
    except PlanError as error:
        return CheckedPlan(Path(path), errors=list(error.findings))
    return check_document(document, Path(path))


def check_document(document: Document, path: Path) -> CheckedPlan:
    """Check a plan already read (or not yet written) that belongs at ``path``, with the frozen cases beside it."""
    checked = CheckedPlan(path, document)
    problems = check_structure(document, "Plan")
    for half, section in SECTIONS.items():
        _enter(checked, document, (section, "cases"), half)
    _sort(checked, document, problems)
    _read_frozen(checked)
    check_ids(checked)
    if not checked.errors:
        check_across(checked)
    return checked


def frozen_path(plan_path: Path, plan_id: str) -> Path:
    """Where the frozen cases of a plan are kept."""
    return plan_path.parent / f"{plan_id}{FROZEN}"


def _read_frozen(checked: CheckedPlan) -> None:
    plan_id: Any = checked.value("plan_id")
    if not isinstance(plan_id, str) or any(finding.code == "ASE021" for finding in checked.errors):
        return
    checked.errors.extend(orphans(checked.path.parent, plan_id))
    path = frozen_path(checked.path, plan_id)
    if not path.exists():
        return
    try:
        checked.frozen = read_document(path)
    except PlanError as error:
        checked.errors.extend(error.findings)
        return
    problems = check_structure(checked.frozen, "FrozenFile")
    stated = checked.frozen.root.child("plan_id")
    if stated is not None and stated.kind == "scalar" and stated.value not in (None, plan_id):
        message = f"these frozen cases belong to plan {shown(stated.value)}, not to {shown(plan_id)}"
        checked.errors.append(
            checked.frozen.at(stated).finding("ASE042", message, "correct plan_id, or rename the file")
        )
    _enter(checked, checked.frozen, ("cases",), "fixed", frozen=True)
    _sort(checked, checked.frozen, problems)


def orphans(folder: Path, plan_id: str) -> list[Finding]:
    """Files of frozen cases in ``folder`` that no plan there reads, which a renamed ``plan_id`` leaves behind."""
    lost = [path for path in sorted(folder.glob(f"*{FROZEN}")) if path.name != f"{plan_id}{FROZEN}"]
    known: set[str | None] = (
        {_stated_id(path) for path in sorted(folder.glob("*.y*ml")) if not path.name.endswith(FROZEN)}
        if lost
        else set()
    )
    if None in known:  # a plan beside it cannot be read, and may be the one they belong to
        return []
    return [
        Finding(
            "ASE045",
            "error",
            f"no plan in this folder has the plan_id {shown(path.name.removesuffix(FROZEN))}: its frozen cases guard nothing",
            str(path),
            1,
            1,
            help=f"rename it to {plan_id}{FROZEN} and its plan_id to {plan_id}, if its cases are this plan's; or remove it",
        )
        for path in lost
        if path.name.removesuffix(FROZEN) not in known
    ]


def _stated_id(path: Path) -> str | None:
    """The ``plan_id`` of a YAML file, "" when it states none; None when a plan cannot be read."""
    try:
        found = _PLAN_ID.search(path.read_text("utf-8-sig"))
    except (OSError, UnicodeDecodeError):
        found = None
    if found is not None:
        return found.group(1)
    return None if path.name.endswith((".plan.yaml", ".plan.yml")) else ""


def _enter(checked: CheckedPlan, document: Document, path: DocumentPath, half: Half, *, frozen: bool = False) -> None:
    """Enter the cases of one list that have an id."""
    cases = document.root.find(path)
    for index, case in enumerate(cases.items if cases is not None else ()):
        named = case.child("case_id")
        if named is not None and isinstance(named.value, str) and named.value.strip():
            checked.entries.append(Entry(half, named.value, document, (*path, index), frozen))


def _sort(checked: CheckedPlan, document: Document, problems: list[Problem]) -> None:
    """Give each problem to its case, or to the plan as a whole."""
    entries = {entry.path: entry for entry in checked.entries if entry.document is document}
    for problem in problems:
        place = document.place(problem.path, key=problem.key)
        entry = entries.get(cast("DocumentPath", case_prefix(problem.path)))
        if entry is not None and problem.code in CASE_CODES:
            entry.findings.append(place.finding(problem.code, problem.message, problem.help, case_id=entry.case_id))
        else:
            checked.errors.append(place.finding(problem.code, problem.message, problem.help))


def plans_in(folder: Path) -> list[Path]:
    """The plans that stand directly in a folder."""
    return sorted(folder.glob("*.plan.yaml")) + sorted(folder.glob("*.plan.yml"))


def check_alone(plan: str | Path) -> None:
    """PlanError when the plan shares its folder with another: each build would replace the other's sets."""
    path = Path(plan)
    here = path.resolve()
    others = [other for other in plans_in(here.parent) if other.resolve() != here]
    if path.is_file() and others:
        listed = ", ".join(other.name for other in others)
        message = f"the folder holds other plans too ({listed}): their generated folders fixed/ and simulated/ would be the same"
        help = "give each plan a folder of its own"
        raise PlanError([Finding("ASE041", "error", message, str(plan), help=help)])


def find_plan_file(folder: str | Path) -> Path:
    """The only plan in ``folder``; PlanError when there is none, or more than one."""
    where = Path(folder)
    name = str(where)
    if not where.is_dir():
        raise PlanError([Finding("ASE001", "error", f"{name} is no folder", name, help="check the path")])
    plans = plans_in(where)
    if not plans:
        help = "name the plan, or start one with `adk-split-eval init`"
        raise PlanError([Finding("ASE040", "error", f"there is no *.plan.yaml in {name}", name, help=help)])
    if len(plans) > 1:
        listed = ", ".join(plan.name for plan in plans)
        raise PlanError(
            [
                Finding(
                    "ASE041",
                    "error",
                    f"there are {len(plans)} plans in {name}: {listed}",
                    name,
                    help="name the one meant",
                )
            ]
        )
    return plans[0]
