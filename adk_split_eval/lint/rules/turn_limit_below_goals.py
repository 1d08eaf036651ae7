"""Turn limit below the number of goals.

## What it does
Reports a scenario whose plan names more goals than the simulator has turns.

## Why is this bad?
The conversation is cut before the last goal, ADK judges what there is as if it were complete, and why it ended is recorded
nowhere.

## Example
A plan with "Goal 1 … Goal 2 … Goal 3" under `"max_allowed_invocations": 2`.

## Use instead
A limit well above the number of goals.
"""

import re
from collections.abc import Iterator

from adk_split_eval.lint.pairing import Pair
from adk_split_eval.lint.patterns import lazy
from adk_split_eval.lint.plan_view import PlanView, plan_case_id
from adk_split_eval.lint.rule import Report, Rule
from adk_split_eval.lint.rules._common import case_path
from adk_split_eval.lint.shapes import as_object
from adk_split_eval.lint.views import case_id

_GOALS = lazy(r"(?:^|[\s(.,;])(?:goal|step|task|目标|步骤)\s*#?(\d+)|^\s*(\d+)[.)]\s", re.I | re.M)


def count_goals(plan: str) -> int:
    """How many numbered goals a conversation plan names."""
    return len({int((a or b)[:6]) for a, b in _GOALS.findall(plan[:20000])})


def check(pair: Pair) -> Iterator[Report]:
    limit = pair.config.max_turns
    if limit is None or limit <= 0 or pair.config.document is None:
        return
    for index, case, scenario in pair.set.simulated_cases():
        plan = scenario.get("conversation_plan")
        goals = count_goals(plan) if isinstance(plan, str) else 0
        if goals > limit:
            yield Report(pair.set.document, case_path(index, "conversation_scenario", "conversation_plan"),
                         f"the plan names {goals} goals, and the simulator has {limit} turns: the chat is cut before the end", "raise max_allowed_invocations",
                         key=True, case_id=case_id(case),
                         related=[(pair.config.document, (*pair.config.simulator_path, "max_allowed_invocations"), "the limit")])  # fmt: skip


def check_plan(plan: PlanView) -> Iterator[Report]:
    limit = as_object(plan.data.get("sim_set")).get("max_turns", 12)
    for document, path, case in plan.simulated():
        text = "\n".join(str(case[key]) for key in ("goal", "conversation_plan") if isinstance(case.get(key), str))
        goals = count_goals(text)
        if isinstance(limit, int) and goals > limit:
            yield Report(document, (*path, "goal"), f"the goal names {goals} steps, and the simulator has {limit} turns: the chat is cut before the end", "raise sim_set.max_turns",
                         key=True, case_id=plan_case_id(case))  # fmt: skip


RULE = Rule(
    "ASE408",
    "turn-limit-below-goals",
    "Turn limit below the number of goals",
    "warning",
    "pair",
    check,
    plan_check=check_plan,
    confidence="medium",
    module=__name__,
)
