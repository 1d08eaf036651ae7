"""What every metric is: a pure function from a conversation and its parameters to a judgement."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from adk_split_eval.metrics.text import quote
from adk_split_eval.metrics.values import ParameterError
from adk_split_eval.record import Conversation, Judgement, Row, Turn

Parameters = dict[str, Any]
Judge = Callable[[Conversation, Parameters, float], Judgement]
TurnCheck = Callable[[Turn, Parameters], list[str]]


def mapping(value: Any, where: str) -> dict[str, Any]:
    """``value`` as a dict.

    Raises:
        ParameterError: it is none.
    """
    if not isinstance(value, dict):
        raise ParameterError(f"{where} must be an object")
    return cast(dict[str, Any], value)


def sequence(value: Any, where: str) -> list[Any]:
    """``value`` as a list.

    Raises:
        ParameterError: it is none.
    """
    if not isinstance(value, list):
        raise ParameterError(f"{where} must be a list")
    return cast(list[Any], value)


def text(value: Any, where: str) -> str:
    """``value`` as a string.

    Raises:
        ParameterError: it is none.
    """
    if not isinstance(value, str):
        raise ParameterError(f"{where} must be a string")
    return value


def only(value: dict[str, Any], allowed: set[str], where: str) -> None:
    """Refuse unknown keys: a misspelt parameter would otherwise judge nothing.

    Raises:
        ParameterError: there is an unknown key.
    """
    unknown = sorted(str(key) for key in value if key not in allowed)
    if unknown:
        raise ParameterError(f"{where} has unknown keys {', '.join(quote(k, 40) for k in unknown)}")


def turn_parameters(params: Parameters) -> list[Parameters | None]:
    """``params["turns"]``: what each turn declares, None for a turn that declares nothing."""
    return [
        None if entry is None else mapping(entry, f"turns[{index}]")
        for index, entry in enumerate(sequence(params.get("turns", []), "turns"))
    ]


def judge_turns(conversation: Conversation, params: Parameters, threshold: float, check: TurnCheck) -> Judgement:
    """Judge the turns that declare something, each by ``check`` (its complaints; none means good).

    The score is the share of declaring turns that are good. A declaring turn that never happened is bad.
    """
    entries = turn_parameters(params)
    declared = [index for index, entry in enumerate(entries) if entry is not None]
    if not declared:
        return Judgement.not_applicable()
    count = len(conversation.turns)
    if conversation.flat and any(index != count - 1 for index in declared):
        return Judgement.not_evaluated("the recording does not say what belongs to which turn")
    rows = [Row("not_applicable") for _ in range(count)]
    reasons: list[str] = []
    good = 0
    for index in declared:
        entry = entries[index]
        assert entry is not None
        complaints = check(conversation.turns[index], entry) if index < count else [missing_turn(conversation)]
        lines = [f"turn {index + 1}: {complaint}" for complaint in complaints]
        good += not lines
        reasons.extend(lines)
        if index < count:
            rows[index] = Row("failed" if lines else "passed", 0.0 if lines else 1.0, lines)
    return Judgement.scored(good / len(declared), threshold, reasons, rows)


def missing_turn(conversation: Conversation) -> str:
    """Why a turn that something was declared for is not there."""
    cause = f": {quote(conversation.error)}" if conversation.error else ""
    return f"never happened; the conversation has {len(conversation.turns)} turns{cause}"
