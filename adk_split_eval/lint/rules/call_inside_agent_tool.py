"""Expected call inside an agent used as a tool.

## What it does
Reports an expected call that follows a call whose only argument is `request`, the signature of an agent wrapped as a tool.

## Why is this bad?
What such an agent calls by itself is not recorded: the expected inner call is never seen, and the case can never pass.

## Example
`catalog_agent(request="look up Dune")` followed by `find_title(title="Dune")`.

## Use instead
Expect the outer call only, and test the inner agent in a set of its own.
"""

from collections.abc import Iterator

from adk_split_eval.lint.pairing import Pair
from adk_split_eval.lint.plan_view import PlanView, expected_steps, plan_case_id
from adk_split_eval.lint.rule import Report, Rule
from adk_split_eval.lint.rules._arguments import arguments
from adk_split_eval.lint.rules._common import quoted, turn_path
from adk_split_eval.lint.shapes import as_object, objects
from adk_split_eval.lint.views import case_id, expected_calls


def check(pair: Pair) -> Iterator[Report]:
    if '"request"' not in pair.set.document.text or not any(
        c.name == "tool_trajectory_avg_score" for c in pair.config.criteria
    ):
        return
    for index, case, turns in pair.set.fixed_cases():
        for number, turn in enumerate(turns):
            outer = ""
            for path, call in expected_calls(turn) or ():
                args = arguments(call)
                if set(args) == {"request"} and isinstance(args["request"], str):
                    outer = str(call.get("name"))
                elif outer:
                    yield Report(pair.set.document, (*turn_path(index, number), *path),
                                 f"`{quoted(str(call.get('name')))}` looks like a call inside `{quoted(outer)}`, an agent used as a tool: such calls are not recorded, so it is never seen",
                                 "expect the outer call only", case_id=case_id(case))  # fmt: skip


def check_plan(plan: PlanView) -> Iterator[Report]:
    for document, path, case in plan.fixed():
        for number, turn in objects(case.get("turns")):
            outer = ""
            for where, step in expected_steps(turn.get("expect_tools"), (*path, "turns", number, "expect_tools")):
                args = as_object(step.get("args"))
                if set(args) == {"request"} and isinstance(args["request"], str):
                    outer = str(step.get("name"))
                elif outer:
                    yield Report(document, where,
                                 f"`{quoted(str(step.get('name')))}` looks like a call inside `{quoted(outer)}`, an agent used as a tool: such calls are not recorded, so it is never seen",
                                 "expect the outer call only", case_id=plan_case_id(case))  # fmt: skip


RULE = Rule(
    "ASE315",
    "call-inside-agent-tool",
    "Expected call inside an agent used as a tool",
    "warning",
    "pair",
    check,
    plan_check=check_plan,
    confidence="low",
    module=__name__,
)
