"""Old list format.

## What it does
Recognises the formats from before eval sets were objects.

## Why is this bad?
`[{"name", "data"}]` is still converted on every load, and takes the file's path as its id; `[{"query", "reference"}]` is not
read at all by `adk eval`: it fails with a KeyError.

## Example
`[{"name": "a", "data": [{"query": "Hi", "reference": "Hello"}]}]`

## Use instead
What `load_eval_set_from_file` makes of the first, or `AgentEvaluator.migrate_eval_data_to_new_schema` of the second.
"""

from collections.abc import Iterator

from adk_split_eval.criteria.old_formats import FLAT, NAMED
from adk_split_eval.lint.documents import Document
from adk_split_eval.lint.rule import Report, Rule


def check(document: Document) -> Iterator[Report]:
    if document.kind == "old":
        yield Report(document, (), NAMED.message, NAMED.mend, level="warning")
    elif document.kind == "flat_old":
        yield Report(document, (), FLAT.message, FLAT.mend)


RULE = Rule("ASE603", "old-format", "Old list format", "error", "document", check, module=__name__)
