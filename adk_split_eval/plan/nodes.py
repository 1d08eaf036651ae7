"""YAML as a team meant it: a tree with places, read without YAML's surprises, bounded in depth and size.

The file is read event by event (C parser where present) and resolved here: a plain scalar means what YAML 1.1 and
YAML 1.2 both say it means. Where they disagree, or where YAML 1.1 would silently turn a word into something else
(``no``, ``012``, ``1:30``, an unquoted date), the value is refused with its place.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import yaml

from adk_split_eval.record import Finding, Related

MAX_BYTES = 64 * 1024 * 1024
MAX_DEPTH = 200
MAX_REPEATED_NODES = 100_000

Kind = Literal["mapping", "sequence", "scalar"]
DocumentPath = tuple[str | int, ...]

_LOADER: Any = getattr(yaml, "CLoader", yaml.Loader)

_TRUE = frozenset({"true", "True", "TRUE"})
_FALSE = frozenset({"false", "False", "FALSE"})
_NULL = frozenset({"null", "Null", "NULL", ""})
_YAML_1_1_BOOLEANS = frozenset(
    {"yes", "Yes", "YES", "no", "No", "NO", "on", "On", "ON", "off", "Off", "OFF"},
)
_LOOKS_SPECIAL = re.compile(r"[-+.~0-9]")
_INTEGER = re.compile(r"-?(?:0|[1-9][0-9]*)")
_FLOAT = re.compile(r"-?(?:(?:0|[1-9][0-9]*)?\.[0-9]+|(?:0|[1-9][0-9]*)\.[0-9]*)(?:[eE][-+][0-9]+)?")
_SURPRISES: tuple[tuple[re.Pattern[str], str], ...] = (
    (
        re.compile(r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:[Tt ].*)?"),
        "a date, which YAML turns into something that is not text",
    ),
    (re.compile(r"[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?"), "a number in base 60 to YAML 1.1"),
    (
        re.compile(r"[-+]?0[0-9_]+(?:\.[0-9_]*)?(?:[eE][-+]?[0-9]+)?"),
        "a number whose leading zero is lost or makes it octal",
    ),
    (re.compile(r"[-+]?0o?[0-7_]+"), "an octal number to YAML"),
    (re.compile(r"[-+]?0x[0-9a-fA-F_]+"), "a hexadecimal number to YAML"),
    (re.compile(r"[-+]?0b[01_]+"), "a binary number to YAML"),
    (re.compile(r"[-+]?[0-9][0-9_]*_[0-9_]*(?:\.[0-9_]*)?"), "a number to YAML 1.1, which drops the underscores"),
    (re.compile(r"\+(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?"), "a number to YAML, which drops the plus sign"),
    (re.compile(r"-?(?:[0-9]+\.?[0-9]*|\.[0-9]+)[eE][-+]?[0-9]+"), "a number to some YAML readers and text to others"),
    (re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)"), "infinity or not-a-number to YAML"),
    (re.compile(r"~"), "nothing (null) to YAML"),
)
_LINE_SEPARATORS = re.compile("[\u0085\u2028\u2029]")
_UNPRINTABLE = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_SURROGATE = re.compile("[\ud800-\udfff]")


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

    def walk(self) -> Iterator[Node]:
        """This node and all below it."""
        yield self
        for _, value in self.fields.values():
            yield from value.walk()
        for item in self.items:
            yield from item.walk()


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


def read_document(path: Path, shown: str | None = None) -> Document:
    """Read a YAML mapping from ``path``; ``shown`` is how findings name the file.

    Raises PlanError: the file cannot be read, is no UTF-8, no YAML, no mapping, or holds one of YAML's surprises.
    """
    name = shown if shown is not None else str(path)
    try:
        if path.is_dir():
            raise PlanError(
                [Finding("ASE001", "error", f"{name} is a folder, not a plan file", name, help="name the file")]
            )
        if path.stat().st_size > MAX_BYTES:
            raise PlanError(
                [Finding("ASE001", "error", "the file is larger than 64 MB", name, help="split the plan into several")]
            )
        raw = path.read_bytes()
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise PlanError(
            [Finding("ASE001", "error", f"cannot be read: {reason}", name, help="check the path")]
        ) from None
    except ValueError:
        raise PlanError([Finding("ASE001", "error", "the path is not valid", name, help="check the path")]) from None
    return parse_document(decode(raw, name), name)


def decode(raw: bytes, name: str) -> str:
    """UTF-8 text, with or without a byte order mark."""
    if raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise PlanError([Finding("ASE002", "error", "the file is UTF-16", name, 1, 1, help="save it as UTF-8")])
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        offset = error.start + (3 if raw.startswith(b"\xef\xbb\xbf") else 0)
        before = raw[:offset]
        line = before.count(b"\n") + 1
        column = len(before[before.rfind(b"\n") + 1 :].decode("utf-8-sig", "replace")) + 1
        message = f"byte 0x{raw[offset]:02x} is no UTF-8"
        raise PlanError(
            [Finding("ASE002", "error", message, name, line, column, help="save the file as UTF-8")]
        ) from None


def parse_document(text: str, name: str) -> Document:
    """Parse the text of one YAML document whose top is a mapping."""
    _refuse_characters(text, name)
    reader = _Reader(name)
    try:
        root = reader.read(yaml.parse(text, Loader=_LOADER))
    except yaml.YAMLError as error:
        raise PlanError([*reader.findings, _syntax_finding(error, name, text)]) from None
    if root is None and not reader.findings:
        raise PlanError(
            [Finding("ASE004", "error", "the file is empty", name, 1, 1, help="start it with `plan_id: ...`")]
        )
    if root is not None and root.kind != "mapping" and not reader.findings:
        place = Place(name, root.line, root.column, root.end_line, root.end_column)
        raise PlanError(
            [
                place.finding(
                    "ASE004", f"the top of the file is {describe(root)}, not a mapping", "start it with `plan_id: ...`"
                )
            ]
        )
    if reader.findings or root is None:
        raise PlanError(reader.findings)
    return Document(name, root, text)


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
    shortened = str(value) if len(str(value)) <= 40 else str(value)[:37] + "..."
    return f"the text {shortened!r}"


def resolve(text: str) -> tuple[Any, str | None]:
    """What a plain scalar means, and what is surprising about it (then the value is the text itself)."""
    if text in _NULL:
        return None, None
    if text in _TRUE:
        return True, None
    if text in _FALSE:
        return False, None
    if text in _YAML_1_1_BOOLEANS:
        return text, "true or false to YAML 1.1"
    if not _LOOKS_SPECIAL.match(text):
        return text, None
    if _INTEGER.fullmatch(text):
        # Python refuses longer literals; nobody means a number here.
        return (int(text), None) if len(text) < 300 else (text, "a number of hundreds of digits")
    if _FLOAT.fullmatch(text):
        value = float(text)
        return (value, None) if value - value == 0 else (text, "a number too large to hold")
    for pattern, what in _SURPRISES:
        if pattern.fullmatch(text):
            return text, what
    return text, None


class _Reader:
    """Builds the tree from parser events; collects what is wrong on the way."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.findings: list[Finding] = []
        self.anchors: dict[str, Node | None] = {}
        self.repeated = 0

    def read(self, events: Any) -> Node | None:
        """The root node of the first document; a second one is an error."""
        stack: list[tuple[Node, Node | None, str | None]] = []
        root: Node | None = None
        documents = 0
        # (collection, pending key, anchor): the key waits for its value.
        for event in events:
            if isinstance(event, yaml.DocumentStartEvent):
                documents += 1
                if documents > 1:
                    self._complain(
                        event, "ASE004", "a second document starts here", "keep one plan a file; remove the `---`"
                    )
                    return root
            elif isinstance(event, yaml.MappingStartEvent | yaml.SequenceStartEvent):
                if len(stack) >= MAX_DEPTH:
                    self._complain(event, "ASE007", f"nested more than {MAX_DEPTH} deep", "flatten it")
                    return root
                kind: Kind = "mapping" if isinstance(event, yaml.MappingStartEvent) else "sequence"
                self._refuse_tag(event)
                node = self._node(kind, event)
                if event.anchor:
                    self.anchors[event.anchor] = None
                stack.append((node, None, event.anchor))
            elif isinstance(event, yaml.MappingEndEvent | yaml.SequenceEndEvent):
                node, _, anchor = stack.pop()
                self._close(node, event)
                if anchor:
                    self.anchors[anchor] = node
                root = self._add(stack, node) or root
            elif isinstance(event, yaml.ScalarEvent):
                node = self._scalar(event)
                if event.anchor:
                    self.anchors[event.anchor] = node
                root = self._add(stack, node) or root
            elif isinstance(event, yaml.AliasEvent):
                aliased = self._alias(event)
                if aliased is None:
                    return root
                root = self._add(stack, aliased) or root
        return root

    def _node(self, kind: Kind, event: Any) -> Node:
        start, end = event.start_mark, event.end_mark
        return Node(kind, start.line + 1, start.column + 1, end.line + 1, end.column + 1)

    def _close(self, node: Node, event: Any) -> None:
        """A block collection's end mark stands at the next token; its last child says better where it ends."""
        last = node.items[-1] if node.items else next(reversed(node.fields.values()))[1] if node.fields else None
        flow = event.end_mark.index > event.start_mark.index
        if flow or last is None:
            node.end_line, node.end_column = event.end_mark.line + 1, event.end_mark.column + 1
        else:
            node.end_line, node.end_column = last.end_line, last.end_column

    def _add(self, stack: list[tuple[Node, Node | None, str | None]], node: Node) -> Node | None:
        """Put a finished node where it belongs; the node itself when it is the root."""
        if not stack:
            return node
        parent, key, anchor = stack[-1]
        parent.size += node.size
        if parent.kind == "sequence":
            parent.items.append(node)
            return None
        if key is None:
            stack[-1] = (parent, node, anchor)
            return None
        stack[-1] = (parent, None, anchor)
        self._set(parent, key, node)
        return None

    def _set(self, parent: Node, key: Node, value: Node) -> None:
        if key.kind != "scalar":
            self._at(key, "ASE006", f"{describe(key)} cannot be a key", "write a plain name as the key")
            return
        if key.text == "<<" and key.value == "<<":
            self._at(key, "ASE008", "merge keys (`<<`) are not supported", "repeat the keys, or alias the whole value")
            return
        if not isinstance(key.value, str):
            if key.value is not None or key.text == "null":
                self._at(
                    key,
                    "ASE006",
                    f"the key {key.text} is {describe_value(key.value)}, not text",
                    f'write "{key.text}" in quotes',
                )
            else:
                self._at(key, "ASE006", "a key is empty", "write the key before the colon")
            return
        if key.value in parent.fields:
            first = parent.fields[key.value][0]
            self.findings.append(
                Place(self.name, key.line, key.column, key.end_line, key.end_column).finding(
                    "ASE005",
                    f"the key `{key.value}` is written twice; the first is on line {first.line}",
                    "keep one of them",
                    related=(Related(self.name, first.line, first.column, "first written here"),),
                )
            )
            return
        parent.fields[key.value] = (key, value)

    def _scalar(self, event: Any) -> Node:
        node = self._node("scalar", event)
        text: str = event.value
        node.text = node.value = text
        quoted = bool(event.style)
        if event.tag is not None and event.tag not in ("!", "tag:yaml.org,2002:str"):
            self._refuse_tag(event)
        elif event.tag is None and not quoted:
            node.value, surprise = resolve(text)
            if surprise:
                mend = f'write "{text}" in quotes if it is text' + _mend_of(text)
                self._at(node, "ASE006", f"{text} is {surprise}", mend)
        elif _SURROGATE.search(text):
            self._at(node, "ASE006", "half of a surrogate pair is no character", "write the character itself")
            node.text = node.value = ""
        return node

    def _alias(self, event: Any) -> Node | None:
        name = event.anchor
        if name not in self.anchors:
            self._complain(
                event, "ASE003", f"the alias *{name} has no anchor before it", f"write &{name} where the value stands"
            )
            return None
        node = self.anchors[name]
        if node is None:
            self._complain(event, "ASE007", f"the alias *{name} stands inside its own anchor", "write the value out")
            return None
        self.repeated += node.size
        if self.repeated > MAX_REPEATED_NODES:
            self._complain(
                event, "ASE007", f"aliases repeat more than {MAX_REPEATED_NODES} values", "write the values out"
            )
            return None
        return node

    def _refuse_tag(self, event: Any) -> None:
        if event.tag and event.tag not in ("!", "tag:yaml.org,2002:map", "tag:yaml.org,2002:seq"):
            self._complain(event, "ASE008", f"the tag {event.tag} is not supported", "remove the tag")

    def _at(self, node: Node, code: str, message: str, help: str) -> None:
        self.findings.append(
            Place(self.name, node.line, node.column, node.end_line, node.end_column).finding(code, message, help)
        )

    def _complain(self, event: Any, code: str, message: str, help: str) -> None:
        self._at(self._node("scalar", event), code, message, help)


