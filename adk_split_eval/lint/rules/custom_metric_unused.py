"""Custom metric that never runs.

## What it does
Reports an entry of `custom_metrics` that `criteria` does not name.

## Why is this bad?
Only what stands in `criteria` runs; the declared metric is ignored without a word.

## Example
```json
{"criteria": {}, "custom_metrics": {"polite": {"code_config": {"name": "agent.metrics.polite"}}}}
```

## Use instead
Name it in `criteria` with its threshold as well.
"""

from collections.abc import Iterator

from adk_split_eval.lint.config_view import Config
from adk_split_eval.lint.rule import Report, Rule
from adk_split_eval.lint.rules._common import quoted


def check(config: Config) -> Iterator[Report]:
    if config.document is None:
        return
    used = {c.name for c in config.criteria}
    for name in config.custom:
        if name not in used:
            yield Report(config.document, ("custom_metrics", name), f"`{quoted(name)}` is declared but not in criteria: it never runs",
                         "add it to criteria with its threshold, or remove it", key=True)  # fmt: skip


RULE = Rule(
    "ASE204", "custom-metric-unused", "Custom metric that never runs", "error", "config", check, module=__name__
)
