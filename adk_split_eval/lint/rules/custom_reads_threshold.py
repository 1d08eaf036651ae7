"""Custom metric that reads `metric.threshold`.

## What it does
Reports a custom metric function that compares or calculates with `.threshold` of its first parameter; a warning where it is
only handed on. One that provides for None, by a test, a default or an exception handler, is right.

## Why is this bad?
ADK sets it to None before the call; comparing with it raises, and the criterion stays NOT_EVALUATED. The threshold is in
`metric.criterion.threshold`.

## Example
```python
passed = score >= eval_metric.threshold
```

## Use instead
```python
passed = score >= eval_metric.criterion.threshold
```
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from adk_split_eval.lint.plan_view import PlanView
from adk_split_eval.lint.project import Project
from adk_split_eval.lint.rule import Report, Rule
from adk_split_eval.lint.rules._functions import resolved, resolved_in_plan
from adk_split_eval.record.finding import Level

if TYPE_CHECKING:
    from adk_split_eval.lint.function_source import Resolution


def check(project: Project) -> Iterator[Report]:
    for document, path, found in resolved(project):
        if found.threshold_line:
            yield Report(document, path, f"`{found.function}` reads `.threshold` of its metric ({found.file}:{found.threshold_line}), which ADK sets to None",
                         "read metric.criterion.threshold", level=_level(found))  # fmt: skip


def check_plan(plan: PlanView) -> Iterator[Report]:
    for path, found in resolved_in_plan(plan):
        if found.threshold_line:
            yield Report(
                plan.document,
                path,
                f"`{found.function}` reads `.threshold` of its metric ({found.file}:{found.threshold_line}), which ADK sets to None",
                "read metric.criterion.threshold",
                level=_level(found),
            )


def _level(found: Resolution) -> Level | None:
    return None if found.threshold_raises else "warning"


RULE = Rule(
    "ASE209",
    "custom-reads-threshold",
    "Custom metric that reads `metric.threshold`",
    "error",
    "project",
    check,
    plan_check=check_plan,
    rejects=False,
    module=__name__,
)
