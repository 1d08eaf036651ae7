"""From a plan file to a checked plan, every complaint with its place and its mend."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from adk_split_eval.record import Finding

if TYPE_CHECKING:
    from adk_split_eval.plan.models import Plan


class PlanError(Exception):
    """The plan as a whole cannot be used; ``findings`` says why and where."""

    def __init__(self, findings: list[Finding]) -> None:
        super().__init__("\n".join(finding.render() for finding in findings))
        self.findings = findings


@dataclass(slots=True)
class RejectedCase:
    """A case that cannot be used while the others can."""

    set: Literal["fixed", "simulated"]
    case_id: str
    findings: list[Finding]


@dataclass(slots=True)
class LoadedPlan:
    """A plan as loaded. ``plan`` holds no rejected case; frozen cases are merged into ``plan.fixed_set.cases``."""

    path: Path
    plan: Plan
    findings: list[Finding] = field(default_factory=list[Finding])
    rejected: list[RejectedCase] = field(default_factory=list[RejectedCase])


def load_plan(path: str | Path) -> LoadedPlan:
    """Read and check a plan."""
    import yaml

    from adk_split_eval.plan.models import Plan

    location = Path(path)
    data = yaml.safe_load(location.read_text("utf-8-sig"))
    return LoadedPlan(location, Plan.model_validate(data))
