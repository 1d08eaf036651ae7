"""Expected value that changes from run to run.

## What it does
Reports timestamps with a time of day, UUIDs, `today`-like words and other generated values in expected arguments.

## Why is this bad?
The agent's value differs on every run; the case is red for a reason that has nothing to do with the agent, or it was recorded
once and can never pass again.

## Example
```json
{"name": "book", "args": {"request_id": "7f0c5a1e-2f6b-4c39-9a55-2b7d6a1f0c11"}}
```

## Use instead
A fixed value from the session's start state, or a matcher (`regex`, `any`) in a plan.
"""

import re
from collections.abc import Iterator

from adk_split_eval.lint.pairing import Pair
from adk_split_eval.lint.patterns import lazy
from adk_split_eval.lint.plan_view import PlanView
from adk_split_eval.lint.rule import Report, Rule
from adk_split_eval.lint.rules._arguments import arguments, calls, comparing
from adk_split_eval.lint.rules._common import quoted
from adk_split_eval.lint.views import walk_strings

_VOLATILE = lazy(
    r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\badk-[0-9a-f]{8}|\be-[0-9a-f]{8}-"
    r"|^(today|now|tomorrow|yesterday|current (date|time)|this (week|month))$",
    re.I,
)  # fmt: skip


def check(pair: Pair) -> Iterator[Report]:
    if comparing(pair) is None or not any(_VOLATILE.search(text[:2000]) for text in pair.set.survey.arguments):
        return
    for path, call, case in calls(pair):
        for where, text in walk_strings(arguments(call), (*path, "args")):
            if _VOLATILE.search(text[:2000]):
                yield Report(
                    pair.set.document,
                    where,
                    f"the expected value “{quoted(text)}” differs from run to run",
                    "fix it in the start state, or use a matcher",
                    case_id=case,
                )


def check_plan(plan: PlanView) -> Iterator[Report]:
    for document, path, value, case in plan.expected_arguments():
        if isinstance(value, str) and _VOLATILE.search(value[:2000]):
            yield Report(
                document,
                path,
                f"the expected value “{quoted(value)}” differs from run to run",
                "fix it in the start state, or write {regex: …} or {any: true}",
                case_id=case,
            )


RULE = Rule(
    "ASE311",
    "volatile-expectation",
    "Expected value that changes from run to run",
    "warning",
    "pair",
    check,
    plan_check=check_plan,
    confidence="medium",
    module=__name__,
)
