"""Reference-based criterion on a simulated case.

## What it does
Reports a criterion that needs expected calls or an expected response and governs a case played by a user simulator.

## Why is this bad?
A scenario has nothing to compare with, so ADK raises inside the metric, logs a line and leaves it NOT_EVALUATED. Beside
any criterion that passes, the case is green: the check that was asked for never ran.

## Example
A set with a `conversation_scenario` case, governed by
```json
{"criteria": {"tool_trajectory_avg_score": 1.0, "hallucinations_v1": 0.8}}
```

## Use instead
Two sets with a config each: reference-based criteria for the fixed one; for the simulated one the goal, forbidden tools,
groundedness, or a rubric metric.
"""

from collections.abc import Iterator

from adk_split_eval.lint.pairing import Pair
from adk_split_eval.lint.rule import Report, Rule
from adk_split_eval.lint.rules._common import case_path, criterion_place, governed_by
from adk_split_eval.lint.views import case_id


def check(pair: Pair) -> Iterator[Report]:
    if not pair.set.survey.simulated or pair.config.is_default:
        return
    criteria = [c for c in pair.config.criteria if c.metric and c.metric.reference_based]
    for index, case, _ in pair.set.simulated_cases():
        for criterion in criteria:
            yield Report(
                pair.set.document, case_path(index, "conversation_scenario"),
                f"`{criterion.name}` compares with a reference, and this simulated case can have none: "
                f"ADK leaves it NOT_EVALUATED ({governed_by(pair)})",
                "give fixed and simulated cases a set and a config each; judge this one by goal, forbidden tools or rubrics",
                key=True, case_id=case_id(case), related=criterion_place(pair, criterion),
                confidence="high" if pair.sure else "medium",
            )  # fmt: skip


RULE = Rule(
    "ASE102",
    "reference-metric-on-scenario",
    "Reference-based criterion on a simulated case",
    "error",
    "pair",
    check,
    module=__name__,
)
