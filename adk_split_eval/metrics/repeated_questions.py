"""repeated_questions_v1: no question asked twice, counted per asking event.

What counts as the same question is said in :mod:`adk_split_eval.metrics.process.questions`. The score is 1.0 or 0.0; the
reasons name each pair with both turns. Doubtful pairs fail nothing here: they are listed, and a plan with
``questions.judge`` has ``repeated_meaning_v1`` ask its judge about them.
"""

from __future__ import annotations

from adk_split_eval.metrics.base import Parameters
from adk_split_eval.metrics.process.events import FLAT, STATE_UNKNOWN, Timeline, nothing_asked, state_unknown
from adk_split_eval.metrics.process.questions import QuestionRules, asked_questions, repeats
from adk_split_eval.metrics.process.wording import MeasureMissingError
from adk_split_eval.record import Conversation, Judgement

NAME = "repeated_questions_v1"


def judge(conversation: Conversation, params: Parameters, threshold: float) -> Judgement:
    """See the module's first lines. ``params``: the plan's ``process.questions``, events written out."""
    if not params:
        return Judgement.not_applicable()
    rules = QuestionRules.parse(params, NAME)
    if conversation.flat:
        return Judgement.not_evaluated(FLAT)
    if state_unknown(conversation, [rules.event]):
        return Judgement.not_evaluated(STATE_UNKNOWN)
    timeline = Timeline.of(conversation)
    asked = asked_questions(timeline, rules)
    if not asked:
        return Judgement.not_evaluated(nothing_asked(rules.event, conversation))
    if not any(question.id or question.words for question in asked):
        return Judgement.not_evaluated(f"none of {len(asked)} questions has an id or words; are the paths right?")
    try:
        found = repeats(timeline, rules, asked)
    except MeasureMissingError as missing:
        return Judgement.not_evaluated(str(missing))
    doubts = [f"doubtful, for a reader to decide: {pair}" for pair in found.doubtful]
    faults = found.sentences()
    if faults:
        return Judgement.scored(0.0, threshold, [*faults, *doubts])
    return Judgement.scored(1.0, threshold, [f"{len(asked)} questions, none asked twice", *doubts])
