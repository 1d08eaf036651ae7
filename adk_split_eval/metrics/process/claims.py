"""Claims of a report that cite turns, checked without a judge: what they quote and count must stand in those turns."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from adk_split_eval.metrics import grounded_numbers
from adk_split_eval.metrics.base import mapping, only, text
from adk_split_eval.metrics.process.events import NOTHING
from adk_split_eval.metrics.process.wording import stands_in
from adk_split_eval.metrics.text import quote, show
from adk_split_eval.record import Conversation, Turn

_TURN_REFERENCES = r"(?i)\bturns?\s+#?\d+(?:\s*(?:,|and|to|-|–)\s*\d+)*|第\s*\d+\s*(?:轮|回合)"
_QUOTED = re.compile(r"[\"“「『«]([^\"“”「」『』«»]{1,400})[\"”」』»]")
_FEWEST_WORDS = 3


@dataclass(frozen=True, slots=True)
class ClaimRules:
    """Where a report keeps its claims: the path to them, and the keys inside one."""

    items: str
    text: str = "text"
    turns: str = "evidence_turn_ids"
    quote: str | None = "quote"

    @classmethod
    def parse(cls, value: Any, where: str) -> ClaimRules:
        """Read ``claims`` of a plan's ``process.report``.

        Raises:
            ParameterError: it makes no sense.
        """
        entry = mapping(value, where)
        only(entry, {"items", "text", "turns", "quote"}, where)
        quoted = entry.get("quote", "quote")
        return cls(
            text(entry.get("items"), f"{where}.items"),
            text(entry.get("text", "text"), f"{where}.text"),
            text(entry.get("turns", "evidence_turn_ids"), f"{where}.turns"),
            None if quoted is None else text(quoted, f"{where}.quote"),
        )


def turn_words(turn: Turn) -> str:
    """Everything said in a turn, by either side, a line each."""
    return "\n".join([turn.user, *(said.text for said in turn.intermediate), turn.response])


def claim_faults(report: Any, rules: ClaimRules, conversation: Conversation) -> list[str]:
    """What the claims of the report cite, quote or count without its being there, a sentence each."""
    found = _at(report, rules.items)
    if found is NOTHING:
        return [f"the report has no {rules.items}, where its claims are due"]
    claims = cast(list[Any], found) if isinstance(found, list) else [found]
    return [
        f"claim {number}: {fault}"
        for number, claim in enumerate(claims, start=1)
        for fault in _faults(claim, rules, conversation)
    ]


def _faults(claim: Any, rules: ClaimRules, conversation: Conversation) -> list[str]:
    entry: Mapping[str, Any] = cast(Mapping[str, Any], claim) if isinstance(claim, Mapping) else {rules.text: claim}
    words = entry.get(rules.text)
    if not isinstance(words, str) or not words.strip():
        return [f"it has no {rules.text}: {show(claim, 80)}"]
    cited, wrong = _cited(entry.get(rules.turns), len(conversation.turns))
    if wrong:
        return [f"{quote(words, 80)} cites {wrong}"]
    quotations = _quotations(entry, rules, words)
    if not cited:
        return [f"{quote(words, 80)} quotes {quote(quotations[0], 80)} and cites no turn"] if quotations else []
    said = "\n".join(turn_words(conversation.turns[number - 1]) for number in cited)
    where = f"turn {', '.join(map(str, cited))}"
    faults = [
        f"{quote(one, 80)} was not said in {where}: {quote(said.strip(), 120)}"
        for one in quotations
        if not stands_in(one, said)
    ]
    return [
        *faults,
        *(f"{where} does not hold what {quote(words, 80)} states: {line}" for line in _numbers(words, said)),
    ]


def _cited(value: Any, turns: int) -> tuple[list[int], str]:
    if value is None:
        return [], ""
    listed = cast(list[Any], value) if isinstance(value, list) else [value]
    for number in listed:
        if not isinstance(number, int) or isinstance(number, bool):
            return [], f"{show(number, 40)}, which is no turn number"
        if not 1 <= number <= turns:
            return [], f"turn {number}, and the conversation has {turns}"
    return listed, ""


def _quotations(entry: Mapping[str, Any], rules: ClaimRules, words: str) -> list[str]:
    """The words under ``quote``, and what stands in quotation marks in the claim itself, when it is more than a term."""
    stated = entry.get(rules.quote) if rules.quote else None
    listed = cast(list[Any], stated) if isinstance(stated, list) else [stated]
    found = [one for one in listed if isinstance(one, str) and one.strip()]
    inside = [match.group(1) for match in _QUOTED.finditer(words)]
    return found + [one for one in inside if len(one.split()) >= _FEWEST_WORDS or (len(one) >= 8 and not one.isascii())]


def _numbers(words: str, said: str) -> list[str]:
    conversation = Conversation([Turn(said, response=words)])
    params = {"enabled": True, "sources": ["user"], "ignore": [_TURN_REFERENCES]}
    judgement = grounded_numbers.judge(conversation, params, 1.0)
    return judgement.reasons if judgement.status == "failed" else []


def _at(value: Any, path: str) -> Any:
    for segment in path.split("."):
        if isinstance(value, Mapping) and segment in value:
            value = cast(Mapping[str, Any], value)[segment]
        else:
            return NOTHING
    return value
