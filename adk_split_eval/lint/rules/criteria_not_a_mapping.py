"""Criteria that are no mapping.

## What it does
Reports `criteria` given as a list or a single value.

## Why is this bad?
ADK expects a mapping from name to threshold or options; anything else aborts the load.

## Example
```json
{"criteria": ["tool_trajectory_avg_score"]}
```

## Use instead
```json
{"criteria": {"tool_trajectory_avg_score": 1.0}}
```
"""

from collections.abc import Iterator

from adk_split_eval.lint.config_view import Config
from adk_split_eval.lint.rule import Report, Rule


def check(config: Config) -> Iterator[Report]:
    value = config.data.get("criteria")
    if config.document is not None and "criteria" in config.data and not isinstance(value, dict):
        shape = "a list" if isinstance(value, list) else "null" if value is None else f"a {type(value).__name__}"
        yield Report(config.document, ("criteria",), f"`criteria` is {shape}; ADK expects a mapping from criterion name to threshold or options",
                     'write {"name": threshold}', key=True)  # fmt: skip


RULE = Rule(
    "ASE220", "criteria-not-a-mapping", "Criteria that are no mapping", "error", "config", check, module=__name__
)
