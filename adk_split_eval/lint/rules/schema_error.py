"""File that ADK does not load.

## What it does
Checks eval sets, configs, scenarios and session inputs against ADK's models: missing keys, wrong types, keys that a model
forbids.

## Why is this bad?
For a set ADK falls back to an old list format and reports `TypeError: string indices must be integers`, which says nothing
about the real fault.

## Example
A turn with `"expected_tool_use": []`: the model of a turn forbids unknown keys.

## Use instead
What the message says.
"""

from collections.abc import Iterator

from adk_split_eval.lint.documents import Document
from adk_split_eval.lint.project import Project
from adk_split_eval.lint.rule import Report, Rule
from adk_split_eval.lint.rules._common import quoted
from adk_split_eval.lint.rules._unknown import HINTS
from adk_split_eval.lint.schema import Problem
from adk_split_eval.lint.views import case_id, stand_in_problems


def check(project: Project) -> Iterator[Report]:
    for eval_set in project.sets:
        if not eval_set.problems:
            continue
        names = {i: case_id(c) for i, c in eval_set.cases}
        camel = any(k in eval_set.data for k in ("evalSetId", "evalCases"))
        for problem in eval_set.problems:
            index = problem.path[1] if len(problem.path) > 1 else None
            if fatal(problem) and not (camel and problem.what == "missing" and not problem.path):
                yield _report(eval_set.document, problem, names.get(index) if isinstance(index, int) else None)
    for config in project.configs:
        if config.document is not None:
            for problem in config.problems:
                if fatal(problem) and problem.path != ("criteria",):
                    yield _report(config.document, problem, None)
    for document in project.documents:
        if document.kind in ("scenarios", "session"):
            yield from _other(document, project)


def fatal(problem: Problem) -> bool:
    """Whether ADK refuses the file for it (both and no conversation kinds have a rule of their own)."""
    return problem.what in ("missing", "type") or (problem.what == "unknown" and problem.extra == "forbid")


def _other(document: Document, project: Project) -> Iterator[Report]:
    for problem in stand_in_problems(document, project.knowledge):
        if fatal(problem):
            yield _report(document, problem, None)


def _report(document: Document, problem: Problem, case: str | None) -> Report:
    if problem.what == "missing":
        return Report(
            document,
            problem.path,
            f"{problem.model} needs `{problem.name}`: ADK does not load the file",
            f"add `{problem.name}`",
            case_id=case,
        )
    if problem.what == "unknown":
        hint = HINTS.get(problem.name) or (f"did you mean `{problem.expected}`?" if problem.expected else "remove it")
        return Report(
            document,
            problem.path,
            f"{problem.model} accepts no `{quoted(problem.name)}`: ADK does not load the file",
            hint,
            key=True,
            case_id=case,
        )
    value = quoted(repr(problem.value), 40)
    return Report(
        document,
        problem.path,
        f"`{quoted(problem.name or problem.model)}` must be {problem.expected}, not {value}: ADK does not load the file",
        "correct the value",
        case_id=case,
    )


RULE = Rule("ASE602", "schema-error", "File that ADK does not load", "error", "project", check, module=__name__)
