"""Set id used in two files.

## What it does
Reports two files with the same `eval_set_id`; in one folder it is an error.

## Why is this bad?
Given in one command ADK aborts before anything ran; run apart, their results overwrite each other's history.

## Example
A copied file whose `eval_set_id` was kept.

## Use instead
An id of its own.
"""

from collections.abc import Iterator

from adk_split_eval.lint.project import Project
from adk_split_eval.lint.rule import Report, Rule
from adk_split_eval.lint.rules._common import quoted
from adk_split_eval.lint.views import EvalSet


def check(project: Project) -> Iterator[Report]:
    seen: dict[str, EvalSet] = {}
    for eval_set in project.sets:
        name = eval_set.eval_set_id
        if not name:
            continue
        if name in seen:
            other = seen[name]
            yield Report(eval_set.document, ("eval_set_id",), f"`{quoted(name)}` is also the id of {other.document.path}: together in one command ADK aborts", "give it an id of its own",
                         level=None if other.document.folder == eval_set.document.folder else "info",
                         related=[(other.document, ("eval_set_id",), "the other one")])  # fmt: skip
        else:
            seen[name] = eval_set


RULE = Rule("ASE503", "duplicate-eval-set-id", "Set id used in two files", "error", "project", check, module=__name__)
