"""Rules about the course of a conversation: stages, questions, evidence, ending, recovery, report and contrasts.

All of them read *events* out of a conversation, in raw order; an :class:`EventSelector` says which. Paths such as
``args.stage`` or ``response.question.id`` pick a field of an event:

=============  ==========================================================================================
selector       roots a path may start with
=============  ==========================================================================================
``tool``       ``args`` (of the call), ``response`` (of the same call, once answered), ``name``, ``author``
``response``   ``response``, ``args`` (of the call it answers), ``name``, ``author``
``transfer``   ``agent`` (its target), ``args``, ``author``
``says``       ``text``, ``match`` (named groups of the pattern; ``match.0`` the whole match), ``author``
``state``      ``value`` (new value), ``before`` (old value), ``key``
=============  ==========================================================================================

A number as a path segment indexes a list. A path that leads nowhere yields "no value".
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, cast

from pydantic import Field, GetJsonSchemaHandler, model_serializer, model_validator
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from adk_split_eval.plan.base import Matchable, Name, Path, Regex, StrictModel, Words
from adk_split_eval.plan.models_tools import ToolPattern


class EventSelector(StrictModel):
    """Which events are meant. Exactly one of tool, response, transfer, says, state; `where` narrows it."""

    tool: Name | None = Field(default=None, description="Calls of this tool, at the moment of the call.")
    response: Name | None = Field(default=None, description="Responses of this tool, at the moment it answered.")
    transfer: Name | None = Field(default=None, description='Transfers to this agent; "*" for any agent.')
    says: Regex | None = Field(default=None, description="Texts of the agent in which this pattern is found.")
    state: Name | None = Field(
        default=None,
        description="Changes of this session-state key; a value that merely stays is no event. Needs our runner.",
    )
    where: dict[Path, Matchable] = Field(
        default_factory=dict[str, Any],
        description="Path to value or matcher: only events for which all of them hold.",
    )
    ok: bool | None = Field(
        default=None,
        description="true: only calls whose response is no error; false: only those whose response is one. Absent: all.",
    )

    @property
    def kind(self) -> Literal["tool", "response", "transfer", "says", "state"]:
        """Which of the five selectors is set."""
        for kind in ("tool", "response", "transfer", "says", "state"):
            if getattr(self, kind) is not None:
                return kind
        raise AssertionError("validated")

    @property
    def subject(self) -> str:
        """The tool, agent, pattern or state key selected."""
        return str(getattr(self, self.kind))

    @property
    def runner_only(self) -> bool:
        """Whether plain ``adk eval`` cannot see such events."""
        return self.kind == "state"

    @model_serializer
    def _given_only(self) -> dict[str, Any]:
        return {key: value for key in type(self).model_fields if (value := getattr(self, key)) not in (None, {})}


EventRef = Annotated[
    Name | EventSelector,
    Field(description="An event: a name from `process.events`, or a selector written in place."),
]


class NamedEvent(StrictModel):
    """An event with one field picked from it: `{event: ..., pick: args.report}`, or the selector with `pick` beside it."""

    event: EventRef = Field(description="Where it is read.")
    pick: Path | None = Field(
        default=None,
        description="Path to the value. Absent: the arguments, response, text or new state value as a whole.",
    )

    @model_validator(mode="before")
    @classmethod
    def _accept_flat(cls, data: Any) -> Any:
        if isinstance(data, str):
            return {"event": data}
        if isinstance(data, dict):
            flat = cast("dict[str, Any]", data)
            if "event" not in flat:
                picked = {"pick": flat["pick"]} if "pick" in flat else {}
                return {"event": {key: value for key, value in flat.items() if key != "pick"}, **picked}
            return flat
        return data

    @classmethod
    def __get_pydantic_json_schema__(cls, core: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        schema = handler.resolve_ref_schema(handler(core))
        selector = EventSelector.model_json_schema()
        flat = {**selector["properties"], "pick": schema["properties"]["pick"]}
        long = {key: value for key, value in schema.items() if key != "description"}
        return {
            "description": cls.__doc__ or "",
            "anyOf": [
                {"type": "string", "minLength": 1, "x-check": "name"},
                long,
                {"type": "object", "properties": flat, "additionalProperties": False},
            ],
        }


class Skip(StrictModel):
    """When a stage may be skipped."""

    reason: Regex | None = Field(
        default=None,
        description="Pattern the recorded reason of the skipping transition must match (see `stages.reason`). "
        "Absent: any reason, but one must be recorded when `stages.reason` is set.",
    )


class Stage(StrictModel):
    """One stage of the conversation."""

    name: Name = Field(description="Stage name, as events give it.")
    next: list[Name] | None = Field(
        default=None,
        description="Stages that may follow. Absent: the next one of the list. Skippable stages may be jumped.",
    )
    back: list[Name] = Field(default_factory=list[str], description="Earlier stages it may return to; none by default.")
    skip: Skip | bool = Field(default=False, description="true or {reason: pattern}: the stage may be skipped.")
    required: bool = Field(
        default=True, description="Must be entered before the conversation ends, unless skipped legally or ended early."
    )
    repeat: bool = Field(
        default=False,
        description="A further event that names the stage it is already in is legal (else an illegal transition).",
    )
    min_turns: int = Field(default=0, ge=0, description="Fewest user turns spent in it before it may be left.")
    max_turns: int | None = Field(default=None, ge=1, description="Most user turns that may be spent in it.")
    final: bool = Field(default=False, description="Nothing may happen after it is entered and its turn is over.")


class EarlyEnd(StrictModel):
    """What a user who ends the conversation early leads to."""

    says: Regex | None = Field(default=None, description="Pattern in the user's words that means: I want to stop.")
    event: EventRef | None = Field(default=None, description="Or the event by which the agent records it.")
    leads_to: list[Name] = Field(
        min_length=1,
        description="Stages that may then follow directly from any stage; coverage is no longer asked for.",
    )
    within_turns: int = Field(default=1, ge=1, description="User turns within which that must happen.")


class StageFlow(StrictModel):
    """`stage_flow_v1`: stages in legal order, judged on every stage event."""

    event: EventRef = Field(description="The event that changes the stage.")
    stage: Path = Field(default="args.stage", description="Path to the name of the stage entered.")
    reason: Path | None = Field(
        default=None, description="Path to the recorded reason of the change, where there is one."
    )
    initial: Name | None = Field(
        default=None,
        description="Stage the conversation starts in without an event. Absent: the first event enters it.",
    )
    order: list[Stage] = Field(min_length=1, description="The stages in their usual order.")
    early_end: EarlyEnd | None = Field(default=None, description="What a user who ends early leads to.")

    def stage_named(self, name: str) -> Stage | None:
        """The stage of that name, if there is one."""
        return next((stage for stage in self.order if stage.name == name), None)

    def finals(self) -> list[str]:
        """Names of the final stages: those marked, else the last of the list."""
        return [stage.name for stage in self.order if stage.final] or [self.order[-1].name]

    def successors(self, name: str) -> list[str]:
        """Stages ``next`` allows after ``name`` (without jumps over skippable stages and ways back)."""
        for position, stage in enumerate(self.order):
            if stage.name == name:
                if stage.next is not None:
                    return list(stage.next)
                return [] if stage.final else [follower.name for follower in self.order[position + 1 : position + 2]]
        return []


class QuestionKind(StrictModel):
    """How often a kind of question may be asked."""

    per_question: int | None = Field(
        default=1,
        ge=0,
        description="Most times one question (its id, or its text) may be asked as this kind; null: no limit.",
    )
    total: int | None = Field(default=None, ge=0, description="Most questions of this kind in one conversation.")
    after_user: Regex | None = Field(
        default=None,
        description="Legal only when the user's words of that turn match, as in a re-ask after 'please repeat'.",
    )
    compare_text: bool = Field(
        default=False, description="Compare its text with other questions' (always done for the default kind)."
    )


class Similarity(StrictModel):
    """When two questions in other words are the same, 0 to 1 on normalised text."""

    same: float = Field(default=0.9, gt=0, le=1, description="From here on: the same question.")
    grey: float = Field(
        default=0.75, gt=0, le=1, description="From here up to `same`: a judge decides when there is one."
    )


class Questions(StrictModel):
    """`repeated_questions_v1`: no question asked twice, counted per asking event."""

    event: EventRef = Field(description="The event that asks a question.")
    id: Path | None = Field(
        default=None, description="Path to the question's stable id. No value there: a free question."
    )
    text: Path | None = Field(default=None, description="Path to the question's words; needed for free questions.")
    kind: Path | None = Field(default=None, description="Path to the kind of question. No value there: `default_kind`.")
    default_kind: Name = Field(default="main", description="Kind of a question that says none.")
    kinds: dict[str, QuestionKind] = Field(
        default_factory=dict[str, QuestionKind],
        description="Kind to its limits. The default kind is asked once unless stated; a kind that is not listed has no limit "
        "when the map names others, and counts as the default kind when the map is empty.",
    )
    similarity: Similarity = Field(default_factory=Similarity, description="Thresholds for questions in other words.")
    judge: bool = Field(default=False, description="Ask the judge (`models.judge`) about pairs in the grey zone.")


class Document(StrictModel):
    """A document questions may build on."""

    id: Name = Field(description="Document id.")
    version: str = Field(default="", description="Its version; compared when the question states one.")
    fragments: dict[str, str] = Field(description="Fragment id to its text.")


class DocumentSource(StrictModel):
    """Where a case's document is: inline, in a file, or in the case's start state. Exactly one."""

    state: Name | None = Field(
        default=None,
        description="Key of the case's `session_input.state` that holds {id, version, fragments}; no such key: no document.",
    )
    file: str | None = Field(
        default=None, description="JSON or YAML file {id, version, fragments}, relative to the plan."
    )
    inline: Document | None = Field(default=None, description="The document itself.")


class Evidence(StrictModel):
    """`evidence_links_v1`: a question that builds on a document cites a fragment that says so."""

    event: EventRef = Field(description="The event that asks a question.")
    cites: Path = Field(
        description="Path to the cited fragment id, or a list of them. No value there: it cites nothing."
    )
    document: Path | None = Field(default=None, description="Path to the cited document's id; compared when given.")
    version: Path | None = Field(default=None, description="Path to the cited document's version; compared when given.")
    quote: Path | None = Field(
        default=None, description="Path to the words quoted; they must stand in the cited fragment."
    )
    text: Path | None = Field(default=None, description="Path to the question's own words.")
    claims_where: dict[Path, Matchable] = Field(
        default_factory=dict[str, Any],
        description="Path to value or matcher: questions that claim to build on the document, so they must cite.",
    )
    claims_pattern: Regex | None = Field(
        default=None,
        description="Questions whose words match claim to build on the document: they must cite, and are wrong without one.",
    )
    source: DocumentSource | None = Field(
        default=None, description="The document of the case. Absent: there is none, so nothing may be cited or claimed."
    )
    judge: bool = Field(default=False, description="Ask the judge whether the question is about the cited fragment.")


class EndingReport(StrictModel):
    """The report that belongs to the ending."""

    event: EventRef = Field(description="The event that produces the report.")
    times: int = Field(default=1, ge=0, description="How often exactly.")
    not_before: Name | None = Field(default=None, description="Stage that must have been entered before it.")


class Ending(StrictModel):
    """`ending_v1`: the conversation ends as allowed, with its report, and nothing is asked afterwards."""

    event: EventRef | None = Field(
        default=None, description="The event that ends the conversation; exactly one is due."
    )
    reason: Path | None = Field(default=None, description="Path to the end reason.")
    reasons: list[str] = Field(default_factory=list[str], description="Allowed end reasons; empty: any.")
    stages: list[Name] = Field(
        default_factory=list[str],
        description="Stages the conversation may end in; empty: the final ones of `stages`, if any.",
    )
    report: EndingReport | None = Field(default=None, description="The report and when it is due.")
    nothing_after: list[EventRef] = Field(
        default_factory=list[Any],
        description="Events that must not follow the end; empty: asking events of `questions`.",
    )


class Recovery(StrictModel):
    """`recovery_v1`: what must hold over an interruption, beside stages and questions. Needs our runner."""

    side_effects: list[ToolPattern] = Field(
        default_factory=list[ToolPattern],
        description="Tools that must not be called again with the same arguments afterwards.",
    )
    retries: EventRef | None = Field(default=None, description="Event by which the agent records a retry; listed.")
    timeouts: EventRef | None = Field(default=None, description="Event by which the agent records a timeout; listed.")


class ReportClaims(StrictModel):
    """Where a structured report keeps its claims, so that quotes and numbers are checked against the turns they cite."""

    items: str = Field(description="Dotted path inside the report to a list of claims, or to one claim.")
    text: str = Field(
        default="text", description="Key of the claim's words; a claim that is a plain string is its words."
    )
    turns: str = Field(default="evidence_turn_ids", description="Key of the turn numbers it cites (1-based).")
    quote: str | None = Field(default="quote", description="Key of words quoted from those turns.")


class RubricDimension(StrictModel):
    """One of the judge's dimensions, in the team's words."""

    name: Literal["groundedness", "actionability", "coverage", "factual_consistency"] = Field(description="Dimension.")
    description: Words = Field(description="What 1 and what 5 mean.")


class ReportReview(StrictModel):
    """`report_review_v1`: a judge scores the report against the redacted conversation."""

    source: NamedEvent = Field(
        alias="from", description="Where the report is read, as {tool: save_report, pick: args.report}."
    )
    requirements: list[Words] = Field(min_length=1, description="What the report must do, one sentence each.")
    rubric: list[RubricDimension] = Field(
        default_factory=list[RubricDimension],
        description="The team's own words for the four dimensions; absent ones keep ours.",
    )
    claims: ReportClaims | None = Field(default=None, description="Where the report keeps claims that cite turns.")


class Process(StrictModel):
    """Rules about the course of events, for all cases; a case's own `process` replaces it section by section."""

    events: dict[str, EventSelector] = Field(
        default_factory=dict[str, EventSelector], description="Named events, for use in the sections below."
    )
    stages: StageFlow | None = Field(default=None, description="Stages and their legal order (`stage_flow_v1`).")
    questions: Questions | None = Field(default=None, description="Questions not to repeat (`repeated_questions_v1`).")
    evidence: Evidence | None = Field(
        default=None, description="Questions that build on a document (`evidence_links_v1`)."
    )
    ending: Ending | None = Field(default=None, description="How it may end (`ending_v1`).")
    recovery: Recovery | None = Field(default=None, description="Over an interruption (`recovery_v1`).")
    report: ReportReview | None = Field(
        default=None, description="The report and what it must do (`report_review_v1`)."
    )
    redact: list[Regex] = Field(
        default_factory=list[str],
        description="Patterns removed before a judge sees the conversation, beside e-mail, phone and id numbers.",
    )

    def event(self, ref: str | EventSelector) -> EventSelector:
        """The selector behind a reference; KeyError for a name that ``events`` lacks (the loader refuses those)."""
        return self.events[ref] if isinstance(ref, str) else ref


class ContrastField(NamedEvent):
    """What is compared between the two cases: the values picked from these events, in order."""

    unordered: bool = Field(default=False, description="Compare as a multiset instead of a sequence.")


class Contrast(StrictModel):
    """Two cases that differ in one input: what must differ in their course, and what must not. Needs our runner."""

    name: Name = Field(description="Name of the comparison, for the report.")
    cases: list[Name] = Field(min_length=2, max_length=2, description="Two case ids of this plan.")
    differ_in: str = Field(default="", description="The one input that differs, for people.")
    must_differ: list[ContrastField] = Field(default_factory=list[ContrastField], description="What must differ.")
    must_not_differ: list[ContrastField] = Field(default_factory=list[ContrastField], description="What must be equal.")


class Interrupt(StrictModel):
    """Where our runner drops everything and goes on in the same session. Exactly one key."""

    after_turn: int | None = Field(default=None, ge=1, description="After this many user turns.")
    in_tool: Name | None = Field(default=None, description="During the first call of this tool, after the tool ran.")
