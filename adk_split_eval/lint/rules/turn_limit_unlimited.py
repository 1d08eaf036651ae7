"""No turn limit.

## What it does
Reports a negative `max_allowed_invocations`.

## Why is this bad?
An agent and a simulator that thank each other go on until the budget is gone.

## Example
`"max_allowed_invocations": -1`

## Use instead
A limit as a guard against endless talk.
"""

from collections.abc import Iterator

from adk_split_eval.lint.config_view import Config
from adk_split_eval.lint.rule import Report, Rule


def check(config: Config) -> Iterator[Report]:
    if config.document is not None and config.max_turns is not None and config.max_turns < 0:
        yield Report(
            config.document,
            (*config.simulator_path, "max_allowed_invocations"),
            "a negative limit means none: a loop never ends",
            "set a limit",
        )


RULE = Rule("ASE407", "turn-limit-unlimited", "No turn limit", "warning", "config", check, module=__name__)
