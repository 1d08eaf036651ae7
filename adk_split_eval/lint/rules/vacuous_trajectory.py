"""Expected calls that nothing can miss.

## What it does
Reports a fixed case governed by `tool_trajectory_avg_score` under IN_ORDER or ANY_ORDER whose turns expect no call at all:
an explicitly empty list, or none written.

## Why is this bad?
Under these match types extra calls are allowed, so an empty expectation is met by anything: the agent may reserve, pay or
delete, and the score is 1.0.

## Example
```json
{"tool_uses": []}
```
under `"match_type": "IN_ORDER"`.

## Use instead
EXACT where "calls nothing" is meant; the expected calls where they were forgotten; no trajectory criterion where it does not
apply.
"""

from collections.abc import Iterator

from adk_split_eval.lint.pairing import Pair
from adk_split_eval.lint.plan_view import PlanView, plan_case_id
from adk_split_eval.lint.rule import Report, Rule
from adk_split_eval.lint.rules._common import case_path, criterion_place, turn_path
from adk_split_eval.lint.shapes import as_object, objects
from adk_split_eval.lint.views import case_id, expected_calls


def check(pair: Pair) -> Iterator[Report]:
    survey = pair.set.survey
    if not survey.turns_unannotated and not survey.turns_without_calls:
        return
    for criterion in pair.config.criteria:
        if criterion.name != "tool_trajectory_avg_score" or criterion.metric is None or criterion.match_type == "EXACT":
            continue
        for index, case, turns in pair.set.fixed_cases():
            calls = [expected_calls(t) for t in turns]
            empty = [n for n, c in enumerate(calls) if not c]
            if not empty:
                continue
            related = criterion_place(pair, criterion, f"{criterion.match_type} allows extra calls")
            if len(empty) == len(turns):
                stated = any(c == [] for c in calls)
                what = "the expected calls are explicitly empty" if stated else "no expected calls are annotated"
                mend = (
                    "pin the case to EXACT, which says “calls nothing”"
                    if stated
                    else "write the expected calls, or leave the case out of this criterion"
                )
                yield Report(pair.set.document, case_path(index, "eval_id"),
                             f"{what}, and under {criterion.match_type} that can never fail: the agent may call anything", mend,
                             case_id=case_id(case), related=related)  # fmt: skip
            else:
                yield Report(pair.set.document, turn_path(index, empty[0]),
                             f"{len(empty)} of {len(turns)} turns expect no call; under {criterion.match_type} these turns can never fail",
                             "use EXACT for turns that must call nothing", case_id=case_id(case), level="warning", related=related)  # fmt: skip


def check_plan(plan: PlanView) -> Iterator[Report]:
    default = as_object(plan.criteria("fixed_set").get("tool_trajectory_avg_score")).get("match_type", "EXACT")
    for document, path, case in plan.fixed():
        match_type = case.get("match_type") or default
        turns = [turn.get("expect_tools") for _, turn in objects(case.get("turns"))]
        if match_type in ("IN_ORDER", "ANY_ORDER") and turns and all(t == [] for t in turns):
            yield Report(document, (*path, "case_id"), f"every turn expects no call, and under {match_type} that can never fail: the agent may call anything",
                         "give the case `match_type: EXACT`, which says “calls nothing”", case_id=plan_case_id(case))  # fmt: skip


RULE = Rule(
    "ASE304",
    "vacuous-trajectory",
    "Expected calls that nothing can miss",
    "error",
    "pair",
    check,
    plan_check=check_plan,
    rejects=False,
    module=__name__,
)
