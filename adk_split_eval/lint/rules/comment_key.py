"""Remark in a file that has no comments.

## What it does
Notes keys like `_comment`, `description` or `notes` where ADK has no such field.

## Why is this bad?
It is not: ADK drops them, which is what a remark wants. It is said only so that nobody takes one for a setting.

## Example
`"_comment": "owned by the returns desk"`

## Use instead
Nothing.
"""

from collections.abc import Iterator

from adk_split_eval.lint.project import Project
from adk_split_eval.lint.rule import Report, Rule
from adk_split_eval.lint.rules._common import quoted
from adk_split_eval.lint.rules._unknown import dropped, is_comment


def check(project: Project) -> Iterator[Report]:
    for document, problem, case in dropped(project):
        if is_comment(problem.name):
            yield Report(
                document,
                problem.path,
                f"`{quoted(problem.name)}` is a remark; ADK does not read it",
                key=True,
                case_id=case,
            )


RULE = Rule("ASE222", "comment-key", "Remark in a file that has no comments", "info", "project", check, module=__name__)
