"""What a metric answers, in three situations.

========================================  ============================  ==================
situation                                 ADK overall status, score     our status
========================================  ============================  ==================
the case declares nothing for it          INFORMATIONAL, None           not_applicable
it could not judge                        FAILED, None, with reason     not_evaluated
judged and good / bad                     PASSED / FAILED with score    passed / failed
========================================  ============================  ==================
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

Status = Literal["passed", "failed", "not_evaluated", "not_applicable", "informational"]


@dataclass(slots=True)
class Row:
    """A metric's answer about one turn; ``status`` not_applicable means the turn declares nothing for it."""

    status: Status
    score: float | None = None
    reasons: list[str] = field(default_factory=list[str])


@dataclass(slots=True)
class Judgement:
    """A metric's answer about one conversation.

    Attributes:
        status: passed / failed (with ``score``), not_applicable, or not_evaluated (with ``reasons``).
        score: in [0, 1]; None unless judged.
        reasons: sentences that let a person check the verdict; on a failure each names the turn and the fact.
        rows: one per turn for turn-level metrics; empty for conversation-level ones (adapters repeat the overall score).
        unfinished: failed for nothing but what is still missing: it could have come had the conversation gone on.
    """

    status: Status
    score: float | None = None
    reasons: list[str] = field(default_factory=list[str])
    rows: list[Row] = field(default_factory=list[Row])
    unfinished: bool = False

    @classmethod
    def not_applicable(cls) -> Judgement:
        return cls("not_applicable")

    @classmethod
    def not_evaluated(cls, *reasons: str) -> Judgement:
        return cls("not_evaluated", reasons=list(reasons))

    @classmethod
    def scored(cls, score: float, threshold: float, reasons: list[str], rows: list[Row] | None = None) -> Judgement:
        """passed when ``score >= threshold`` (as ADK's evaluators compare), else failed."""
        return cls("passed" if score >= threshold else "failed", score, reasons, rows or [])
