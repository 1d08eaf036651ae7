"""Key twice in one object.

## What it does
Reports a key that stands twice in a JSON object.

## Why is this bad?
Readers differ in which one they keep; a criterion or an expectation is lost without a word.

## Example
`{"criteria": {"a": 1.0, "a": 0.5}}`

## Use instead
Each key once.
"""

from collections.abc import Iterator

from adk_split_eval.lint.documents import Document
from adk_split_eval.lint.rule import Report, Rule
from adk_split_eval.lint.rules._common import quoted


def check(document: Document) -> Iterator[Report]:
    if document.duplicate_keys:
        for name, span in document.locator.duplicates()[:50]:
            yield Report(
                document,
                (),
                f"`{quoted(name)}` stands twice in one object; only the last one counts",
                "keep one of them",
                span=span,
            )


RULE = Rule("ASE631", "duplicate-key", "Key twice in one object", "error", "document", check, module=__name__)
