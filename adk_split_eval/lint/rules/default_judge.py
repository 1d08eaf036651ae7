"""Judge taken by default.

## What it does
Reports a model-judged criterion that names no judge; without credentials in sight it is an error.

## Why is this bad?
ADK's default judge is used without saying so, and changes with ADK; without an API key it cannot answer, and the criterion
stays NOT_EVALUATED.

## Example
```json
{"criteria": {"final_response_match_v2": 0.8}}
```

## Use instead
```json
{"criteria": {"final_response_match_v2": {"threshold": 0.8, "judge_model_options": {"judge_model": "gemini-2.5-flash", "num_samples": 3}}}}
```
"""

from collections.abc import Iterator

from adk_split_eval.lint.pairing import Pair
from adk_split_eval.lint.rule import Report, Rule
from adk_split_eval.lint.rules._judges import DEFAULT_JUDGE, JUDGED_CRITERIA


def check(pair: Pair) -> Iterator[Report]:
    if pair.config.document is None:
        return
    for criterion in pair.config.criteria:
        if (
            criterion.metric is None
            or criterion.metric.criterion not in JUDGED_CRITERIA
            or "judge_model" in criterion.judge_options
        ):
            continue
        tail = (
            ""
            if pair.has_credentials
            else "; no credentials are in sight, so it cannot answer and the criterion stays NOT_EVALUATED"
        )
        yield Report(pair.config.document, criterion.path, f"`{criterion.name}` names no judge: ADK takes {DEFAULT_JUDGE}{tail}",
                     "name it under judge_model_options.judge_model", key=True, level="warning" if pair.has_credentials else None)  # fmt: skip


RULE = Rule(
    "ASE401",
    "default-judge",
    "Judge taken by default",
    "error",
    "pair",
    check,
    confidence="medium",
    rejects=False,
    module=__name__,
)
