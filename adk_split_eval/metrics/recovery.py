"""recovery_v1: nothing repeated or lost over an interruption. Needs our runner, which makes the interruption.

Compared is what came before the interruption with what came after it:

* the first stage event afterwards is a legal step from the stage before (with ``stages``);
* no question the user had already seen is asked again, by id or by the same words, whatever kind it is called now; kinds
  with an ``after_user`` pattern are exempt, because the user asked for them (with ``questions``). A question asked in the very part of a turn that was
  cut off never reached the user and may be asked again;
* no tool marked as a side effect is called again with the same arguments, cut-off part included: the tool had run.

Retries and time-outs the agent records are listed and fail nothing. The score is 1.0 or 0.0.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any, cast

from adk_split_eval.metrics.base import Parameters, mapping, only, sequence
from adk_split_eval.metrics.patterns import CallPattern, response_error
from adk_split_eval.metrics.process.events import Moment, Selector, Timeline
from adk_split_eval.metrics.process.flow import FlowRules, follow
from adk_split_eval.metrics.process.questions import Asked, QuestionRules, asked_questions
from adk_split_eval.metrics.process.wording import normalised
from adk_split_eval.metrics.text import show, show_call
from adk_split_eval.record import Call, Conversation, Judgement

NAME = "recovery_v1"
_KEYS = {"interrupt", "side_effects", "retries", "timeouts", "stages", "questions"}


@dataclass(slots=True)
class _Rules:
    side_effects: list[CallPattern]
    listed: list[tuple[str, Selector]]
    stages: FlowRules | None
    questions: QuestionRules | None
    interrupt: dict[str, Any] = field(default_factory=dict[str, Any])


def judge(conversation: Conversation, params: Parameters, threshold: float) -> Judgement:
    """See the module's first lines. ``params``: the case's ``interrupt`` and what of its ``process`` bears on it."""
    if not params:
        return Judgement.not_applicable()
    rules = _parse(params)
    timeline = Timeline.of(conversation)
    cuts = timeline.interruptions()
    if rules.stages is None and rules.questions is None and not rules.side_effects:
        return Judgement("not_applicable", reasons=["no stages, questions or side effects are declared to compare"])
    if not cuts:
        wanted = show(rules.interrupt) if rules.interrupt else "an interruption"
        return Judgement.not_evaluated(f"the conversation was never interrupted: it did not come to {wanted}")
    faults: list[str] = []
    notes: list[str] = []
    for cut in cuts:
        faults += [*_stages(timeline, rules, cut), *_questions(timeline, rules, cut), *_effects(timeline, rules, cut)]
        notes.append(f"interrupted in turn {cut.turn + 1}")
    for what, selector in rules.listed:
        notes += [
            f"turn {seen.turn + 1}: {what}: {show(seen.pick(None))}" for seen in selector.select(timeline.moments)
        ]
    return Judgement.scored(0.0 if faults else 1.0, threshold, [*faults, *notes])


def _parse(params: Parameters) -> _Rules:
    only(params, _KEYS, NAME)
    effects = sequence(params.get("side_effects") or [], "side_effects")
    listed = [
        (what, Selector.parse(params[key], key))
        for key, what in (("retries", "retry"), ("timeouts", "time-out"))
        if params.get(key) is not None
    ]
    stages, questions = params.get("stages"), params.get("questions")
    return _Rules(
        [CallPattern.parse(entry, f"side_effects[{index}]") for index, entry in enumerate(effects)],
        listed,
        None if stages is None else FlowRules.parse(stages, "stages"),
        None if questions is None else QuestionRules.parse(questions, "questions"),
        mapping(params.get("interrupt") or {}, "interrupt"),
    )


def _stages(timeline: Timeline, rules: _Rules, cut: Moment) -> list[str]:
    if rules.stages is None:
        return []
    course = follow(timeline, rules.stages)
    first = next((entry for entry in course.entered if entry.seen.position > cut.position), None)
    if first is None or first.fault is None:
        return []
    return [f"turn {first.seen.turn + 1}: the stage jumped over the interruption: {first.fault}"]


def _questions(timeline: Timeline, rules: _Rules, cut: Moment) -> list[str]:
    if rules.questions is None:
        return []
    before: dict[str, Asked] = {}
    faults: list[str] = []
    for question in asked_questions(timeline, rules.questions):
        name = question.id or normalised(question.words)
        if not name or rules.questions.rule(question.kind).after_user is not None:
            continue
        if question.seen.position < cut.position:
            before[name] = question
        elif name in before:
            faults.append(
                f"turn {question.turn + 1}: asked again after the interruption: {question}, asked in turn {before[name].turn + 1}"
            )
    return faults


def _effects(timeline: Timeline, rules: _Rules, cut: Moment) -> list[str]:
    done: dict[str, Moment] = {}
    faults: list[str] = []
    for moment in timeline.moments:
        if moment.kind != "call" or not any(pattern.fits(_call(moment)) for pattern in rules.side_effects):
            continue
        key = moment.name + json.dumps(moment.args, sort_keys=True, default=str)
        if moment.position < cut.position:
            if moment.answered and response_error(moment.response) is not None:
                continue  # it failed, and trying again is what recovery is for
            done[key] = moment
        elif key in done:
            shown = show_call(moment.name, _call(moment).args)
            faults.append(
                f"turn {moment.turn + 1}: the side effect {shown} is repeated, it was done in turn {done[key].turn + 1}"
            )
    return faults


def _call(moment: Moment) -> Call:
    args: Any = moment.args
    return Call(moment.name, cast("dict[str, Any]", args) if isinstance(args, dict) else {})
