"""Calls in a conversation: where they stand, which pattern they fit, whether they succeeded."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast

from adk_split_eval.metrics.base import mapping, only, text
from adk_split_eval.metrics.text import show, show_call
from adk_split_eval.metrics.values import ParameterError, is_matcher, iter_key_differences, matches, require_sound
from adk_split_eval.record import Call, Conversation

_ERROR_KEYS = ("error", "errors", "error_message", "error_code", "errorMessage", "errorCode", "exception")
_ERROR_FLAGS = ("is_error", "isError")
_SUCCESS_FLAGS = ("ok", "success", "succeeded")
_ERROR_WORDS = frozenset({"error", "failed", "failure", "fail"})


@dataclass(frozen=True, slots=True)
class Placed:
    """A call and where it stands: (turn, step), both 0-based. Calls of one step have no order among them."""

    turn: int
    call: Call

    @property
    def position(self) -> tuple[int, int]:
        return (self.turn, self.call.step)

    def __str__(self) -> str:
        return f"turn {self.turn + 1}: {show_call(self.call.name, self.call.args)}"


@dataclass(frozen=True, slots=True)
class CallPattern:
    """A tool by name and, where given, some of its arguments (by value or matcher)."""

    name: str
    args: dict[str, Any] | None = None

    @classmethod
    def parse(cls, value: Any, where: str) -> CallPattern:
        """Read ``name`` or ``{"name": ..., "args": {...}}``.

        Raises:
            ParameterError: it is neither, or holds an unusable matcher.
        """
        if isinstance(value, str):
            return cls(value)
        entry = mapping(value, where)
        only(entry, {"name", "args"}, where)
        args = entry.get("args")
        if args is not None:
            args = mapping(args, f"{where}.args")
            for key, expected in args.items():
                require_sound(expected, f"{where}.args.{key}")
        return cls(text(entry.get("name"), f"{where}.name"), args)

    def fits(self, call: Call) -> bool:
        """Whether ``call`` is one of those meant."""
        if call.name != self.name:
            return False
        if not self.args:
            return True
        found = iter_key_differences(self.args, call.args, "args", exact=False, as_literal=False)
        return next(found, None) is None

    def __str__(self) -> str:
        return show_call(self.name, self.args)


def placed_calls(conversation: Conversation) -> Iterator[Placed]:
    """All calls in order: by turn, then by step, as recorded within a step."""
    for index, turn in enumerate(conversation.turns):
        for call in sorted(turn.tool_calls, key=lambda c: c.step):
            yield Placed(index, call)


def response_fits(expected: Any, response: Any) -> bool:
    """Whether a tool's response is the one meant: a dict partially, anything else as a whole.

    ADK wraps a result that is no dict as ``{"result": ...}``; the wrapped value may be named without its wrapping.
    """
    inner = _unwrapped(response)
    return _fits(expected, response) or (inner is not response and _fits(expected, inner))


def _fits(expected: Any, response: Any) -> bool:
    if isinstance(expected, dict) and not is_matcher(expected) and isinstance(response, Mapping):
        keys = cast(dict[str, Any], expected)
        answer = cast(Mapping[str, Any], response)
        return next(iter_key_differences(keys, answer, "response", exact=False, as_literal=False), None) is None
    return matches(expected, response)


def _unwrapped(response: Any) -> Any:
    if isinstance(response, Mapping):
        wrapping = cast(Mapping[str, Any], response)
        if len(wrapping) == 1 and "result" in wrapping:
            return wrapping["result"]
    return cast(Any, response)


def failure(call: Call) -> str | None:
    """Why ``call`` did not succeed; None when its response is recorded and is no error."""
    if not call.answered:
        return "its response is not recorded"
    return response_error(call.response)


def response_error(response: Any) -> str | None:
    """How a tool's response says that it failed; None when it does not.

    An error is: a dict with a truthy ``error``, ``errors``, ``error_message``, ``error_code`` or ``exception`` (camel
    case too), a true ``is_error``, a false ``ok``, ``success`` or ``succeeded``, a ``status`` that reads error, failed,
    failure or fail, an HTTP ``status``/``status_code`` of 400 or more; or a string that begins with "error:". A value
    wrapped by ADK as ``{"result": ...}`` counts as itself.
    """
    inner = _unwrapped(response)
    if isinstance(inner, str):
        return f"its response is {show(inner)}" if inner[:40].lstrip().casefold().startswith("error:") else None
    if not isinstance(inner, Mapping):
        return None
    answer = cast(Mapping[str, Any], inner)
    for key in _ERROR_KEYS:
        if answer.get(key):
            return f"its response has {key}: {show(answer[key])}"
    for key in _ERROR_FLAGS:
        if answer.get(key) is True:
            return f"its response has {key}: true"
    for key in _SUCCESS_FLAGS:
        if answer.get(key) is False:
            return f"its response has {key}: false"
    return _error_status(answer)


def _error_status(answer: Mapping[str, Any]) -> str | None:
    for key in ("status", "status_code"):
        status = answer.get(key)
        word = isinstance(status, str) and status.strip().casefold() in _ERROR_WORDS
        number = isinstance(status, int) and not isinstance(status, bool) and 400 <= status <= 599
        if word or number:
            return f"its response has {key}: {show(status)}"
    return None


__all__ = [
    "CallPattern",
    "ParameterError",
    "Placed",
    "failure",
    "placed_calls",
    "response_error",
    "response_fits",
]
