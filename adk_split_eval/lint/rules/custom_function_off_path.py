"""Custom metric outside ADK's import path.

## What it does
Reports a function that exists in the project but under a path `adk eval` cannot import: neither the project root nor the
working directory is on its import path. In a project that pip can install (a `[build-system]`, a `setup.py`) it is a warning:
the function is found where the project is installed.

## Why is this bad?
It works in pytest, and under `adk eval` it is an ImportError that only the log mentions: NOT_EVALUATED.

## Example
`custom_metrics.refund.promises_a_date`, with `custom_metrics/` at the project root.

## Use instead
`agent.<module>.<function>` for a function inside the agent folder, an installed package, or a plan, whose generated config
names the function through this package.
"""

from collections.abc import Iterator

from adk_split_eval.lint.project import Project
from adk_split_eval.lint.rule import Report, Rule
from adk_split_eval.lint.rules._functions import resolved


def check(project: Project) -> Iterator[Report]:
    for document, path, found in resolved(project):
        if found.problem == "off-path":
            yield Report(document, path, found.message, found.help, confidence="medium")
        elif found.problem == "needs-install":
            yield Report(document, path, found.message, found.help, level="warning", confidence="low")


RULE = Rule(
    "ASE207",
    "custom-function-off-path",
    "Custom metric outside ADK's import path",
    "error",
    "project",
    check,
    rejects=False,
    module=__name__,
)
