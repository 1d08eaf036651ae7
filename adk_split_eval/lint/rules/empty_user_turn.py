"""User turn without text.

## What it does
Reports a turn of a fixed case whose `user_content` holds no text and nothing else.

## Why is this bad?
ADK sends the empty message and judges whatever comes back: the turn tests nothing.

## Example
```json
{"user_content": {"parts": [{"text": ""}]}}
```

## Use instead
What the user says, verbatim.
"""

from collections.abc import Iterator

from adk_split_eval.lint.rule import Report, Rule
from adk_split_eval.lint.rules._common import turn_path
from adk_split_eval.lint.shapes import as_object, objects
from adk_split_eval.lint.views import EvalSet, case_id, content_text


def check(eval_set: EvalSet) -> Iterator[Report]:
    if not eval_set.survey.empty_users:
        return
    for index, case, turns in eval_set.fixed_cases():
        for number, turn in enumerate(turns):
            user = turn.get("user_content")
            other = any(part.keys() - {"text"} for _, part in objects(as_object(user).get("parts")))
            if isinstance(user, dict) and not content_text(user).strip() and not other:
                yield Report(
                    eval_set.document,
                    turn_path(index, number, "user_content"),
                    "the user says nothing in this turn",
                    "write the user's words",
                    key=True,
                    case_id=case_id(case),
                )


RULE = Rule("ASE317", "empty-user-turn", "User turn without text", "error", "set", check, module=__name__)
