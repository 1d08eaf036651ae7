"""Partial arguments meant as a subset.

## What it does
Reports an expected call that gives fewer arguments than another expected call of the same tool in the set.

## Why is this bad?
ADK compares the whole argument object: a call with fewer keys does not match one with more, so the check fails for the wrong
reason as soon as the agent fills in the rest.

## Example
`{"name": "search", "args": {"q": "dune"}}` beside `{"name": "search", "args": {"q": "dune", "limit": 5}}`.

## Use instead
All arguments, or `tool_args_v1`, which compares only the keys given.
"""

from collections.abc import Iterator

from adk_split_eval.lint.pairing import Pair
from adk_split_eval.lint.rule import Report, Rule
from adk_split_eval.lint.rules._arguments import arguments, calls, comparing
from adk_split_eval.lint.rules._common import quoted

_MANY = 40
"""A tool expected with so many sets of arguments takes free ones; nothing follows from one being smaller."""


def check(pair: Pair) -> Iterator[Report]:
    if comparing(pair) is None:
        return
    keys = {
        name: {frozenset(s) for s in shapes}
        for name, shapes in pair.set.survey.shapes.items()
        if 1 < len(shapes) < _MANY
    }
    suspects = {
        name: {s for s in shapes if any(s < other for other in shapes)}
        for name, shapes in keys.items()
        if len(shapes) > 1
    }
    suspects = {name: shapes for name, shapes in suspects.items() if shapes}
    if not suspects:
        return
    for path, call, case_name in calls(pair):
        name = str(call.get("name"))
        shape = frozenset(arguments(call))
        if shape in suspects.get(name, ()):
            full = min((s for s in keys[name] if shape < s), key=len)
            yield Report(pair.set.document, path, f"`{quoted(name)}` is expected without {', '.join(f'`{quoted(k)}`' for k in sorted(full - shape)[:4])}, which other expected calls have; ADK compares all arguments",
                         "write all arguments, or compare only some with tool_args_v1", case_id=case_name)  # fmt: skip


RULE = Rule(
    "ASE310",
    "partial-arguments",
    "Partial arguments meant as a subset",
    "warning",
    "pair",
    check,
    confidence="low",
    module=__name__,
)
