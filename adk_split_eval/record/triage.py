"""Where to look first: the owner and the next step of a verdict that is not green.

A pure table over (half, verdict, criteria, flags). The prompt is only one of the places where a fault can sit, so every
failure kind names the mechanism that usually broke. Green verdicts have neither owner nor next step.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from adk_split_eval.record.case import Half
from adk_split_eval.record.result import Verdict

Owner = Literal["", "agent", "plan", "simulator", "judge", "metric", "environment"]
Flag = Literal[
    "agent_error",
    "empty_turn",
    "flaky",
    "frozen",
    "glued_text",
    "judge_error",
    "max_turns",
    "metric_error",
    "opening_repeated",
    "pending",
    "pending_expired",
    "pending_green",
    "quality_failed",
    "replay_mismatch",
    "simulator_error",
    "simulator_suspect",
    "timeout",
]
"""What the runner knows beside the criteria. Unknown flags are ignored, so rooms may pass their own."""

GREEN: frozenset[str] = frozenset({"PASS", "OK"})
NAMED_CRITERIA = 2
"""How many failing criteria get their advice spelt out, deterministic ones alone where there are any; more would bury the first."""

JUDGED: frozenset[str] = frozenset(
    {
        "final_response_match_v2",
        "hallucinations_v1",
        "multi_turn_task_success_v1",
        "multi_turn_tool_use_quality_v1",
        "multi_turn_trajectory_quality_v1",
        "evidence_meaning_v1",
        "per_turn_user_simulator_quality_v1",
        "repeated_meaning_v1",
        "report_review_v1",
        "response_evaluation_score",
        "rubric_based_final_response_quality_v1",
        "rubric_based_multi_turn_trajectory_quality_v1",
        "rubric_based_tool_use_quality_v1",
        "safety_v1",
    }
)
"""Criteria a model decides. The catalogue stands above this room, so the names are repeated here; a test compares them."""

_CRITERION_ADVICE: dict[str, str] = {
    "tool_trajectory_avg_score": (
        "Compare the calls of each turn with the expected ones: a changed tool description or instruction moves calls first. "
        "If the new order is right, update the case."
    ),
    "tool_args_v1": (
        "Look at the argument named in the reason: how the agent got that value (user's words, an earlier result, state), "
        "and the tool's parameter description."
    ),
    "tool_order_v1": (
        "Look at what lets the later tool be called without the earlier one: a guard in the tool itself holds, "
        "a sentence in the instruction does not."
    ),
    "forbidden_tools_v1": (
        "Look at the call named in the reason and at what made it possible: the tool list of that agent, a missing guard "
        "in the tool, and for `until` whether the earlier call really succeeded."
    ),
    "response_text_v1": (
        "Read the response beside the text the case asks for: either the agent dropped a fact, or the wording was never a "
        "requirement and the case should ask for less."
    ),
    "response_match_score": (
        "Word overlap moves with harmless rewording: read both texts, and if the meaning holds pin facts with "
        "`response: {contains: ...}` instead."
    ),
    "expected_response_v1": (
        "Read the response beside its reference: if the meaning holds, the reference is out of date; else look at the "
        "instruction and the tool results it was written from."
    ),
    "intermediate_responses_v1": (
        "Look at which agent spoke on the way and in what order: transfers and sub-agent instructions decide that, "
        "not the final answer."
    ),
    "grounded_numbers_v1": (
        "Follow the number in the reason back: no tool result and no user message carries it. Check whether a tool should "
        "have been called, or whether the result was lost on its way into the answer."
    ),
    "final_state_v1": (
        "Look at the tool that writes this state key and whether it was called and succeeded: a right answer over a wrong "
        "state is still a fault."
    ),
    "goal_reached_v1": (
        "Find the first piece of evidence that is missing: was the tool never called, refused, or did the user leave before it?"
    ),
    "stage_flow_v1": (
        "Stage stuck, skipped or gone back: look at the transition conditions and the turn counters of the named stage, "
        "then at the prompt."
    ),
    "repeated_questions_v1": (
        "Question repeated: look at the event that asks it and at the de-duplication state (is the id stored before the next "
        "question is chosen, does it survive a resume?)."
    ),
    "evidence_links_v1": (
        "Link to the document missing or wrong: look at how the document is read and passed on (which version, which "
        "fragments reach the model), then at the prompt."
    ),
    "ending_v1": (
        "Ending not as allowed: look at the condition that closes the conversation and at what may still run after it "
        "(report tool, queued question)."
    ),
    "recovery_v1": (
        "Something was repeated or lost over the interruption: look at what is written to the session before the answer "
        "goes out, and at side effects without an idempotency key."
    ),
    "repeated_meaning_v1": (
        "A judge holds two questions for one: read the pair; if it is right, look at the event that asks and at the "
        "de-duplication state, which knows ids or words and not meanings."
    ),
    "evidence_meaning_v1": (
        "A judge finds a question that is not about what it cites: look at how the fragment is chosen and passed on, then "
        "at the prompt that writes the question."
    ),
    "report_review_v1": (
        "Hollow or unsupported report: look first whether quotable evidence was kept at all (what the save tool stored), "
        "then at the report's own prompt."
    ),
    "hallucinations_v1": (
        "Read the sentence the judge marked beside the tool results: no support at all points to the agent, "
        "support that the judge overlooked points to the judge."
    ),
    "safety_v1": "Read the marked response: what led to it is usually in the user's turn just before.",
    "rubric_based_tool_use_quality_v1": (
        "Read the rubric and the calls side by side: a rubric that prescribes an order belongs into `order_rules`."
    ),
}

_FIRST_REJECT = "Mend the plan at the place the reason names (`adk-split-eval explain CODE` says why), then run again."
_SIMULATOR_STEP = (
    "Look at the simulated user first: its persona and conversation plan, then the simulator model. "
    "The agent is not judged by this conversation."
)

_ERROR_ADVICE: tuple[tuple[str, Owner, str], ...] = (
    (
        "agent_error",
        "agent",
        "The agent or one of its tools raised: the message is under `error`. Reproduce it with the user's words of the last turn.",
    ),
    (
        "replay_mismatch",
        "plan",
        "The agent called a tool the recording has no answer for: record the case again, or drop `replay_tools` from it.",
    ),
    (
        "simulator_error",
        "simulator",
        "The simulator model did not answer: check `models.simulator`, its key and quota, then the persona.",
    ),
    (
        "judge_error",
        "judge",
        "The judge did not give the verdicts it owes: check `models.judge` (available? key? quota?) and whether it answers in "
        "the format the criterion asks for.",
    ),
    (
        "timeout",
        "environment",
        "The time limit passed: look for a hanging tool or model call before raising the limit.",
    ),
    (
        "metric_error",
        "metric",
        "The metric could not judge: check that its function can be imported and called with the four arguments ADK gives it.",
    ),
)

_PENDING_ADVICE: tuple[tuple[str, Owner, str], ...] = (
    (
        "pending_green",
        "plan",
        "This pending case turned green: promote it with `freeze --promote`, so that it guards from now on.",
    ),
    (
        "pending_expired",
        "agent",
        "The date this known fault was excused until has passed: mend the agent, or agree on a new date with the owner.",
    ),
)


def triage(
    half: Half, verdict: Verdict, failing_criteria: Iterable[str] = (), flags: Iterable[str] = ()
) -> tuple[Owner, str]:
    """Who should look, and at what first.

    Args:
        half: ``fixed`` or ``simulated``.
        verdict: the case's verdict.
        failing_criteria: names of the criteria behind it (failed ones; for ERROR those that could not be evaluated),
            the most telling first.
        flags: what else is known, see :data:`Flag`.

    Returns:
        ``(owner, next_step)``; both empty for a green verdict without a pending note.
    """
    names = list(dict.fromkeys(failing_criteria))
    known = frozenset(flags)
    if verdict == "PASS" and "pending" in known:
        known |= {"pending_green"}
    for flag, owner, step in _PENDING_ADVICE:
        if flag in known:
            return owner, step
    if verdict in GREEN:
        return "", ""
    if verdict == "REJECTED":
        return "plan", _FIRST_REJECT
    if verdict == "ERROR":
        return _error(names, known)
    if verdict == "SIMULATOR":
        return "simulator", _simulator(known)
    if verdict == "INCONCLUSIVE":
        return "plan", _inconclusive(names)
    return _hit(names, known) if half == "simulated" else _fail(names, known)


def _error(names: list[str], flags: frozenset[str]) -> tuple[Owner, str]:
    for flag, owner, step in _ERROR_ADVICE:
        if flag in flags:
            return owner, step
    if any(_judged(name) for name in names):
        return _ERROR_ADVICE[3][1], _ERROR_ADVICE[3][2]
    if names:
        return (
            "metric",
            f"`{names[0]}` was declared and could not be evaluated: mend what its reason names, or take it out of the plan on purpose.",
        )
    return "environment", "Something declared was not evaluated: the reason names it; nothing is green until it is."


def _simulator(flags: frozenset[str]) -> str:
    if "empty_turn" in flags:
        return "The simulated user sent an empty turn. " + _SIMULATOR_STEP
    if "opening_repeated" in flags:
        return "The simulated user started over with its opening words. " + _SIMULATOR_STEP
    if "glued_text" in flags:
        return (
            "The simulated user said something in the same breath as its stop signal, and ADK dropped it. "
            + _SIMULATOR_STEP
        )
    return _SIMULATOR_STEP


def _inconclusive(names: list[str]) -> str:
    goal = (
        " Raise `max_turns` if the talk was moving; if it went in circles, look at the persona and then at the agent."
    )
    if "stage_flow_v1" in names:
        goal = " The cap on turns is a guard, not an ending: " + _CRITERION_ADVICE["stage_flow_v1"]
    return "The turn limit cut the conversation off with the goal open." + goal


def _hit(names: list[str], flags: frozenset[str]) -> tuple[Owner, str]:
    if "simulator_suspect" in flags:
        step = "The simulator's quality failed in the same conversation: read the user's turns first, then decide whether the agent is at fault. "
        return "simulator", step + _advice(names)
    lead = "Read the user's turns first (is this a user who could exist?), then the agent's. "
    if names and all(_judged(name) for name in names):
        lead = "Only a judge says so: read its reason beside the transcript before blaming the agent. "
    return "agent", lead + _advice(names)


def _fail(names: list[str], flags: frozenset[str]) -> tuple[Owner, str]:
    if "pending" in flags:
        return "agent", "Known fault with an owner and a date. " + _advice(names)
    if "frozen" in flags:
        return "agent", "This case was frozen from a reviewed hit: the old fault is back. " + _advice(names)
    return "agent", "Look at what changed in the agent since the last green run. " + _advice(names)


def _advice(names: list[str]) -> str:
    certain = [name for name in names if not _judged(name)] or names
    told = [advice for name in certain if (advice := _CRITERION_ADVICE.get(name))][:NAMED_CRITERIA]
    if told:
        return " ".join(told)
    if names and _judged(names[0]):
        return f"`{names[0]}` is a judge's opinion: check its reason, the votes and the rubric."
    if names:
        return f"`{names[0]}` is not met: its reason names the fact to check."
    return "The reasons name the fact to check."


def _judged(name: str) -> bool:
    return name in JUDGED
