"""A team's metric that says PASSED with a score below its own threshold: believed, for less may be better, and pointed out."""

from __future__ import annotations

from collections.abc import Iterable

from adk_split_eval.record import CaseResult
from adk_split_eval.run.accounting import Vote

_SAID = "says PASSED with the score"
_NAMED = 5


def low_scores(vote: Vote, threshold: float | None) -> list[str]:
    """A sentence for the answer as a whole, else for each turn whose score is below the threshold and that says PASSED."""
    if threshold is None:
        return []
    if (said := _sentence(vote.status, vote.score, threshold)) is not None:
        return [said]
    rows = ((number, _sentence(row.status, row.score, threshold)) for number, row in enumerate(vote.rows, start=1))
    return [f"turn {number}: {said}" for number, said in rows if said is not None]


def _sentence(status: str, score: float | None, threshold: float) -> str | None:
    if status != "PASSED" or score is None or score >= threshold:
        return None
    return f"{_SAID} {score:g}, below its threshold {threshold:g}"


def low_score_notes(results: Iterable[CaseResult]) -> list[str]:
    """A note for each criterion that :func:`low_scores` has spoken of, with the cases."""
    where: dict[str, list[str]] = {}
    for case in results:
        for criterion in case.criteria:
            if criterion.status == "passed" and any(_SAID in reason for reason in criterion.reasons):
                where.setdefault(criterion.name, []).append(case.case_id)
    return [
        f"{name} says PASSED with a score below its threshold ({_list(cases)}): it is believed, for less may be better; "
        "if it is not, its function compares wrongly"
        for name, cases in where.items()
    ]


def _list(cases: list[str]) -> str:
    more = f" and {len(cases) - _NAMED} more" if len(cases) > _NAMED else ""
    return ", ".join(cases[:_NAMED]) + more
