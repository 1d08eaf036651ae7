"""How the votes of a judge become one answer: as ADK combines its samples, and how far a missing vote could turn it."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from typing import Any

from adk_split_eval.criteria import CATALOGUE
from adk_split_eval.record import Case, Conversation, Criterion
from adk_split_eval.run.accounting import QUALITY, Vote, quality_labels


def opening_of(case: Case) -> str:
    """The starting prompt of a simulated case; "" for a fixed one."""
    scenario: dict[str, Any] = case.eval_case.get("conversation_scenario") or {}
    return str(scenario.get("starting_prompt") or "")


def score(criterion: Criterion, vote: Vote, conversation: Conversation, opening: str) -> float:
    """What one vote alone comes to."""
    if criterion.name == QUALITY:
        low, _ = _quality([vote], conversation, opening, 0)
        return low
    return float(vote.score if vote.score is not None else 0.0)


def bounds(
    criterion: Criterion, votes: Sequence[Vote], conversation: Conversation, opening: str, absent: int = 0
) -> tuple[float, float]:
    """The lowest and highest score these votes can end in when ``absent`` more say no, or yes, to everything.

    With none absent both are the score ADK gives for the same samples: a majority for each rubric or row (a tie is a
    no), then the mean; where a vote is no yes or no, the median of the votes' scores.

    Args:
        votes: at least one, each complete (see :func:`adk_split_eval.run.accounting.missing`).
    """
    if criterion.name == QUALITY:
        return _quality(votes, conversation, opening, absent)
    info = CATALOGUE.get(criterion.name)
    rows = range(len(votes[0].rows))
    if info is not None and info.adk_rubric_type is not None:
        asked = [(i, rubric) for i in rows for rubric in sorted({r for v in votes for r in v.rows[i].rubrics})]
        return _mean([_majority([v.rows[i].rubrics.get(rubric) for v in votes], absent) for i, rubric in asked])
    columns = [[vote.rows[i].score for vote in votes] for i in rows]
    if all(s in (0.0, 1.0, None) for column in columns for s in column) and len(votes) + absent > 1:
        # A turn no vote has a score for gave the judge nothing to look at.
        return _mean([_majority(column, absent) for column in columns if any(s is not None for s in column)])
    scores = [score(criterion, v, conversation, opening) for v in votes]
    return statistics.median([*scores, *[0.0] * absent]), statistics.median([*scores, *[1.0] * absent])


def _quality(votes: Sequence[Vote], conversation: Conversation, opening: str, absent: int) -> tuple[float, float]:
    """Turn 1 is compared, each later turn and the stop signal are voted on; a doubted stop spoils the last turn."""
    labels = [quality_labels(v) for v in votes]
    first = 1.0 if conversation.turns[0].user.strip() == opening.strip() else 0.0
    asked = range(len(conversation.turns))
    *later, stop = [_majority([1.0 if row[i] == "valid" else 0.0 for row in labels], absent) for i in asked]
    found = [(first, first), *later]
    # A stop signal that was never sent cannot have been sent wrongly.
    if conversation.stop_reason != "max_turns":
        found[-1] = (min(found[-1][0], stop[0]), min(found[-1][1], stop[1]))
    return _mean(found)


def _majority(scores: Sequence[float | None], absent: int) -> tuple[float, float]:
    given = [s for s in scores if s is not None]
    yes, total = sum(s == 1.0 for s in given), len(given) + absent
    return (1.0 if yes * 2 > total else 0.0), (1.0 if (yes + absent) * 2 > total else 0.0)


def _mean(found: Sequence[tuple[float, float]]) -> tuple[float, float]:
    if not found:
        return 0.0, 0.0
    return statistics.fmean(low for low, _ in found), statistics.fmean(high for _, high in found)
