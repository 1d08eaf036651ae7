"""Narrowing of untrusted JSON: what is an object or a list is taken, anything else is nothing."""

from __future__ import annotations

from typing import Any, cast

Json = dict[str, Any]


def as_object(value: Any) -> Json:
    """The object, or an empty one."""
    return cast("Json", value) if isinstance(value, dict) else {}


def as_list(value: Any) -> list[Any]:
    """The list, or an empty one."""
    return cast("list[Any]", value) if isinstance(value, list) else []


def objects(value: Any) -> list[tuple[int, Json]]:
    """(index, entry) of the entries of a list that are objects."""
    return [(i, cast("Json", item)) for i, item in enumerate(as_list(value)) if isinstance(item, dict)]
