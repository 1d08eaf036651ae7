"""The cases of a plan: scripted, frozen, drafts of frozen ones, and improvised ones with their personas."""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, ConfigDict, Field, PrivateAttr

from adk_split_eval.plan.base import CaseId, IsoDate, Matchable, Name, PersonaText, PlanId, Regex, StrictModel, Words
from adk_split_eval.plan.checks import HOLE, check_hole
from adk_split_eval.plan.models_process import Interrupt, Process
from adk_split_eval.plan.models_tools import ForbiddenTool, OrderRule, Step, ToolResult

MatchType = Literal["EXACT", "IN_ORDER", "ANY_ORDER"]


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a case stands: the file, and the path in its document (``("fixed_set", "cases", 0)``)."""

    file: str
    path: tuple[str | int, ...]


class _Placed(StrictModel):
    """A case that knows where it was written; ``origin`` is None for one made in memory."""

    _origin: Origin | None = PrivateAttr(default=None)

    @property
    def origin(self) -> Origin | None:
        """Where the case was written."""
        return self._origin

    def written_at(self, origin: Origin) -> None:
        """Remember where the case was written."""
        self._origin = origin


class SessionInput(StrictModel):
    """The session a case starts in. A case's own extends the plan's: its keys win, the other keys stay."""

    user_id: Name | None = Field(default=None, description="User id of the session.")
    state: dict[str, Any] = Field(default_factory=dict[str, Any], description="Session state before the first turn.")
    session_id: Name | None = Field(default=None, description="A pinned session id; never shared by two cases.")


class GroundedNumbers(StrictModel):
    """Options of `grounded_numbers_v1` for one case."""

    enabled: bool = Field(default=True, description="false: not for this case.")
    sources: list[Literal["tools", "user", "instructions", "state"]] = Field(
        default_factory=lambda: ["tools", "user"], min_length=1, description="Where a number may come from."
    )
    ignore: list[Regex] = Field(default_factory=list[str], description="Patterns of text that needs no source.")
    rounding: bool = Field(
        default=False, description="true: a source grounds its own rounding to any number of places."
    )
    tolerance: float = Field(
        default=0.0,
        ge=0.0,
        lt=1.0,
        description="Values whose ratio is at most 1 + tolerance are the same (0 to below 1).",
    )
    derived: bool = Field(
        default=False, description="true: sums, differences and products of two grounded numbers count as grounded."
    )


class IntermediateResponse(StrictModel):
    """Something an agent must say before its final response of the turn."""

    author: Name | None = Field(default=None, description="Agent that says it; absent: any.")
    text: Matchable = Field(description="The text, by value or matcher.")


class ResponseText(StrictModel):
    """What the final response of a turn must contain, must not contain, must match."""

    contains: list[Words] = Field(default_factory=list[str], description="Texts that must occur.")
    excludes: list[Words] = Field(default_factory=list[str], description="Texts that must not occur.")
    matches: Regex | None = Field(default=None, description="Pattern that must be found.")


class FixedTurn(StrictModel):
    """One scripted user message and what is expected of the agent's answer."""

    user: Words = Field(description="The user's words, verbatim.")
    expect_tools: Annotated[list[Step] | None, BeforeValidator(check_hole)] = Field(
        default=None,
        description="Expected calls, one entry a step; a nested list holds parallel calls; [] calls nothing. "
        "On every turn of a case or on none.",
        json_schema_extra={"x-check": "hole"},
    )
    expect_intermediate_responses: list[IntermediateResponse] | None = Field(
        default=None, description="What agents must say on the way, in order."
    )
    expect_response: Words | None = Field(default=None, description="Reference text of the final response.")
    response: ResponseText | None = Field(default=None, description="What the final response must and must not say.")


