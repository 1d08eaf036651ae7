"""Plans that share a folder.

## What it does
Reports a plan whose folder holds another plan.

## Why is this bad?
Both generate the folders `fixed/` and `simulated/`: each build would replace the other's sets. `build` and `run` refuse such
a plan (ASE041); one that is only scored writes nothing, and is judged.

## Example
`evals/refund.plan.yaml` and `evals/booking.plan.yaml`.

## Use instead
A folder for each: `evals/refund/refund.plan.yaml`, `evals/booking/booking.plan.yaml`.
"""

from collections.abc import Iterator

from adk_split_eval.lint.plan_view import PlanView
from adk_split_eval.lint.project import Project
from adk_split_eval.lint.rule import Report, Rule


def check(project: Project) -> Iterator[Report]:
    """Eval sets may share a folder."""
    return iter(())


def check_plan(plan: PlanView) -> Iterator[Report]:
    from adk_split_eval.plan.checking import check_alone
    from adk_split_eval.plan.nodes import PlanError

    try:
        check_alone(plan.document.path)
    except PlanError as error:
        for finding in error.findings:
            yield Report(plan.document, ("plan_id",), finding.message, finding.help)


RULE = Rule(
    "ASE636",
    "plans-share-a-folder",
    "Plans that share a folder",
    "error",
    "project",
    check,
    plan_check=check_plan,
    rejects=False,
    module=__name__,
)
