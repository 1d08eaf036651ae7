"""Criterion that needs Google Cloud.

## What it does
Reports a criterion that asks Google Cloud's evaluation service when no credentials are in sight (environment variables, or a
`.env` at or above the set, or in an agent folder).

## Why is this bad?
Without a project the metric raises and stays NOT_EVALUATED: green beside any criterion that passes.

## Example
```json
{"criteria": {"safety_v1": 0.8}}
```

## Use instead
Set GOOGLE_CLOUD_PROJECT and GOOGLE_CLOUD_LOCATION where it runs, or use a criterion that needs no cloud.
"""

from collections.abc import Iterator

from adk_split_eval.lint.pairing import Pair
from adk_split_eval.lint.rule import Report, Rule


def check(pair: Pair) -> Iterator[Report]:
    if pair.config.document is None:
        return
    for criterion in pair.config.criteria:
        if criterion.metric and criterion.metric.google_cloud:
            yield Report(pair.config.document, criterion.path,
                         f"`{criterion.name}` asks Google Cloud" + ("" if pair.has_credentials else ", and no credentials are in sight: it stays NOT_EVALUATED"),
                         "set GOOGLE_CLOUD_PROJECT and GOOGLE_CLOUD_LOCATION where it runs, or choose another criterion", key=True,
                         level="info" if pair.has_credentials else None)  # fmt: skip


RULE = Rule(
    "ASE224",
    "needs-google-cloud",
    "Criterion that needs Google Cloud",
    "error",
    "pair",
    check,
    confidence="medium",
    rejects=False,
    in_plans=True,
    module=__name__,
)
