"""Persona without violation rubrics.

## What it does
Reports a persona's behaviour whose `violation_rubrics` are empty.

## Why is this bad?
The simulator's quality is judged by these; without them a simulator that falls out of its role is never noticed.

## Example
`"violation_rubrics": []`

## Use instead
What would show that the user is not playing this behaviour.
"""

from collections.abc import Iterator

from adk_split_eval.lint.plan_view import PlanView
from adk_split_eval.lint.rule import Report, Rule
from adk_split_eval.lint.rules._common import quoted
from adk_split_eval.lint.rules._personas import behaviours
from adk_split_eval.lint.shapes import as_object, objects
from adk_split_eval.lint.views import EvalSet


def check(eval_set: EvalSet) -> Iterator[Report]:
    for path, behaviour, case in behaviours(eval_set):
        if behaviour.get("violation_rubrics") == []:
            yield Report(eval_set.document, (*path, "violation_rubrics"), f"behaviour `{quoted(str(behaviour.get('name')))}` has no violation rubric: falling out of it is never noticed",
                         "write what would violate it", key=True, case_id=case)  # fmt: skip


def check_plan(plan: PlanView) -> Iterator[Report]:
    shared = [(plan.document, ("personas", n), p) for n, p in as_object(plan.data.get("personas")).items()]
    inline = [(document, (*path, "persona"), case.get("persona")) for document, path, case in plan.simulated()]
    for document, path, persona in (*shared, *inline):
        for index, behaviour in objects(as_object(persona).get("behaviors")):
            if behaviour.get("violation_rubrics") == []:
                yield Report(document, (*path, "behaviors", index, "violation_rubrics"),
                             f"behaviour `{quoted(str(behaviour.get('name')))}` has no violation rubric: falling out of it is never noticed", "write what would violate it", key=True)  # fmt: skip


RULE = Rule(
    "ASE411",
    "persona-without-violations",
    "Persona without violation rubrics",
    "warning",
    "set",
    check,
    plan_check=check_plan,
    module=__name__,
)
