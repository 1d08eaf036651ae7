"""Literal that looks like a misspelt matcher.

## What it does
Reports an expected value of a plan that is a mapping of one key whose name is almost a matcher's: `regx`, `one-of`, `Any`.

## Why is this bad?
A mapping that is no matcher is compared literally: the call matches only if the agent really passes such a mapping.

## Example
```yaml
expect_tools: [{name: order_lookup, args: {order_id: {regx: "A\\\\d+"}}}]
```

## Use instead
The matcher's name (`regex`), or `{equals: {regx: ...}}` when the mapping itself is expected.
"""

from collections.abc import Iterator
from typing import Any

from adk_split_eval.lint.documents import Document
from adk_split_eval.lint.json_source import Path
from adk_split_eval.lint.plan_view import MATCHERS, PlanView, plan_case_id
from adk_split_eval.lint.project import Project
from adk_split_eval.lint.rule import Report, Rule
from adk_split_eval.lint.rules._common import quoted
from adk_split_eval.lint.shapes import as_list, as_object

_KEYS = ("expect_tools", "forbidden_tools", "order_rules", "goal_evidence", "expect_state", "turns")
_HOLDERS = frozenset({"args", "state", "expect_state"})
_OUTSIDE, _HOLDER, _INSIDE = range(3)
_OTHER_WORDS = {
    "re": "regex", "pattern": "regex", "regular_expression": "regex",
    "in": "one_of", "oneof": "one_of", "any_of": "one_of", "anyof": "one_of",
    "eq": "equals", "equal": "equals", "greater_than": "gt", "gte": "gt", "less_than": "lt", "lte": "lt",
    "approximately": "approx", "contain": "contains",
}  # fmt: skip
_LIMIT = 2000


def check(project: Project) -> Iterator[Report]:
    """ADK's sets know no matchers."""
    return iter(())


def check_plan(plan: PlanView) -> Iterator[Report]:
    for document, path, case in plan.cases():
        waiting: list[tuple[Path, Any, int]] = [((*path, key), case.get(key), _within(key, _OUTSIDE)) for key in _KEYS]
        for _ in range(_LIMIT):
            if not waiting:
                break
            here, item, depth = waiting.pop()
            mapping = as_object(item)
            if depth == _INSIDE and len(mapping) == 1:
                (key,) = mapping
                meant = _meant(key)
                if meant:
                    yield _report(document, (*here, key), key, meant, plan_case_id(case))
            if "equals" in mapping:
                continue
            waiting.extend(((*here, key), value, _within(key, depth)) for key, value in mapping.items())
            waiting.extend(((*here, index), value, depth) for index, value in enumerate(as_list(item)))


def _within(key: Any, depth: int) -> int:
    """Where a value stands: the names of arguments and of the state are nobody's misspelling, the values under them may be."""
    if depth != _OUTSIDE or key == "text":
        return _INSIDE
    return _HOLDER if key in _HOLDERS else _OUTSIDE


def _report(document: Document, path: Path, key: str, meant: str, case: str | None) -> Report:
    return Report(
        document,
        path,
        f"`{quoted(key)}` is no matcher: the mapping is compared literally",
        f"did you mean `{meant}`? For the mapping itself write {{equals: {{{quoted(key)}: ...}}}}",
        key=True,
        case_id=case,
    )


def _meant(key: Any) -> str:
    """The matcher that ``key`` is almost the name of; empty when it is one, or nothing like one."""
    if not isinstance(key, str) or key in MATCHERS or len(key) > 20:
        return ""
    plain = key.strip().lower().replace("-", "_").replace(" ", "_")
    if plain in MATCHERS:
        return plain
    if plain in _OTHER_WORDS:
        return _OTHER_WORDS[plain]
    if len(plain) < 4:
        return ""
    import difflib

    close = difflib.get_close_matches(plain, sorted(MATCHERS), 1, 0.8)
    return close[0] if close else ""


RULE = Rule(
    "ASE321",
    "near-matcher",
    "Literal that looks like a misspelt matcher",
    "warning",
    "project",
    check,
    plan_check=check_plan,
    confidence="medium",
    module=__name__,
)
