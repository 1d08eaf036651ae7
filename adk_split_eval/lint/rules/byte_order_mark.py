"""Byte order mark.

## What it does
Reports a file that starts with U+FEFF.

## Why is this bad?
ADK reads it as a character and fails at the first column. Editors on Windows add it unasked.

## Example
A file saved as "UTF-8 with BOM".

## Use instead
Plain UTF-8.

## Fix safety
Safe: the mark carries no content.
"""

from collections.abc import Iterator

from adk_split_eval.lint.documents import Document
from adk_split_eval.lint.fixes import remove_bom
from adk_split_eval.lint.rule import Report, Rule


def check(document: Document) -> Iterator[Report]:
    if document.bom and document.kind not in ("plan", "frozen"):
        yield Report(
            document,
            (),
            "the file starts with a byte order mark: ADK cannot read it",
            "save it as plain UTF-8",
            span=(0, 1),
            fix=remove_bom(document),
        )


RULE = Rule("ASE632", "byte-order-mark", "Byte order mark", "error", "document", check, fixable="safe", module=__name__)
