"""Where a failure shows: the first turn that has it, and the sentence in which the agent said it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from adk_split_eval.record import Turn

_TURN = re.compile(r"\bturn (\d+)\b", re.IGNORECASE)
_BLAMED = re.compile(r"(?:[\w.]+: )?turn (\d+)\b", re.IGNORECASE)
_CONTEXT = re.compile(r"(?:[\w.]+: )?(?:stages: |ended in turn |interrupted in turn )")
_QUOTED = re.compile(
    "\"([^\"]+)\"|\u201c([^\u201d]+)\u201d|\u300c([^\u300d]+)\u300d|(?<!\\w)'((?:[^']|(?<=\\w)'(?=\\w))+)'(?!\\w)|`([^`]+)`"
)
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_SENTENCE_END = re.compile(r"(?<=[。！？!?\n])|(?<=\.)(?=\s|$)")


def failing_turn(reasons: Sequence[str], turns: Sequence[Turn]) -> int | None:
    """1-based number of the first turn that the reasons blame; None when they name none.

    A reason blames the turn it begins with; other turns in it are what that one is compared with ("a second time after
    turn 2"). Only when none begins so, the first turn each of them names counts (an order rule names its calls first).
    """
    faults = [reason for reason in reasons if not _CONTEXT.match(reason)]
    for named in ((_BLAMED.match(r) for r in faults), (_TURN.search(r) for r in faults)):
        inside = [number for found in named if found and 1 <= (number := int(found.group(1))) <= len(turns)]
        if inside:
            return min(inside)
    for reason in faults:
        for quote in _quotes(reason):
            for number, turn in enumerate(turns, 1):
                if quote in turn.response or any(call.name == quote for call in turn.tool_calls):
                    return number
    return None


def guilty_sentence(reasons: Sequence[str], turn: Turn | None) -> str | None:
    """What the agent said in ``turn`` that a reason quotes: the quoted words, widened to their sentence."""
    if turn is None or not turn.response:
        return None
    sentences = [s for s in (part.strip() for part in _SENTENCE_END.split(turn.response)) if s]
    quotes = sorted({q for reason in reasons for q in _quotes(reason)}, key=len, reverse=True)
    for quote in quotes:
        if len(quote) < 4 or quote not in turn.response:
            continue
        return next((s for s in sentences if quote in s), quote)
    numbers = {n for reason in reasons for n in _NUMBER.findall(_TURN.sub("", reason))}
    return next((s for s in sentences if numbers.intersection(_NUMBER.findall(s))), None)


def blamed_numbers(reasons: Sequence[str]) -> set[str]:
    """The numbers the reasons speak of themselves: not their turns, not what they quote."""
    own = (_QUOTED.sub("", _TURN.sub("", reason)) for reason in reasons)
    return {number for reason in own for number in _NUMBER.findall(reason)}


def _quotes(reason: str) -> list[str]:
    return [next(g for g in match.groups() if g is not None) for match in _QUOTED.finditer(reason)]
