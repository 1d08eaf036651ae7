"""File of another tool.

## What it does
Recognises datasets and results that are no ADK eval files, files in a schema of somebody's own under an eval set's name, and
named files of no known shape.

## Why is this bad?
Nothing in them is judged by `adk eval`.

## Example
`{"eval_cases": [{"eval_case_id": "a", "prompt": "Hi"}]}`

## Use instead
The tool it belongs to, or a conversion.
"""

from collections.abc import Iterator

from adk_split_eval.lint.documents import Document
from adk_split_eval.lint.rule import Report, Rule


def check(document: Document) -> Iterator[Report]:
    if document.kind == "foreign":
        yield Report(
            document,
            (),
            "this is a dataset of another tool (`eval_case_id` and `prompt`, as Vertex AI's evaluation uses), not an ADK eval set",
            "convert it, or exclude it from linting",
        )
    elif document.kind == "invented":
        yield Report(
            document,
            (),
            "this file has none of an eval set's keys (`eval_set_id`, `eval_cases`): ADK does not load it",
            "write it as an ADK eval set, or under another name",
        )
    elif document.kind == "results" and document.named:
        yield Report(
            document, (), "this is an evaluation result, not an eval set", "lint the set it came from", level="info"
        )
    elif document.kind == "unknown" and document.named and document.data is not None:
        yield Report(
            document,
            (),
            "this is no eval set, config, scenario file or session input that ADK knows",
            "name the file you mean",
        )


RULE = Rule("ASE606", "foreign-dataset", "File of another tool", "error", "document", check, module=__name__)
