"""Single judge sample.

## What it does
Reports `num_samples` 1.

## Why is this bad?
A judge answers differently from time to time; one vote makes its mood the verdict.

## Example
`"num_samples": 1`

## Use instead
3 or 5.
"""

from collections.abc import Iterator

from adk_split_eval.lint.config_view import Config
from adk_split_eval.lint.rule import Report, Rule
from adk_split_eval.lint.rules._common import quoted
from adk_split_eval.lint.rules._judges import JUDGED_CRITERIA


def check(config: Config) -> Iterator[Report]:
    if config.document is None:
        return
    for criterion in config.criteria:
        if (
            criterion.metric
            and criterion.metric.criterion in JUDGED_CRITERIA
            and criterion.judge_options.get("num_samples") == 1
        ):
            yield Report(
                config.document,
                (*criterion.path, "judge_model_options", "num_samples"),
                f"one sample decides about {quoted(criterion.name)}; a judge varies",
                "use 3 or 5",
            )


RULE = Rule(
    "ASE404", "single-sample", "Single judge sample", "warning", "config", check, in_plans=True, module=__name__
)
