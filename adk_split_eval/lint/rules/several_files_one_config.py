"""Several sets without a named config.

## What it does
Reports an `adk eval` command with two or more set files and no `--config_file_path`.

## Why is this bad?
ADK looks for `test_config.json` only when exactly one file is given; for several its default criteria apply to all.

## Example
`adk eval desk fixed.evalset.json simulated.evalset.json`

## Use instead
One command a set.
"""

from collections.abc import Iterator

from adk_split_eval.lint.project import Project
from adk_split_eval.lint.rule import Report, Rule


def check(project: Project) -> Iterator[Report]:
    from adk_split_eval.lint.selected import commands

    for command in commands(project):
        paths = list(dict.fromkeys(s.path for s in command.selectors if s.path.endswith(".json")))
        if len(paths) > 1 and not command.config and command.complete:
            yield Report(
                command.document,
                (),
                f"{len(paths)} sets in one command and no config: ADK's default criteria apply to all of them",
                "one command a set, or --config_file_path",
                span=command.span,
            )


RULE = Rule(
    "ASE705",
    "several-files-one-config",
    "Several sets without a named config",
    "error",
    "command",
    check,
    module=__name__,
)
