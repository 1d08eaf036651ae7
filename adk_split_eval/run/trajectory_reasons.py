"""Why ADK's trajectory criterion failed, of which ADK only gives a score.

ADK compares the calls of a turn as one sequence, also those that came in one model answer. Our ``tool_args_v1`` beside it
takes those as parallel. Where that is all they differ in, the reason says so and how to write it in the plan.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from adk_split_eval.record import Case, Conversation, Criterion

TRAJECTORY = "tool_trajectory_avg_score"
ADK_JUDGES = "adk_judges"
"""The parameter of a raw config's trajectory criterion that says: the others explain a failure, they do not replace ADK's."""
ORDER_MEANS_NOTHING = "where that order means nothing, write these calls as one step, a list in the list"


def trajectory_reasons(case: Case, conversation: Conversation, criterion: Criterion) -> list[str]:
    """Missing, surplus and misplaced calls; else the turns whose parallel calls come in another order than written.

    A plan's own expectations are compared by name here: ADK is given no arguments it could not compare.
    """
    expected = next((c for c in case.criteria if c.name == "tool_args_v1"), None)
    if criterion.name != TRAJECTORY or expected is None:
        return []
    from adk_split_eval.metrics.registry import METRICS

    stated = criterion.params if criterion.params.get("turns") else None
    annotated: list[dict[str, Any] | None] = (stated or expected.params).get("turns") or []
    match_type = str((stated or expected.params).get("match_type", "EXACT"))
    params = {"match_type": match_type, "turns": annotated if stated else [names_only(turn) for turn in annotated]}
    found = list(METRICS["tool_args_v1"](conversation, params, 1.0).reasons)
    return found or _other_order(conversation, annotated, match_type)


def _other_order(conversation: Conversation, annotated: list[dict[str, Any] | None], match_type: str) -> list[str]:
    reasons: list[str] = []
    for number, (turn, entry) in enumerate(zip(conversation.turns, annotated, strict=False), start=1):
        if entry is None:
            continue
        wanted = [str(call["name"]) for step in entry["expect"] for call in step["calls"]]
        came = [call.name for call in turn.tool_calls]
        if not _in_sequence(wanted, came, match_type):
            reasons.append(
                f"turn {number}: ADK compares the calls of one model answer in their order too: expected "
                f"{', '.join(wanted)}, called {', '.join(came)}; {ORDER_MEANS_NOTHING}"
            )
    return reasons


def _in_sequence(wanted: Sequence[str], came: Sequence[str], match_type: str) -> bool:
    if match_type == "EXACT":
        return list(wanted) == list(came)
    left = iter(came)
    return match_type == "ANY_ORDER" or all(name in left for name in wanted)


def names_only(turn: dict[str, Any] | None) -> dict[str, Any] | None:
    """The expected calls of a turn without their arguments."""
    if turn is None:
        return None
    return {"expect": [{"calls": [{"name": c["name"]} for c in step["calls"]]} for step in turn["expect"]]}
