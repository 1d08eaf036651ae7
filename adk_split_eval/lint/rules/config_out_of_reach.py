"""Config one folder too high.

## What it does
Reports a `*.test.json` without a `test_config.json` beside it when one lies in a folder above.

## Why is this bad?
AgentEvaluator and `adk eval` look in the set's own folder only; the config above is never used, and ADK's defaults apply.

## Example
`tests/test_config.json` and `tests/evals/a.test.json`.

## Use instead
The config in the set's folder.
"""
# os functions instead of pathlib: this room starts cold on every commit.
# ruff: noqa: PTH100, PTH110, PTH113, PTH118, PTH120

import os
from collections.abc import Iterator

from adk_split_eval.lint.pairing import Pair
from adk_split_eval.lint.rule import Report, Rule


def check(pair: Pair) -> Iterator[Report]:
    document = pair.set.document
    if pair.how not in ("guess", "default") or not document.folder:
        return
    here = os.path.dirname(os.path.abspath(document.folder))
    for _ in range(3):
        candidate = os.path.join(here, "test_config.json")
        if os.path.isfile(candidate):
            yield Report(
                document,
                (),
                f"{os.path.relpath(candidate)} lies above this set, where ADK does not look: it is not used",
                "put it beside the set",
            )
            return
        if os.path.exists(os.path.join(here, ".git")):
            return
        here = os.path.dirname(here)


RULE = Rule("ASE609", "config-out-of-reach", "Config one folder too high", "warning", "pair", check, module=__name__)
