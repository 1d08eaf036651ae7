"""Custom metric with the wrong parameters.

## What it does
Reports a custom metric function that cannot be called with ADK's four positional arguments (metric, actual invocations,
expected invocations, conversation scenario).

## Why is this bad?
The TypeError becomes a log line and NOT_EVALUATED.

## Example
```python
def polite(response: str) -> float: ...
```

## Use instead
```python
def polite(eval_metric, actual_invocations, expected_invocations, conversation_scenario=None) -> EvaluationResult: ...
```
"""

from collections.abc import Iterator

from adk_split_eval.lint.plan_view import PlanView
from adk_split_eval.lint.project import Project
from adk_split_eval.lint.rule import Report, Rule
from adk_split_eval.lint.rules._functions import resolved, resolved_in_plan


def check(project: Project) -> Iterator[Report]:
    for document, path, found in resolved(project):
        if found.arity:
            yield Report(document, path, f"`{found.function}` {found.arity}; ADK calls it with 4 positional arguments, and the criterion stays NOT_EVALUATED",
                         "take (eval_metric, actual_invocations, expected_invocations, conversation_scenario)")  # fmt: skip


def check_plan(plan: PlanView) -> Iterator[Report]:
    for path, found in resolved_in_plan(plan):
        if found.arity:
            yield Report(plan.document, path, f"`{found.function}` {found.arity}; it is called with 4 positional arguments",
                         "take (eval_metric, actual_invocations, expected_invocations, conversation_scenario)")  # fmt: skip


RULE = Rule(
    "ASE208",
    "custom-function-arity",
    "Custom metric with the wrong parameters",
    "error",
    "project",
    check,
    plan_check=check_plan,
    rejects=False,
    module=__name__,
)
