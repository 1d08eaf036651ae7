"""Custom metric under a built-in's name.

## What it does
Reports a custom metric declared under the name of a built-in one.

## Why is this bad?
It replaces the built-in metric silently: the report shows the familiar name, and something else was judged.

## Example
```json
{"criteria": {"safety_v1": 1.0}, "custom_metrics": {"safety_v1": {"code_config": {"name": "agent.metrics.ok"}}}}
```

## Use instead
A name of its own.
"""

from collections.abc import Iterator

from adk_split_eval.criteria.knowledge import metrics_anywhere
from adk_split_eval.lint.config_view import Config
from adk_split_eval.lint.rule import Report, Rule


def check(config: Config) -> Iterator[Report]:
    if config.document is None:
        return
    for name in config.custom:
        if name in metrics_anywhere():
            yield Report(config.document, ("custom_metrics", name), f"`{name}` is a built-in metric; this declaration replaces it silently",
                         "give the custom metric a name of its own", key=True)  # fmt: skip


RULE = Rule(
    "ASE228",
    "custom-shadows-builtin",
    "Custom metric under a built-in's name",
    "error",
    "config",
    check,
    module=__name__,
)
