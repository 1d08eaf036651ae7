"""Reference that is an instruction.

## What it does
Reports a reference answer that describes what the response should be instead of being one.

## Why is this bad?
ROUGE compares words with words: an instruction shares hardly any with a good answer, so the criterion measures nothing.

## Example
`"The response should politely decline."`

## Use instead
The answer itself, or a rubric.
"""

import re
from collections.abc import Iterator

from adk_split_eval.lint.patterns import lazy
from adk_split_eval.lint.plan_view import PlanView
from adk_split_eval.lint.rule import Report, Rule
from adk_split_eval.lint.rules._common import quoted, turn_path
from adk_split_eval.lint.views import EvalSet, case_id, content_text

_INSTRUCTION = lazy(
    r"\s*(the|your|an?|this)?\s*(agent|assistant|model|bot|response|answer|reply|output|system|chatbot)('s)?\s+(\w+\s+)?"
    r"(should|must|shall|needs? to|is expected to|has to|ought to)\b|\s*(should|must)\s+\w+|\s*(expected|response|answer)\s*:\s*(a|an|the)\b",
    re.I,
)  # fmt: skip


def _instructs(text: str) -> bool:
    return bool(_INSTRUCTION.match(text[:300])) and not text.rstrip().endswith("?")  # "Should I book it?" is an answer


def check(eval_set: EvalSet) -> Iterator[Report]:
    wrong = {text for text in eval_set.survey.references if _instructs(text)}
    if not wrong:
        return
    for index, case, turns in eval_set.fixed_cases():
        for number, turn in enumerate(turns):
            text = content_text(turn.get("final_response"))
            if text in wrong:
                yield Report(eval_set.document, turn_path(index, number, "final_response"),
                             f"the reference “{quoted(text)}” is an instruction, not an answer: word overlap with it means nothing",
                             "write the answer itself, or turn it into a rubric", key=True, case_id=case_id(case))  # fmt: skip


def check_plan(plan: PlanView) -> Iterator[Report]:
    for document, path, text, case in plan.references():
        if _instructs(text):
            yield Report(document, path, f"the reference “{quoted(text)}” is an instruction, not an answer: word overlap with it means nothing",
                         "write the answer itself, or use `response: {contains: …}`", case_id=case)  # fmt: skip


RULE = Rule(
    "ASE307",
    "instruction-as-reference",
    "Reference that is an instruction",
    "warning",
    "set",
    check,
    plan_check=check_plan,
    confidence="medium",
    module=__name__,
)
