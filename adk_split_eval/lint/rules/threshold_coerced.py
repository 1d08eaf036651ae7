"""Threshold that is no number.

## What it does
Reports a threshold given as a boolean or a string.

## Why is this bad?
ADK coerces it: `true` becomes 1.0, `false` 0.0, "0.8" 0.8. It works by luck, and hides what was meant.

## Example
```json
{"criteria": {"tool_trajectory_avg_score": true}}
```

## Use instead
```json
{"criteria": {"tool_trajectory_avg_score": 1.0}}
```

## Fix safety
Safe: the number is what ADK uses anyway.
"""

import math
from collections.abc import Iterator

from adk_split_eval.lint.config_view import Config
from adk_split_eval.lint.fixes import replace_value
from adk_split_eval.lint.rule import Report, Rule


def check(config: Config) -> Iterator[Report]:
    if config.document is None:
        return
    for criterion in config.criteria:
        raw = criterion.options.get("threshold") if isinstance(criterion.raw, dict) else criterion.raw
        value = criterion.threshold
        if isinstance(raw, bool | str) and value is not None and math.isfinite(value):
            yield Report(config.document, criterion.threshold_path, f"the threshold of `{criterion.name}` is {'a boolean' if isinstance(raw, bool) else 'a string'}; ADK reads it as {value:g}",
                         "write the number", fix=replace_value(config.document, criterion.threshold_path, value, f"write {value:g}", safe=True))  # fmt: skip


RULE = Rule(
    "ASE303",
    "threshold-coerced",
    "Threshold that is no number",
    "warning",
    "config",
    check,
    fixable="safe",
    module=__name__,
)
