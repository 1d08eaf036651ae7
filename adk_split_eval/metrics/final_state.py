"""final_state_v1: session state after the last turn. Under plain ``adk eval`` no metric sees state, so it cannot judge.

Only the keys given are compared, by value or matcher. The score is the share of keys that are as expected.
"""

from __future__ import annotations

from adk_split_eval.metrics.base import Parameters, mapping, only
from adk_split_eval.metrics.differences import summary
from adk_split_eval.metrics.values import compare_keys, require_sound
from adk_split_eval.record import Conversation, Judgement

NAME = "final_state_v1"


def judge(conversation: Conversation, params: Parameters, threshold: float) -> Judgement:
    """See the module's first lines. ``params``: ``{"expect": {key: value or matcher}}``."""
    only(params, {"expect"}, NAME)
    expected = mapping(params.get("expect", {}), "expect")
    if not expected:
        return Judgement.not_applicable()
    for key, value in expected.items():
        require_sound(value, f"expect.{key}")
    if conversation.state_after is None:
        return Judgement.not_evaluated(
            "the session state after the conversation is not known; our own runner records it"
        )
    reasons: list[str] = []
    for key, value in expected.items():
        found = compare_keys({key: value}, conversation.state_after, "state")
        if found:
            reasons.append(f"after the last turn {summary(found)}")
    return Judgement.scored(1 - len(reasons) / len(expected), threshold, reasons)
