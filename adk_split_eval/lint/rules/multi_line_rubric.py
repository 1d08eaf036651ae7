"""Rubric text with a line break.

## What it does
Reports a rubric whose text spans several lines, in a criterion, a case or a turn.

## Why is this bad?
The judge answers "Property: …" on one line and ADK matches that line with the whole rubric text. A verdict on a rubric of
several paragraphs is easily reworded, not matched, and dropped: a "no" disappears and the score stays 1.0.

## Example
`"The reply gives a hold number.\\n\\nA hold number starts with H."`

## Use instead
One sentence on one line; details in a second rubric.
"""

from collections.abc import Iterator

from adk_split_eval.lint.documents import Document
from adk_split_eval.lint.json_source import Path
from adk_split_eval.lint.project import Project
from adk_split_eval.lint.rule import Report, Rule
from adk_split_eval.lint.rules._common import (
    case_path,
    case_rubrics,
    is_ours,
    quoted,
    rubric_text,
    turn_path,
    turn_rubrics,
)
from adk_split_eval.lint.views import Json, case_id


def check(project: Project) -> Iterator[Report]:
    places: list[tuple[Document, Path, Json, str | None]] = []
    for config in project.configs:
        for criterion in config.criteria if config.document else []:
            for index, rubric in enumerate(criterion.rubrics):
                if config.document is not None:
                    places.append((config.document, (*criterion.path, "rubrics", index), rubric, None))
    for eval_set in project.sets:
        for i, case, n, rubric in case_rubrics(eval_set):
            places.append((eval_set.document, case_path(i, "rubrics", n), rubric, case_id(case)))
        for i, case, turn, n, rubric in turn_rubrics(eval_set):
            places.append((eval_set.document, turn_path(i, turn, "rubrics", n), rubric, case_id(case)))
    for document, path, rubric, name in places:
        if not is_ours(rubric.get("type")) and "\n" in rubric_text(rubric).strip():
            yield Report(document, (*path, "rubric_content", "text_property"),
                         f"rubric `{quoted(str(rubric.get('rubric_id')))}` spans several lines; the judge's verdict on it is easily lost",
                         "put it into one line, or make several rubrics of it", case_id=name)  # fmt: skip


RULE = Rule(
    "ASE216",
    "multi-line-rubric",
    "Rubric text with a line break",
    "error",
    "project",
    check,
    rejects=False,
    in_plans=True,
    module=__name__,
)
