"""repeated_meaning_v1: a judge decides about the pairs of questions that their words leave in doubt.

Which pairs those are is said in :mod:`adk_split_eval.metrics.process.questions`. Fails when a pair is one question; no
doubtful pair, nothing to judge. The most alike pairs come first, at most :data:`PAIRS` of them.
"""

from __future__ import annotations

from adk_split_eval.metrics.adapter_asking import ask, boundary, votes
from adk_split_eval.metrics.base import Parameters, only
from adk_split_eval.metrics.process.events import FLAT, STATE_UNKNOWN, Timeline, state_unknown
from adk_split_eval.metrics.process.meaning import Verdict, asking, fenced, majority, read_verdict
from adk_split_eval.metrics.process.questions import Pair, QuestionRules, asked_questions, repeats
from adk_split_eval.metrics.process.review import JudgeOptions
from adk_split_eval.metrics.process.wording import MeasureMissingError
from adk_split_eval.metrics.text import quote
from adk_split_eval.record import Conversation, Judgement

NAME = "repeated_meaning_v1"
PAIRS = 20
QUESTION = (
    "An interviewer asked two questions in one conversation. Are they the same question in other words, so that a full "
    "answer to the first would answer the second? A question about another project, person or number is another question."
)


async def judge_async(conversation: Conversation, params: Parameters, threshold: float) -> Judgement:
    """See the module's first lines. ``params``: ``{"questions": as repeated_questions_v1, "judge": options}``."""
    if not params:
        return Judgement.not_applicable()
    only(params, {"questions", "judge"}, NAME)
    rules = QuestionRules.parse(params.get("questions"), "questions")
    options = JudgeOptions.parse(params.get("judge"), "judge")
    if conversation.flat or state_unknown(conversation, [rules.event]):
        return Judgement.not_evaluated(FLAT if conversation.flat else STATE_UNKNOWN)
    timeline = Timeline.of(conversation)
    try:
        pairs = repeats(timeline, rules, asked_questions(timeline, rules)).doubtful
    except MeasureMissingError as missing:
        return Judgement.not_evaluated(str(missing))
    if not pairs:
        return Judgement.not_applicable()
    pairs = sorted(pairs, key=lambda pair: -pair.score)[:PAIRS]
    return _judgement(pairs, [await _decide(pair, options) for pair in pairs], threshold)


async def _decide(pair: Pair, options: JudgeOptions) -> Verdict | str:
    data = {"first": pair.first.words, "second": pair.second.words}

    async def one() -> Verdict:
        mark = boundary(*data.values())
        return read_verdict(await ask(options, asking(QUESTION, mark), fenced(data, mark)))

    return majority(await votes(options, one))


def _judgement(pairs: list[Pair], verdicts: list[Verdict | str], threshold: float) -> Judgement:
    same = [
        f"{pair}: the judge holds them for one question: {quote(verdict.reason, 200)}"
        for pair, verdict in zip(pairs, verdicts, strict=True)
        if isinstance(verdict, Verdict) and verdict.yes
    ]
    undecided = [
        f"{pair}: {verdict}" for pair, verdict in zip(pairs, verdicts, strict=True) if isinstance(verdict, str)
    ]
    if same:
        return Judgement.scored(0.0, threshold, [*same, *undecided])
    if undecided:
        return Judgement.not_evaluated(*undecided)
    return Judgement.scored(1.0, threshold, [f"{len(pairs)} doubtful pairs, none of them one question"])
