"""Judge accounting: a judged criterion counts only if the judge really gave every verdict it needed.

ADK keeps going when a judge is dead, garbled, reworded or partial: it averages over what it could read, or logs nothing
at all. Here each vote is one evaluation with one sample, so its rows and the observed model calls show whether every
needed verdict was given. The functions return sentences about what is missing; an empty list is a complete vote.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from adk_split_eval.criteria import CATALOGUE
from adk_split_eval.record import Conversation, Criterion
from adk_split_eval.run.adk import hallucination_labels, simulator_label
from adk_split_eval.run.observe import ModelCall

HALLUCINATIONS = "hallucinations_v1"
QUALITY = "per_turn_user_simulator_quality_v1"
TRAJECTORY_RUBRICS = "rubric_based_multi_turn_trajectory_quality_v1"

_HALLUCINATION_LABELS = frozenset({"supported", "not_applicable", "unsupported", "contradictory", "disputed"})
_SENTENCE = re.compile(r"<sentence>.*?</sentence>", re.DOTALL)


@dataclass(slots=True)
class VoteRow:
    """One turn's row of one vote: its score, and the score of each rubric by id."""

    score: float | None
    status: str
    rubrics: dict[str, float | None] = field(default_factory=dict[str, float | None])


@dataclass(slots=True)
class Vote:
    """One evaluation with one sample: ADK's overall answer, its rows, the model calls it made, what went wrong."""

    status: str
    score: float | None
    rows: list[VoteRow] = field(default_factory=list[VoteRow])
    calls: list[ModelCall] = field(default_factory=list[ModelCall])
    failure: str | None = None
    rationales: list[str] = field(default_factory=list[str])


def missing(criterion: Criterion, vote: Vote, conversation: Conversation, rubric_ids: list[set[str]]) -> list[str]:
    """What this vote lacks.

    Args:
        rubric_ids: per turn, the ids of the rubrics the judge had to answer (empty sets for other criteria).
    """
    if vote.failure is not None:
        return [vote.failure]
    problems = [f"the judge's model failed: {c.error}" for c in vote.calls if c.error]
    if problems:
        return problems[:1]
    name = criterion.name
    if not vote.calls and (name != QUALITY or vote.status == "NOT_EVALUATED"):
        return ["the judge was never asked" if vote.status != "NOT_EVALUATED" else "ADK did not evaluate it"]
    info = CATALOGUE.get(name)
    if info is not None and info.adk_rubric_type is not None:
        return _rubrics(name, vote, rubric_ids)
    if name == QUALITY:
        return _quality(vote, conversation)
    if name == HALLUCINATIONS:
        return _hallucinations(vote, conversation)
    unscored = [i + 1 for i, row in enumerate(vote.rows) if row.score is None]
    if unscored or vote.score is None:
        turns = ", ".join(map(str, unscored)) or "all"
        return [f"the judge's answer could not be read (turn {turns})"]
    return []


def _rubrics(name: str, vote: Vote, rubric_ids: list[set[str]]) -> list[str]:
    indexes = range(len(vote.rows))
    judged_rows = [max(indexes)] if name == TRAJECTORY_RUBRICS and vote.rows else list(indexes)
    problems: list[str] = []
    for index in judged_rows:
        needed = rubric_ids[index] if index < len(rubric_ids) else set[str]()
        given = {i for i, score in vote.rows[index].rubrics.items() if score is not None}
        lacking = sorted(needed - given)
        if lacking:
            problems.append(
                f"{len(needed) - len(lacking)} of {len(needed)} rubrics judged on turn {index + 1}; "
                f"no readable verdict for: {', '.join(lacking)}"
            )
    if not problems and vote.score is None:
        problems.append("the judge gave no readable verdict")
    return problems


def _quality(vote: Vote, conversation: Conversation) -> list[str]:
    # One call for every turn after the first, and one about the stop.
    needed = max(len(conversation.turns), 1)
    labels = quality_labels(vote)
    readable = sum(label is not None for label in labels)
    if len(labels) < needed or readable < len(labels):
        return [f"{readable} of {needed} simulator-quality verdicts could be read"]
    return []


def quality_labels(vote: Vote) -> list[str | None]:
    """``valid`` / ``invalid`` / None of each simulator-quality call, in order: turns 2..n, then the stop signal."""
    return [simulator_label(c.text) for c in vote.calls]


def quality_rows(vote: Vote, conversation: Conversation, opening: str) -> list[float]:
    """Score of each turn from the labels: turn 1 is compared with the opening, as ADK does it."""
    first = 1.0 if conversation.turns and conversation.turns[0].user.strip() == opening.strip() else 0.0
    labels = quality_labels(vote)[: max(len(conversation.turns) - 1, 0)]
    return [first, *(1.0 if label == "valid" else 0.0 for label in labels)]


def _hallucinations(vote: Vote, conversation: Conversation) -> list[str]:
    problems: list[str] = []
    for number, (row, turn) in enumerate(zip(vote.rows, conversation.turns, strict=False), start=1):
        if turn.response.strip() and row.score is None:
            problems.append(f"turn {number}: the judge's answer could not be read")
    if problems:
        return problems
    labels = [label for call in vote.calls for label in hallucination_labels(call.text)]
    sentences = sum(len(_SENTENCE.findall(call.text or "")) for call in vote.calls)
    unknown = [label for label in labels if label not in _HALLUCINATION_LABELS]
    if unknown:
        problems.append(f"the judge gave a label nobody knows: {unknown[0]!r}")
    elif len(labels) < sentences:
        problems.append(f"{len(labels)} of {sentences} sentences judged")
    elif vote.score is None and any(t.response.strip() for t in conversation.turns):
        problems.append("the judge gave no readable verdict")
    return problems


def effective_rubric_ids(criterion: Criterion, eval_case: dict[str, Any], turns: int) -> list[set[str]]:
    """Per turn, the ids of the rubrics ADK's metric should put to its judge: criterion's, case's and the turn's own."""
    info = CATALOGUE.get(criterion.name)
    if info is None or info.adk_rubric_type is None:
        return [set[str]() for _ in range(turns)]
    of_criterion: list[dict[str, Any]] = criterion.options.get("rubrics") or []
    of_case: list[dict[str, Any]] = eval_case.get("rubrics") or []
    common = {_id(r) for r in of_criterion}
    common |= {_id(r) for r in of_case if r.get("type") == info.adk_rubric_type}
    per_turn: list[set[str]] = []
    conversation: list[Any] = eval_case.get("conversation") or []
    for index in range(turns):
        own: list[Any] = conversation[index].get("rubrics") or [] if index < len(conversation) else []
        per_turn.append(common | {_id(r) for r in own if r.get("type") == info.adk_rubric_type})
    return per_turn


def _id(rubric: dict[str, Any]) -> str:
    return str(rubric.get("rubric_id") or rubric.get("rubricId") or "")
