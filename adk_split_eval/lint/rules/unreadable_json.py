"""File that is no JSON.

## What it does
Says where a file stops being JSON and why: comment, trailing comma, single or typographic quotes, Python literals, a raw line
break in a string, truncation, several values, an empty file, nesting or numbers beyond reading.

## Why is this bad?
ADK aborts with a message about something else, or falls back to reading an old format.

## Example
`{"criteria": {"a": 1.0,}}`

## Use instead
`{"criteria": {"a": 1.0}}`

## Fix safety
Safe where one character is wrong (a trailing comma, a Python literal).
"""

from collections.abc import Iterator

from adk_split_eval.lint.documents import Document
from adk_split_eval.lint.rule import Report, Rule
from adk_split_eval.record.finding import Edit, Fix


def check(document: Document) -> Iterator[Report]:
    problem = document.problem
    if problem is None:
        return
    fix = Fix(problem.help, (Edit(document.path, *problem.edit),), True) if problem.edit else None
    yield Report(
        document, (), problem.message, problem.help, span=(problem.start, min(problem.end, len(document.text))), fix=fix
    )


RULE = Rule(
    "ASE601", "unreadable-json", "File that is no JSON", "error", "document", check, fixable="safe", module=__name__
)
