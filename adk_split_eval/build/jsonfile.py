"""Reading a JSON file a person or a tool wrote: every complaint says where, and nothing is silently dropped."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn, cast

from adk_split_eval.build.jsonplaces import line_and_column, locate
from adk_split_eval.plan import PlanError
from adk_split_eval.record import Finding

JsonPath = tuple[str | int, ...]


class _DuplicateKey(Exception):
    """A key stands twice in one object."""


@dataclass(slots=True)
class JsonFile:
    """A JSON file as read, with its text for places."""

    path: Path
    text: str
    data: Any

    def finding(self, code: str, message: str, at: JsonPath, mend: str, case_id: str | None = None) -> Finding:
        """An error finding at the value ``at``."""
        line, column = locate(self.text, at)
        return Finding(code, "error", message, str(self.path), line, column, help=mend, case_id=case_id)

    def refuse(self, code: str, message: str, at: JsonPath, mend: str) -> NoReturn:
        """Raise the finding: the file cannot be used."""
        raise PlanError([self.finding(code, message, at, mend)])

    def mapping(self, value: Any, at: JsonPath, what: str, keys: Iterable[str] | None = None) -> dict[str, Any]:
        """``value`` as an object; with ``keys``, no other keys may stand in it."""
        if not isinstance(value, dict):
            self.refuse("ASE611", f"{what} is {_kind(value)}, not an object", at, "see docs/generated-sets.md")
        found = cast("dict[str, Any]", value)
        known = None if keys is None else sorted(keys)
        for key in found:
            if known is not None and key not in known:
                self.refuse(
                    "ASE611", f"{what} has the unknown key {key!r}", (*at, key), f"known are {', '.join(known)}"
                )
        return found

    def sequence(self, value: Any, at: JsonPath, what: str) -> list[Any]:
        """``value`` as a list; null counts as empty."""
        if value is None:
            return []
        if not isinstance(value, list):
            self.refuse("ASE611", f"{what} is {_kind(value)}, not a list", at, "write a list")
        return cast("list[Any]", value)

    def string(self, value: Any, at: JsonPath, what: str) -> str:
        """``value`` as text."""
        if not isinstance(value, str):
            self.refuse("ASE611", f"{what} is {_kind(value)}, not text", at, "write it in quotes")
        return value


def read_json(path: str | Path) -> JsonFile:
    """Read a JSON file.

    Raises:
        PlanError: it cannot be read, is no UTF-8 or no JSON, or an object in it has a key twice; with place and cause.
    """
    location = Path(path)
    try:
        text = location.read_text("utf-8-sig")
    except UnicodeDecodeError as error:
        raise PlanError(
            [Finding("ASE633", "error", f"not UTF-8: {error.reason}", str(location), help="save it as UTF-8")]
        ) from None
    except (OSError, ValueError) as error:
        cause = error.strerror if isinstance(error, OSError) else str(error)
        raise PlanError([Finding("ASE634", "error", f"cannot be read: {cause}", str(location))]) from None
    try:
        data = json.loads(text, object_pairs_hook=_unique)
    except _DuplicateKey as error:
        line, column = _second(text, str(error))
        message = f"the key {str(error)!r} stands twice in one object"
        raise PlanError([_unreadable("ASE631", location, message, line, column, "remove one")]) from None
    except json.JSONDecodeError as error:
        message = f"not JSON: {error.msg}"
        raise PlanError([_unreadable("ASE601", location, message, error.lineno, error.colno, "correct it")]) from None
    except RecursionError:
        raise PlanError([_unreadable("ASE601", location, "nested too deeply", 1, 1, "flatten it")]) from None
    return JsonFile(location, text, data)


def _unreadable(code: str, path: Path, message: str, line: int, column: int, mend: str) -> Finding:
    return Finding(code, "error", message, str(path), line, column, help=mend)


def _unique(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise _DuplicateKey(key)
        found[key] = value
    return found


def _second(text: str, key: str) -> tuple[int, int]:
    quoted = json.dumps(key, ensure_ascii=False)
    first = text.find(quoted)
    return line_and_column(text, max(text.find(quoted, first + 1), 0))


def _kind(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        return "a list"
    if isinstance(value, str):
        return "text"
    return "true or false" if isinstance(value, bool) else "a number"
