"""Simulated set that nothing guards.

## What it does
Reports a config that governs simulated cases and lacks a criterion for the goal, for groundedness, for forbidden tools or
for the simulator's own quality.

## Why is this bad?
A simulated conversation cannot be compared with a script. What remains is whether the user got what they wanted, whether the
agent invented facts or did what it must never do, and whether the simulator played its part; a set without these looks
covered and is not.

## Example
```json
{"criteria": {"safety_v1": 0.8}}
```

## Use instead
`goal_reached_v1` or a rubric about the goal, `hallucinations_v1` or `grounded_numbers_v1`, `forbidden_tools_v1`, and
`per_turn_user_simulator_quality_v1`.
"""

from collections.abc import Iterator

from adk_split_eval.lint.pairing import Pair
from adk_split_eval.lint.plan_view import PlanView
from adk_split_eval.lint.rule import Report, Rule

_GUARDS = {
    "the goal": {"goal_reached_v1", "multi_turn_task_success_v1", "rubric_based_multi_turn_trajectory_quality_v1", "rubric_based_final_response_quality_v1"},
    "groundedness": {"hallucinations_v1", "grounded_numbers_v1"},
    "forbidden tools": {"forbidden_tools_v1", "rubric_based_tool_use_quality_v1", "multi_turn_tool_use_quality_v1"},
    "the simulator's quality": {"per_turn_user_simulator_quality_v1"},
}  # fmt: skip


def check(pair: Pair) -> Iterator[Report]:
    document = pair.config.document
    if not pair.set.survey.simulated or document is None or not pair.config.criteria:
        return
    names = {c.name for c in pair.config.criteria}
    lacking = [what for what, metrics in _GUARDS.items() if not names & metrics]
    if not lacking:
        return
    yield Report(
        document, ("criteria",),
        f"the config governs simulated cases of {pair.set.document.path} without a criterion for {', '.join(lacking)}",
        "add criteria that need no reference; `explain ASE106` lists them", key=True,
        level="warning" if len(lacking) == len(_GUARDS) else "info",
    )  # fmt: skip


def check_plan(plan: PlanView) -> Iterator[Report]:
    names = plan.criteria("sim_set").keys()
    lacking = [what for what, metrics in _GUARDS.items() if not names & metrics]
    asked = any(
        case.keys() & {"goal_evidence", "forbidden_tools", "grounded_numbers"} for _, _, case in plan.simulated()
    )
    if names and not asked and len(lacking) == len(_GUARDS):
        yield Report(
            plan.document, ("sim_set", "criteria"), f"the simulated cases are judged without a criterion for {', '.join(lacking)}",
            "give the cases goal_evidence and forbidden_tools, or leave criteria to the defaults", key=True,
        )  # fmt: skip


RULE = Rule(
    "ASE106",
    "simulated-set-unguarded",
    "Simulated set that nothing guards",
    "warning",
    "pair",
    check,
    plan_check=check_plan,
    confidence="medium",
    module=__name__,
)
