"""Misspelt criterion name.

## What it does
Reports a criterion whose name is no metric of any known ADK version, when a known name is close.

## Why is this bad?
ADK looks the name up only when it judges, logs an error and leaves it NOT_EVALUATED; beside any criterion that passes, the
case is green.

## Example
```json
{"criteria": {"tool_trajectory_score": 1.0}}
```

## Use instead
```json
{"criteria": {"tool_trajectory_avg_score": 1.0}}
```

## Fix safety
Unsafe: the nearest name is a guess about what was meant.
"""

from collections.abc import Iterator

from adk_split_eval.criteria.knowledge import metrics_anywhere
from adk_split_eval.lint.config_view import Config, CriterionView
from adk_split_eval.lint.fixes import replace_key
from adk_split_eval.lint.rule import Report, Rule
from adk_split_eval.lint.rules._common import quoted
from adk_split_eval.lint.schema import nearest_name


def is_unknown(config: Config, criterion: CriterionView) -> bool:
    """Whether nothing is known of the name: no ADK version, no declaration, no code that registers an evaluator for it."""
    if criterion.metric is not None or criterion.function is not None or criterion.name in metrics_anywhere():
        return False
    from adk_split_eval.lint.functions import registers_metric

    return config.document is None or not registers_metric(config.document.folder, criterion.name)


def nearest(config: Config, name: str) -> str:
    return nearest_name(name, [*metrics_anywhere(), *config.custom])


def check(config: Config) -> Iterator[Report]:
    if config.document is None:
        return
    for criterion in config.criteria:
        if not is_unknown(config, criterion):
            continue
        near = nearest(config, criterion.name)
        if near:
            yield Report(config.document, criterion.path, f"there is no metric `{quoted(criterion.name)}`; ADK leaves it NOT_EVALUATED",
                         f"did you mean `{near}`?", key=True, fix=replace_key(config.document, criterion.path, near))  # fmt: skip


RULE = Rule(
    "ASE201",
    "unknown-metric",
    "Misspelt criterion name",
    "error",
    "config",
    check,
    fixable="unsafe",
    rejects=False,
    module=__name__,
)
