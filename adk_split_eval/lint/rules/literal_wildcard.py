"""`*` as an expected argument.

## What it does
Reports `"*"` as the value of an expected argument.

## Why is this bad?
ADK compares arguments as they are; there are no wildcards. The call matches only if the agent really passes an asterisk.

## Example
```json
{"name": "search", "args": {"query": "*"}}
```

## Use instead
`"ignore_args": true` for the criterion (ADK 2.9), or `tool_args_v1` with `{any: true}`.
"""

from collections.abc import Iterator

from adk_split_eval.lint.pairing import Pair
from adk_split_eval.lint.plan_view import PlanView
from adk_split_eval.lint.rule import Report, Rule
from adk_split_eval.lint.rules._arguments import arguments, calls, comparing
from adk_split_eval.lint.rules._common import quoted
from adk_split_eval.lint.views import walk_strings

_WILD = frozenset({"*", "**", ".*", "<any>", "<ANY>", "ANY", "__any__", "any()", "{{any}}"})


def check(pair: Pair) -> Iterator[Report]:
    if comparing(pair) is None or not _WILD & pair.set.survey.arguments:
        return
    for path, call, case in calls(pair):
        for where, text in walk_strings(arguments(call), (*path, "args")):
            if text in _WILD:
                yield Report(pair.set.document, where, f"`{quoted(text)}` is compared literally: ADK knows no wildcards",
                             "leave the arguments out of the comparison (ignore_args), or use tool_args_v1 with {any: true}", case_id=case)  # fmt: skip


def check_plan(plan: PlanView) -> Iterator[Report]:
    for document, path, value, case in plan.expected_arguments():
        if isinstance(value, str) and value in _WILD:
            yield Report(
                document,
                path,
                f"`{quoted(value)}` is compared literally: it is no wildcard",
                "write {any: true}",
                case_id=case,
            )


RULE = Rule(
    "ASE309",
    "literal-wildcard",
    "`*` as an expected argument",
    "warning",
    "pair",
    check,
    plan_check=check_plan,
    module=__name__,
)
