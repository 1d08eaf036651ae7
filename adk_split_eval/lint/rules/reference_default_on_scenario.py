"""ADK's default criteria on a simulated case.

## What it does
Reports a simulated case of a set for which no config is found, so that ADK's default criteria apply.

## Why is this bad?
The defaults (`tool_trajectory_avg_score` 1.0, `response_match_score` 0.8) both need references. On a scenario neither can
be evaluated: nothing at all is judged.

## Example
`simulated.evalset.json` alone in its folder.

## Use instead
A `test_config.json` beside the set with criteria that need no reference.
"""

from collections.abc import Iterator

from adk_split_eval.lint.pairing import Pair
from adk_split_eval.lint.rule import Report, Rule
from adk_split_eval.lint.rules._common import case_path
from adk_split_eval.lint.views import case_id


def check(pair: Pair) -> Iterator[Report]:
    if not pair.set.survey.simulated or not pair.config.is_default:
        return
    names = ", ".join(f"`{c.name}`" for c in pair.config.criteria)
    for index, case, _ in pair.set.simulated_cases():
        yield Report(
            pair.set.document, case_path(index, "conversation_scenario"),
            f"no config is found for this set, so ADK's defaults ({names}) apply, and none can judge a simulated case",
            "put a test_config.json beside the set with criteria that need no reference", key=True, case_id=case_id(case),
        )  # fmt: skip


RULE = Rule(
    "ASE103",
    "reference-default-on-scenario",
    "ADK's default criteria on a simulated case",
    "error",
    "pair",
    check,
    module=__name__,
)
