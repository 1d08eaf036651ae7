"""evidence_links_v1: a question that builds on a document cites a fragment of it that says so.

For every asking event: what it cites must be a fragment of the case's document, of the right document and version where
it states them; what it quotes must stand in a cited fragment (normalised words, in order, without gaps); a question that
claims to build on the document must cite. Without a document nothing may be cited or claimed: the agent follows the
general path. The score is 1.0 or 0.0.
"""

from __future__ import annotations

from adk_split_eval.metrics.base import Parameters
from adk_split_eval.metrics.process.events import STATE_UNKNOWN, Timeline, nothing_asked, state_unknown
from adk_split_eval.metrics.process.evidence import EvidenceRules, links
from adk_split_eval.record import Conversation, Judgement

NAME = "evidence_links_v1"


def judge(conversation: Conversation, params: Parameters, threshold: float) -> Judgement:
    """See the module's first lines. ``params``: the plan's ``process.evidence``, with the document as ``source``."""
    if not params:
        return Judgement.not_applicable()
    rules = EvidenceRules.parse(params, NAME)
    if state_unknown(conversation, [rules.event]):
        return Judgement.not_evaluated(STATE_UNKNOWN)
    found = links(Timeline.of(conversation), rules)
    if not found:
        return Judgement.not_evaluated(nothing_asked(rules.event, conversation))
    faults = [fault for link in found for fault in link.faults]
    if faults:
        return Judgement.scored(0.0, threshold, faults)
    citing = sum(bool(link.cited) for link in found)
    given = "the document" if rules.source is not None else "no document was given"
    return Judgement.scored(1.0, threshold, [f"{citing} of {len(found)} questions cite a fragment; {given}"])
