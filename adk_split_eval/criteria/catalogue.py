"""The table of criteria: one row each, ADK's and ours.

Which criterion works with user simulation follows the table on ADK's evaluation-criteria page (four criteria need
references); what ADK really does with each was measured on 2.13.0.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

BOTH: frozenset[str] = frozenset({"fixed", "simulated"})
FIXED: frozenset[str] = frozenset({"fixed"})
SIMULATED: frozenset[str] = frozenset({"simulated"})

RUBRIC_TYPE_PREFIX = "ADK_SPLIT_EVAL."


@dataclass(frozen=True, slots=True)
class CriterionInfo:
    """One criterion.

    Attributes:
        sets: the sets that may use it.
        kind: ``judged`` when a model decides.
        source: ``adk`` or ``ours``.
        why: one line for people: what it judges, or why a set may not use it.
        reference_based: needs an expected trajectory or response.
        needs_scenario: judges the simulator, so it needs a conversation scenario.
        google_cloud: needs Google Cloud.
        informational: reports a number, never a verdict.
        turn_level: parameters and rows are per turn (ours).
        runner_only: needs what a metric under plain ``adk eval`` cannot see (ours).
        adk_rubric_type: the rubric type ADK's metric filters on.
        max_score: highest score it can give.
        plan_key: the key on a case that switches it on at threshold 1.0.
    """

    name: str
    sets: frozenset[str]
    kind: Literal["deterministic", "judged"]
    source: Literal["adk", "ours"]
    why: str
    reference_based: bool = False
    needs_scenario: bool = False
    google_cloud: bool = False
    informational: bool = False
    turn_level: bool = False
    runner_only: bool = False
    adk_rubric_type: str | None = None
    max_score: float = 1.0
    plan_key: str | None = None


_ROWS: tuple[CriterionInfo, ...] = (
    CriterionInfo(
        "tool_trajectory_avg_score",
        FIXED,
        "deterministic",
        "adk",
        "compares the tool calls of each turn with the expected ones",
        reference_based=True,
        plan_key="expect_tools",
    ),
    CriterionInfo(
        "response_match_score",
        FIXED,
        "deterministic",
        "adk",
        "ROUGE-1 of each final response against its reference",
        reference_based=True,
    ),
    CriterionInfo(
        "final_response_match_v2",
        FIXED,
        "judged",
        "adk",
        "a judge compares each final response with its reference",
        reference_based=True,
    ),
    CriterionInfo(
        "response_evaluation_score",
        FIXED,
        "judged",
        "adk",
        "coherence of each response, on Google Cloud",
        reference_based=True,
        google_cloud=True,
        max_score=5.0,
    ),
    CriterionInfo(
        "safety_v1", BOTH, "judged", "adk", "harmlessness of each response, on Google Cloud", google_cloud=True
    ),
    CriterionInfo(
        "hallucinations_v1",
        BOTH,
        "judged",
        "adk",
        "a judge checks every sentence of a response against instructions, user prompt and tool results",
    ),
    CriterionInfo(
        "rubric_based_final_response_quality_v1",
        BOTH,
        "judged",
        "adk",
        "a judge answers yes/no rubrics about each final response",
        adk_rubric_type="FINAL_RESPONSE_QUALITY",
    ),
    CriterionInfo(
        "rubric_based_tool_use_quality_v1",
        BOTH,
        "judged",
        "adk",
        "a judge answers yes/no rubrics about each turn's tool use",
        adk_rubric_type="TOOL_USE_QUALITY",
    ),
    CriterionInfo(
        "rubric_based_multi_turn_trajectory_quality_v1",
        BOTH,
        "judged",
        "adk",
        "a judge answers yes/no rubrics about the whole conversation",
        adk_rubric_type="TRAJECTORY_QUALITY",
    ),
    CriterionInfo(
        "per_turn_user_simulator_quality_v1",
        SIMULATED,
        "judged",
        "adk",
        "a judge checks that the simulated user stayed in its role and plan",
        needs_scenario=True,
    ),
    CriterionInfo(
        "multi_turn_task_success_v1", BOTH, "judged", "adk", "task success, on Google Cloud", google_cloud=True
    ),
    CriterionInfo(
        "multi_turn_trajectory_quality_v1",
        BOTH,
        "judged",
        "adk",
        "trajectory quality, on Google Cloud",
        google_cloud=True,
    ),
    CriterionInfo(
        "multi_turn_tool_use_quality_v1", BOTH, "judged", "adk", "tool use quality, on Google Cloud", google_cloud=True
    ),
    CriterionInfo("tool_call_count_v1", BOTH, "deterministic", "adk", "number of tool calls", informational=True),
    CriterionInfo("inference_call_count_v1", BOTH, "deterministic", "adk", "number of model calls", informational=True),
    CriterionInfo("token_usage_v1", BOTH, "deterministic", "adk", "tokens used", informational=True),
    CriterionInfo("invocation_duration_v1", BOTH, "deterministic", "adk", "seconds a turn took", informational=True),
    CriterionInfo(
        "tool_args_v1",
        FIXED,
        "deterministic",
        "ours",
        "expected calls with their arguments, by value or matcher; parallel calls as a set",
        reference_based=True,
        turn_level=True,
        plan_key="expect_tools",
    ),
    CriterionInfo(
        "tool_order_v1",
        FIXED,
        "deterministic",
        "ours",
        "one tool before another, over the whole conversation",
        reference_based=True,
        plan_key="order_rules",
    ),
    CriterionInfo(
        "response_text_v1",
        FIXED,
        "deterministic",
        "ours",
        "what a final response must contain, must not contain, must match",
        reference_based=True,
        turn_level=True,
        plan_key="response",
    ),
    CriterionInfo(
        "expected_response_v1",
        FIXED,
        "deterministic",
        "ours",
        "ADK's response criterion on just the turns that carry a reference",
        reference_based=True,
        turn_level=True,
        plan_key="expect_response",
    ),
    CriterionInfo(
        "intermediate_responses_v1",
        FIXED,
        "deterministic",
        "ours",
        "what agents must say on the way to the final response, in order",
        reference_based=True,
        turn_level=True,
        plan_key="expect_intermediate_responses",
    ),
    CriterionInfo(
        "forbidden_tools_v1",
        BOTH,
        "deterministic",
        "ours",
        "tools that must never be called, or not until another call succeeded; an invariant, so it needs no script",
        plan_key="forbidden_tools",
    ),
    CriterionInfo(
        "grounded_numbers_v1",
        BOTH,
        "deterministic",
        "ours",
        "every amount, count, percentage, date or identifier the agent states has a source",
        turn_level=True,
        plan_key="grounded_numbers",
    ),
    CriterionInfo(
        "goal_reached_v1",
        SIMULATED,
        "deterministic",
        "ours",
        "the evidence of the user's goal, all of it",
        plan_key="goal_evidence",
    ),
    CriterionInfo(
        "final_state_v1",
        FIXED,
        "deterministic",
        "ours",
        "session state after the last turn",
        reference_based=True,
        runner_only=True,
        plan_key="expect_state",
    ),
    CriterionInfo("stage_flow_v1", BOTH, "deterministic", "ours", "stages in legal order", plan_key="process.stages"),
    CriterionInfo(
        "repeated_questions_v1", BOTH, "deterministic", "ours", "no question asked twice", plan_key="process.questions"
    ),
    CriterionInfo(
        "evidence_links_v1",
        BOTH,
        "deterministic",
        "ours",
        "a question that builds on a document cites a fragment that says so",
        plan_key="process.evidence",
    ),
    CriterionInfo(
        "ending_v1",
        BOTH,
        "deterministic",
        "ours",
        "the conversation ends as allowed, with one report",
        plan_key="process.ending",
    ),
    CriterionInfo(
        "recovery_v1",
        BOTH,
        "deterministic",
        "ours",
        "nothing repeated or lost over an interruption",
        runner_only=True,
        plan_key="interrupt",
    ),
    CriterionInfo(
        "repeated_meaning_v1",
        BOTH,
        "judged",
        "ours",
        "a judge decides about pairs of questions that are alike in words, not the same",
        plan_key="process.questions.judge",
    ),
    CriterionInfo(
        "evidence_meaning_v1",
        BOTH,
        "judged",
        "ours",
        "a judge decides whether a question is about the fragment it cites",
        plan_key="process.evidence.judge",
    ),
    CriterionInfo(
        "report_review_v1",
        BOTH,
        "judged",
        "ours",
        "a judge scores the report against the conversation",
        plan_key="process.report",
    ),
)

CATALOGUE: dict[str, CriterionInfo] = {row.name: row for row in _ROWS}
"""Criterion name → what is known of it."""


def get(name: str) -> CriterionInfo | None:
    """The catalogue row of ``name``, or None for a team's own metric or a misspelling."""
    return CATALOGUE.get(name)


def simulated_defaults() -> tuple[str, ...]:
    """Criteria a simulated set gets when its plan lists none; the last two need ``models.judge``."""
    return (
        "goal_reached_v1",
        "grounded_numbers_v1",
        "forbidden_tools_v1",
        "hallucinations_v1",
        "per_turn_user_simulator_quality_v1",
    )


def rubric_type(name: str) -> str:
    """The rubric ``type`` that carries this criterion's parameters on an EvalCase or Invocation; ADK skips it."""
    return RUBRIC_TYPE_PREFIX + name


def function_path(name: str) -> str:
    """Dotted path of our metric, as it stands under ``custom_metrics`` in a generated config."""
    return f"adk_split_eval.metrics.{name}"
