"""Temporary key in a stored state.

## What it does
Reports `temp:` keys in a case's start or end state.

## Why is this bad?
`temp:` state lives for one invocation only; in a stored state it is debris of a recording.

## Example
`"temp:trace": "x9"`

## Use instead
Leave it out.

## Fix safety
Safe: ADK drops such keys when it creates the session.
"""

from collections.abc import Iterator

from adk_split_eval.lint.fixes import remove_entry
from adk_split_eval.lint.plan_view import PlanView
from adk_split_eval.lint.rule import Report, Rule
from adk_split_eval.lint.rules._common import quoted
from adk_split_eval.lint.rules._states import plan_states, states
from adk_split_eval.lint.views import EvalSet


def check(eval_set: EvalSet) -> Iterator[Report]:
    if '"temp:' not in eval_set.document.text:
        return
    for path, state, case in states(eval_set):
        for key in state:
            if key.startswith("temp:"):
                yield Report(eval_set.document, (*path, key), f"`{quoted(key)}` lives for one invocation only and does not belong into a stored state", "remove it", key=True, case_id=case,
                             fix=remove_entry(eval_set.document, (*path, key)))  # fmt: skip


def check_plan(plan: PlanView) -> Iterator[Report]:
    for document, path, state, case in plan_states(plan):
        for key in state:
            if key.startswith("temp:"):
                yield Report(
                    document,
                    (*path, key),
                    f"`{quoted(key)}` lives for one invocation only and does not belong into a stored state",
                    "remove it",
                    key=True,
                    case_id=case,
                )


RULE = Rule(
    "ASE507",
    "temporary-state-key",
    "Temporary key in a stored state",
    "warning",
    "set",
    check,
    plan_check=check_plan,
    fixable="safe",
    module=__name__,
)
