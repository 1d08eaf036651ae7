"""Custom metric whose function cannot be found.

## What it does
Resolves `code_config.name` without importing anything: module file, then function. Reports a module that is nowhere, a name
the module does not define, or one that is no function, and a module that is no Python.

## Why is this bad?
ADK imports it only when it judges; the ImportError becomes a log line and NOT_EVALUATED, green beside any criterion that
passes.

## Example
```json
{"code_config": {"name": "agent.metrics.polit"}}
```

## Use instead
The dotted path of a function that exists, importable where `adk eval` runs.
"""

from collections.abc import Iterator

from adk_split_eval.lint.plan_view import PlanView
from adk_split_eval.lint.project import Project
from adk_split_eval.lint.rule import Report, Rule
from adk_split_eval.lint.rules._functions import resolved, resolved_in_plan

MISSING = ("no-module", "no-name", "no-dot", "not-callable", "unparsable")


def check(project: Project) -> Iterator[Report]:
    for document, path, found in resolved(project):
        if found.problem in MISSING:
            unsure = not found.environment_known
            yield Report(document, path, f"{found.message}: ADK leaves the criterion NOT_EVALUATED", found.help,
                         level="warning" if unsure else None, confidence="low" if unsure else None)  # fmt: skip


def check_plan(plan: PlanView) -> Iterator[Report]:
    for path, found in resolved_in_plan(plan):
        if found.problem in MISSING and found.environment_known:
            yield Report(plan.document, path, found.message + "; the criterion would be an error", found.help)
        elif found.problem == "unparsable":  # the Python that runs the plan may be a newer one
            yield Report(plan.document, path, found.message + "; the criterion would be an error", found.help,
                         level="warning", confidence="low")  # fmt: skip


RULE = Rule(
    "ASE206",
    "custom-function-missing",
    "Custom metric whose function cannot be found",
    "error",
    "project",
    check,
    plan_check=check_plan,
    rejects=False,
    module=__name__,
)
