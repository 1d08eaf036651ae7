"""Candidate files read back: strict YAML, the C parser where there is one, errors with line and column."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, cast

import yaml

from adk_split_eval.record import Finding

_BaseLoader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_SPELT = re.compile(r"\\(?:u([0-9a-f]{4})|\\)")
_PREFIX = "tag:yaml.org,2002:"

UNREADABLE = "ASE950"


class _Loader(_BaseLoader):
    """No dates, no octals, no ``yes``: a scalar is a number, a boolean or null only when it cannot be a word."""

    yaml_implicit_resolvers: dict[str, list[tuple[str, re.Pattern[str]]]] = {}  # noqa: RUF012


_RESOLVERS: tuple[tuple[str, str, str], ...] = (
    ("null", r"null|~|", "n~"),
    ("bool", r"true|false|True|False", "tfTF"),
    ("int", r"[-+]?(?:0|[1-9][0-9]*)", "-+0123456789"),
    ("float", r"[-+]?(?:(?:0|[1-9][0-9]*)\.[0-9]*(?:[eE][-+]?[0-9]+)?|\.inf)|\.nan", "-+0123456789."),
)
for _name, _pattern, _first in _RESOLVERS:
    for _c in [*_first, ""] if _name == "null" else _first:
        _Loader.yaml_implicit_resolvers.setdefault(_c, []).append((_PREFIX + _name, re.compile(f"(?:{_pattern})\\Z")))


class PoolError(Exception):
    """A candidate, frozen file or recording that cannot be used; ``findings`` say where and how to mend it."""

    def __init__(self, *findings: Finding) -> None:
        super().__init__("\n".join(f.render() for f in findings))
        self.findings = findings


def refuse(code: str, message: str, *, path: str = "", help: str = "", line: int = 0, column: int = 0) -> PoolError:
    """One refusal, ready to be raised."""
    return PoolError(Finding(code, "error", message, path=path, line=line, column=column, help=help))


def read_text(path: Path) -> str:
    """The file's text, exactly (no newline translation); a byte order mark is dropped. Raises PoolError."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise refuse(UNREADABLE, f"cannot be read: {error.strerror or error}", path=str(path)) from error
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        message = f"is not UTF-8 (byte {error.start})"
        raise refuse(UNREADABLE, message, path=str(path), help="save the file as UTF-8") from error


def parse(text: str, path: str) -> dict[str, Any]:
    """The document as plain data. Raises PoolError with line and column for anything that is not one YAML mapping."""
    try:
        node: Any = cast("Any", yaml).compose(text, Loader=_Loader)
    except yaml.YAMLError as error:
        raise _located(error, path) from error
    except RecursionError as error:
        raise refuse(UNREADABLE, "is nested too deeply to be read", path=path) from error
    if not isinstance(node, yaml.MappingNode):
        message = "holds no mapping" if node is not None else "is empty"
        raise refuse(UNREADABLE, message, path=path, line=1, column=1, help="restore it from version control")
    try:
        return cast("dict[str, Any]", _Builder(path).build(node))
    except RecursionError as error:
        raise refuse(UNREADABLE, "is nested too deeply to be read", path=path) from error


def place_of(text: str, path: tuple[str | int, ...]) -> tuple[int, int]:
    """1-based line and column of what stands at ``path`` in a document, or of the nearest thing above it that exists."""
    node: Any = cast("Any", yaml).compose(text, Loader=_Loader)
    mark: Any = node.start_mark
    for step in path:
        found: Any = None
        if isinstance(node, yaml.MappingNode):
            for key_node, value_node in node.value:
                if key_node.value == step:
                    mark, found = key_node.start_mark, value_node
        elif isinstance(node, yaml.SequenceNode) and isinstance(step, int) and step < len(node.value):
            found = node.value[step]
            mark = found.start_mark
        if found is None:
            break
        node = found
    return mark.line + 1, mark.column + 1


def item_lines(text: str, key: str) -> list[tuple[int, int]] | None:
    """0-based first line of each item of the block sequence under top-level ``key``, with its indentation.

    None when the sequence is not written as a block.
    """
    node: Any = cast("Any", yaml).compose(text, Loader=_Loader)
    for key_node, value_node in node.value if isinstance(node, yaml.MappingNode) else ():
        if key_node.value == key and isinstance(value_node, yaml.SequenceNode):
            if value_node.flow_style:
                return None
            return [(child.start_mark.line, child.start_mark.column - 2) for child in value_node.value]
    return []


def _located(error: yaml.YAMLError, path: str) -> PoolError:
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    line, column = (mark.line + 1, mark.column + 1) if mark is not None else (0, 0)
    problem = getattr(error, "problem", None) or str(error).splitlines()[0]
    mend = "mend the YAML at this place, or restore the file from version control"
    return refuse(UNREADABLE, f"is no valid YAML: {problem}", path=path, line=line, column=column, help=mend)


class _Builder:
    """Nodes to plain data; refuses duplicate keys, aliases and foreign tags."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._seen: set[int] = set()

    def build(self, node: Any) -> Any:
        if id(node) in self._seen:
            raise self._refuse(node, "anchors and aliases are not used in these files")
        if isinstance(node, yaml.ScalarNode):
            return self._scalar(node)
        self._seen.add(id(node))
        if isinstance(node, yaml.SequenceNode):
            return [self.build(child) for child in node.value]
        result: dict[str, Any] = {}
        for key_node, value_node in node.value:
            if not isinstance(key_node, yaml.ScalarNode):
                raise self._refuse(key_node, "a key must be text")
            key = self._scalar(key_node)
            key = key if isinstance(key, str) else key_node.value
            if key in result:
                raise self._refuse(key_node, f"the key {key!r} appears twice")
            result[key] = self.build(value_node)
        return result

    def _scalar(self, node: yaml.ScalarNode) -> Any:
        text: str = node.value
        tag: str = node.tag
        try:
            match tag.removeprefix(_PREFIX):
                case "null":
                    return None
                case "bool":
                    return text in ("true", "True")
                case "int":
                    return int(text)
                case "float":
                    return float(text.replace(".inf", "inf").replace(".nan", "nan"))
                case "str":
                    return text
                case "!escaped":
                    return _SPELT.sub(lambda m: chr(int(m.group(1), 16)) if m.group(1) else "\\", text)
                case "!json":
                    return json.loads(text)
                case _:
                    raise self._refuse(node, f"unknown tag {tag}")
        except ValueError as error:
            raise self._refuse(node, f"cannot be read as {tag}: {error}") from error

    def _refuse(self, node: Any, message: str) -> PoolError:
        mark = node.start_mark
        return refuse(UNREADABLE, message, path=self._path, line=mark.line + 1, column=mark.column + 1)
