"""JSON read at C speed; places are computed only when there is something to report.

Parsing is ``json.loads``. A place is found again by walking down from the root with the C scanner skipping whatever is
not on the way, and every container visited is remembered, so many findings in one file stay cheap.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Callable
from json.decoder import scanstring  # pyright: ignore[reportUnknownVariableType, reportAttributeAccessIssue]
from typing import Any, NamedTuple, cast

from adk_split_eval.lint.patterns import lazy

Path = tuple[str | int, ...]
Span = tuple[int, int]

_SPACE = lazy(r"[ \t\n\r]*")
_SCAN_STRING = cast("Callable[[str, int, bool], tuple[str, int]]", scanstring)
_DEEP = "nested too deeply to be read"


def _zero(_: str) -> int:
    return 0


_SKIP = json.JSONDecoder(parse_int=_zero, strict=False)


class SyntaxProblem(NamedTuple):
    """Why a text is no JSON: where (offsets), what, and how to mend it; ``edit`` when the mend is mechanical."""

    start: int
    end: int
    cause: str
    message: str
    help: str
    edit: tuple[int, int, str] | None = None


class _Pairs:
    """Object hook that notices a key standing twice (``json.loads`` keeps the last one silently)."""

    def __init__(self) -> None:
        self.duplicates: set[str] = set()

    def __call__(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        made = dict(pairs)
        if len(made) != len(pairs):
            seen: set[str] = set()
            for key, _ in pairs:
                if key in seen:
                    self.duplicates.add(key)
                seen.add(key)
        return made


def parse(text: str) -> tuple[Any, set[str], SyntaxProblem | None]:
    """``(data, duplicate keys, problem)``; data is None when there is a problem Python's reader has, too."""
    hook = _Pairs()
    try:
        data = json.loads(text, object_pairs_hook=hook)
        problem = _half_character(text) if "\\ud" in text or "\\uD" in text else None
        if data is None:
            start = text.index("null")
            problem = SyntaxProblem(start, start + 4, "empty", "the file holds nothing but null", "write a JSON object")
        return data, hook.duplicates, problem
    except json.JSONDecodeError as error:
        return None, set(), diagnose(text, error.pos, error.msg)
    except RecursionError:
        return (
            None,
            set(),
            SyntaxProblem(0, 0, "depth", f"the file is {_DEEP}", "flatten it; no evaluation file needs this"),
        )
    except ValueError as error:  # an integer of thousands of digits
        start = _huge_integer(text)
        return (
            None,
            set(),
            SyntaxProblem(start, start + 1, "number", f"a number is too long ({error})", "write a shorter number"),
        )


_ESCAPES = re.compile(
    r"\\\\|(\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})|(\\u[dD][89a-fA-F][0-9a-fA-F]{2})"
)


def _half_character(text: str) -> SyntaxProblem | None:
    """The first escaped half of a surrogate pair: Python's reader takes it, ADK's refuses the file."""
    for match in _ESCAPES.finditer(text):
        if match.group(2):
            return SyntaxProblem(match.start(), match.end(), "surrogate", f"`{match.group(2)}` is half a character: ADK cannot read the file",
                                 "write the whole character")  # fmt: skip
    return None


def _huge_integer(text: str) -> int:
    found = re.search(r"\d{4000,}", text)
    return found.start() if found else 0


_LITERALS = {"True": "true", "False": "false", "None": "null", "undefined": "null"}


def diagnose(text: str, position: int, message: str) -> SyntaxProblem:
    """What a person did wrong at ``position``, in words, with a mend."""
    rest = text[position : position + 12]
    before = text[:position].rstrip()
    if not text.strip():
        return SyntaxProblem(0, 0, "empty", "the file is empty", "write a JSON object")
    if rest.startswith(("//", "/*", "#")):
        end = text.find("\n", position)
        return SyntaxProblem(position, end if end > 0 else len(text), "comment", "JSON has no comments",
                             "remove it, or move the remark into a \"_comment\" key at the top level")  # fmt: skip
    if (rest[:1] in "}]" and rest and before.endswith(",")) or message.startswith("Illegal trailing comma"):
        comma = position if text[position : position + 1] == "," else len(before) - 1
        return SyntaxProblem(comma, comma + 1, "trailing-comma", "JSON allows no comma after the last entry",
                             "remove the comma", (comma, comma + 1, ""))  # fmt: skip
    if rest.startswith("'"):
        return SyntaxProblem(position, position + 1, "single-quotes", "JSON strings stand in double quotes",
                             "use \" instead of '; this looks like a printed Python value")  # fmt: skip
    if rest.startswith(("“", "”", "„", "‘", "’")):
        return SyntaxProblem(position, position + 1, "curly-quotes", "JSON strings stand in straight double quotes",
                             "replace the typographic quotes by \"")  # fmt: skip
    for wrong, right in _LITERALS.items():
        if rest.startswith(wrong):
            return SyntaxProblem(position, position + len(wrong), "literal", f"`{wrong}` is Python, not JSON",
                                 f"write {right}", (position, position + len(wrong), right))  # fmt: skip
    if message.startswith("Invalid control character"):
        return SyntaxProblem(position, position + 1, "control-character", "a string contains a raw line break or control character",
                             "write \\n (or \\t) instead")  # fmt: skip
    if message.startswith("Invalid \\"):
        return SyntaxProblem(position, position + 2, "escape", f"`{text[position : position + 2]}` is no JSON escape",
                             "double the backslash")  # fmt: skip
    if position >= len(text.rstrip()) or message.startswith("Unterminated string"):
        end = len(text.rstrip())
        at = position if message.startswith("Unterminated") else max(end - 1, 0)
        return SyntaxProblem(
            at, at + 1, "truncated", "the file ends before the value is complete", "restore the missing end"
        )
    if message.startswith("Extra data"):
        return SyntaxProblem(position, position + 1, "extra-data", "something follows the end of the JSON value",
                             "keep one value a file; JSON Lines are no eval set")  # fmt: skip
    if message.startswith("Expecting property name"):
        return SyntaxProblem(position, position + 1, "key", "a key in double quotes is expected here", "quote the key")
    if message.startswith("Expecting ',' delimiter"):
        return SyntaxProblem(position, position + 1, "comma", "a comma is missing before this", "add the comma")
    return SyntaxProblem(position, position + 1, "syntax", f"this is no JSON ({message.lower()})", "correct the syntax")


