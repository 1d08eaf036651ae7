"""Both kinds of conversation, or none.

## What it does
Reports a case with both `conversation` and `conversation_scenario`, or with neither.

## Why is this bad?
ADK wants exactly one; the file does not load, with a TypeError about something else.

## Example
`{"eval_id": "a", "conversation": [], "conversation_scenario": {}}`

## Use instead
Two cases, in two sets.
"""

from collections.abc import Iterator

from adk_split_eval.lint.rule import Report, Rule
from adk_split_eval.lint.views import EvalSet, case_id


def check(eval_set: EvalSet) -> Iterator[Report]:
    if not eval_set.problems:
        return
    names = {i: case_id(c) for i, c in eval_set.cases}
    for problem in eval_set.problems:
        index = problem.path[1] if len(problem.path) > 1 else None
        case = names.get(index) if isinstance(index, int) else None
        if problem.what == "both":
            yield Report(
                eval_set.document,
                problem.path,
                "the case has a written conversation and a scenario; ADK wants exactly one and does not load the file",
                "make two cases of it",
                key=True,
                case_id=case,
            )
        elif problem.what == "neither":
            yield Report(
                eval_set.document,
                problem.path,
                "the case has neither conversation nor conversation_scenario: ADK does not load the file",
                "add one of them",
                case_id=case,
            )


RULE = Rule(
    "ASE605", "both-conversations", "Both kinds of conversation, or none", "error", "set", check, module=__name__
)
