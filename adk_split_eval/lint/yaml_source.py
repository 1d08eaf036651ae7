"""A plan's YAML as plain data with places, bounded whatever the file holds (aliases are shared, never expanded).

This reading is lenient: what is wrong with the format itself is said by ``plan``'s own loading.
"""

from __future__ import annotations

import re
from typing import Any, cast

import yaml

from adk_split_eval.lint.json_source import Path

Place = tuple[int, int, int, int]
_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_INT = re.compile(r"[-+]?(0|[1-9][0-9]{0,300})$")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]{1,4})?$")
_CONSTANTS: dict[str, Any] = {
    "true": True,
    "false": False,
    "null": None,
    "~": None,
    "": None,
    ".nan": float("nan"),
    ".inf": float("inf"),
}


class YamlPlaces:
    """Where things stand in one YAML text."""

    def __init__(self, root: yaml.Node | None, error: str = "", at: tuple[int, int] = (0, 0)) -> None:
        self.root = root
        self.error = error
        self.at = at

    def place(self, path: Path, key: bool = False) -> Place:
        node = self.root
        chosen: yaml.Node | None = node
        for step in path:
            found = _child(node, step)
            if found is None:
                break
            name, node = found
            chosen = name if key and name is not None else node
        return _marks(chosen) if chosen is not None else (*self.at, *self.at)


def _child(node: yaml.Node | None, step: str | int) -> tuple[yaml.Node | None, yaml.Node] | None:
    if isinstance(node, yaml.MappingNode):
        pairs = cast("list[tuple[yaml.Node, yaml.Node]]", node.value)
        for name, value in pairs:
            if isinstance(name, yaml.ScalarNode) and name.value == step:
                return name, value
    elif isinstance(node, yaml.SequenceNode) and isinstance(step, int):
        items = cast("list[yaml.Node]", node.value)
        if 0 <= step < len(items):
            return None, items[step]
    return None


def _marks(node: yaml.Node) -> Place:
    start: Any = node.start_mark
    end: Any = node.end_mark
    if isinstance(node, yaml.ScalarNode) or start.line == end.line:
        return (start.line + 1, start.column + 1, end.line + 1, end.column + 1)
    return (start.line + 1, start.column + 1, start.line + 1, start.column + 2)


def parse_yaml(text: str) -> tuple[YamlPlaces, Any]:
    """``(places, data)``; data is None when the text is no YAML (the places then hold the error)."""
    try:
        root = cast("yaml.Node | None", yaml.compose(text, Loader=_LOADER))  # pyright: ignore[reportUnknownMemberType]
    except yaml.YAMLError as error:
        mark: Any = getattr(error, "problem_mark", None)
        at = (mark.line + 1, mark.column + 1) if mark is not None else (1, 1)
        return YamlPlaces(None, str(getattr(error, "problem", None) or error), at), None
    except (RecursionError, ValueError) as error:
        return YamlPlaces(None, str(error), (1, 1)), None
    try:
        return YamlPlaces(root), _data(root, {}, 0)
    except RecursionError:
        return YamlPlaces(None, "nested too deeply to be read", (1, 1)), None


def _data(node: Any, made: dict[int, Any], depth: int) -> Any:
    """Plain data of a node; a node reached twice (an alias) is the same object twice."""
    if node is None:
        return None
    if isinstance(node, yaml.ScalarNode):
        return _scalar(node)
    known = made.get(id(node))
    if known is not None:
        return known
    if depth > 200:
        raise RecursionError
    if isinstance(node, yaml.SequenceNode):
        items: list[Any] = []
        made[id(node)] = items
        items.extend(_data(child, made, depth + 1) for child in cast("list[Any]", node.value))
        return items
    mapping: dict[str, Any] = {}
    made[id(node)] = mapping
    for name, value in cast("list[tuple[Any, Any]]", node.value):
        key = str(name.value) if isinstance(name, yaml.ScalarNode) else "?"
        mapping[key] = _data(value, made, depth + 1)
    return mapping


def _scalar(node: yaml.ScalarNode) -> Any:
    value = str(node.value)
    if node.style is not None:
        return value
    lowered = value.lower()
    if lowered in _CONSTANTS:
        return _CONSTANTS[lowered]
    if _INT.match(value):
        return int(value)
    if _FLOAT.match(value):
        return float(value)
    return value
