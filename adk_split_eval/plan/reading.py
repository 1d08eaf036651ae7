"""YAML as a team meant it: read event by event (C parser where present), without surprises, bounded in depth and size."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import yaml

from adk_split_eval.plan.nodes import Document, Kind, Node, Place, PlanError, describe, describe_value, quoted
from adk_split_eval.plan.scalars import mend_of, resolve
from adk_split_eval.plan.syntax import refuse_characters, syntax_finding
from adk_split_eval.record import Finding, Related
from adk_split_eval.record.text import safe_terminal, shorten

MAX_BYTES = 64 * 1024 * 1024

MAX_DEPTH = 200

MAX_REPEATED_NODES = 100_000

_LOADER: Any = getattr(yaml, "CLoader", yaml.Loader)

_PARSE: Any = getattr(yaml, "parse")  # noqa: B009 (typed stubs leave its result unknown)

_SURROGATE = re.compile("[\ud800-\udfff]")


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
        raise PlanError([Finding("ASE002", "error", "the file is UTF-16", name, 1, 1, 1, 1, help="save it as UTF-8")])
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        offset = error.start + (3 if raw.startswith(b"\xef\xbb\xbf") else 0)
        before = raw[:offset]
        line = before.count(b"\n") + 1
        column = len(before[before.rfind(b"\n") + 1 :].decode("utf-8-sig", "replace")) + 1
        message = f"byte 0x{raw[offset]:02x} is no UTF-8"
        raise PlanError(
            [Finding("ASE002", "error", message, name, line, column, line, column + 1, help="save the file as UTF-8")]
        ) from None


def parse_document(text: str, name: str) -> Document:
    """Parse the text of one YAML document whose top is a mapping."""
    refuse_characters(text, name)
    reader = _Reader(name)
    try:
        root = reader.read(_PARSE(text, Loader=_LOADER))
    except yaml.YAMLError as error:
        raise PlanError([*reader.findings, syntax_finding(error, name, text)]) from None
    if root is None and not reader.findings:
        raise PlanError(
            [Finding("ASE004", "error", "the file is empty", name, 1, 1, 1, 1, help="start it with `plan_id: ...`")]
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
        if key.value == "<<":
            self._at(key, "ASE008", "merge keys (`<<`) are not supported", "repeat the keys, or alias the whole value")
            return
        if not isinstance(key.value, str):
            if key.value is not None or key.text == "null":
                self._at(
                    key,
                    "ASE006",
                    f"the key {quoted(key.text)} is {describe_value(key.value)}, not text",
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
                    f"the key {quoted(key.value)} is written twice; the first is on line {first.line}",
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
                mend = f'write "{shorten(text, 60)}" in quotes if it is text' + mend_of(text)
                self._at(node, "ASE006", f"{shorten(text, 60)} is {surprise}", mend)
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
            self._complain(
                event, "ASE008", f"the tag {safe_terminal(shorten(event.tag, 60))} is not supported", "remove the tag"
            )

    def _at(self, node: Node, code: str, message: str, help: str) -> None:
        self.findings.append(
            Place(self.name, node.line, node.column, node.end_line, node.end_column).finding(code, message, help)
        )

    def _complain(self, event: Any, code: str, message: str, help: str) -> None:
        self._at(self._node("scalar", event), code, message, help)
