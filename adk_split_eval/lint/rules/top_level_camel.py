"""camelCase at the top of a set.

## What it does
Reports `evalSetId` and `evalCases`.

## Why is this bad?
Inside cases ADK reads both spellings, at the top only snake_case: the file does not load, with a TypeError about something
else.

## Example
`{"evalSetId": "desk", "evalCases": []}`

## Use instead
`{"eval_set_id": "desk", "eval_cases": []}`

## Fix safety
Safe: the file does not load otherwise.
"""

from collections.abc import Iterator

from adk_split_eval.lint.fixes import replace_key
from adk_split_eval.lint.rule import Report, Rule
from adk_split_eval.lint.views import EvalSet

_SNAKE = {"evalSetId": "eval_set_id", "evalCases": "eval_cases", "creationTimestamp": "creation_timestamp"}


def check(eval_set: EvalSet) -> Iterator[Report]:
    for key, right in _SNAKE.items():
        if key in eval_set.data and key != "creationTimestamp":
            yield Report(eval_set.document, (key,), f"`{key}` is read inside cases only, not at the top: ADK does not load the file", f"write `{right}`", key=True,
                         fix=replace_key(eval_set.document, (key,), right, safe=True))  # fmt: skip


RULE = Rule(
    "ASE604", "top-level-camel", "camelCase at the top of a set", "error", "set", check, fixable="safe", module=__name__
)
