"""Old list format.

## What it does
Recognises the formats from before eval sets were objects.

## Why is this bad?
`[{"name", "data"}]` is still converted on every load, and takes the file's path as its id; `[{"query", "reference"}]` is not
read at all: ADK fails with a KeyError.

## Example
`[{"name": "a", "data": [{"query": "Hi", "reference": "Hello"}]}]`

## Use instead
`AgentEvaluator.migrate_eval_data_to_new_schema(old, new)`, or `import` of this package.
"""

from collections.abc import Iterator

from adk_split_eval.lint.documents import Document
from adk_split_eval.lint.rule import Report, Rule


def check(document: Document) -> Iterator[Report]:
    if document.kind == "old":
        yield Report(document, (), "this is the old list format; ADK converts it on every load and takes the file's path as its id",
                     "migrate it: AgentEvaluator.migrate_eval_data_to_new_schema, or `adk-split-eval import`", level="warning")  # fmt: skip
    elif document.kind == "flat_old":
        yield Report(document, (), "this is the oldest list format ([{query, reference}]); ADK does not read it any more (KeyError: 'data')",
                     "migrate it: AgentEvaluator.migrate_eval_data_to_new_schema, or `adk-split-eval import`")  # fmt: skip


RULE = Rule("ASE603", "old-format", "Old list format", "error", "document", check, module=__name__)
