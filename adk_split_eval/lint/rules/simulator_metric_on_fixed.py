"""Simulator-only criterion on a fixed case.

## What it does
Reports a criterion that judges the simulated user and governs a case whose user turns are written down.

## Why is this bad?
`per_turn_user_simulator_quality_v1` needs a scenario; without one it raises, and ADK leaves it NOT_EVALUATED.

## Example
```json
{"criteria": {"per_turn_user_simulator_quality_v1": {"threshold": 0.8}}}
```
beside a set with `conversation` cases.

## Use instead
Name it only in the simulated set's config.
"""

from collections.abc import Iterator

from adk_split_eval.lint.pairing import Pair
from adk_split_eval.lint.rule import Report, Rule
from adk_split_eval.lint.rules._common import case_path, criterion_place, governed_by
from adk_split_eval.lint.views import case_id


def check(pair: Pair) -> Iterator[Report]:
    criteria = [c for c in pair.config.criteria if c.metric and c.metric.needs_scenario]
    if not criteria or not pair.set.survey.fixed:
        return
    for index, case, _ in pair.set.fixed_cases():
        for criterion in criteria:
            yield Report(
                pair.set.document, case_path(index, "conversation"),
                f"`{criterion.name}` judges a simulated user, and this case has none: ADK leaves it NOT_EVALUATED ({governed_by(pair)})",
                "name it only in the config of the simulated set", key=True, case_id=case_id(case),
                related=criterion_place(pair, criterion), confidence="high" if pair.sure else "medium",
            )  # fmt: skip


RULE = Rule(
    "ASE105",
    "simulator-metric-on-fixed",
    "Simulator-only criterion on a fixed case",
    "error",
    "pair",
    check,
    module=__name__,
)
