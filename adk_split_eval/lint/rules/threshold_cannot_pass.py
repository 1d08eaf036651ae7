"""Threshold that cannot be reached.

## What it does
Reports a threshold above the highest score of its metric, or one that is NaN.

## Why is this bad?
The criterion fails whatever the agent does, and people learn to ignore it.

## Example
```json
{"criteria": {"tool_trajectory_avg_score": 100}}
```

## Use instead
A threshold in the metric's range: mostly 0 to 1.
"""

import math
from collections.abc import Iterator

from adk_split_eval.lint.config_view import Config
from adk_split_eval.lint.rule import Report, Rule


def check(config: Config) -> Iterator[Report]:
    if config.document is None:
        return
    for criterion in config.criteria:
        threshold = criterion.threshold
        metric = criterion.metric
        if threshold is None or (metric and not metric.takes_threshold):
            continue
        if math.isnan(threshold):
            yield Report(
                config.document,
                criterion.threshold_path,
                f"the threshold of `{criterion.name}` is NaN: no score reaches it",
                "write a number",
            )
            continue
        known = metric.range if metric else (0.0, 1.0) if criterion.ours else None
        if known and threshold > known[1]:
            yield Report(config.document, criterion.threshold_path, f"`{criterion.name}` scores at most {known[1]:g}, so the threshold {threshold:g} is never reached",
                         f"use a threshold up to {known[1]:g}")  # fmt: skip


RULE = Rule(
    "ASE302", "threshold-cannot-pass", "Threshold that cannot be reached", "error", "config", check, module=__name__
)
