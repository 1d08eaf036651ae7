"""A YAML document as a tree of values with their places, and the error that says a file cannot be used."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from adk_split_eval.record import Finding, Related
from adk_split_eval.record.text import safe_terminal, shorten

Kind = Literal["mapping", "sequence", "scalar"]

DocumentPath = tuple[str | int, ...]


class PlanError(Exception):
    """A file as a whole cannot be used; ``findings`` says why and where."""

    def __init__(self, findings: list[Finding]) -> None:
        super().__init__("\n".join(finding.render() for finding in findings))
        self.findings = findings


@dataclass(frozen=True, slots=True)
class Place:
    """A 1-based stretch of a file; the end column is exclusive."""

    path: str
    line: int
    column: int
    end_line: int
    end_column: int

    def finding(
        self,
        code: str,
        message: str,
        help: str = "",
        *,
        level: Literal["error", "warning", "info"] = "error",
        case_id: str | None = None,
        related: tuple[Related, ...] = (),
    ) -> Finding:
        """A finding at this place."""
        return Finding(
            code,
            level,
            message,
            self.path,
            self.line,
            self.column,
            self.end_line,
            self.end_column,
            help=help,
            case_id=case_id,
            related=related,
        )


class Node:
    """One value of the document with its place.

    Attributes:
        kind: mapping, sequence or scalar.
        value: of a scalar, the Python value.
        fields: of a mapping, key → (key node, value node); of a sequence, unused.
        items: of a sequence, its nodes.
        line, column, end_line, end_column: 1-based, end exclusive.
        size: nodes below and including this one, aliases expanded.
    """

    __slots__ = ("column", "end_column", "end_line", "fields", "items", "kind", "line", "size", "text", "value")

    def __init__(self, kind: Kind, line: int, column: int, end_line: int, end_column: int) -> None:
        self.kind: Kind = kind
        self.line, self.column, self.end_line, self.end_column = line, column, end_line, end_column
        self.value: Any = None
        self.text = ""
        self.fields: dict[str, tuple[Node, Node]] = {}
        self.items: list[Node] = []
        self.size = 1

    def data(self) -> Any:
        """Plain Python data."""
        if self.kind == "mapping":
            return {key: value.data() for key, (_, value) in self.fields.items()}
        if self.kind == "sequence":
            return [item.data() for item in self.items]
        return self.value

    def child(self, segment: str | int) -> Node | None:
        """The value under a key or index."""
        if self.kind == "mapping" and isinstance(segment, str):
            found = self.fields.get(segment)
            return found[1] if found else None
        if self.kind == "sequence" and isinstance(segment, int) and -len(self.items) <= segment < len(self.items):
            return self.items[segment]
        return None

    def find(self, path: DocumentPath) -> Node | None:
        """The value at exactly ``path`` below this node."""
        node: Node | None = self
        for segment in path:
            if node is None:
                return None
            node = node.child(segment)
        return node


@dataclass(slots=True)
class Document:
    """One YAML file as read."""

    path: str
    root: Node
    text: str = field(repr=False, default="")

    def node(self, path: DocumentPath) -> Node:
        """The node at ``path``, or the nearest one above it; segments that the document does not have are skipped."""
        node = self.root
        for segment in path:
            node = node.child(segment) or node
        return node

    def place(self, path: DocumentPath = (), *, key: bool = False) -> Place:
        """Where ``path`` stands; with ``key``, where its key is written."""
        if key and path and isinstance(path[-1], str):
            found = self.node(path[:-1]).fields.get(path[-1])
            if found:
                return self.at(found[0])
        return self.at(self.node(path))

    def at(self, node: Node) -> Place:
        """Where a node stands."""
        return Place(self.path, node.line, node.column, node.end_line, node.end_column)


def describe(node: Node) -> str:
    """What a value is, in words: ``the number 12``, ``a list``."""
    if node.kind == "mapping":
        return "a mapping"
    if node.kind == "sequence":
        return "a list"
    return describe_value(node.value)


def describe_value(value: Any) -> str:
    """What a scalar is, in words."""
    if value is None:
        return "empty"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return f"the number {value!r}"
    return f"the text {quoted(value)}"


def quoted(value: object) -> str:
    """Text as it may stand in a message: in quotes, short, harmless for a terminal."""
    return f"'{safe_terminal(shorten(str(value), 60))}'"