def _mend_of(text: str) -> str:
    if text in _YAML_1_1_BOOLEANS:
        return ", or true" if text.lower() in ("yes", "on") else ", or false"
    if text == "~":
        return ", or null"
    return "; write a plain decimal number if it is a number" if text[-1:].isdigit() and "-" not in text[1:] else ""


def _refuse_characters(text: str, name: str) -> None:
    """Characters YAML refuses or reads as a line break although no editor shows one."""
    for pattern, code, what, mend in (
        (
            _UNPRINTABLE,
            "ASE003",
            "the control character U+{0:04X}",
            'write it as an escape in double quotes, as "\\u{0:04x}"',
        ),
        (
            _LINE_SEPARATORS,
            "ASE006",
            "the character U+{0:04X}, which YAML reads as a line break,",
            'write it as an escape in double quotes, as "\\u{0:04x}"',
        ),
    ):
        found = pattern.search(text)
        if found:
            before = text[: found.start()]
            line = before.count("\n") + 1
            column = found.start() - (before.rfind("\n") + 1) + 1
            number = ord(found.group())
            message = what.format(number).rstrip(",") + " cannot stand in a plan as it is"
            raise PlanError(
                [Finding(code, "error", message, name, line, column, line, column + 1, help=mend.format(number))]
            )


