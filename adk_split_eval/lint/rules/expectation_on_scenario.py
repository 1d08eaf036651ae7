"""Something expected on a simulated case.

## What it does
Reports keys that state an expectation (calls, responses, a trajectory, a final state) on a case with a scenario.

## Why is this bad?
The user's words are improvised, so no call and no wording can be expected at any point; ADK drops such keys without a word.

## Example
```json
{"eval_id": "s", "conversation_scenario": {"starting_prompt": "Hi", "conversation_plan": "…"}, "expected_tool_use": []}
```

## Use instead
The fixed set for what must happen; an invariant, a goal with evidence or a rubric for the simulated one.
"""

from collections.abc import Iterator

from adk_split_eval.lint.rule import Report, Rule
from adk_split_eval.lint.rules._common import case_path
from adk_split_eval.lint.views import EvalSet, case_id

EXPECTATIONS = frozenset(
    {"expected_tool_use", "expected_tools", "expect_tools", "expected_response", "expect_response", "expected_trajectory",
     "expect_trajectory", "expected_intermediate_agent_responses", "expected_behavior", "expected_output", "expected_answer",
     "reference", "reference_trajectory", "order_rules", "turns", "final_session_state"}
)  # fmt: skip


def check(eval_set: EvalSet) -> Iterator[Report]:
    for index, case, _ in eval_set.simulated_cases():
        for key in case:
            if key in EXPECTATIONS and (case[key] if key == "final_session_state" else case[key] is not None):
                yield Report(eval_set.document, case_path(index, key),
                             f"`{key}` expects something of a simulated case: no criterion can compare it, and ADK drops it",
                             "move it to a fixed case, or state a goal, an invariant or a rubric", key=True, case_id=case_id(case))  # fmt: skip


RULE = Rule(
    "ASE110",
    "expectation-on-scenario",
    "Something expected on a simulated case",
    "error",
    "set",
    check,
    module=__name__,
)
