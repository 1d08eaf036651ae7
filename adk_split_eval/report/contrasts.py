"""Contrast pairs of a run: two cases that differ in one input, with a verdict of their own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

from adk_split_eval.record.result import RunResult


@dataclass(frozen=True, slots=True)
class Contrast:
    """One contrast as it stands in a result: ``verdict`` is PASS, FAIL, ERROR or SKIPPED."""

    name: str
    cases: str
    differ_in: str
    verdict: str
    reasons: tuple[str, ...]
    next_step: str
    blocking: bool

    def outcome(self, *, fail_on_hit: bool = False) -> str | None:
        """``failure``, ``error``, ``skipped`` (as JUnit calls it), or None for one that holds."""
        if self.verdict == "FAIL":
            return "failure" if self.blocking or fail_on_hit else "skipped"
        return {"ERROR": "error", "SKIPPED": "skipped"}.get(self.verdict)


def contrasts_of(result: RunResult) -> list[Contrast]:
    """The contrasts of a run, in the plan's order; empty when the plan states none."""
    stated: Any = result.extra.get("contrasts")
    if not isinstance(stated, list):
        return []
    return [_contrast(cast("dict[str, Any]", entry)) for entry in cast("list[Any]", stated) if isinstance(entry, dict)]


def _contrast(data: dict[str, Any]) -> Contrast:
    return Contrast(
        name=str(data.get("name", "")),
        cases=" / ".join(map(str, data.get("cases") or [])),
        differ_in=str(data.get("differ_in") or ""),
        verdict=str(data.get("verdict", "")),
        reasons=tuple(map(str, data.get("reasons") or [])),
        next_step=str(data.get("next_step") or ""),
        blocking=bool(data.get("blocking", True)),
    )