_SYNTAX: tuple[tuple[str, str, str], ...] = (
    ("found character '\\t'", "a tab where a value should start", "indent with spaces"),
    (
        "found character that cannot start any token",
        "a character that cannot start a value here",
        "put the text in quotes",
    ),
    (
        "mapping values are not allowed",
        "a colon here starts a second mapping",
        "put the text in quotes, or mend the indentation",
    ),
    ("did not find expected ',' or '}'", "a mapping in braces is not closed", "add the `}` or the comma"),
    ("did not find expected ',' or ']'", "a list in brackets is not closed", "add the `]` or the comma"),
    ("unexpected end of stream", "a quoted text is not closed", "add the closing quote"),
    (
        "did not find expected '-' indicator",
        "the indentation does not fit the list above",
        "line the entries up under each other",
    ),
    (
        "did not find expected key",
        "the indentation or a quote does not fit the lines above",
        "line the keys up under each other",
    ),
    ("could not find expected ':'", "a key without its colon", "write `key: value`"),
    ("unknown escape character", "an unknown escape in double quotes", "use single quotes, or double the backslash"),
    ("invalid Unicode character escape", "an escape that is no character", "write the character itself"),
    ("undefined alias", "an alias without an anchor", "write the value out"),
    ("duplicate anchor", "an anchor is given twice", "name them apart"),
    ("undefined tag handle", "an unknown tag", "remove the tag, or put the text in quotes"),
)


def _syntax_finding(error: yaml.YAMLError, name: str, text: str) -> Finding:
    mark: Any = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    line, column = (mark.line + 1, mark.column + 1) if mark else (0, 0)
    problem = str(getattr(error, "problem", "") or getattr(error, "reason", "") or "it is no YAML")
    if mark and _tab_leads(text, mark.line):
        return Finding(
            "ASE003", "error", "the line is indented with a tab", name, line, 1, line, 2, help="indent with spaces"
        )
    for known, message, mend in _SYNTAX:
        if known in problem:
            return Finding("ASE003", "error", f"not YAML: {message}", name, line, column, line, column + 1, help=mend)
    return Finding(
        "ASE003",
        "error",
        f"not YAML: {problem}",
        name,
        line,
        column,
        line,
        column + 1,
        help="check quotes and indentation",
    )


def _tab_leads(text: str, line: int) -> bool:
    lines = text.split("\n", line + 1)
    return line < len(lines) and "\t" in lines[line][: len(lines[line]) - len(lines[line].lstrip())]