class FixedCase(_Placed):
    """One scripted conversation."""

    case_id: CaseId = Field(description="Unique id of the case over the whole plan.")
    scene: str = Field(default="", description="One line for people.")
    turns: list[FixedTurn] = Field(min_length=1, description="The user's messages in order.")
    match_type: MatchType | None = Field(
        default=None, description="How calls are compared, when it differs from the set."
    )
    order_rules: list[OrderRule] = Field(default_factory=list[OrderRule], description="One tool before another.")
    forbidden_tools: list[ForbiddenTool] = Field(
        default_factory=list[ForbiddenTool], description="Tools that must not be called."
    )
    grounded_numbers: bool | GroundedNumbers | None = Field(
        default=None, description="true: every number the agent states has a source; or the options of that check."
    )
    expect_state: dict[str, Matchable] | None = Field(
        default=None, description="Session state after the last turn, by value or matcher; only the keys given."
    )
    session_input: SessionInput | None = Field(default=None, description="Overrides or extends the plan's.")
    process: Process | Literal[False] | None = Field(
        default=None, description="Replaces sections of the plan's `process`; false: none of it applies here."
    )
    interrupt: Interrupt | None = Field(default=None, description="Where our runner interrupts the case.")

    @property
    def annotated(self) -> bool:
        """Whether the case states its tool calls."""
        return self.turns[0].expect_tools is not None

    @property
    def frozen(self) -> FrozenCase | None:
        """The case itself when it came out of a freeze."""
        return self if isinstance(self, FrozenCase) else None


class Pending(StrictModel):
    """A known bug that must not block every merge: expected to fail, strictly, until a day."""

    owner: Name = Field(description="Who mends it.")
    until: IsoDate = Field(description="Last day (ISO date, in quotes) it is tolerated.")

    @property
    def until_date(self) -> datetime.date:
        return datetime.date.fromisoformat(self.until)


class Provenance(StrictModel):
    """What a frozen case came from. Further keys are kept as they are."""

    model_config = ConfigDict(extra="allow", strict=True, allow_inf_nan=False)

    candidate: str | None = Field(default=None, description="File name of the candidate in the probe pool.")
    fingerprint: str | None = Field(default=None, description="Fingerprint of the fault.")
    case_id: str | None = Field(default=None, description="Simulated case that hit.")
    run_id: str | None = Field(default=None, description="Run in which it hit.")
    criterion: str | None = Field(default=None, description="Criterion that hit.")
    reason: str | None = Field(default=None, description="Its reason.")
    approved_by: str | None = Field(default=None, description="Who approved it.")
    approved_at: str | None = Field(default=None, description="When (ISO).")
    frozen_at: str | None = Field(default=None, description="When it was frozen (ISO).")
    red: str | None = Field(default=None, description="Trials that were red when it was frozen, as 3/3.")
    content_hash: str | None = Field(
        default=None, description="Hash of the case as frozen; an edit without it is found."
    )


class FrozenTurn(FixedTurn):
    """A turn of a frozen case; may carry the recorded tool results."""

    tool_results: list[ToolResult] | None = Field(
        default=None, description="Recorded results, replayed when `replay_tools` is true."
    )


class FrozenCase(FixedCase):
    """A fixed case that a simulated hit became."""

    turns: list[FrozenTurn] = Field(min_length=1, description="The recorded user messages in order.")  # type: ignore[assignment]
    goal: str | None = Field(default=None, description="What the simulated user wanted, for people.")
    provenance: Provenance | None = Field(default=None, description="What it came from.")
    pending: Pending | None = Field(default=None, description="Expected to fail until a day, with an owner.")
    replay_tools: bool = Field(default=False, description="Answer tool calls from `tool_results`; only our runner can.")


class FrozenFile(StrictModel):
    """`<plan_id>.frozen.yaml`: frozen cases, which belong to the plan's fixed set."""

    plan_id: PlanId = Field(description="The plan they belong to.")
    cases: list[FrozenCase] = Field(default_factory=list[FrozenCase], description="The frozen cases.")


class DraftTurn(FrozenTurn):
    """A turn of a candidate's draft: `expect_tools: TODO` is a hole for a person to fill."""

    expect_tools: list[Step] | Literal["TODO"] | None = Field(  # type: ignore[assignment]
        default=None, description="Expected calls, or the hole TODO."
    )


