"""Free text compared word for word.

## What it does
Reports an expected argument of several words: it is compared literally, character by character. The `request` of an agent
used as a tool is an info.

## Why is this bad?
A model words free text anew on every run; the case is red at random.

## Example
```json
{"name": "send_mail", "args": {"body": "Dear customer, we are sorry that your parcel is late."}}
```

## Use instead
`ignore_args`, or `tool_args_v1` with `contains` or `regex` for that key.
"""

from collections.abc import Iterator

from adk_split_eval.lint.pairing import Pair
from adk_split_eval.lint.plan_view import PlanView
from adk_split_eval.lint.rule import Report, Rule
from adk_split_eval.lint.rules._arguments import arguments, calls, comparing
from adk_split_eval.lint.rules._common import quoted
from adk_split_eval.lint.views import walk_strings


def is_prose(text: str) -> bool:
    return len(text) > 40 and text.count(" ") >= 6


def check(pair: Pair) -> Iterator[Report]:
    if comparing(pair) is None or not any(is_prose(t) or " " in t for t in pair.set.survey.arguments):
        return
    for path, call, case in calls(pair):
        args = arguments(call)
        agent_tool = set(args) == {"request"} and isinstance(args["request"], str)
        for where, text in walk_strings(args, (*path, "args")):
            if agent_tool:
                yield Report(pair.set.document, where, "the `request` to an agent used as a tool is free text and differs from run to run",
                             "compare the tool's name only (ignore_args, or tool_args_v1)", case_id=case, level="info")  # fmt: skip
            elif is_prose(text):
                yield Report(pair.set.document, where, f"free text (“{quoted(text, 30)}”) is compared word for word",
                             "use tool_args_v1 with contains or regex, or leave the argument out", case_id=case)  # fmt: skip


def check_plan(plan: PlanView) -> Iterator[Report]:
    for document, path, value, case in plan.expected_arguments():
        if isinstance(value, str) and is_prose(value):
            yield Report(
                document,
                path,
                f"free text (“{quoted(value, 30)}”) is compared word for word",
                "write {contains: …} or {regex: …}, or leave the key out",
                case_id=case,
            )


RULE = Rule(
    "ASE312",
    "free-text-argument",
    "Free text compared word for word",
    "warning",
    "pair",
    check,
    plan_check=check_plan,
    confidence="medium",
    module=__name__,
)
