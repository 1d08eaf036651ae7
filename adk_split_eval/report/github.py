"""GitHub workflow annotations of a run: ``::error file=...,line=...,title=...::message``, one line each.

FAIL, ERROR and REJECTED are errors; a HIT is a warning (an error with ``fail_on_hit``), flakiness too; SIMULATOR,
INCONCLUSIVE and a pending FAIL are notices. The place is the case's own (``place`` in its result), else the plan's file.
"""

from __future__ import annotations

import re
from typing import Any, cast

from adk_split_eval.record.result import CaseResult, RunResult
from adk_split_eval.record.text import one_line, safe_terminal, shorten
from adk_split_eval.report import view

MESSAGE_WIDTH = 1000
_PLACE = re.compile(r"^(?P<path>.+?):(?P<line>\d+)(?::(?P<column>\d+))?(?::|$)")


def annotation_lines(result: RunResult, *, fail_on_hit: bool = False) -> list[str]:
    """One workflow command for each case that is not green or is flaky, in the plan's order."""
    lines: list[str] = []
    for case in result.cases:
        level = _level(case, fail_on_hit)
        if level is not None:
            lines.append(_annotation(result, case, level))
    return lines


def _level(case: CaseResult, fail_on_hit: bool) -> str | None:
    if case.verdict in view.GREEN:
        return "warning" if case.flaky else None
    if case.verdict in view.BLOCKING and not view.is_pending(case):
        return "error"
    if case.verdict == "HIT":
        return "error" if fail_on_hit else "warning"
    return "notice"


def _annotation(result: RunResult, case: CaseResult, level: str) -> str:
    role = view.HALF_TEXT[case.set].role.lower()
    reasons = view.reasons_of(case) or [f"trials disagree: {view.trial_verdicts(case)}"]
    message = "; ".join(reasons)
    if case.next_step:
        message += f" Next ({case.owner}): {case.next_step}"
    properties = {
        **_place(result, case),
        "title": f"{role} {case.case_id}: {case.verdict}{' (flaky)' if case.flaky else ''}",
    }
    shown = ",".join(f"{key}={_property(value)}" for key, value in properties.items())
    return f"::{level} {shown}::{_data(shorten(message, MESSAGE_WIDTH))}"


def _place(result: RunResult, case: CaseResult) -> dict[str, str]:
    """``file``, ``line`` and ``col`` as far as known: of the case, of a located reason, of the plan."""
    place: Any = case.extra.get("place")
    if isinstance(place, dict):
        known = cast("dict[str, Any]", place)
        found = {"file": known.get("path"), "line": known.get("line"), "col": known.get("column")}
        return _known(found)
    texts = [place] if isinstance(place, str) else case.reasons if case.verdict == "REJECTED" else []
    for text in texts:
        match = _PLACE.match(text)
        if match:
            found = {"file": match["path"], "line": match["line"], "col": match["column"]}
            return _known(found)
    plan = result.extra.get("plan_path")
    return _known({"file": plan if isinstance(plan, str) else None})


def _known(place: dict[str, Any]) -> dict[str, str]:
    """What is known of a place; the file relative to the working directory, which in a workflow is the repository."""
    known = {key: str(value) for key, value in place.items() if value}
    if "file" in known:
        known["file"] = view.shown_path(known["file"])
    return known


def _data(text: str) -> str:
    """Escaped as the runner reads it back; one line, so that no text can start a command of its own."""
    return one_line(safe_terminal(text)).replace("%", "%25")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
