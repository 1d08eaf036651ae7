"""Metric this ADK version does not have.

## What it does
Reports a criterion that another ADK version has, but not the one in use.

## Why is this bad?
The name is right and yet nothing judges it: NOT_EVALUATED, green beside any criterion that passes.

## Example
`rubric_based_multi_turn_trajectory_quality_v1` under ADK 2.0.

## Use instead
The ADK version that has it, or another criterion.
"""

from collections.abc import Iterator

from adk_split_eval.criteria.knowledge import metrics_anywhere
from adk_split_eval.lint.project import Project
from adk_split_eval.lint.rule import Report, Rule


def check(project: Project) -> Iterator[Report]:
    seen: set[int] = set()
    for config in [*project.configs, *(p.config for p in project.pairs)]:
        if config.document is None or id(config) in seen:
            continue
        seen.add(id(config))
        for criterion in config.criteria:
            where = metrics_anywhere().get(criterion.name)
            if where and criterion.metric is None and criterion.function is None:
                yield Report(config.document, criterion.path,
                             f"ADK {project.adk_version} has no metric `{criterion.name}` (known in {where[0]} to {where[-1]}): NOT_EVALUATED",
                             "change the ADK version or the criterion", key=True)  # fmt: skip


RULE = Rule(
    "ASE202",
    "metric-of-other-version",
    "Metric this ADK version does not have",
    "error",
    "project",
    check,
    rejects=False,
    module=__name__,
)
