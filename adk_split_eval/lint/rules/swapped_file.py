"""Eval set saved as a config, or the other way round.

## What it does
Reports a file whose name says config and whose content is an eval set, or the reverse.

## Why is this bad?
ADK ignores unknown keys at the top of a config: an eval set loads as a config that judges nothing.

## Example
`test_config.json` with `eval_set_id` and `eval_cases`.

## Use instead
The right content under the right name.
"""

from collections.abc import Iterator

from adk_split_eval.lint.documents import Document
from adk_split_eval.lint.kinds import is_config_name, is_set_name
from adk_split_eval.lint.rule import Report, Rule


def check(document: Document) -> Iterator[Report]:
    if document.kind == "evalset" and is_config_name(document.name):
        yield Report(
            document,
            (),
            "this is an eval set saved under a config's name: as a config it judges nothing",
            "rename it to <name>.evalset.json",
        )
    elif document.kind == "config" and is_set_name(document.name):
        yield Report(
            document,
            (),
            "this is a config saved under an eval set's name: ADK does not load it",
            "rename it to test_config.json",
        )


RULE = Rule(
    "ASE607",
    "swapped-file",
    "Eval set saved as a config, or the other way round",
    "error",
    "document",
    check,
    module=__name__,
)
