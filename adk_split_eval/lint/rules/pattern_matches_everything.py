"""Pattern that is found in every text.

## What it does
Reports `says` and `matches` of a plan, and patterns of text that needs no source (`ignore` of `grounded_numbers`), that
are found in any text at all, such as `.*` or `a?`.

## Why is this bad?
The expectation cannot fail, and an `ignore` of this kind exempts every number.

## Example
```yaml
goal_evidence: [{says: ".*"}]
```

## Use instead
A pattern of what must be said: `says: "ticket \\\\d+"`.
"""

import re
from collections.abc import Iterator
from typing import Any

from adk_split_eval.lint.documents import Document
from adk_split_eval.lint.json_source import Path
from adk_split_eval.lint.plan_view import PlanView, plan_case_id
from adk_split_eval.lint.project import Project
from adk_split_eval.lint.rule import Report, Rule
from adk_split_eval.lint.rules._common import quoted
from adk_split_eval.lint.shapes import Json, as_list, as_object, objects

_PROBES = ("", "\x00", "zq 7~", "\n")
"""Texts that have nothing in common: a pattern found in all of them asks for nothing."""

Place = tuple[Document, Path, Any, str | None]


def check(project: Project) -> Iterator[Report]:
    """Eval sets hold no patterns."""
    return iter(())


def check_plan(plan: PlanView) -> Iterator[Report]:
    for document, path, pattern, case in _patterns(plan):
        if isinstance(pattern, str) and pattern.strip() and _finds_everything(pattern):
            yield Report(
                document,
                path,
                f"the pattern `{quoted(pattern)}` is found in every text: it asks for nothing",
                "write what must be found, or remove the entry",
                case_id=case,
            )


def _patterns(plan: PlanView) -> Iterator[Place]:
    for section in ("fixed_set", "sim_set"):
        path: Path = (section, "criteria", "grounded_numbers_v1")
        yield from _ignored(plan.document, path, as_object(plan.criteria(section).get(path[-1])), None)
    for document, path, case in plan.cases():
        name = plan_case_id(case)
        for number, turn in objects(case.get("turns")):
            place = (*path, "turns", number, "response", "matches")
            yield document, place, as_object(turn.get("response")).get("matches"), name
        for index, piece in objects(case.get("goal_evidence")):
            yield document, (*path, "goal_evidence", index, "says"), piece.get("says"), name
        yield from _ignored(document, (*path, "grounded_numbers"), as_object(case.get("grounded_numbers")), name)


def _ignored(document: Document, path: Path, options: Json, case: str | None) -> Iterator[Place]:
    for index, pattern in enumerate(as_list(options.get("ignore"))):
        yield document, (*path, "ignore", index), pattern, case


def _finds_everything(pattern: str) -> bool:
    try:
        return all(re.search(pattern, probe) for probe in _PROBES)
    except (re.error, RecursionError, OverflowError):
        return False


RULE = Rule(
    "ASE320",
    "pattern-matches-everything",
    "Pattern that is found in every text",
    "warning",
    "project",
    check,
    plan_check=check_plan,
    module=__name__,
)
