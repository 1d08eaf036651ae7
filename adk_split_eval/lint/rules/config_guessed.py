"""Config that ADK finds only when named.

## What it does
Says that a set was paired with an `eval_config.json`, which ADK never finds by itself.

## Why is this bad?
Whoever forgets `--config_file_path` runs under ADK's defaults and does not notice.

## Example
`tests/eval/eval_config.json` and `tests/eval/evalsets/a.evalset.json`.

## Use instead
`test_config.json` beside the set, or the pair under `[tool.adk-split-eval]`.
"""

from collections.abc import Iterator

from adk_split_eval.lint.pairing import Pair
from adk_split_eval.lint.rule import Report, Rule


def check(pair: Pair) -> Iterator[Report]:
    if pair.how == "guess" and pair.config.document is not None:
        yield Report(pair.set.document, (), f"linted with {pair.config.document.path}, a guess: ADK uses it only when it is named on the command line",
                     "name it test_config.json beside the set, or state the pair in pyproject.toml", confidence="medium")  # fmt: skip


RULE = Rule("ASE701", "config-guessed", "Config that ADK finds only when named", "info", "pair", check, module=__name__)
