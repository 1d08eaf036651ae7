"""The machine-readable result: one JSON document a run, ``schema_version`` 1.

Numbers that JSON does not know: a score or threshold that is NaN or infinite becomes null, anywhere else (tool arguments,
responses) such a number becomes the string ``NaN``, ``Infinity`` or ``-Infinity``.
"""

from __future__ import annotations

from pathlib import Path

from adk_split_eval.record.jsonio import dumps, write_atomically
from adk_split_eval.record.result import RunResult


def result_json(result: RunResult) -> str:
    """The public JSON of a run, ending in a newline."""
    return dumps(result.to_json()) + "\n"


def write_json(result: RunResult, path: Path) -> None:
    """Write :func:`result_json` to ``path``, atomically.

    Raises:
        OSError: ``path`` cannot be written.
    """
    write_atomically(path, result_json(result))
