"""What several rules share: where criteria stand, words for findings."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from adk_split_eval.lint.config_view import CriterionView
from adk_split_eval.lint.documents import Document
from adk_split_eval.lint.json_source import Path
from adk_split_eval.lint.pairing import WORDS, Pair
from adk_split_eval.lint.shapes import as_object, objects
from adk_split_eval.lint.views import EvalSet, Json

Related = list[tuple[Document, Path, str]]


def criterion_place(pair: Pair, criterion: CriterionView, words: str = "the criterion is configured here") -> Related:
    """The criterion's place in its config, for ``related``; nothing when ADK's defaults apply."""
    if pair.config.document is None:
        return []
    return [(pair.config.document, criterion.path, words)]


def governed_by(pair: Pair) -> str:
    """``governed by X`` in words."""
    if pair.config.document is None:
        return WORDS[pair.how]
    if pair.how == "beside":
        return pair.config.document.path
    return f"{pair.config.document.path}, {WORDS[pair.how]}"


def case_path(index: int, *rest: str | int) -> Path:
    return ("eval_cases", index, *rest)


def turn_path(index: int, turn: int, *rest: str | int) -> Path:
    return ("eval_cases", index, "conversation", turn, *rest)


def is_ours(rubric_type: Any) -> bool:
    """Whether a rubric carries parameters of this package's metrics."""
    return isinstance(rubric_type, str) and rubric_type.startswith("ADK_SPLIT_EVAL.")


def rubric_text(rubric: Json) -> str:
    text = as_object(rubric.get("rubric_content")).get("text_property")
    return text if isinstance(text, str) else ""


def rubric_entries(owner: Json) -> list[tuple[int, Json]]:
    """(index, rubric) of the ``rubrics`` of a case, a turn or a criterion."""
    return objects(owner.get("rubrics"))


def case_rubrics(eval_set: EvalSet) -> Iterator[tuple[int, Json, int, Json]]:
    """(case index, case, rubric index, rubric) of rubrics on cases."""
    if not eval_set.survey.case_rubrics:
        return
    for index, case in eval_set.cases:
        for position, rubric in rubric_entries(case):
            yield index, case, position, rubric


def turn_rubrics(eval_set: EvalSet) -> Iterator[tuple[int, Json, int, int, Json]]:
    """(case index, case, turn, rubric index, rubric) of rubrics on turns."""
    if not eval_set.survey.turn_rubrics:
        return
    for index, case, turns in eval_set.fixed_cases():
        for number, turn in enumerate(turns):
            for position, rubric in rubric_entries(turn):
                yield index, case, number, position, rubric


def rubric_types(pair: Pair) -> dict[str, str]:
    """Rubric type → the configured metric that reads it."""
    found = {c.metric.rubric_type: c.name for c in pair.config.criteria if c.metric and c.metric.rubric_type}
    for criterion in pair.config.criteria:
        if criterion.ours:
            found["ADK_SPLIT_EVAL." + criterion.name] = criterion.name
    return found


def quoted(text: str, limit: int = 60) -> str:
    """A short, escaped quotation of hostile text."""
    short = text if len(text) <= limit else text[: limit - 1] + "…"
    return "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in short)
