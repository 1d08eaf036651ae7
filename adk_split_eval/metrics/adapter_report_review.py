"""report_review_v1: a judge scores the report against the redacted conversation; its quotations are checked without one.

First what needs no judge: the claims of the report that cite turns must quote and count what was said there. Then the
judge, an odd number of times, each time with a boundary of its own around what was recorded. What the judge may answer
and what follows from it is in :mod:`adk_split_eval.metrics.process.review`.
"""

from __future__ import annotations

from typing import Any

from adk_split_eval.metrics.adapter_asking import ask, boundary, votes
from adk_split_eval.metrics.base import Parameters
from adk_split_eval.metrics.process.claims import claim_faults
from adk_split_eval.metrics.process.events import NOTHING, STATE_UNKNOWN, state_unknown
from adk_split_eval.metrics.process.review import (
    Review,
    ReviewRules,
    decide,
    instructions,
    last_report,
    material,
    read_answer,
)
from adk_split_eval.record import Conversation, Judgement

NAME = "report_review_v1"


async def judge_async(conversation: Conversation, params: Parameters, threshold: float) -> Judgement:
    """See the module's first lines. ``params``: the plan's ``process.report``, with ``redact`` and ``judge``."""
    if not params:
        return Judgement.not_applicable()
    rules = ReviewRules.parse(params, NAME)
    if state_unknown(conversation, [rules.event]):
        return Judgement.not_evaluated(STATE_UNKNOWN)
    found = last_report(conversation, rules)
    if found is None:
        judgement = Judgement.scored(0.0, threshold, [f"there is no report: no event is {rules.event}"])
        judgement.unfinished = judgement.status == "failed"
        return judgement
    seen, report = found
    if report is NOTHING or report in ("", {}, [], None):
        return Judgement.scored(0.0, threshold, [f"turn {seen.turn + 1}: the report is empty"])
    faults = [] if rules.claims is None else claim_faults(report, rules.claims, conversation)
    if faults:
        return Judgement.scored(0.0, threshold, [f"turn {seen.turn + 1}: {fault}" for fault in faults])
    return decide(await _votes(conversation, report, rules), threshold)


async def _votes(conversation: Conversation, report: Any, rules: ReviewRules) -> list[Review | str]:
    async def one() -> Review:
        mark = boundary(material(conversation, report, rules, ""))
        answer = await ask(rules.judge, instructions(rules, mark), material(conversation, report, rules, mark))
        return read_answer(answer, len(conversation.turns))

    return await votes(rules.judge, one)
