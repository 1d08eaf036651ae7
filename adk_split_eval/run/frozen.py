"""What a run says about frozen cases: never seen red since they were frozen, or red for another reason than their own."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from adk_split_eval.pool import frozen_remarks
from adk_split_eval.record import Case, CaseResult
from adk_split_eval.record.runs import list_runs
from adk_split_eval.run.packed import Packed

LOOK_BACK = 50
LARGEST_RESULT = 8 * 1024 * 1024


def remark_on_frozen(cases: Sequence[Case], results: Sequence[CaseResult], plan_id: str, root: Path | None) -> None:
    """Add the remarks to the warnings of the results; only plans with frozen cases pay for it."""
    frozen = {c.case_id: c for c in cases if c.set == "fixed" and c.provenance}
    if not frozen:
        return
    red, looked_at = _red_in_stored_runs(set(frozen), plan_id, root)
    for place, result in enumerate(results):
        case = frozen.get(result.case_id)
        if case is None or result.set != "fixed":
            continue
        # Without any stored run (a fresh checkout) nobody knows, and nothing is claimed.
        red_since = (result.case_id in red or result.verdict == "FAIL") if looked_at else None
        for remark in frozen_remarks(case, result, red_since=red_since):
            if remark not in result.warnings:
                result.warnings.append(remark)
                if isinstance(results, Packed):
                    results[place] = result


def _red_in_stored_runs(ids: set[str], plan_id: str, root: Path | None) -> tuple[set[str], int]:
    """Which of the cases failed in one of the last stored runs of this plan, and how many runs were looked at."""
    found: set[str] = set()
    looked_at = 0
    for folder in reversed(list_runs(root)[-LOOK_BACK:]):
        try:
            if folder.result.stat().st_size > LARGEST_RESULT:
                continue
            data: dict[str, Any] = json.loads(folder.result.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            # A result nobody can read says nothing about these cases; `history` points it out.
            continue
        if data.get("plan_id") == plan_id:
            looked_at += 1
            cases: list[dict[str, Any]] = data.get("cases") or []
            found |= {str(c.get("case_id")) for c in cases if c.get("verdict") == "FAIL"} & ids
        if found == ids:
            break
    return found, looked_at
