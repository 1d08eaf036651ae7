"""Rubric without a type.

## What it does
Reports a rubric on a case or turn that has no `type`.

## Why is this bad?
ADK's metrics keep only rubrics of exactly their own type; one without is dropped without a word, and what it asks is never
judged.

## Example
```json
{"rubrics": [{"rubric_id": "short", "rubric_content": {"text_property": "The reply is short."}}]}
```

## Use instead
`"type": "FINAL_RESPONSE_QUALITY"`, `"TOOL_USE_QUALITY"` or `"TRAJECTORY_QUALITY"`.

## Fix safety
Unsafe: with exactly one rubric metric configured, the type it reads is filled in, and the rubric starts to count.
"""

from collections.abc import Iterator

from adk_split_eval.lint.fixes import insert_first
from adk_split_eval.lint.pairing import Pair
from adk_split_eval.lint.rule import Report, Rule
from adk_split_eval.lint.rules._common import case_path, case_rubrics, quoted, rubric_types, turn_path, turn_rubrics
from adk_split_eval.lint.views import case_id


def check(pair: Pair) -> Iterator[Report]:
    types = [t for t in rubric_types(pair) if not t.startswith("ADK_SPLIT_EVAL.")]
    known = types[0] if len(types) == 1 else None
    places = [(case_path(i, "rubrics", n), c, r) for i, c, n, r in case_rubrics(pair.set)]
    places += [(turn_path(i, t, "rubrics", n), c, r) for i, c, t, n, r in turn_rubrics(pair.set)]
    for path, case, rubric in places:
        if rubric.get("type") in (None, ""):
            yield Report(pair.set.document, path, f"rubric `{quoted(str(rubric.get('rubric_id')))}` has no type, so no metric reads it",
                         f'add "type": "{known or "FINAL_RESPONSE_QUALITY"}"', case_id=case_id(case),
                         fix=insert_first(pair.set.document, path, "type", known) if known and "type" not in rubric else None)  # fmt: skip


RULE = Rule(
    "ASE213", "rubric-untyped", "Rubric without a type", "error", "pair", check, fixable="unsafe", module=__name__
)