class _Children(NamedTuple):
    """Offsets of one container's entries: key span (None in arrays) and value span."""

    keys: dict[str, Span]
    values: dict[str | int, Span]
    duplicates: list[tuple[str, Span]]


class Locator:
    """Finds the character span of a path (``("eval_cases", 0, "eval_id")``) in a JSON text known to parse."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._children: dict[int, _Children | None] = {}
        self._line_starts: list[int] | None = None

    def span(self, path: Path, key: bool = False) -> Span:
        """Offsets of the value at ``path`` (of its key when ``key``); of the nearest existing parent when it is absent."""
        start = self._space(1 if self.text.startswith("\ufeff") else 0)
        here: Span = (start, min(len(self.text), start + 1))
        for depth, step in enumerate(path):
            children = self._entries(here[0])
            if children is None:
                break
            found = _pick(children, step)
            if found is None:
                break
            name, value = found
            if key and depth == len(path) - 1 and name is not None:
                return name
            here = value
        return here

    def key_span(self, path: Path) -> Span:
        return self.span(path, key=True)

    def exists(self, path: Path) -> bool:
        here = self._space(1 if self.text.startswith("\ufeff") else 0)
        for step in path:
            children = self._entries(here)
            found = _pick(children, step) if children else None
            if found is None:
                return False
            here = found[1][0]
        return True

    def duplicates(self) -> list[tuple[str, Span]]:
        """Every second key of an object, wherever it stands."""
        found: list[tuple[str, Span]] = []
        waiting = [self._space(1 if self.text.startswith("\ufeff") else 0)]
        while waiting:
            children = self._entries(waiting.pop())
            if children is not None:
                found.extend(children.duplicates)
                waiting.extend(start for start, _ in children.values.values() if self.text[start] in "{[")
        return sorted(found, key=lambda item: item[1])

    def line_column(self, offset: int) -> tuple[int, int]:
        """1-based line and column of an offset."""
        if self._line_starts is None:
            self._line_starts = [0, *(m.end() for m in re.finditer(r"\r\n|\n|\r", self.text))]
        line = bisect_right(self._line_starts, offset)
        return line, offset - self._line_starts[line - 1] + 1

    def line_text(self, line: int) -> str:
        """The text of a 1-based line without its end."""
        self.line_column(0)
        starts = self._line_starts or [0]
        if not 1 <= line <= len(starts):
            return ""
        end = starts[line] if line < len(starts) else len(self.text)
        return self.text[starts[line - 1] : end].rstrip("\r\n")

    def _space(self, position: int) -> int:
        found = _SPACE.match(self.text, position)
        return found.end() if found else position

    def _skip(self, position: int) -> int:
        return _SKIP.raw_decode(self.text, position)[1]

    def _entries(self, start: int) -> _Children | None:
        if start not in self._children:
            first = self.text[start : start + 1]
            try:
                made = self._object(start) if first == "{" else self._array(start) if first == "[" else None
            except RecursionError:  # a value just readable from the top may not be from further down the stack
                made = None
            self._children[start] = made
        return self._children[start]

    def _object(self, start: int) -> _Children:
        made = _Children({}, {}, [])
        position = self._space(start + 1)
        while self.text[position] != "}":
            name, after = _SCAN_STRING(self.text, position + 1, False)
            key = (position, after)
            value_start = self._space(self._space(after) + 1)
            value_end = self._skip(value_start)
            if name in made.keys:
                made.duplicates.append((name, key))
            made.keys[name] = key
            made.values[name] = (value_start, value_end)
            position = self._space(value_end)
            if self.text[position] == ",":
                position = self._space(position + 1)
        return made

    def _array(self, start: int) -> _Children:
        made = _Children({}, {}, [])
        position = self._space(start + 1)
        index = 0
        while self.text[position] != "]":
            end = self._skip(position)
            made.values[index] = (position, end)
            index += 1
            position = self._space(end)
            if self.text[position] == ",":
                position = self._space(position + 1)
        return made


def _pick(children: _Children, step: str | int) -> tuple[Span | None, Span] | None:
    """The entry ``step``; a snake_case name also finds its camelCase spelling, as ADK's models do."""
    if step in children.values:
        return children.keys.get(str(step)), children.values[step]
    if isinstance(step, str):
        spelled = camel(step)
        if spelled in children.values:
            return children.keys.get(spelled), children.values[spelled]
    return None


def camel(name: str) -> str:
    """``eval_id`` → ``evalId``: the alias ADK's models also accept."""
    head, *rest = name.split("_")
    return head + "".join(part[:1].upper() + part[1:] for part in rest)
