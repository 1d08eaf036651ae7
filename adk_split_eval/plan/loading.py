"""From a plan file to a checked plan, every complaint with its place and its mend."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from adk_split_eval.plan.checked import SECTIONS, CheckedPlan, Entry, RejectedSet, expand
from adk_split_eval.plan.checking import check_plan, find_plan_file, frozen_path
from adk_split_eval.plan.cross import known_personas
from adk_split_eval.plan.nodes import Document, DocumentPath, Place, PlanError
from adk_split_eval.record import Finding, Half

if TYPE_CHECKING:
    from pydantic import ValidationError

    from adk_split_eval.plan.models import FixedCase, Plan, SimCase

__all__ = ["LoadedPlan", "PlanError", "RejectedCase", "find_plan", "frozen_path", "load_plan"]


@dataclass(slots=True)
class RejectedCase:
    """A case that cannot be used while the others can."""

    set: RejectedSet
    case_id: str
    findings: list[Finding]


@dataclass(slots=True)
class LoadedPlan:
    """A plan as loaded.

    Attributes:
        path: the plan file.
        plan: without the rejected cases; spreads expanded, frozen cases merged into ``plan.fixed_set.cases``.
        findings: the errors of the rejected cases.
        rejected: the cases they reject, in the order of the file.
        frozen_path: the file of frozen cases, None when there is none.
        documents: the YAML documents read, by the name findings give them.
    """

    path: Path
    plan: Plan
    findings: list[Finding] = field(default_factory=list[Finding])
    rejected: list[RejectedCase] = field(default_factory=list[RejectedCase])
    frozen_path: Path | None = None
    documents: dict[str, Document] = field(default_factory=dict[str, Document])

    @property
    def root(self) -> Path:
        """The plan's folder; agent and documents are named relative to it."""
        return self.path.parent

    def place(self, where: FixedCase | SimCase | None = None, *path: str | int, key: bool = False) -> Place:
        """Where something stands: ``place(case, "turns", 1, "user")``, or ``place(None, "policy", "votes")``.

        The nearest existing node above when the path is not written in the file; ``key`` asks for the key itself.
        """
        origin = where.origin if where is not None else None
        document = self.documents.get(origin.file if origin else str(self.path))
        if document is None:
            return Place(str(self.path), 0, 0, 0, 0)
        prefix: DocumentPath = origin.path if origin else ()
        return document.place((*prefix, *path), key=key)


def load_plan(path: str | Path) -> LoadedPlan:
    """Read and check the plan at ``path`` and the frozen cases beside it.

    Raises PlanError when the plan as a whole cannot be used. Errors of single cases reject those cases only; they are
    in ``rejected`` and ``findings`` of the result.
    """
    checked = check_plan(path)
    if checked.errors:
        raise PlanError(checked.findings)
    return build_models(checked)


def find_plan(folder: str | Path = ".") -> Path:
    """The only plan in ``folder``.

    Raises PlanError when there is none, or more than one.
    """
    return find_plan_file(folder)


def build_models(checked: CheckedPlan) -> LoadedPlan:
    """Models of a plan that has no errors as a whole."""
    from pydantic import ValidationError

    from adk_split_eval.plan.models import FixedSet, FrozenCase, Origin, Plan

    data: dict[str, Any] = checked.root.data()
    origins: dict[Half, list[Origin]] = {"fixed": [], "simulated": []}
    personas = known_personas(checked)
    for section in SECTIONS.values():
        if data.get(section) is not None:
            data[section]["cases"] = []
    frozen: list[tuple[dict[str, Any], Origin]] = []
    for entry in checked.entries:
        if entry.findings:
            continue
        for case in expand(entry, entry.node.data(), personas):
            origin = Origin(entry.document.path, entry.path)
            if entry.frozen:
                frozen.append((case, origin))
            else:
                data[SECTIONS[entry.half]]["cases"].append(case)
                origins[entry.half].append(origin)
    try:
        plan = Plan.model_validate(data)
        thawed = [(FrozenCase.model_validate(case), origin) for case, origin in frozen]
    except ValidationError as error:
        raise PlanError(_unforeseen(checked, error)) from None
    if frozen and plan.fixed_set is None:
        plan.fixed_set = FixedSet()
    for case, origin in zip(plan.fixed_set.cases if plan.fixed_set else [], origins["fixed"], strict=True):
        case.written_at(origin)
    for case, origin in zip(plan.sim_set.cases if plan.sim_set else [], origins["simulated"], strict=True):
        case.written_at(origin)
    for case, origin in thawed:
        case.written_at(origin)
        assert plan.fixed_set is not None
        plan.fixed_set.cases.append(case)
    return LoadedPlan(
        checked.path,
        plan,
        checked.findings,
        [_rejected(entry) for entry in checked.entries if entry.findings],
        Path(checked.frozen.path) if checked.frozen else None,
        {document.path: document for document in (checked.document, checked.frozen) if document},
    )


def _rejected(entry: Entry) -> RejectedCase:
    return RejectedCase(entry.half, entry.case_id, list(entry.findings))


def _unforeseen(checked: CheckedPlan, error: ValidationError) -> list[Finding]:
    """What the models refuse although the checks did not; the place is as near as the models say."""
    findings: list[Finding] = []
    for detail in error.errors(include_url=False, include_input=False):
        path = tuple(part for part in detail["loc"])
        place = checked.document.place(path) if checked.document else Place(str(checked.path), 0, 0, 0, 0)
        findings.append(place.finding("ASE011", detail["msg"], "see `adk-split-eval schema`"))
    return findings
