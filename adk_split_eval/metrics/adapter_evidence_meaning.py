"""evidence_meaning_v1: a judge decides whether a question is about the fragment it cites.

Judged are the questions whose citation is sound (``evidence_links_v1`` speaks about the others) and that have words; with
none of these there is nothing to judge. The score is the share that is about its fragment.
"""

from __future__ import annotations

from adk_split_eval.metrics.adapter_asking import ask, boundary, votes
from adk_split_eval.metrics.base import Parameters, only
from adk_split_eval.metrics.process.events import STATE_UNKNOWN, Timeline, state_unknown
from adk_split_eval.metrics.process.evidence import EvidenceRules, Link, Source, links
from adk_split_eval.metrics.process.meaning import Verdict, asking, fenced, majority, read_verdict
from adk_split_eval.metrics.process.review import JudgeOptions
from adk_split_eval.metrics.text import quote
from adk_split_eval.record import Conversation, Judgement

NAME = "evidence_meaning_v1"
QUESTION = (
    "An interviewer asked a question and cites a fragment of the candidate's document as what it builds on. Is the question "
    "about the experience that the fragment describes?"
)


async def judge_async(conversation: Conversation, params: Parameters, threshold: float) -> Judgement:
    """See the module's first lines. ``params``: ``{"evidence": as evidence_links_v1, "judge": options}``."""
    if not params:
        return Judgement.not_applicable()
    only(params, {"evidence", "judge"}, NAME)
    rules = EvidenceRules.parse(params.get("evidence"), "evidence")
    options = JudgeOptions.parse(params.get("judge"), "judge")
    if state_unknown(conversation, [rules.event]):
        return Judgement.not_evaluated(STATE_UNKNOWN)
    found = [link for link in links(Timeline.of(conversation), rules) if link.cited and link.words and not link.faults]
    if rules.source is None or not found:
        return Judgement.not_applicable()
    verdicts = [await _decide(link, rules.source, options) for link in found]
    undecided = [f"{_place(link)}: {v}" for link, v in zip(found, verdicts, strict=True) if isinstance(v, str)]
    if undecided:
        return Judgement.not_evaluated(*undecided)
    reasons = [
        f"{_place(link)} is not about {', '.join(link.cited)}: {quote(v.reason, 200)}"
        for link, v in zip(found, verdicts, strict=True)
        if isinstance(v, Verdict) and not v.yes
    ]
    good = f"{len(found)} questions, each about what it cites"
    return Judgement.scored(1 - len(reasons) / len(found), threshold, reasons or [good])


def _place(link: Link) -> str:
    return f"turn {link.seen.turn + 1}: {quote(link.words, 100)}"


async def _decide(link: Link, source: Source, options: JudgeOptions) -> Verdict | str:
    data = {"question": link.words, "fragment": "\n".join(source.fragments[name] for name in link.cited)}

    async def one() -> Verdict:
        mark = boundary(*data.values())
        return read_verdict(await ask(options, asking(QUESTION, mark), fenced(data, mark)))

    return majority(await votes(options, one))
