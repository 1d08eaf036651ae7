"""Path of a command that does not exist.

## What it does
Reports a set or a config named on an `adk eval` command line that is not there.

## Why is this bad?
A missing config is taken for none: ADK judges by its defaults. A missing set is reported as something else.

## Example
`adk eval desk a.evalset.json --config_file_path tset_config.json`

## Use instead
The right path.
"""

import os
from collections.abc import Iterator

from adk_split_eval.lint.project import Project
from adk_split_eval.lint.rule import Report, Rule
from adk_split_eval.lint.rules._common import quoted


def check(project: Project) -> Iterator[Report]:
    from adk_split_eval.lint.selected import commands

    for command in commands(project):
        if command.config is not None and not os.path.isfile(command.resolve(command.config)):  # noqa: PTH113
            yield Report(
                command.document,
                (),
                f"the config `{quoted(command.config)}` does not exist: ADK judges by its defaults without a word",
                "correct the path",
                span=command.locate(command.config or "adk"),
            )
        for selector in command.selectors:
            if selector.path.endswith(".json") and not os.path.isfile(command.resolve(selector.path)):  # noqa: PTH113
                yield Report(
                    command.document,
                    (),
                    f"the set `{quoted(selector.path)}` does not exist",
                    "correct the path",
                    span=command.locate(selector.path),
                )


RULE = Rule(
    "ASE707",
    "command-path-missing",
    "Path of a command that does not exist",
    "error",
    "command",
    check,
    module=__name__,
)