class DraftCase(FrozenCase):
    """The draft of a frozen case inside a candidate; may still have holes."""

    turns: list[DraftTurn] = Field(min_length=1, description="The recorded user messages in order.")  # type: ignore[assignment]

    def holes(self) -> list[int]:
        """0-based turns whose `expect_tools` is still TODO."""
        return [number for number, turn in enumerate(self.turns) if turn.expect_tools == HOLE]


class Behavior(StrictModel):
    """One behaviour of a persona (ADK's UserBehavior)."""

    name: PersonaText = Field(description="Short name.")
    description: PersonaText = Field(description="What is expected of the user.")
    behavior_instructions: list[PersonaText] = Field(min_length=1, description="What the simulated user should do.")
    violation_rubrics: list[PersonaText] = Field(
        default_factory=list[str],
        description="Signs that the simulated user did not behave so. They must not depend on the agent being right.",
    )


class Persona(StrictModel):
    """Who the simulated user is (ADK's UserPersona)."""

    id: Name | None = Field(default=None, description="Id; under `personas:` the key is the id.")
    description: PersonaText = Field(description="Who this user is.")
    behaviors: list[Behavior] = Field(min_length=1, description="How this user behaves.")
    exposes: str = Field(default="", description="The kind of fault this persona tends to expose, for people.")

    def to_adk(self, persona_id: str) -> dict[str, Any]:
        """ADK's UserPersona as JSON data."""
        return {
            "id": self.id or persona_id,
            "description": self.description,
            "behaviors": [behavior.model_dump() for behavior in self.behaviors],
        }


class GoalEvidence(StrictModel):
    """One piece of evidence that the goal was reached. Exactly one of tool, says, state."""

    tool: Name | None = Field(default=None, description="This tool was called, and answered without error.")
    args: dict[str, Matchable] | None = Field(default=None, description="With these arguments, by value or matcher.")
    response: Matchable = Field(
        default=None, description="And this response, by value or matcher; only the keys given."
    )
    says: Regex | None = Field(default=None, description="The agent said something this pattern is found in.")
    state: dict[str, Matchable] | None = Field(
        default=None, description="Session state after the last turn. Needs our runner."
    )


class SimCase(_Placed):
    """One improvised conversation: a persona with a goal, and what must hold whatever is said."""

    case_id: CaseId = Field(description="Unique id of the case over the whole plan.")
    scene: str = Field(default="", description="One line for people.")
    persona: Name | Persona | None = Field(
        default=None, description="Id of a shipped persona or of one under `personas:`, or one written in place."
    )
    personas: Literal["all"] | list[Name] | None = Field(
        default=None, description="A spread: one case a persona over the same goal, named <case_id>-<persona>."
    )
    starting_prompt: Words = Field(description="The first thing this user says.")
    goal: Words = Field(description="What the user wants to have in the end.")
    conversation_plan: Words | None = Field(
        default=None, description="ADK's plan for the user; derived from the goal when absent."
    )
    goal_evidence: list[GoalEvidence] = Field(
        default_factory=list[GoalEvidence], description="What shows that the goal was reached; all of it must hold."
    )
    goal_required: bool = Field(default=True, description="false for a user who is meant to leave early.")
    forbidden_tools: list[ForbiddenTool] = Field(
        default_factory=list[ForbiddenTool], description="Tools that must not be called."
    )
    grounded_numbers: bool | GroundedNumbers | None = Field(
        default=None, description="Overrides the set's check that every number the agent states has a source."
    )
    session_input: SessionInput | None = Field(default=None, description="Overrides or extends the plan's.")
    process: Process | Literal[False] | None = Field(
        default=None, description="Replaces sections of the plan's `process`; false: none of it applies here."
    )
    interrupt: Interrupt | None = Field(default=None, description="Where our runner interrupts the case.")
