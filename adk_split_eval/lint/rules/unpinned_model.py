"""Model alias that moves.

## What it does
Reports judges and simulators named by an alias such as `…-latest`.

## Why is this bad?
The alias points to another model one day, and every judged result changes without a change in the project.

## Example
`"judge_model": "gemini-flash-latest"`

## Use instead
A dated or numbered version.
"""

import re
from collections.abc import Iterator

from adk_split_eval.lint.config_view import Config
from adk_split_eval.lint.patterns import lazy
from adk_split_eval.lint.plan_view import PlanView
from adk_split_eval.lint.rule import Report, Rule
from adk_split_eval.lint.rules._common import quoted
from adk_split_eval.lint.rules._judges import models
from adk_split_eval.lint.shapes import as_object

MOVING = lazy(r"(^|[-_/:@.])(latest|preview|exp|experimental|default)$", re.I)


def check(config: Config) -> Iterator[Report]:
    if config.document is None:
        return
    for path, name, whose in models(config):
        if MOVING.search(name):
            yield Report(
                config.document, path, f"the {whose} is `{quoted(name)}`, an alias that moves", "name a pinned version"
            )


def check_plan(plan: PlanView) -> Iterator[Report]:
    for role, name in as_object(plan.data.get("models")).items():
        if isinstance(name, str) and MOVING.search(name):
            yield Report(
                plan.document,
                ("models", role),
                f"the {role} is `{quoted(name)}`, an alias that moves",
                "name a pinned version",
            )


RULE = Rule(
    "ASE415",
    "unpinned-model",
    "Model alias that moves",
    "warning",
    "config",
    check,
    plan_check=check_plan,
    module=__name__,
)
