"""Key that ADK drops silently.

## What it does
Reports an unknown key at every level where ADK ignores unknown keys: config, criterion, simulator config, eval set, eval
case, session input, persona.

## Why is this bad?
The setting has no effect and nothing says so: `match_typ` leaves the match type at EXACT, `max_turns` limits nothing.

## Example
```json
{"criteria": {"tool_trajectory_avg_score": {"threshold": 1.0, "match_typ": "IN_ORDER"}}}
```

## Use instead
```json
{"criteria": {"tool_trajectory_avg_score": {"threshold": 1.0, "match_type": "IN_ORDER"}}}
```

## Fix safety
Unsafe: the nearest name is a guess, and the setting starts to count.
"""

from collections.abc import Iterator

from adk_split_eval.lint.documents import Document
from adk_split_eval.lint.fixes import replace_key
from adk_split_eval.lint.project import Project
from adk_split_eval.lint.rule import Report, Rule
from adk_split_eval.lint.rules._common import quoted
from adk_split_eval.lint.rules._unknown import HINTS, dropped, is_comment


def check(project: Project) -> Iterator[Report]:
    for document, problem, case in dropped(project):
        if is_comment(problem.name):
            continue
        yield _report(document, problem.path, problem.name, problem.model, problem.expected, case)


def _report(
    document: Document, path: tuple[str | int, ...], name: str, model: str, near: str, case: str | None
) -> Report:
    hint = HINTS.get(name) or (f"did you mean `{near}`?" if near else f"remove it; {model} has no such field")
    fix = replace_key(document, path, near) if near and name not in HINTS else None
    return Report(
        document,
        path,
        f"ADK drops `{quoted(name)}` silently: {model} has no such field",
        hint,
        key=True,
        case_id=case,
        fix=fix,
    )


RULE = Rule(
    "ASE221", "unknown-key", "Key that ADK drops silently", "error", "project", check, fixable="unsafe", module=__name__
)
