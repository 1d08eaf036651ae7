"""JSON that always can be written and read back, and files that are either old or new, never half.

What a conversation holds is not always JSON: lone surrogates, NaN, bytes, keys that are numbers, nesting without end.
:func:`dumps` writes strict UTF-8 JSON all the same, so a result is never lost to its own content.
"""

from __future__ import annotations

import json
import math
import os
import re
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

MAX_DEPTH = 400
"""Nesting kept; what lies deeper is replaced by a note (Python's own JSON reader gives up at about 1,000)."""

_MAX_INT_BITS = 4096
_CAREFUL_FROM = 1_000_000
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


def plain(value: Any, depth: int = 0) -> Any:
    """``value`` as strict JSON data: no NaN or infinity (they become the strings ``NaN``, ``Infinity``, ``-Infinity``),
    string keys only, unknown objects as their text, nesting cut at :data:`MAX_DEPTH`."""
    if value is None or isinstance(value, str | bool):
        return value
    if isinstance(value, int):
        return value if value.bit_length() <= _MAX_INT_BITS else hex(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else _nonfinite(value)
    if depth >= MAX_DEPTH:
        return f"<nested deeper than {MAX_DEPTH} levels>"
    if isinstance(value, Mapping):
        return {_key(k): plain(v, depth + 1) for k, v in cast("Mapping[Any, Any]", value).items()}
    if isinstance(value, list | tuple | set | frozenset):
        items = cast(
            "list[Any]", value if isinstance(value, list | tuple) else sorted(cast("set[Any]", value), key=repr)
        )
        return [plain(v, depth + 1) for v in items]
    if isinstance(value, bytes | bytearray):
        return value.decode("utf-8", "backslashreplace")
    return str(value)


def _key(key: Any) -> str:
    return key if isinstance(key, str) else json.dumps(plain(key)) if isinstance(key, int | float | None) else str(key)


def _nonfinite(value: float) -> str:
    if math.isnan(value):
        return "NaN"
    return "Infinity" if value > 0 else "-Infinity"


def dumps(value: Any, *, indent: int | None = 2) -> str:
    """``value`` as JSON text that encodes as UTF-8: readable non-ASCII text, lone surrogates as ``\\ud8..`` escapes.

    Reading it back gives :func:`plain` of ``value`` (two lone surrogates in a row that form a pair come back as the
    character they stand for).
    """
    text = json.dumps(plain(value), ensure_ascii=False, allow_nan=False, indent=indent)
    return _LONE_SURROGATE.sub(lambda found: f"\\u{ord(found.group()):04x}", text)


def compact(value: Any) -> str:
    """``dumps`` on one line. What is plain and shallow, as nearly all is, needs none of the care that it takes."""
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False)
        if len(text) < _CAREFUL_FROM and text.count("[") + text.count("{") <= MAX_DEPTH:
            text.encode("utf-8")
            return text
    except (TypeError, ValueError, RecursionError):
        pass
    return dumps(value, indent=None)


def write_atomically(path: Path, text: str) -> None:
    """Write UTF-8 text so that a reader sees the old file or the new one, and a crash leaves no third state.

    Raises:
        OSError: the folder cannot be made or written.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".tmp")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        Path(temporary).chmod(_mode(path))
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def _mode(path: Path) -> int:
    """The mode of the file replaced, else what a plain ``open`` would have given."""
    try:
        return path.stat().st_mode & 0o777
    except OSError:
        mask = os.umask(0)
        os.umask(mask)
        return 0o666 & ~mask
