"""Average that hides a wrong turn.

## What it does
Reports a threshold below 1.0 on a trajectory criterion that governs a conversation so long that one wholly wrong turn still
passes.

## Why is this bad?
Each turn scores 0 or 1 and the average is compared: at 0.7 four turns may hold a wrong one.

## Example
`{"tool_trajectory_avg_score": 0.7}` over a case of four turns.

## Use instead
1.0 for a gate.
"""

from collections.abc import Iterator

from adk_split_eval.lint.pairing import Pair
from adk_split_eval.lint.plan_view import PlanView, threshold_of
from adk_split_eval.lint.rule import Report, Rule
from adk_split_eval.lint.rules._common import case_path
from adk_split_eval.lint.shapes import as_list
from adk_split_eval.lint.views import case_id


def check(pair: Pair) -> Iterator[Report]:
    document = pair.config.document
    longest = pair.set.survey.longest
    if document is None or longest < 2:
        return
    for criterion in pair.config.criteria:
        threshold = criterion.threshold
        if criterion.name != "tool_trajectory_avg_score" or threshold is None or not 0 < threshold < 1:
            continue
        if (longest - 1) / longest >= threshold:
            index, case, _ = max(pair.set.fixed_cases(), key=lambda item: len(item[2]))
            yield Report(document, criterion.threshold_path, f"{threshold:g} lets a case of {longest} turns pass with one turn wholly wrong",
                         "use 1.0 for a gate", related=[(pair.set.document, case_path(index, "eval_id"), f"`{case_id(case)}` has {longest} turns")])  # fmt: skip


def check_plan(plan: PlanView) -> Iterator[Report]:
    longest = max((len(as_list(case.get("turns"))) for _, _, case in plan.fixed()), default=0)
    for name in ("tool_trajectory_avg_score", "tool_args_v1"):
        threshold = threshold_of(plan.criteria("fixed_set").get(name))
        if threshold is not None and longest > 1 and 0 < threshold < 1 and (longest - 1) / longest >= threshold:
            yield Report(
                plan.document,
                ("fixed_set", "criteria", name),
                f"{threshold:g} lets a case of {longest} turns pass with one turn wholly wrong",
                "use 1.0 for a gate",
            )


RULE = Rule(
    "ASE313",
    "averaging-hides-a-turn",
    "Average that hides a wrong turn",
    "warning",
    "pair",
    check,
    plan_check=check_plan,
    module=__name__,
)
