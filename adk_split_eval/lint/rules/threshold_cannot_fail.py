"""Threshold that cannot be missed.

## What it does
Reports a threshold at or below the lowest score of its metric. A team's own metric without a declared interval is taken to
score 0 to 1, as ADK shows it; that is a warning.

## Why is this bad?
Every answer passes: the criterion is decoration. ADK accepts −1 and 0.0 without a word.

## Example
```json
{"criteria": {"response_match_score": 0.0}}
```

## Use instead
A threshold between the lowest and the highest score; 1.0 for a gate.
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
        if threshold is None or math.isnan(threshold) or (metric and not metric.takes_threshold):
            continue
        guessed = metric is None and not criterion.ours
        lowest = metric.range[0] if metric and metric.range else 0.0
        if threshold <= lowest and (metric is not None or criterion.ours or _usual_range(config, criterion.name)):
            yield Report(config.document, criterion.threshold_path,
                         f"`{criterion.name}` scores at least {lowest:g}, so the threshold {threshold:g} can never be missed",
                         "raise the threshold; 1.0 for a gate",
                         level="warning" if guessed else None, confidence="low" if guessed else None)  # fmt: skip


def _usual_range(config: Config, name: str) -> bool:
    """A custom metric without a declared interval is taken to score 0 to 1, as ADK assumes."""
    return not config.custom.get(name, {}).get("metric_info")


RULE = Rule(
    "ASE301", "threshold-cannot-fail", "Threshold that cannot be missed", "error", "config", check, module=__name__
)
