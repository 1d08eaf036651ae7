"""Observed arguments as expectations: what changes from run to run becomes a matcher, and is listed."""

from __future__ import annotations

import math
import re
from typing import Any, cast

from adk_split_eval.pool.emit import has_lone_surrogate
from adk_split_eval.record import Call

MATCHER_KEYS = frozenset({"any", "regex", "one_of", "approx", "within", "contains", "gt", "lt", "equals"})

_UUID = r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"
_MOMENT = r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?"
_PATTERNS: tuple[tuple[str, str], ...] = (("a UUID", _UUID), ("a point in time", _MOMENT))
_GENERATED = re.compile(r"(?:[A-Za-z]{1,12}[-_])?(?:(?=[0-9a-f]*\d)[0-9a-f]{16,}|[0-9A-HJKMNP-TV-Z]{26})\Z")
_CLOCK_KEY = re.compile(r"(?:^|_)(?:time|timestamp|ts|at|date|now|epoch|millis|ms)(?:$|_)", re.IGNORECASE)
_EPOCH_SECONDS = (946_684_800, 4_102_444_800)


def expected_args(call: Call, said: str, notes: list[str], place: str) -> dict[str, Any]:
    """The arguments of ``call`` as a plan expects them.

    Args:
        said: everything the user said so far; a value the user spelt out is scripted, so it stays literal.
        notes: each argument turned into a matcher is appended here.
        place: how the notes name the turn.
    """
    return {key: _expected(value, key, f"{place}, {call.name}.{key}", said, notes) for key, value in call.args.items()}


def expected_value(value: Any, key: str, place: str, notes: list[str]) -> Any:
    """One observed value (of the state, say) as an expectation."""
    return _expected(value, key, place, "", notes)


def _expected(value: Any, key: str, place: str, said: str, notes: list[str]) -> Any:
    if isinstance(value, dict):
        entries = cast("dict[str, Any]", value)
        inner = {k: _expected(v, k, f"{place}.{k}", said, notes) for k, v in entries.items()}
        # A literal whose keys read like a matcher's would be taken for one.
        return {"equals": entries} if entries and MATCHER_KEYS.issuperset(entries) else inner
    if isinstance(value, list):
        return [_expected(v, key, f"{place}[{n}]", said, notes) for n, v in enumerate(cast("list[Any]", value))]
    matcher, why = _matcher(value, key, said)
    if matcher is None:
        return value
    notes.append(f"{place}: {why} became the matcher {matcher}".replace("'", ""))
    return matcher


def _matcher(value: Any, key: str, said: str) -> tuple[dict[str, Any] | None, str]:
    if isinstance(value, float) and not math.isfinite(value):
        return {"any": True}, "a number that JSON cannot carry"
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        low, high = _EPOCH_SECONDS
        clock = any(low <= value / scale <= high for scale in (1, 1_000)) and _CLOCK_KEY.search(key)
        return ({"any": True}, "a clock reading") if clock and str(value) not in said else (None, "")
    if not isinstance(value, str):
        return None, ""
    if has_lone_surrogate(value):
        return {"any": True}, "text that is no valid Unicode"
    if value and value in said:
        return None, ""
    for name, pattern in _PATTERNS:
        if re.fullmatch(pattern, value):
            return {"regex": f"^{pattern}$"}, name
    return ({"any": True}, "a generated id") if _GENERATED.match(value) else (None, "")
