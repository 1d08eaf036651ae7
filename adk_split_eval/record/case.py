"""A case ready to be judged, whatever it was written in, and the sets it travels in.

``build`` compiles a plan into these; the raw-set reader makes them out of ADK's own files. The
runner, ``score`` and ``freeze`` know nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from adk_split_eval.record.finding import Finding

Half = Literal["fixed", "simulated"]
Source = Literal["adk", "ours", "team"]


@dataclass(slots=True)
class Criterion:
    """One criterion that governs one case.

    Attributes:
        name: criterion name as in an ADK config.
        kind: ``judged`` when a model decides, else ``deterministic``.
        source: ADK's own metric, one of this package, or a team's.
        threshold: lower bound of the score; None for informational metrics.
        options: the criterion as ADK's config spells it (threshold included).
        params: what this case gives the metric (metrics of this package only); ``params["turns"]`` has one entry
            (dict or None) a turn for turn-level parameters.
        function: dotted path of a team's metric, as ADK imports it.
        runner_only: left out of the generated config, judged by our runner alone.
    """

    name: str
    kind: Literal["deterministic", "judged"]
    source: Source
    threshold: float | None = 1.0
    options: dict[str, Any] = field(default_factory=dict[str, Any])
    params: dict[str, Any] = field(default_factory=dict[str, Any])
    function: str | None = None
    runner_only: bool = False


@dataclass(slots=True)
class Case:
    """One case with everything that governs it.

    Attributes:
        eval_case: ADK's EvalCase as JSON (snake_case), exactly what stands in the generated set.
        criteria: in report order; deterministic ones first.
        group: suffix of the generated set, "" for the common one.
        max_turns: simulated only: ADK's ``max_allowed_invocations``.
        goal_required: simulated only: whether missing the goal is a HIT.
        findings: lint findings about this case; an error among them makes it REJECTED.
        provenance: of a frozen case, what it came from (pool candidate, run, fingerprint, pending owner and date).
        runner: what only our runner does for this case (``expect_state``, ``interrupt``, ``replay_tools``...).
    """

    set: Half
    case_id: str
    eval_case: dict[str, Any]
    criteria: list[Criterion] = field(default_factory=list[Criterion])
    group: str = ""
    scene: str = ""
    max_turns: int | None = None
    goal_required: bool = True
    findings: list[Finding] = field(default_factory=list[Finding])
    provenance: dict[str, Any] | None = None
    runner: dict[str, Any] = field(default_factory=dict[str, Any])

    @property
    def rejected(self) -> bool:
        return any(f.level == "error" for f in self.findings)


@dataclass(slots=True)
class CompiledSet:
    """One generated ADK eval set with its config and the cases it holds, all plain JSON data."""

    set: Half
    group: str
    eval_set_id: str
    directory: str
    eval_set: dict[str, Any]
    config: dict[str, Any]
    case_ids: list[str] = field(default_factory=list[str])


@dataclass(slots=True)
class CompiledPlan:
    """A plan turned into sets and cases; ``decisions`` says what was decided and why (shown by ``build -v``)."""

    plan_id: str
    agent_dir: str | None
    root: str
    cases: list[Case] = field(default_factory=list[Case])
    sets: list[CompiledSet] = field(default_factory=list[CompiledSet])
    findings: list[Finding] = field(default_factory=list[Finding])
    decisions: list[str] = field(default_factory=list[str])
    trials: int = 1
    votes: int = 3
    gate: Any = "all"
    models: dict[str, str] = field(default_factory=dict[str, str])
    simulator: dict[str, Any] = field(default_factory=dict[str, Any])
    extra: dict[str, Any] = field(default_factory=dict[str, Any])
