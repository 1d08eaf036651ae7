"""Turn limit of zero.

## What it does
Reports `max_allowed_invocations` 0.

## Why is this bad?
It is legal: the conversation has no turn, built-in metrics are NOT_EVALUATED, and a custom metric that scores an empty list
passes.

## Example
`"max_allowed_invocations": 0`

## Use instead
Enough turns to reach the goal, 12 or so.
"""

from collections.abc import Iterator

from adk_split_eval.lint.config_view import Config
from adk_split_eval.lint.rule import Report, Rule


def check(config: Config) -> Iterator[Report]:
    if config.document is not None and config.max_turns == 0:
        yield Report(
            config.document,
            (*config.simulator_path, "max_allowed_invocations"),
            "no turn is ever simulated, so nothing is judged",
            "allow enough turns to reach the goal",
        )


RULE = Rule("ASE406", "turn-limit-zero", "Turn limit of zero", "error", "config", check, module=__name__)
