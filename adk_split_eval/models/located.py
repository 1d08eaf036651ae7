"""YAML with places: plain data plus the line and column of every part, and errors that point there."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import yaml

from adk_split_eval.record import Finding

Place = tuple[str | int, ...]


class ScriptError(ValueError):
    """A script file cannot be used; ``findings`` says where and why, each with its place."""

    def __init__(self, findings: list[Finding]) -> None:
        self.findings = findings
        super().__init__("\n".join(finding.render() for finding in findings))


@dataclass(slots=True)
class Document:
    """A parsed YAML file.

    Attributes:
        path: where it came from, as messages name it.
        data: the plain value.
        places: 1-based (line, column) of every key and item, by its path from the root.
        findings: what is wrong, collected so that one reading reports everything.
    """

    path: str
    data: Any = None
    places: dict[Place, tuple[int, int]] = field(default_factory=dict[Place, tuple[int, int]])
    findings: list[Finding] = field(default_factory=list[Finding])

    def error(self, place: Place, code: str, message: str, mend: str = "") -> None:
        """Record an error at ``place``, or at the nearest enclosing place that is known."""
        known = place
        while known and known not in self.places:
            known = known[:-1]
        line, column = self.places.get(known, (1, 1))
        self.findings.append(
            Finding(code=code, level="error", message=message, path=self.path, line=line, column=column, help=mend)
        )


_DEEPEST = 60
_SURPRISE = re.compile(r"[-+]?(?:0\d|\d+:)")

_Loader: type[Any] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def read_document(path: Path) -> Document:
    """Read ``path`` as one YAML document.

    Raises:
        ScriptError: the file cannot be read, is no YAML, or has a key twice.
    """
    document = Document(str(path))
    try:
        text = path.read_text(encoding="utf-8")
        loader = _Loader(text)
        try:
            node = cast("yaml.Node | None", loader.get_single_node())
            if node is not None:
                document.data = _plain(loader, node, (), document)
        finally:
            loader.dispose()
    except OSError as problem:
        document.error((), "ASE661", f"cannot be read: {problem.strerror or problem}")
    except UnicodeDecodeError as problem:
        document.error((), "ASE661", f"is not UTF-8: {problem.reason} at byte {problem.start}")
    except yaml.MarkedYAMLError as problem:
        if problem.problem_mark is not None:
            document.places[()] = (problem.problem_mark.line + 1, problem.problem_mark.column + 1)
        document.error((), "ASE661", f"is no valid YAML: {problem.problem or problem.context or problem}")
    except yaml.YAMLError as problem:
        document.error((), "ASE661", f"is no valid YAML: {problem}")
    if document.findings:
        raise ScriptError(document.findings)
    return document


def _plain(loader: Any, node: yaml.Node, place: Place, document: Document) -> Any:
    """The value of ``node``; places of its parts go into ``document``."""
    if len(place) > _DEEPEST:
        document.error(place, "ASE661", f"is nested more than {_DEEPEST} levels deep (does an alias hold itself?)")
        return None
    document.places.setdefault(place, (node.start_mark.line + 1, node.start_mark.column + 1))
    if isinstance(node, yaml.MappingNode):
        result: dict[str, Any] = {}
        for key_node, value_node in cast("list[tuple[yaml.Node, yaml.Node]]", node.value):
            key = str(cast(Any, key_node).value)
            inner = (*place, key)
            if key in result:
                document.places[inner] = (key_node.start_mark.line + 1, key_node.start_mark.column + 1)
                document.error(inner, "ASE661", f"the key {key!r} stands here twice", "remove one of them")
                continue
            document.places[inner] = (key_node.start_mark.line + 1, key_node.start_mark.column + 1)
            result[key] = _plain(loader, value_node, inner, document)
        return result
    if isinstance(node, yaml.SequenceNode):
        items = cast("list[yaml.Node]", node.value)
        return [_plain(loader, item, (*place, index), document) for index, item in enumerate(items)]
    return _scalar(loader, node, place, document)


def _scalar(loader: Any, node: yaml.Node, place: Place, document: Document) -> Any:
    """A text, number, flag or null. YAML's surprises are no values: dates stay texts, ``012`` and ``1:30`` are errors."""
    text, kind = str(cast(Any, node).value), node.tag.rpartition(":")[2]
    if kind == "timestamp":
        return text
    if kind in ("int", "float") and _SURPRISE.match(text):
        document.error(place, "ASE661", f"YAML reads {text} as another number", "put it in quotes")
        return None
    return loader.construct_object(node, deep=True)
