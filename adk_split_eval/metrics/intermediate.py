"""intermediate_responses_v1: what agents must say on the way to the final response, in order.

Expected texts are a subsequence of what was said: other texts may come between. A plain string is the whole text apart
from surrounding white space; a matcher (``{contains: ...}``, ``{regex: ...}``) is freer. The score is the share of
declaring turns where all of them come.
"""

from __future__ import annotations

from typing import Any, cast

from adk_split_eval.metrics.base import Parameters, judge_turns, mapping, only, sequence, text
from adk_split_eval.metrics.differences import normalisation_note
from adk_split_eval.metrics.text import escape, quote, show
from adk_split_eval.metrics.values import matches, require_sound
from adk_split_eval.record import Conversation, Judgement, Text, Turn

NAME = "intermediate_responses_v1"


def judge(conversation: Conversation, params: Parameters, threshold: float) -> Judgement:
    """See the module's first lines. ``params["turns"]``: ``{"expect": [{"author"?: str, "text": str | matcher}]}``."""
    only(params, {"turns"}, NAME)
    return judge_turns(conversation, params, threshold, _check)


def _check(turn: Turn, entry: Parameters) -> list[str]:
    only(entry, {"expect"}, "intermediate")
    expected = [_parse(raw, f"expect[{index}]") for index, raw in enumerate(sequence(entry.get("expect"), "expect"))]
    place = 0
    for number, (author, wanted) in enumerate(expected):
        found = next(
            (i for i in range(place, len(turn.intermediate)) if _fits(author, wanted, turn.intermediate[i])), None
        )
        if found is None:
            return [_complaint(author, wanted, turn.intermediate, place, number)]
        place = found + 1
    return []


def _parse(raw: Any, where: str) -> tuple[str | None, Any]:
    entry = mapping(raw, where)
    only(entry, {"author", "text"}, where)
    author = entry.get("author")
    wanted: Any = entry.get("text")
    if not isinstance(wanted, dict):
        text(wanted, f"{where}.text")
    require_sound(wanted, f"{where}.text")
    return None if author is None else text(author, f"{where}.author"), cast(Any, wanted)


def _fits(author: str | None, wanted: Any, said: Text) -> bool:
    if author is not None and said.author != author:
        return False
    if isinstance(wanted, str):
        return said.text.strip() == wanted.strip()
    return matches(wanted, said.text)


def _complaint(author: str | None, wanted: Any, said: list[Text], place: int, number: int) -> str:
    who = f"{escape(author)} says" if author else "an agent says"
    head = f"expected {who} {show(wanted, 160)} before the final response"
    earlier = next((i for i in range(place) if _fits(author, wanted, said[i])), None)
    if number and earlier is not None:
        return f"{head}, but it comes too early (intermediate response {earlier + 1})"
    for text_said in said[place:]:
        if author in (None, text_said.author) and isinstance(wanted, str):
            note = normalisation_note(wanted, text_said.text)
            if note:
                return f"{head}; {quote(text_said.text)} differs: {note}"
    heard = "; ".join(f"{escape(t.author)}: {quote(t.text, 80)}" for t in said[:4])
    return f"{head}; said was: {heard}" if heard else f"{head}; nothing was said on the way"
