"""Rubric criterion without rubrics.

## What it does
Reports a rubric-based criterion that finds no rubric for a case: none in the criterion, and none of its type on the case or
on every turn.

## Why is this bad?
The metric raises "Rubrics are required" and stays NOT_EVALUATED.

## Example
```json
{"criteria": {"rubric_based_final_response_quality_v1": {"threshold": 0.8}}}
```

## Use instead
`rubrics` in the criterion, or on the case with `type` set to what the metric reads.
"""

from collections.abc import Iterator

from adk_split_eval.lint.config_view import CriterionView
from adk_split_eval.lint.pairing import Pair
from adk_split_eval.lint.rule import Report, Rule
from adk_split_eval.lint.rules._common import case_path, criterion_place, rubric_entries
from adk_split_eval.lint.shapes import objects
from adk_split_eval.lint.views import Json, case_id


def check(pair: Pair) -> Iterator[Report]:
    for criterion in pair.config.criteria:
        wanted = criterion.metric.rubric_type if criterion.metric else None
        if wanted is None or criterion.rubrics:
            continue
        for index, case in pair.set.cases:
            if not _has(case, wanted, criterion):
                yield Report(pair.set.document, case_path(index, "eval_id"),
                             f"`{criterion.name}` has no rubric for this case: it stays NOT_EVALUATED",
                             f'add rubrics to the criterion, or to the case with "type": "{wanted}"', case_id=case_id(case),
                             related=criterion_place(pair, criterion))  # fmt: skip


def _has(case: Json, wanted: str, criterion: CriterionView) -> bool:
    if any(r.get("type") == wanted for _, r in rubric_entries(case)):
        return True
    turns = objects(case.get("conversation"))
    with_rubric = [any(r.get("type") == wanted for _, r in rubric_entries(turn)) for _, turn in turns]
    if not with_rubric:
        return False
    return with_rubric[-1] if criterion.name == "rubric_based_multi_turn_trajectory_quality_v1" else all(with_rubric)


RULE = Rule("ASE212", "rubrics-missing", "Rubric criterion without rubrics", "error", "pair", check, module=__name__)
