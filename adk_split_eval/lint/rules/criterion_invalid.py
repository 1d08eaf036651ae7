"""Criterion that is refused only at run time.

## What it does
Checks each criterion against the model its metric validates it with: match type, judge options, number of samples, rubrics.

## Why is this bad?
The config loads, and the metric then refuses its criterion while judging: a log line, NOT_EVALUATED, green beside any
criterion that passes.

## Example
```json
{"criteria": {"tool_trajectory_avg_score": {"threshold": 1.0, "match_type": "SUPERSET"}}}
```

## Use instead
`EXACT`, `IN_ORDER` or `ANY_ORDER`.
"""

from collections.abc import Iterator

from adk_split_eval.lint.config_view import Config
from adk_split_eval.lint.rule import Report, Rule
from adk_split_eval.lint.rules._common import quoted


def check(config: Config) -> Iterator[Report]:
    if config.document is None:
        return
    for criterion in config.criteria:
        for problem in criterion.problems:
            if problem.what == "unknown" and problem.extra != "forbid":
                continue
            if problem.path == (*criterion.path, "threshold"):
                continue
            if problem.what == "unknown":
                message = f"{problem.model} accepts no `{quoted(problem.name)}`"
                mend = f"did you mean `{problem.expected}`?" if problem.expected else "remove it"
            elif problem.what == "missing":
                message, mend = f"{problem.model} needs `{problem.name}`", f"add `{problem.name}`"
            else:
                message, mend = (
                    f"`{quoted(problem.name)}` must be {problem.expected}, not {quoted(repr(problem.value), 40)}",
                    "correct the value",
                )
            yield Report(config.document, problem.path, f"`{criterion.name}` refuses its criterion when it runs, and stays NOT_EVALUATED: {message}",
                         mend, key=problem.what == "unknown")  # fmt: skip


RULE = Rule(
    "ASE226",
    "criterion-invalid",
    "Criterion that is refused only at run time",
    "error",
    "config",
    check,
    rejects=False,
    module=__name__,
)
