"""What must hold of a single value of the plan beyond its type. Pure functions on plain data, for models and lint alike.

Each refuses by raising :class:`Complaint`. ``VALUE_CHECKS`` are named by the ``x-check`` keyword of the structure schema.
"""

from __future__ import annotations

import datetime
import math
import re
from collections.abc import Callable
from typing import Any, cast

from adk_split_eval.record.text import safe_terminal, shorten

HOLE = "TODO"
"""What stands in a draft where a person must decide."""

Mapping = dict[str, Any]


class Complaint(ValueError):
    """A value that cannot be used: code, one sentence, and the mend.

    ``path`` leads from the value checked to the part of it that is wrong.
    """

    def __init__(self, code: str, message: str, help: str = "", path: tuple[str | int, ...] = ()) -> None:
        super().__init__(message)
        self.code, self.message, self.help, self.path = code, message, help, path


def mapping_in(data: Mapping, *keys: str) -> Mapping:
    """The mapping under ``keys``; an empty one when there is none."""
    current: Any = data
    for key in keys:
        current = cast("Mapping", current).get(key) if isinstance(current, dict) else None
    return cast("Mapping", current) if isinstance(current, dict) else {}


def list_in(data: Mapping, key: str) -> list[Any]:
    """The list under ``key``; an empty one when there is none."""
    value = data.get(key)
    return cast("list[Any]", value) if isinstance(value, list) else []


def shown(value: object) -> str:
    """A value as it may stand in a message: in quotes, short, harmless for a terminal."""
    return f"'{safe_terminal(shorten(str(value), 60))}'"


def check_regex(pattern: str) -> str:
    """``pattern`` itself when Python's ``re`` compiles it."""
    try:
        re.compile(pattern)
    except (re.error, RecursionError, OverflowError) as error:
        reason = safe_terminal(str(error))
        message = f"the regular expression {shown(pattern)} does not compile: {reason}"
        raise Complaint("ASE015", message, "mend the pattern (syntax of Python's re)") from None
    return pattern


def check_words(text: str) -> str:
    """``text`` itself when it says something."""
    if not text.strip():
        raise Complaint("ASE031", "the text is empty", "write what is said, or remove the entry")
    return text


def check_name(name: str) -> str:
    """``name`` itself when it is usable as a name: not empty, no blanks around it."""
    if not name or name != name.strip():
        raise Complaint("ASE013", f"the name {shown(name)} is empty or has blanks around it", "write it without blanks")
    return name


def check_plan_id(value: str) -> str:
    """``value`` itself when ``adk web`` accepts it as part of an id."""
    if not re.fullmatch(r"[a-zA-Z0-9_]+", value):
        message = f"the plan_id {shown(value)} may hold only letters, digits and underscores"
        raise Complaint("ASE021", message, "write it like refund_desk")
    return value


def check_case_id(value: str) -> str:
    """``value`` itself when it can be selected on a command line and name a file."""
    if value != value.strip() or value in ("", ".", "..") or re.search(r"[/\\,:\x00-\x1f\x7f]", value):
        message = f"the case_id {shown(value)} is empty, or holds a slash, a comma, a colon or blanks around it"
        raise Complaint("ASE021", message, "write it like F-01")
    return value


def check_persona_text(value: str) -> str:
    """``value`` itself when ADK's simulator can render it.

    ADK renders a persona's behaviours as Jinja templates that know ``stop_signal``: anything else in braces crashes
    the case, or vanishes.
    """
    check_words(value)
    rest = re.sub(r"\{\{ *stop_signal *\}\}", "", value)
    for mark in ("{{", "{%", "{#"):
        if mark in rest:
            message = f"the persona's text holds {mark!r}, which ADK renders as a template: the case would crash"
            raise Complaint("ASE023", message, "rephrase it without the braces")
    return value


def check_date(value: str) -> str:
    """``value`` itself when it is an ISO date."""
    try:
        datetime.date.fromisoformat(value)
    except ValueError:
        raise Complaint("ASE013", f"{shown(value)} is no date", 'write it like "2027-01-31", in quotes') from None
    return value


def check_share(value: Any) -> Any:
    """``"10%"`` as 0.1; other values unchanged."""
    if not isinstance(value, str):
        return value
    number = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*%\s*", value, re.ASCII)
    if not number or not 0 < float(number.group(1)) <= 100:
        raise Complaint("ASE013", f"{shown(value)} is no share", "write a percentage like 10%, or a number up to 1")
    return float(number.group(1)) / 100


def check_hole(value: Any) -> Any:
    """``value`` itself when it is no longer the hole of a draft."""
    if value == HOLE:
        raise Complaint(
            "ASE033",
            "expect_tools is still the hole TODO of a draft",
            "write the calls the agent should make here ([] for none), or remove the key from every turn",
        )
    return value


