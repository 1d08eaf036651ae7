"""Set or case with nothing in it.

## What it does
Reports a set without cases, and a fixed case without turns.

## Why is this bad?
Beside a full set an empty one vanishes from the report; a case without turns leaves every criterion NOT_EVALUATED.

## Example
```json
{"eval_set_id": "desk", "eval_cases": []}
```

## Use instead
Cases, or no file.
"""

from collections.abc import Iterator

from adk_split_eval.lint.rule import Report, Rule
from adk_split_eval.lint.rules._common import case_path
from adk_split_eval.lint.views import EvalSet, case_id


def check(eval_set: EvalSet) -> Iterator[Report]:
    if eval_set.data.get("eval_cases") == []:
        yield Report(
            eval_set.document,
            ("eval_cases",),
            "the set holds no case: it vanishes from the report",
            "add cases, or remove the file",
            key=True,
        )
    if eval_set.survey.empty_conversations:
        for index, case, _ in eval_set.fixed_cases():
            if case.get("conversation") == []:
                yield Report(
                    eval_set.document,
                    case_path(index, "conversation"),
                    "the conversation has no turn: nothing is judged",
                    "write the user's turns",
                    key=True,
                    case_id=case_id(case),
                )


RULE = Rule("ASE319", "nothing-to-run", "Set or case with nothing in it", "error", "set", check, module=__name__)
