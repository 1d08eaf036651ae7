"""Verdicts and results: what a run says, and its public JSON form (``schema_version`` 1)."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, fields
from typing import Any, Literal

from adk_split_eval.record.case import Half
from adk_split_eval.record.conversation import Conversation, Turn
from adk_split_eval.record.judgement import Status

SCHEMA_VERSION = 1

FixedVerdict = Literal["PASS", "FAIL", "ERROR", "REJECTED"]
SimulatedVerdict = Literal["OK", "HIT", "SIMULATOR", "INCONCLUSIVE", "ERROR", "REJECTED"]
Verdict = Literal["PASS", "FAIL", "OK", "HIT", "SIMULATOR", "INCONCLUSIVE", "ERROR", "REJECTED"]
Kind = Literal["deterministic", "judged"]


@dataclass(slots=True)
class CriterionResult:
    """One criterion's answer about one trial.

    Attributes:
        votes: the judge's votes; None for deterministic criteria.
        unfinished: see :class:`~adk_split_eval.record.judgement.Judgement`; in the JSON only where true.
    """

    name: str
    kind: Kind
    status: Status
    score: float | None = None
    threshold: float | None = None
    votes: list[str] | None = None
    reasons: list[str] = field(default_factory=list[str])
    unfinished: bool = False

    def to_json(self) -> dict[str, Any]:
        data: dict[str, Any] = {
            "name": self.name,
            "kind": self.kind,
            "status": self.status,
            "score": _finite(self.score),
            "threshold": _finite(self.threshold),
            "votes": self.votes,
            "reasons": self.reasons,
        }
        return {**data, "unfinished": True} if self.unfinished else data

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> CriterionResult:
        """Read :meth:`to_json` back; name, kind and status are required."""
        votes: list[str] | None = data.get("votes")
        return cls(
            name=data["name"],
            kind=data["kind"],
            status=data["status"],
            score=data.get("score"),
            threshold=data.get("threshold"),
            votes=None if votes is None else list(votes),
            reasons=list(data.get("reasons") or []),
            unfinished=bool(data.get("unfinished", False)),
        )


@dataclass(slots=True)
class TrialResult:
    """One unit (set, case, trial): its verdict and all that led to it."""

    verdict: Verdict
    seed: int
    turns: list[Turn] = field(default_factory=list[Turn])
    criteria: list[CriterionResult] = field(default_factory=list[CriterionResult])
    reasons: list[str] = field(default_factory=list[str])
    warnings: list[str] = field(default_factory=list[str])
    error: str | None = None
    stop_reason: str | None = None
    simulator_suspect: bool = False

    def to_json(self) -> dict[str, Any]:
        return {
            "verdict": self.verdict,
            "seed": self.seed,
            "turns": [t.to_json() for t in self.turns],
            "criteria": [c.to_json() for c in self.criteria],
            "reasons": self.reasons,
            "warnings": self.warnings,
            "error": self.error,
            "stop_reason": self.stop_reason,
            "simulator_suspect": self.simulator_suspect,
        }

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> TrialResult:
        """Read :meth:`to_json` back; only ``verdict`` is required."""
        return cls(
            verdict=data["verdict"],
            seed=int(data.get("seed") or 0),
            turns=Conversation.from_json(data).turns,
            criteria=[CriterionResult.from_json(c) for c in _items(data, "criteria")],
            reasons=list(data.get("reasons") or []),
            warnings=list(data.get("warnings") or []),
            error=data.get("error"),
            stop_reason=data.get("stop_reason"),
            simulator_suspect=bool(data.get("simulator_suspect", False)),
        )


@dataclass(slots=True)
class CaseResult:
    """One case over all its trials. Turns and criteria are those of the trial that decided the verdict."""

    set: Half
    case_id: str
    verdict: Verdict
    reasons: list[str] = field(default_factory=list[str])
    warnings: list[str] = field(default_factory=list[str])
    flaky: bool = False
    owner: str = ""
    next_step: str = ""
    error: str | None = None
    stop_reason: str | None = None
    turns: list[Turn] = field(default_factory=list[Turn])
    criteria: list[CriterionResult] = field(default_factory=list[CriterionResult])
    trials: list[TrialResult] = field(default_factory=list[TrialResult])
    simulator_suspect: bool = False
    scene: str = ""
    extra: dict[str, Any] = field(default_factory=dict[str, Any])

    def to_json(self) -> dict[str, Any]:
        return {
            "set": self.set,
            "case_id": self.case_id,
            "scene": self.scene,
            "verdict": self.verdict,
            "reasons": self.reasons,
            "warnings": self.warnings,
            "flaky": self.flaky,
            "simulator_suspect": self.simulator_suspect,
            "owner": self.owner,
            "next_step": self.next_step,
            "error": self.error,
            "stop_reason": self.stop_reason,
            "turns": [t.to_json() for t in self.turns],
            "criteria": [c.to_json() for c in self.criteria],
            "trials": [t.to_json() for t in self.trials],
            **self.extra,
        }

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> CaseResult:
        """Read :meth:`to_json` back; keys this version does not know are kept in ``extra``."""
        return cls(
            set=data["set"],
            case_id=data["case_id"],
            verdict=data["verdict"],
            reasons=list(data.get("reasons") or []),
            warnings=list(data.get("warnings") or []),
            flaky=bool(data.get("flaky", False)),
            owner=data.get("owner") or "",
            next_step=data.get("next_step") or "",
            error=data.get("error"),
            stop_reason=data.get("stop_reason"),
            turns=Conversation.from_json(data).turns,
            criteria=[CriterionResult.from_json(c) for c in _items(data, "criteria")],
            trials=[TrialResult.from_json(t) for t in _items(data, "trials")],
            simulator_suspect=bool(data.get("simulator_suspect", False)),
            scene=data.get("scene") or "",
            extra={k: v for k, v in data.items() if k not in _CASE_KEYS},
        )


@dataclass(slots=True)
class RunResult:
    """A whole run. ``to_json`` is the versioned public result."""

    run_id: str
    plan_id: str
    started_at: str
    adk_version: str
    tool_version: str
    exit_code: int = 0
    cases: list[CaseResult] = field(default_factory=list[CaseResult])
    candidates: list[str] = field(default_factory=list[str])
    notes: list[str] = field(default_factory=list[str])
    extra: dict[str, Any] = field(default_factory=dict[str, Any])

    def counts(self) -> dict[str, dict[str, int]]:
        """Verdict counts of each half; a half that did not run has an empty dict."""
        counted: dict[str, dict[str, int]] = {"fixed": {}, "simulated": {}}
        for case in self.cases:
            counted[case.set][case.verdict] = counted[case.set].get(case.verdict, 0) + 1
        return counted

    def to_json(self) -> dict[str, Any]:
        return {
            "schema_version": SCHEMA_VERSION,
            "run_id": self.run_id,
            "plan_id": self.plan_id,
            "started_at": self.started_at,
            "adk_version": self.adk_version,
            "tool_version": self.tool_version,
            "exit_code": self.exit_code,
            "counts": self.counts(),
            "cases": [c.to_json() for c in self.cases],
            "candidates": self.candidates,
            "notes": self.notes,
            **self.extra,
        }

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> RunResult:
        """Read :meth:`to_json` back; ``counts`` are computed, keys this version does not know are kept in ``extra``.

        Raises:
            KeyError, TypeError, ValueError, AttributeError: ``data`` is not of the public form.
        """
        return cls(
            run_id=data["run_id"],
            plan_id=data.get("plan_id") or "",
            started_at=data.get("started_at") or "",
            adk_version=data.get("adk_version") or "",
            tool_version=data.get("tool_version") or "",
            exit_code=int(data.get("exit_code") or 0),
            cases=[CaseResult.from_json(c) for c in data["cases"]],
            candidates=list(data.get("candidates") or []),
            notes=list(data.get("notes") or []),
            extra={k: v for k, v in data.items() if k not in _RUN_KEYS},
        )


def _finite(number: float | None) -> float | None:
    """JSON has no NaN and no infinity: such a score is none."""
    return number if number is not None and math.isfinite(number) else None


def _items(data: dict[str, Any], key: str) -> list[dict[str, Any]]:
    return list(data.get(key) or [])


_CASE_KEYS = frozenset(f.name for f in fields(CaseResult)) - {"extra"}
_RUN_KEYS = (frozenset(f.name for f in fields(RunResult)) - {"extra"}) | {"schema_version", "counts"}
