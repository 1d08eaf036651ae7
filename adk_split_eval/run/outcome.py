"""What a unit came to, and what became of those that were stored before: what processes tell one another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from adk_split_eval.record import TrialResult


@dataclass(slots=True)
class Outcome:
    """What a unit came to.

    Attributes:
        throttled: whether a model asked to slow down; None when none was asked anything.
    """

    result: TrialResult
    throttled: bool | None = None


@dataclass(slots=True)
class Tally:
    """What became of the units that were stored before: taken over, judged anew, acted anew."""

    taken_over: int = 0
    judged_again: int = 0
    acted_again: int = 0

    def counts(self) -> tuple[int, int, int]:
        return self.taken_over, self.judged_again, self.acted_again

    def add(self, counts: Sequence[int]) -> None:
        """Add what another process has counted."""
        taken_over, judged_again, acted_again = counts
        self.taken_over += taken_over
        self.judged_again += judged_again
        self.acted_again += acted_again
