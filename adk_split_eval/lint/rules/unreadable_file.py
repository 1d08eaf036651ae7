"""File that cannot be opened.

## What it does
Reports a named path that does not exist or cannot be read.

## Why is this bad?
What is not read is not checked; the command exits with 2.

## Example
`lint typo.evalset.json`

## Use instead
The right path.
"""

from collections.abc import Iterator

from adk_split_eval.lint.documents import Document
from adk_split_eval.lint.rule import Report, Rule


def check(document: Document) -> Iterator[Report]:
    if document.unreadable:
        yield Report(document, (), f"cannot be read: {document.unreadable}", "check the path")


RULE = Rule("ASE634", "unreadable-file", "File that cannot be opened", "error", "document", check, module=__name__)
