"""Even number of judge samples.

## What it does
Reports an even `num_samples`.

## Why is this bad?
Votes are counted by majority; with an even number there are ties, which ADK settles one way without saying so.

## Example
`"num_samples": 2`

## Use instead
3 or 5.
"""

from collections.abc import Iterator

from adk_split_eval.lint.config_view import Config
from adk_split_eval.lint.rule import Report, Rule
from adk_split_eval.lint.rules._judges import JUDGED_CRITERIA


def check(config: Config) -> Iterator[Report]:
    if config.document is None:
        return
    for criterion in config.criteria:
        count = criterion.judge_options.get("num_samples")
        if (
            criterion.metric
            and criterion.metric.criterion in JUDGED_CRITERIA
            and isinstance(count, int)
            and count > 0
            and count % 2 == 0
        ):
            yield Report(
                config.document,
                (*criterion.path, "judge_model_options", "num_samples"),
                f"{count} samples can tie",
                "use an odd number",
            )


RULE = Rule("ASE403", "even-samples", "Even number of judge samples", "warning", "config", check, module=__name__)
