"""Generated set that no longer matches its plan.

## What it does
Compares the sets generated beside a plan with what the plan would generate now.

## Why is this bad?
The sets run, the plan is read: what people review is not what is judged.

## Example
A plan edited without `build`.

## Use instead
`adk-split-eval build`.
"""

from collections.abc import Iterator

from adk_split_eval.lint.plan_view import PlanView
from adk_split_eval.lint.project import Project
from adk_split_eval.lint.rule import Report, Rule


def check(project: Project) -> Iterator[Report]:
    """Plans only; see ``check_plan``."""
    del project
    return iter(())


def check_plan(plan: PlanView) -> Iterator[Report]:
    from adk_split_eval.lint.generated import stale

    for name, why in stale(plan):
        yield Report(plan.document, ("plan_id",), f"{name} {why}", "run `adk-split-eval build`")


RULE = Rule(
    "ASE630",
    "generated-stale",
    "Generated set that no longer matches its plan",
    "error",
    "project",
    check,
    plan_check=check_plan,
    # `run` writes the sets itself before it runs them.
    rejects=False,
    module=__name__,
)
