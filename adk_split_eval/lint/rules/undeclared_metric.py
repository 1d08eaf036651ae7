"""Criterion that is neither built in nor declared.

## What it does
Reports a criterion whose name resembles no built-in metric, which `custom_metrics` does not declare and for which no code in
an agent folder or a `conftest.py` registers an evaluator.

## Why is this bad?
ADK cannot find it and leaves it NOT_EVALUATED; beside any criterion that passes, the case is green.

## Example
```json
{"criteria": {"polite": 1.0}}
```

## Use instead
```json
{"criteria": {"polite": 1.0}, "custom_metrics": {"polite": {"code_config": {"name": "agent.metrics.polite"}}}}
```
"""

from collections.abc import Iterator

from adk_split_eval.lint.config_view import Config
from adk_split_eval.lint.rule import Report, Rule
from adk_split_eval.lint.rules._common import quoted
from adk_split_eval.lint.rules.unknown_metric import is_unknown, nearest


def check(config: Config) -> Iterator[Report]:
    if config.document is None:
        return
    for criterion in config.criteria:
        if is_unknown(config, criterion) and not nearest(config, criterion.name):
            yield Report(config.document, criterion.path, f"`{quoted(criterion.name)}` is neither a built-in metric nor declared under custom_metrics: NOT_EVALUATED",
                         "declare it under custom_metrics with its code_config, or remove it", key=True)  # fmt: skip


RULE = Rule(
    "ASE227",
    "undeclared-metric",
    "Criterion that is neither built in nor declared",
    "error",
    "config",
    check,
    rejects=False,
    module=__name__,
)
