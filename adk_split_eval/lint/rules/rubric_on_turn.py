"""Rubric on a single turn.

## What it does
Reports a rubric of one of ADK's types on a turn of a conversation of several turns.

## Why is this bad?
ADK matches the judge's answers of all turns against the rubric list of the last turn only: a "no" on an earlier turn
vanishes, and one turn without any rubric makes the whole metric NOT_EVALUATED.

## Example
`rubrics` inside the first entry of `conversation`.

## Use instead
The rubric on the case, worded so that it holds for every turn; or one case a turn.
"""

from collections.abc import Iterator

from adk_split_eval.lint.rule import Report, Rule
from adk_split_eval.lint.rules._common import is_ours, quoted, turn_path, turn_rubrics
from adk_split_eval.lint.views import EvalSet, case_id


def check(eval_set: EvalSet) -> Iterator[Report]:
    for index, case, turn, position, rubric in turn_rubrics(eval_set):
        if len(case["conversation"]) > 1 and rubric.get("type") and not is_ours(rubric.get("type")):
            yield Report(eval_set.document, turn_path(index, turn, "rubrics", position),
                         f"rubric `{quoted(str(rubric.get('rubric_id')))}` stands on one turn of several: ADK counts only the last turn's list",
                         "put it on the case, or make the turn a case of its own", case_id=case_id(case))  # fmt: skip


RULE = Rule("ASE215", "rubric-on-turn", "Rubric on a single turn", "error", "set", check, module=__name__)
