"""stage_flow_v1: the stages of a conversation in legal order, judged on every stage event.

What is legal is said in :mod:`adk_split_eval.metrics.process.flow`. The score is 1.0 or 0.0. When nothing was wrong but
stages are still missing, the failure is *unfinished*: where the cap on turns cut the conversation off, our runner makes
that INCONCLUSIVE, because the cap is a guard and reaching it proves nothing either way.
"""

from __future__ import annotations

from adk_split_eval.metrics.base import Parameters
from adk_split_eval.metrics.process.events import FLAT, STATE_UNKNOWN, Timeline, state_unknown
from adk_split_eval.metrics.process.flow import FlowRules, follow
from adk_split_eval.record import Conversation, Judgement

NAME = "stage_flow_v1"


def judge(conversation: Conversation, params: Parameters, threshold: float) -> Judgement:
    """See the module's first lines. ``params``: the plan's ``process.stages``, events written out."""
    if not params:
        return Judgement.not_applicable()
    rules = FlowRules.parse(params, NAME)
    if conversation.flat:
        return Judgement.not_evaluated(FLAT)
    if state_unknown(conversation, rules.selectors):
        return Judgement.not_evaluated(STATE_UNKNOWN)
    course = follow(Timeline.of(conversation), rules)
    way = [f"stages: {course.path()}"] if course.entered else []
    if course.faults:
        return Judgement.scored(0.0, threshold, [*course.faults, *course.missing, *way])
    if course.missing:
        judgement = Judgement.scored(0.0, threshold, [*course.missing, *way])
        judgement.unfinished = judgement.status == "failed"
        return judgement
    return Judgement.scored(1.0, threshold, way)