PATH_ROOTS: dict[str, tuple[str, ...]] = {
    "tool": ("args", "response", "name", "author"),
    "response": ("response", "args", "name", "author"),
    "transfer": ("agent", "args", "author"),
    "says": ("text", "match", "author"),
    "state": ("value", "before", "key"),
}
"""Selector kind → the roots a path into such an event may start with."""

ALL_ROOTS: frozenset[str] = frozenset(root for roots in PATH_ROOTS.values() for root in roots)


def check_path(path: str) -> str:
    """``path`` itself when it is dotted, without empty segments, and starts with a root some event has."""
    segments = path.split(".")
    if "" in segments:
        mend = "write it like args.stage or response.question.id"
        raise Complaint("ASE013", f"the path {shown(path)} has an empty segment", mend)
    if segments[0] not in ALL_ROOTS:
        message = f"the path {shown(path)} starts with {shown(segments[0])}, which no event has"
        raise Complaint("ASE013", message, f"start it with one of: {', '.join(sorted(ALL_ROOTS))}")
    return path


def check_root(path: str, kind: str, at: tuple[str | int, ...] = ()) -> None:
    """Refuse a path whose root an event of this kind does not have."""
    if path.split(".")[0] not in PATH_ROOTS[kind]:
        message = f"the path {shown(path)} cannot be read from a {kind} event"
        raise Complaint("ASE013", message, f"start it with one of: {', '.join(PATH_ROOTS[kind])}", at)


MATCHER_KEYS: frozenset[str] = frozenset(
    {"any", "regex", "one_of", "approx", "within", "contains", "gt", "lt", "equals"}
)
"""Keys that make a mapping a matcher instead of a literal value."""

_COMBINATIONS: frozenset[frozenset[str]] = frozenset(
    frozenset(keys)
    for keys in (
        ("any",),
        ("regex",),
        ("one_of",),
        ("approx", "within"),
        ("contains",),
        ("gt",),
        ("lt",),
        ("gt", "lt"),
        ("equals",),
    )
)

_LITERAL = "for a literal value that looks like a matcher write {equals: ...}"


def check_matchers(value: Any) -> Any:
    """``value`` itself when every matcher in it, at any depth, is well formed.

    A mapping all of whose keys belong to matchers, but which form none, is refused: it would silently be compared as
    a literal.
    """
    pending: list[tuple[Any, tuple[str | int, ...]]] = [(value, ())]
    while pending:
        current, path = pending.pop()
        if isinstance(current, dict):
            mapping = cast("Mapping", current)
            if mapping and MATCHER_KEYS.issuperset(mapping):
                _check_matcher(mapping, path)
            if "equals" not in mapping:
                pending.extend((nested, (*path, key)) for key, nested in mapping.items())
        elif isinstance(current, list):
            pending.extend((nested, (*path, index)) for index, nested in enumerate(cast("list[Any]", current)))
    return value


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _check_matcher(matcher: Mapping, path: tuple[str | int, ...]) -> None:
    keys = frozenset(matcher)
    if keys not in _COMBINATIONS:
        why = "approx and within go together" if keys & {"approx", "within"} else "these keys do not go together"
        raise Complaint("ASE016", f"{{{', '.join(sorted(keys))}}} is no matcher: {why}", _LITERAL, path)
    for key, argument in matcher.items():
        wants = _argument_wanted(key, argument)
        if wants:
            raise Complaint("ASE016", f"the matcher {key} takes {wants}", _LITERAL, (*path, key))
        if key == "regex":
            try:
                check_regex(argument)
            except Complaint as complaint:
                raise Complaint(complaint.code, complaint.message, complaint.help, (*path, key)) from None


def _argument_wanted(key: str, argument: Any) -> str | None:
    """What the matcher ``key`` takes, when ``argument`` is not it."""
    if key == "any":
        return None if argument is True else "only true"
    if key == "regex":
        return None if isinstance(argument, str) else "a pattern in quotes"
    if key == "one_of":
        return None if isinstance(argument, list) and argument else "a list of at least one value"
    if key in ("approx", "gt", "lt"):
        return None if _is_number(argument) else "a number"
    if key == "within":
        return None if _is_number(argument) and argument >= 0 else "a number that is not negative"
    return None


VALUE_CHECKS: dict[str, Callable[[Any], Any]] = {
    "case_id": check_case_id,
    "date": check_date,
    "hole": check_hole,
    "matcher": check_matchers,
    "name": check_name,
    "path": check_path,
    "persona_text": check_persona_text,
    "plan_id": check_plan_id,
    "regex": check_regex,
    "share": check_share,
    "words": check_words,
}
"""``x-check`` name → the check of one value."""
