"""Set without a config.

## What it does
Says that no config was found for a set, so that ADK's default criteria apply.

## Why is this bad?
They need references (`tool_trajectory_avg_score` 1.0 and `response_match_score` 0.8) and are rarely what was meant.

## Example
A set alone in its folder.

## Use instead
A `test_config.json` beside it.
"""

from collections.abc import Iterator

from adk_split_eval.lint.pairing import Pair
from adk_split_eval.lint.rule import Report, Rule


def check(pair: Pair) -> Iterator[Report]:
    if pair.how == "default":
        names = ", ".join(f"{c.name} {c.threshold:g}" for c in pair.config.criteria)
        yield Report(
            pair.set.document,
            (),
            f"no config is found for this set: ADK's defaults apply ({names}), and both need references",
            "put a test_config.json beside it",
        )


RULE = Rule("ASE702", "defaults-apply", "Set without a config", "info", "pair", check, module=__name__)
