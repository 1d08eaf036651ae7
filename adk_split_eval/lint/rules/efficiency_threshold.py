"""Threshold on an informational metric.

## What it does
Reports a criterion for a metric that only reports a number.

## Why is this bad?
These metrics are always reported and accept no threshold; naming one raises, and it becomes NOT_EVALUATED.

## Example
```json
{"criteria": {"token_usage_v1": 1000}}
```

## Use instead
Nothing: leave it out of `criteria`; a custom metric can bound it.

## Fix safety
Safe: removing the entry brings the informational report back and changes no verdict.
"""

from collections.abc import Iterator

from adk_split_eval.lint.config_view import Config
from adk_split_eval.lint.fixes import remove_entry
from adk_split_eval.lint.rule import Report, Rule


def check(config: Config) -> Iterator[Report]:
    if config.document is None:
        return
    for criterion in config.criteria:
        if criterion.metric and not criterion.metric.takes_threshold:
            yield Report(config.document, criterion.path, f"`{criterion.name}` only reports a number and takes no threshold: named here it stays NOT_EVALUATED",
                         "remove it; it is reported on every run anyway", key=True, fix=remove_entry(config.document, criterion.path))  # fmt: skip


RULE = Rule(
    "ASE211",
    "efficiency-threshold",
    "Threshold on an informational metric",
    "error",
    "config",
    check,
    since="2.10",
    fixable="safe",
    module=__name__,
)
