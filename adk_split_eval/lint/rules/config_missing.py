"""Config that does not exist.

## What it does
Reports a config named with `--config`, in pyproject.toml or on a linted command line that is not there.

## Why is this bad?
ADK takes a missing config for none and judges by its defaults.

## Example
`adk eval desk a.evalset.json --config_file_path tests/eval_confg.json`

## Use instead
The right path.
"""

from collections.abc import Iterator

from adk_split_eval.lint.documents import Document
from adk_split_eval.lint.project import Project
from adk_split_eval.lint.rule import Report, Rule


def check(project: Project) -> Iterator[Report]:
    for path in project.missing_configs:
        yield Report(
            Document(path),
            (),
            "this config does not exist; ADK would judge by its defaults without a word",
            "correct the path",
        )


RULE = Rule("ASE706", "config-missing", "Config that does not exist", "error", "project", check, module=__name__)
