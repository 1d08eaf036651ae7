"""User message under another role.

## What it does
Reports `user_content` whose role is not `user`.

## Why is this bad?
ADK sends it as it is: the agent sees a message of the model, or of nobody, and answers something else.

## Example
```json
{"user_content": {"role": "model", "parts": [{"text": "Hi"}]}}
```

## Use instead
`"role": "user"`.

## Fix safety
Unsafe: the agent's behaviour may change.
"""

from collections.abc import Iterator

from adk_split_eval.lint.fixes import replace_value
from adk_split_eval.lint.rule import Report, Rule
from adk_split_eval.lint.rules._common import quoted, turn_path
from adk_split_eval.lint.shapes import as_object
from adk_split_eval.lint.views import EvalSet, case_id


def check(eval_set: EvalSet) -> Iterator[Report]:
    if not eval_set.survey.odd_roles:
        return
    for index, case, turns in eval_set.fixed_cases():
        for number, turn in enumerate(turns):
            role = as_object(turn.get("user_content")).get("role", "user")
            if role not in ("user", None):
                path = turn_path(index, number, "user_content", "role")
                yield Report(eval_set.document, path, f"the user's message has the role `{quoted(str(role))}`", 'write "user"', case_id=case_id(case),
                             fix=replace_value(eval_set.document, path, "user", "write user"))  # fmt: skip


RULE = Rule(
    "ASE318",
    "odd-user-role",
    "User message under another role",
    "error",
    "set",
    check,
    fixable="unsafe",
    module=__name__,
)
