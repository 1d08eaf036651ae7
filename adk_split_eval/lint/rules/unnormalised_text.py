"""Expected text in decomposed Unicode.

## What it does
Reports expected arguments and references whose characters are decomposed (NFD), so that they look equal to what an agent
writes and are not.

## Why is this bad?
"é" as one character and as "e" with a combining accent are different texts to ADK; the score is 0.0 without a hint.

## Example
`"Cafe\\u0301"`

## Use instead
The composed form (NFC).

## Fix safety
Unsafe: the agent may really produce the decomposed form.
"""

import unicodedata
from collections.abc import Iterator

from adk_split_eval.lint.fixes import replace_value
from adk_split_eval.lint.json_source import Path
from adk_split_eval.lint.plan_view import PlanView
from adk_split_eval.lint.rule import Report, Rule
from adk_split_eval.lint.rules._common import quoted, turn_path
from adk_split_eval.lint.views import EvalSet, case_id, content_text, expected_calls, walk_strings


def check(eval_set: EvalSet) -> Iterator[Report]:
    survey = eval_set.survey
    if eval_set.document.text.isascii() and "\\u" not in eval_set.document.text:
        return
    if all(unicodedata.is_normalized("NFC", t) for t in survey.arguments) and all(
        unicodedata.is_normalized("NFC", t) for t in survey.references
    ):
        return
    for index, case, turns in eval_set.fixed_cases():
        for number, turn in enumerate(turns):
            for path, call in expected_calls(turn) or ():
                for where, text in walk_strings(call.get("args"), (*turn_path(index, number), *path, "args")):
                    if not unicodedata.is_normalized("NFC", text):
                        yield _report(eval_set, where, text, case_id(case), True)
            if not unicodedata.is_normalized("NFC", content_text(turn.get("final_response"))):
                yield _report(
                    eval_set,
                    turn_path(index, number, "final_response"),
                    content_text(turn.get("final_response")),
                    case_id(case),
                    False,
                )


def _report(eval_set: EvalSet, path: Path, text: str, case: str | None, replace: bool) -> Report:
    fix = (
        replace_value(eval_set.document, path, unicodedata.normalize("NFC", text), "compose the characters")
        if replace
        else None
    )
    return Report(eval_set.document, path, f"“{quoted(text)}” is decomposed Unicode (NFD); the same text composed compares as different",
                  "write it composed (NFC)", case_id=case, fix=fix)  # fmt: skip


def check_plan(plan: PlanView) -> Iterator[Report]:
    arguments = [(d, p, v, c) for d, p, v, c in plan.expected_arguments() if isinstance(v, str)]
    for document, path, text, case in [*arguments, *plan.references()]:
        if not unicodedata.is_normalized("NFC", text):
            yield Report(
                document,
                path,
                f"“{quoted(text)}” is decomposed Unicode (NFD); the same text composed compares as different",
                "write it composed (NFC)",
                case_id=case,
            )


RULE = Rule(
    "ASE316",
    "unnormalised-text",
    "Expected text in decomposed Unicode",
    "warning",
    "set",
    check,
    plan_check=check_plan,
    fixable="unsafe",
    module=__name__,
)
