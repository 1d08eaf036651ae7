"""File that is not UTF-8.

## What it does
Reports a file that cannot be decoded, with the encoding it probably has.

## Why is this bad?
ADK reads UTF-8 only.

## Example
A file saved as GB18030 or UTF-16.

## Use instead
UTF-8.
"""

from collections.abc import Iterator

from adk_split_eval.lint.documents import Document
from adk_split_eval.lint.rule import Report, Rule


def check(document: Document) -> Iterator[Report]:
    if document.encoding_error is not None and document.kind not in ("plan", "frozen"):
        offset, guess = document.encoding_error
        start = min(offset, max(len(document.text) - 1, 0))
        yield Report(
            document,
            (),
            f"byte {offset} is no UTF-8 text (it looks like {guess}): ADK cannot read the file",
            "save it as UTF-8",
            span=(start, start + 1),
        )


RULE = Rule("ASE633", "wrong-encoding", "File that is not UTF-8", "error", "document", check, module=__name__)
