"""The machine-readable result: one JSON document a run, ``schema_version`` 1.

Numbers that JSON does not know: a score or threshold that is NaN or infinite becomes null, anywhere else (tool arguments,
responses) such a number becomes the string ``NaN``, ``Infinity`` or ``-Infinity``.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any, cast

from adk_split_eval.record.jsonio import dumps, write_atomically
from adk_split_eval.record.result import RunResult


def result_json(result: RunResult) -> str:
    """The public JSON of a run, ending in a newline."""
    data = result.to_json()
    for case in cast("list[dict[str, Any]]", data["cases"]):
        _clean_scores(case)
        for trial in cast("list[dict[str, Any]]", case["trials"]):
            _clean_scores(trial)
    return dumps(data) + "\n"


def write_result(result: RunResult, path: Path) -> None:
    """Write :func:`result_json` to ``path``, atomically.

    Raises:
        OSError: ``path`` cannot be written.
    """
    write_atomically(path, result_json(result))


def _clean_scores(part: dict[str, Any]) -> None:
    for criterion in cast("list[dict[str, Any]]", part["criteria"]):
        for key in ("score", "threshold"):
            number = criterion[key]
            if isinstance(number, float) and not math.isfinite(number):
                criterion[key] = None
