"""Scenario without words.

## What it does
Reports an empty `starting_prompt` or `conversation_plan`.

## Why is this bad?
ADK accepts both: the agent gets an empty first message, or the simulator has no plan and says anything.

## Example
`"conversation_plan": ""`

## Use instead
What the user says first, and what they want.
"""

from collections.abc import Iterator

from adk_split_eval.lint.rule import Report, Rule
from adk_split_eval.lint.rules._common import case_path
from adk_split_eval.lint.views import EvalSet, case_id


def check(eval_set: EvalSet) -> Iterator[Report]:
    for index, case, scenario in eval_set.simulated_cases():
        for key in ("starting_prompt", "conversation_plan"):
            value = scenario.get(key)
            if isinstance(value, str) and not value.strip():
                yield Report(
                    eval_set.document,
                    case_path(index, "conversation_scenario", key),
                    f"`{key}` is empty",
                    "write it",
                    key=True,
                    case_id=case_id(case),
                )


RULE = Rule("ASE413", "empty-scenario", "Scenario without words", "error", "set", check, module=__name__)
