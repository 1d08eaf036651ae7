"""Criterion of a plan that no case gives anything to judge.

## What it does
Reports a criterion under `criteria` of one half of a plan for which no case of that half has what it compares or needs.

## Why is this bad?
A threshold nobody applies looks like a check and is none. `build` and `run` refuse the plan for it; plain ADK would leave
the criterion unevaluated and still say PASSED.

## Example
```yaml
fixed_set:
  criteria: {response_match_score: 0.8}     # and no turn has expect_response
```

## Use instead
Give a case what the criterion needs, or remove the line. A criterion switched off with `null` beside a case that asks for
it is a warning of `build`: the case wins.
"""

from collections.abc import Iterator
from typing import Any

from adk_split_eval.criteria.catalogue import CATALOGUE
from adk_split_eval.lint.plan_view import PlanView
from adk_split_eval.lint.project import Project
from adk_split_eval.lint.rule import Report, Rule
from adk_split_eval.lint.shapes import Json, as_object, objects

_REFERENCES = frozenset({"response_match_score", "final_response_match_v2", "expected_response_v1"})
_JUDGED_GOAL = "rubric_based_multi_turn_trajectory_quality_v1"
_GOAL = "goal_reached_v1"


def check(project: Project) -> Iterator[Report]:
    """Eval sets have rules of their own for this: a criterion there needs no case's permission."""
    return iter(())


def check_plan(plan: PlanView) -> Iterator[Report]:
    if plan.has_errors:
        return
    rejected = {finding.case_id for finding in plan.findings if finding.case_id}
    halves = (("fixed_set", "fixed", plan.fixed()), ("sim_set", "simulated", plan.simulated()))
    for section, half, found in halves:
        criteria = plan.criteria(section)
        cases = [case for _, _, case in found if case.get("case_id") not in rejected] if criteria else []
        if not cases:
            continue
        for name, options in criteria.items():
            if name in CATALOGUE and options is not None and not _used(name, as_object(options), criteria, cases, plan):
                yield Report(
                    plan.document,
                    (section, "criteria", name),
                    f"{name} is declared for the {half} set and never judged: {_why(name)}",
                    "give a case what it needs, or remove it from criteria",
                    key=True,
                )


def _used(name: str, options: Json, criteria: Json, cases: list[Json], plan: PlanView) -> bool:
    info = CATALOGUE[name]
    if name == "response_evaluation_score":
        return any(all(turn.get("expect_response") for _, turn in objects(case.get("turns"))) for case in cases)
    if name in _REFERENCES:
        return any(_on_a_turn(case, "expect_response") for case in cases)
    if info.adk_rubric_type is not None:
        goals = name == _JUDGED_GOAL and any(_goal_for_a_judge(case) for case in cases)
        return bool(options.get("rubrics")) or (goals and not _switched_off(criteria, _GOAL))
    if name == _GOAL:
        return any(case.get("goal_evidence") for case in cases) or not _switched_off(criteria, _JUDGED_GOAL)
    if name == "grounded_numbers_v1":
        return any(_grounded(case) for case in cases)
    if info.plan_key is None:
        return True
    return any(
        _asks(case, "expect_tools" if name == "tool_trajectory_avg_score" else info.plan_key, plan) for case in cases
    )


def _asks(case: Json, key: str, plan: PlanView) -> bool:
    """Whether a case has ``key``: on one of its turns, itself, or in the process that governs it."""
    if not key.startswith("process."):
        return _on_a_turn(case, key) or case.get(key) not in (None, [])
    from adk_split_eval.plan.cross_process import merge_process

    found: Any = merge_process(as_object(plan.data.get("process")), case.get("process"))
    for part in key.split(".")[1:]:
        found = as_object(found).get(part)
    return bool(found)


def _on_a_turn(case: Json, key: str) -> bool:
    unset: tuple[Any, ...] = (None,) if key == "expect_tools" else (None, "", [])
    return any(turn.get(key) not in unset for _, turn in objects(case.get("turns")))


def _goal_for_a_judge(case: Json) -> bool:
    return not case.get("goal_evidence")


def _grounded(case: Json) -> bool:
    own = case.get("grounded_numbers")
    return own is not False and as_object(own).get("enabled", True) is not False


def _switched_off(criteria: Json, name: str) -> bool:
    return name in criteria and criteria[name] is None


def _why(name: str) -> str:
    info = CATALOGUE[name]
    if info.adk_rubric_type is not None:
        return "it has no rubrics"
    if info.plan_key is not None:
        return f"no case has {info.plan_key}"
    return "no case has references on every turn"


RULE = Rule(
    "ASE203",
    "criterion-never-judged",
    "Criterion of a plan that no case gives anything to judge",
    "error",
    "project",
    check,
    plan_check=check_plan,
    rejects=False,
    module=__name__,
)
