"""What a team writes: the plan with its two sets, as strict models; every model of the room can be had from here.

Short forms of the YAML (a tool named alone, a bare threshold) are normalised on the way in; ``model_dump(by_alias=True,
exclude_defaults=True)`` gives the shortest YAML form back.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, WithJsonSchema

from adk_split_eval.plan.base import Name, PlanId, StrictModel, Threshold
from adk_split_eval.plan.checks import check_share
from adk_split_eval.plan.models_cases import (
    Behavior,
    DraftCase,
    DraftTurn,
    FixedCase,
    FixedTurn,
    FrozenCase,
    FrozenFile,
    FrozenTurn,
    GoalEvidence,
    GroundedNumbers,
    IntermediateResponse,
    Origin,
    Pending,
    Persona,
    Provenance,
    ResponseText,
    SessionInput,
    SimCase,
)
from adk_split_eval.plan.models_process import (
    Contrast,
    ContrastField,
    Document,
    DocumentSource,
    EarlyEnd,
    Ending,
    EndingReport,
    EventSelector,
    Evidence,
    Interrupt,
    NamedEvent,
    Process,
    QuestionKind,
    Questions,
    Recovery,
    ReportClaims,
    ReportReview,
    RubricDimension,
    Similarity,
    Skip,
    Stage,
    StageFlow,
)
from adk_split_eval.plan.models_tools import ForbiddenTool, OrderRule, Step, ToolCall, ToolPattern, ToolResult

__all__ = [
    "AtLeast",
    "Behavior",
    "Contrast",
    "ContrastField",
    "CustomMetric",
    "Document",
    "DocumentSource",
    "DraftCase",
    "DraftTurn",
    "EarlyEnd",
    "Ending",
    "EndingReport",
    "EventSelector",
    "Evidence",
    "FixedCase",
    "FixedSet",
    "FixedTurn",
    "ForbiddenTool",
    "FrozenCase",
    "FrozenFile",
    "FrozenTurn",
    "GoalEvidence",
    "GroundedNumbers",
    "IntermediateResponse",
    "Interrupt",
    "Models",
    "NamedEvent",
    "OrderRule",
    "Origin",
    "PassHat",
    "Pending",
    "Persona",
    "Plan",
    "Policy",
    "Process",
    "Provenance",
    "QuestionKind",
    "Questions",
    "Recovery",
    "ReportClaims",
    "ReportReview",
    "ResponseText",
    "RubricDimension",
    "SessionInput",
    "SimCase",
    "SimSet",
    "Similarity",
    "Skip",
    "Stage",
    "StageFlow",
    "Step",
    "ToolCall",
    "ToolPattern",
    "ToolResult",
]

Share = Annotated[
    float,
    BeforeValidator(check_share),
    Field(gt=0, le=1),
    WithJsonSchema(
        {
            "x-check": "share",
            "anyOf": [
                {"type": "number", "exclusiveMinimum": 0, "maximum": 1},
                {"type": "string", "pattern": r"^\s*\d+(\.\d+)?\s*%\s*$"},
            ],
        }
    ),
]


class Models(StrictModel):
    """Pinned model names, whatever ADK's LLMRegistry resolves."""

    simulator: Name | None = Field(default=None, description="Model that plays the user.")
    judge: Name | None = Field(default=None, description="Model that judges.")


class CustomMetric(StrictModel):
    """A metric of the team's own."""

    function: str = Field(
        pattern=r"^[A-Za-z_]\w*(\.[A-Za-z_]\w*)+$",
        description="Dotted path of the function from the project root, as custom_metrics.refund.promises_a_date.",
    )
    sets: list[Literal["fixed", "simulated"]] = Field(
        default_factory=lambda: ["fixed", "simulated"], min_length=1, description="Sets it judges."
    )
    kind: Literal["deterministic", "judged"] = Field(
        default="deterministic", description="`judged` when a model decides."
    )
    threshold: Threshold = Field(default=1.0, description="Lower bound of its score, above 0 and at most 1.")
    description: str = Field(default="", description="One line for people.")


class AtLeast(StrictModel):
    """A case of the gate passes when at least that many of its trials do."""

    at_least: int = Field(ge=1, description="Trials that must pass.")


class PassHat(StrictModel):
    """A case of the gate passes by pass^k: k trials drawn from those made all pass."""

    pass_hat: int = Field(ge=1, description="k of pass^k.")


class Policy(StrictModel):
    """How trials and votes decide."""

    gate: Literal["all"] | AtLeast | PassHat = Field(default="all", description="all | {at_least: k} | {pass_hat: k}.")
    votes: int = Field(
        default=3, ge=1, description="Samples of a judged criterion, an odd number; the majority decides."
    )
    audit: Share | None = Field(default=None, description="Share of judged verdicts drawn for people to check, as 10%.")


class FixedSet(StrictModel):
    """The gate: scripted conversations."""

    criteria: dict[str, Any] = Field(
        default_factory=dict[str, Any], description="As in ADK's EvalConfig: threshold, or {threshold, options}."
    )
    cases: list[FixedCase] = Field(default_factory=list[FixedCase], description="The fixed cases.")


class SimSet(StrictModel):
    """The probe: improvised conversations."""

    criteria: dict[str, Any] | None = Field(default=None, description="What is judged, instead of the defaults.")
    simulator: dict[str, Any] = Field(default_factory=dict[str, Any], description="ADK's user_simulator_config.")
    max_turns: int = Field(default=12, ge=1, description="A guard against endless talk, never a quality bar.")
    cases: list[SimCase] = Field(default_factory=list[SimCase], description="The simulated cases.")


class Plan(StrictModel):
    """A plan for adk-split-eval: a fixed set that gates and a simulated set that probes."""

    plan_id: PlanId = Field(description="Letters, digits, underscores.")
    agent: Name | None = Field(default=None, description="ADK agent folder, relative to this file.")
    models: Models | None = Field(default=None, description="Pinned model names.")
    session_input: SessionInput | None = Field(default=None, description="The session every case starts in.")
    custom_metrics: dict[str, CustomMetric] = Field(
        default_factory=dict[str, CustomMetric], description="The team's own metrics, by criterion name."
    )
    trials: int = Field(default=1, ge=1, description="How often each case runs.")
    policy: Policy = Field(default_factory=Policy, description="How trials and votes decide.")
    fixed_set: FixedSet | None = Field(default=None, description="The gate.")
    sim_set: SimSet | None = Field(default=None, description="The probe.")
    personas: dict[str, Persona] = Field(
        default_factory=dict[str, Persona], description="The team's own personas, by id."
    )
    process: Process | None = Field(default=None, description="Rules about the course of events, for all cases.")
    contrasts: list[Contrast] = Field(default_factory=list[Contrast], description="Pairs of cases to compare.")

    @property
    def judge(self) -> str | None:
        """The judge model, when one is pinned."""
        return self.models.judge if self.models else None
