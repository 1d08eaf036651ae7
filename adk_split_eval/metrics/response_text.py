"""response_text_v1: what a final response must contain, must not contain, must match.

``contains`` and ``excludes`` are compared character by character; ``matches`` is searched (``re.search``), not anchored.
The score is the share of declaring turns whose response is as declared.
"""

from __future__ import annotations

import unicodedata
from typing import Any

from adk_split_eval.metrics.base import Parameters, judge_turns, only, sequence, text
from adk_split_eval.metrics.text import excerpt, quote
from adk_split_eval.metrics.values import compiled
from adk_split_eval.record import Conversation, Judgement, Turn

NAME = "response_text_v1"
# Beyond this length the hint about normalisation is not looked for; normalising hostile text can be slow.
_NORMALISED_LENGTH = 10_000


def judge(conversation: Conversation, params: Parameters, threshold: float) -> Judgement:
    """See the module's first lines. ``params["turns"]``: ``{"contains": [..], "excludes": [..], "matches": regex}``."""
    only(params, {"turns"}, NAME)
    return judge_turns(conversation, params, threshold, _check)


def _check(turn: Turn, entry: Parameters) -> list[str]:
    only(entry, {"contains", "excludes", "matches"}, "response")
    response = turn.response
    complaints: list[str] = []
    for wanted in _texts(entry.get("contains"), "contains"):
        if wanted not in response:
            complaints.append(
                f"the response {quote(response)} does not contain {quote(wanted)}{_hint(wanted, response)}"
            )
    for unwanted in _texts(entry.get("excludes"), "excludes"):
        at = response.find(unwanted)
        if at >= 0:
            complaints.append(f"the response contains {quote(unwanted)}: {excerpt(response, at, at + len(unwanted))}")
    pattern = entry.get("matches")
    if pattern is not None and compiled(text(pattern, "matches")).search(response) is None:
        complaints.append(f"the response {quote(response)} does not match regex {quote(pattern)}")
    return complaints


def _texts(value: Any, where: str) -> list[str]:
    if value is None:
        return []
    items = [value] if isinstance(value, str) else sequence(value, where)
    return [text(item, f"{where}[{index}]") for index, item in enumerate(items)]


def _hint(wanted: str, response: str) -> str:
    """Says so when the text is there in another Unicode normalisation."""
    if len(response) > _NORMALISED_LENGTH or len(wanted) > _NORMALISED_LENGTH:
        return ""
    if unicodedata.normalize("NFC", wanted) in unicodedata.normalize("NFC", response):
        return " (it does in another Unicode normalisation)"
    if unicodedata.normalize("NFKC", wanted) in unicodedata.normalize("NFKC", response):
        return " (it does in a Unicode compatibility form, such as full-width letters)"
    return ""
