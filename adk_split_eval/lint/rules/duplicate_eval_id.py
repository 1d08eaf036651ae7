"""Case id used twice in a set.

## What it does
Reports two cases of one set with the same `eval_id`.

## Why is this bad?
Run by file, ADK aborts; run by id, both are graded against the first one's expectations.

## Example
Two cases `"eval_id": "refund"`.

## Use instead
Unique ids.
"""

from collections.abc import Iterator

from adk_split_eval.lint.rule import Report, Rule
from adk_split_eval.lint.rules._common import case_path, quoted
from adk_split_eval.lint.views import EvalSet, case_id


def check(eval_set: EvalSet) -> Iterator[Report]:
    ids = eval_set.survey.ids
    if len(set(ids)) == len(ids):
        return
    first: dict[str, int] = {}
    for index, case in eval_set.cases:
        name = case_id(case)
        if name is None:
            continue
        if name in first:
            yield Report(eval_set.document, case_path(index, "eval_id"), f"`{quoted(name)}` is already the id of another case: ADK aborts, or grades both against the first",
                         "give it an id of its own", case_id=name, related=[(eval_set.document, case_path(first[name], "eval_id"), "the first one")])  # fmt: skip
        else:
            first[name] = index


RULE = Rule("ASE502", "duplicate-eval-id", "Case id used twice in a set", "error", "set", check, module=__name__)
