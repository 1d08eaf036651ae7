"""Config that judges nothing.

## What it does
Reports a config whose `criteria` is empty, absent or misspelt.

## Why is this bad?
ADK ignores unknown keys at the top level; without `criteria` no metric runs, and before 2.13 the command exits with 0.

## Example
```json
{"criterias": {"tool_trajectory_avg_score": 1.0}}
```

## Use instead
```json
{"criteria": {"tool_trajectory_avg_score": 1.0}}
```

## Fix safety
Safe: a misspelt `criteria` is renamed, which can only make it be judged.
"""

from collections.abc import Iterator

from adk_split_eval.lint.config_view import Config
from adk_split_eval.lint.fixes import replace_key
from adk_split_eval.lint.rule import Report, Rule
from adk_split_eval.lint.rules._common import quoted
from adk_split_eval.lint.schema import nearest_name

_GUESSES = {"metrics", "criterion", "evaluation_criteria", "eval_criteria", "eval_metrics"}


def check(config: Config) -> Iterator[Report]:
    document = config.document
    if document is None or config.criteria:
        return
    if not isinstance(config.data.get("criteria", {}), dict):
        return  # ADK does not load it
    if "criteria" in config.data:
        yield Report(
            document,
            ("criteria",),
            "`criteria` is empty: nothing is judged",
            "name at least one criterion",
            key=True,
        )
        return
    for key in config.data:
        if key in _GUESSES or nearest_name(key, ["criteria"]):
            fix = replace_key(document, (key,), "criteria", safe=True) if isinstance(config.data[key], dict) else None
            yield Report(document, (key,), f"`{quoted(key)}` is not read; without `criteria` nothing is judged",
                         "did you mean `criteria`?", key=True, fix=fix)  # fmt: skip
            return
    yield Report(document, (), "there is no `criteria`: nothing is judged", "add `criteria`")


RULE = Rule(
    "ASE219", "nothing-judged", "Config that judges nothing", "error", "config", check, fixable="safe", module=__name__
)
