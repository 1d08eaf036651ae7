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

from adk_split_eval.lint.generated import stale
from adk_split_eval.lint.project import Project
from adk_split_eval.lint.rule import Report, Rule


def check(project: Project) -> Iterator[Report]:
    for document in project.documents:
        if document.kind == "plan":
            for name, why in stale(document):
                yield Report(document, ("plan_id",), f"{name} {why}", "run `adk-split-eval build`")


RULE = Rule(
    "ASE610",
    "generated-stale",
    "Generated set that no longer matches its plan",
    "error",
    "project",
    check,
    module=__name__,
)
