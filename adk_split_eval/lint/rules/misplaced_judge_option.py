"""Judge option one level too high.

## What it does
Reports `judge_model`, `num_samples` and the like directly in a criterion.

## Why is this bad?
ADK reads them under `judge_model_options` only; here they are dropped, and the default judge answers with the default number
of samples.

## Example
```json
{"criteria": {"final_response_match_v2": {"threshold": 0.8, "num_samples": 3}}}
```

## Use instead
```json
{"criteria": {"final_response_match_v2": {"threshold": 0.8, "judge_model_options": {"num_samples": 3}}}}
```
"""

from collections.abc import Iterator

from adk_split_eval.lint.project import Project
from adk_split_eval.lint.rule import Report, Rule
from adk_split_eval.lint.rules._unknown import misplaced_options


def check(project: Project) -> Iterator[Report]:
    for config in project.configs:
        if config.document is not None:
            for path, name in misplaced_options(config, project):
                yield Report(config.document, path, f"`{path[-1]}` stands one level too high: `{name}` reads it under judge_model_options only, here ADK drops it",
                             "move it into judge_model_options", key=True)  # fmt: skip


RULE = Rule(
    "ASE223", "misplaced-judge-option", "Judge option one level too high", "error", "project", check, module=__name__
)
