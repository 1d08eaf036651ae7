"""Documents: files read once, with their text, their data and a way back to line and column."""
# os functions instead of pathlib: this room starts cold on every commit.
# ruff: noqa: PTH116, PTH119, PTH120

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from pathlib import Path as FilePath
from typing import Any, Literal

from adk_split_eval.lint.json_source import Locator, Path, SyntaxProblem, parse
from adk_split_eval.lint.kinds import Kind, kind_of

Place = tuple[int, int, int, int]
MAX_BYTES = 256 * 1024 * 1024
mended_texts: dict[str, bytes] = {}
"""What files would hold after mends that are only shown, by path; read in place of them."""


@dataclass(eq=False, repr=False)
class Document:
    """One file.

    Attributes:
        path: as the user named it; shown in findings.
        kind: what it is; ``plan`` and ``frozen`` are YAML, all others JSON.
        data: parsed content, None when it could not be read (see ``problem``, ``unreadable``).
        unreadable: why there is no text (missing, no permission, wrong encoding).
        bom: whether it starts with a byte order mark, which ADK cannot read.
        duplicate_keys: keys that stand twice in one object.
        named: whether the user named this file (not only a folder above it).
    """

    path: str
    kind: Kind | Literal["plan", "frozen", "command"] = "unknown"
    text: str = ""
    data: Any = None
    problem: SyntaxProblem | None = None
    unreadable: str = ""
    encoding_error: tuple[int, str] | None = None
    bom: bool = False
    duplicate_keys: set[str] = field(default_factory=set[str])
    named: bool = False
    yaml: Any = None
    cache: dict[str, Any] = field(default_factory=dict[str, Any])
    _locator: Locator | None = None

    @property
    def name(self) -> str:
        return os.path.basename(self.path)

    @property
    def folder(self) -> str:
        return os.path.dirname(self.path)

    @property
    def locator(self) -> Locator:
        if self._locator is None:
            self._locator = Locator(self.text)
        return self._locator

    def place(self, path: Path, key: bool = False) -> Place:
        """(line, column, end line, end column) of the value at ``path`` (its key when ``key``), 1-based."""
        if self.yaml is not None:
            found: Place = self.yaml.place(path, key)
            return found
        if self.data is None:
            return (0, 0, 0, 0)
        start, end = self.locator.span(path, key)
        return self.offset_place(start, end)

    def offset_place(self, start: int, end: int) -> Place:
        line, column = self.locator.line_column(start)
        end_line, end_column = self.locator.line_column(end)
        return (line, column, end_line, end_column)


def read(path: str, named: bool = False) -> Document:
    """Reads one file; what goes wrong is recorded in the document, never raised."""
    document = Document(path, named=named)
    try:
        size = os.stat(path).st_size
        if size > MAX_BYTES:
            document.unreadable = f"larger than {MAX_BYTES // (1024 * 1024)} MB, not read"
            return document
        raw = mended_texts[path] if path in mended_texts else FilePath(path).read_bytes()
    except (OSError, ValueError) as error:
        document.unreadable = getattr(error, "strerror", None) or str(error)
        return document
    return fill(document, raw)


def fill(document: Document, raw: bytes) -> Document:
    """Decodes and parses ``raw`` into ``document``."""
    if raw.startswith(b"\xef\xbb\xbf"):
        document.bom = True
        raw = raw[3:]
    try:
        document.text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        document.encoding_error = (error.start, _guess_encoding(raw))
        document.text = raw.decode("utf-8", errors="replace")
        document.kind = "plan" if document.name.endswith((".yaml", ".yml")) else kind_of(None, document.name)
        return document
    if "\0" in document.text[:4]:
        wide = "UTF-32" if "\0\0" in document.text[:4] else "UTF-16"
        document.encoding_error = (document.text.index("\0"), f"{wide} without a byte order mark")
        document.kind = "plan" if document.name.endswith((".yaml", ".yml")) else kind_of(None, document.name)
        return document
    if document.name.endswith((".yaml", ".yml")):
        document.kind = "frozen" if document.name.endswith(("frozen.yaml", "frozen.yml")) else "plan"
    else:
        document.data, document.duplicate_keys, document.problem = parse(document.text)
        document.kind = kind_of(document.data, document.name)
    return document


def _guess_encoding(raw: bytes) -> str:
    if raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "UTF-16"
    runs = re.findall(rb"[\x80-\xff]+", raw[:200_000])
    names = ("gb18030", "shift_jis") if runs and sum(map(len, runs)) >= 2 * len(runs) else ()
    for name in (*names, "latin-1"):
        try:
            raw.decode(name)
        except UnicodeDecodeError:
            continue
        return name
    return "an unknown encoding"
