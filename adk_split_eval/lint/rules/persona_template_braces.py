"""Template braces in a persona.

## What it does
Reports `{{` or `{%` in a persona's texts.

## Why is this bad?
ADK puts them into a Jinja template; such braces crash the case.

## Example
`"behavior_instructions": ["Ask for {{ item }}"]`

## Use instead
The words themselves.
"""

from collections.abc import Iterator

from adk_split_eval.lint.rule import Report, Rule
from adk_split_eval.lint.rules._personas import behaviours
from adk_split_eval.lint.views import EvalSet, walk_strings


def check(eval_set: EvalSet) -> Iterator[Report]:
    if "{{" not in eval_set.document.text and "{%" not in eval_set.document.text:
        return
    for path, behaviour, case in behaviours(eval_set):
        for where, text in walk_strings(behaviour, path):
            if "{{" in text or "{%" in text:
                yield Report(
                    eval_set.document,
                    where,
                    "template braces in a persona crash the case",
                    "write the words without braces",
                    case_id=case,
                )


RULE = Rule("ASE412", "persona-template-braces", "Template braces in a persona", "error", "set", check, module=__name__)
