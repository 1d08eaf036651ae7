"""Paths into tool results, and filling captured values into answers."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, cast

MISSING: Any = object()
"""What a path leads to when it leads nowhere."""

_PLACEHOLDER = re.compile(r"\{\{|\}\}|\{(?P<name>[A-Za-z_][\w.]*)(?::(?P<form>[a-z]+))?\}")
FORMS = frozenset({"upper", "lower", "strip", "number", "text"})


class FillError(ValueError):
    """A placeholder of an answer has no value."""


def follow(value: Any, path: str) -> Any:
    """The value at a dotted path (``orders.0.amount``); MISSING when there is none. An empty path is the value itself."""
    for key in path.split(".") if path else []:
        if isinstance(value, Mapping) and key in value:
            value = cast("Mapping[str, Any]", value)[key]
        elif isinstance(value, list) and key.lstrip("-").isdigit():
            items = cast("list[Any]", value)
            if not -len(items) <= int(key) < len(items):
                return MISSING
            value = items[int(key)]
        else:
            return MISSING
    return value


def convert(value: Any, form: str | None) -> Any:
    """``value`` in another form: upper, lower, strip, text, or number (an int where it is whole)."""
    if form is None:
        return value
    text = str(value)
    if form == "number":
        number = float(text.replace(",", ""))
        return int(number) if number.is_integer() else number
    return {"upper": text.upper, "lower": text.lower, "strip": text.strip, "text": lambda: text}[form]()


def placeholders(value: Any) -> list[tuple[str, str | None]]:
    """Names and forms of every placeholder in ``value``, however deep."""
    if isinstance(value, str):
        return [(found["name"], found["form"]) for found in _PLACEHOLDER.finditer(value) if found["name"]]
    if isinstance(value, Mapping):
        parts = list(cast("Mapping[str, Any]", value).values())
        return [name for part in parts for name in placeholders(part)]
    if isinstance(value, list):
        return [name for part in cast("list[Any]", value) for name in placeholders(part)]
    return []


def fill(value: Any, known: Mapping[str, Any]) -> Any:
    """``value`` with every ``{name}`` replaced; a text that is one placeholder and nothing else keeps the value's type.

    ``{name.path}`` follows a path into a captured object, ``{name:upper}`` changes its form, ``{{`` and ``}}`` are braces.

    Raises:
        FillError: a name nothing was captured for.
    """
    if isinstance(value, str):
        whole = _PLACEHOLDER.fullmatch(value)
        if whole and whole["name"]:
            return _lookup(whole["name"], whole["form"], known)
        return _PLACEHOLDER.sub(lambda found: _text(found, known), value)
    if isinstance(value, Mapping):
        return {key: fill(part, known) for key, part in cast("Mapping[str, Any]", value).items()}
    if isinstance(value, list):
        return [fill(part, known) for part in cast("list[Any]", value)]
    return value


def _text(found: re.Match[str], known: Mapping[str, Any]) -> str:
    if not found["name"]:
        return found[0][0]
    value = _lookup(found["name"], found["form"], known)
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def _lookup(name: str, form: str | None, known: Mapping[str, Any]) -> Any:
    head, _, path = name.partition(".")
    value = follow(known[head], path) if head in known else MISSING
    if value is MISSING:
        have = ", ".join(sorted(known)) or "nothing"
        raise FillError(f"nothing was captured for {{{name}}}; captured are: {have}")
    try:
        return convert(value, form)
    except ValueError:
        raise FillError(f"{{{name}:{form}}}: {value!r} is no number") from None
