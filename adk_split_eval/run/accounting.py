"""Judge accounting: a judged criterion counts only if the judge really gave every verdict it needed.

ADK keeps going when a judge is dead, garbled, reworded or partial: it averages over what it could read, or logs nothing
at all. Here each vote is one evaluation with one sample, so its rows and the observed model calls show whether every
needed verdict was given. The functions return sentences about what is missing; an empty list is a complete vote.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field
from typing import Any

from adk_split_eval.criteria import CATALOGUE
from adk_split_eval.record import Conversation, Criterion
from adk_split_eval.run.adk import hallucination_verdicts, simulator_label
from adk_split_eval.run.observe import ModelCall

HALLUCINATIONS = "hallucinations_v1"
QUALITY = "per_turn_user_simulator_quality_v1"
TRAJECTORY_RUBRICS = "rubric_based_multi_turn_trajectory_quality_v1"

_HALLUCINATION_LABELS = frozenset({"supported", "not_applicable", "unsupported", "contradictory", "disputed"})
_SENTENCE = re.compile(r"<sentence>(.*?)</sentence>", re.DOTALL)
_COVERAGE = 0.8
"""Share of a response's letters and digits that the judge's sentences must hold; headings may fall away."""


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
        return _hallucinations(criterion, vote, conversation)
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


def _hallucinations(criterion: Criterion, vote: Vote, conversation: Conversation) -> list[str]:
    problems: list[str] = []
    for number, (row, turn) in enumerate(zip(vote.rows, conversation.turns, strict=False), start=1):
        if turn.response.strip() and row.score is None:
            problems.append(f"turn {number}: the judge's answer could not be read")
    if problems:
        return problems
    texts = _judged_texts(criterion, conversation)
    pairs = list(zip(vote.calls[::2], vote.calls[1::2], strict=False))
    if len(pairs) < len(texts):
        return [f"{len(pairs)} of {len(texts)} responses judged"]
    for (number, text), (split, verdicts) in zip(texts, pairs, strict=False):
        problem = _sentences_judged(text, split.text or "", verdicts.text)
        if problem:
            problems.append(f"turn {number}: {problem}")
    return problems


def _judged_texts(criterion: Criterion, conversation: Conversation) -> list[tuple[int, str]]:
    """(turn, text) of everything ADK's evaluator puts to the judge, in its order."""
    between = bool(criterion.options.get("evaluate_intermediate_nl_responses"))
    found: list[tuple[int, str]] = []
    for number, turn in enumerate(conversation.turns, start=1):
        if between:
            found += [(number, said.text) for said in turn.intermediate if said.text]
        if turn.response:
            found.append((number, turn.response))
    return found


def _sentences_judged(text: str, split: str, verdicts: str | None) -> str | None:
    """Whether the judge took the response apart as it stands and gave every sentence a label; what is wrong, if not.

    Sentences are compared by their letters and digits, so that bullets, quotes and spacing do not matter.
    """
    said = _letters(text)
    sentences = [_letters(s) for s in _SENTENCE.findall(split)]
    sentences = [s for s in sentences if s]
    invented = next((s for s in sentences if s not in said), None)
    if invented is not None:
        return "the judge split the response into sentences that are not in it"
    if sum(map(len, sentences)) < _COVERAGE * len(said):
        return "the judge left sentences of the response out"
    judged = hallucination_verdicts(verdicts)
    unknown = [label for _, label in judged if label not in _HALLUCINATION_LABELS]
    if unknown:
        return f"the judge gave a label nobody knows: {unknown[0]!r}"
    labelled = [_letters(sentence) for sentence, _ in judged]
    if any(not any(known in s or s in known for known in sentences) for s in labelled if s):
        return "the judge labelled a sentence that is not in the response"
    if len(labelled) < len(sentences):
        return f"{len(labelled)} of {len(sentences)} sentences judged"
    return None


def _letters(text: str) -> str:
    return "".join(c for c in unicodedata.normalize("NFKC", text).casefold() if c.isalnum())


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
