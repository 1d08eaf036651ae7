"""Rubric that prescribes a tool at a step of a simulated conversation.

## What it does
Reports a rubric in a simulated set whose text demands a certain tool at a certain step.

## Why is this bad?
The simulated user improvises: the step at which a tool is due moves with the conversation. Such a rubric is an expected
trajectory in disguise, and a judge answers it by chance.

## Example
`The agent calls order_lookup in the first turn.`

## Use instead
An invariant (`forbidden_tools` with `until`), or the fixed set.
"""

import re
from collections.abc import Iterator

from adk_split_eval.lint.pairing import Pair
from adk_split_eval.lint.patterns import lazy
from adk_split_eval.lint.rule import Report, Rule
from adk_split_eval.lint.rules._common import case_path, case_rubrics, quoted, rubric_text
from adk_split_eval.lint.views import case_id

_STEP = lazy(
    r"\b(first|second|third|fourth|(turn|step)\s*#?\d+|\d(st|nd|rd|th)\s+(turn|step|call))\b|第[一二三四五0-9]+[轮步]",
    re.I,
)
_TOOL = lazy(r"\b(calls?|invokes?|uses?|runs?|executes?)\b.{0,40}?(\b[a-z]+_[a-z_]+\b|\btool\b)|调用", re.I | re.S)


def prescribes(text: str) -> bool:
    return len(text) < 4000 and bool(_STEP.search(text) and _TOOL.search(text))


def check(pair: Pair) -> Iterator[Report]:
    if not pair.set.survey.simulated:
        return
    message = "the rubric “{}” prescribes a tool at a step; an improvised conversation has no fixed steps"
    help_text = (
        "state it as an invariant (a tool that must not be called until another succeeded), or move it to the fixed set"
    )
    if pair.config.document is not None:
        for criterion in pair.config.criteria:
            for index, rubric in enumerate(criterion.rubrics):
                if prescribes(rubric_text(rubric)):
                    yield Report(pair.config.document, (*criterion.path, "rubrics", index, "rubric_content", "text_property"),
                                 message.format(quoted(rubric_text(rubric))), help_text)  # fmt: skip
    for index, case, position, rubric in case_rubrics(pair.set):
        if "conversation_scenario" in case and prescribes(rubric_text(rubric)):
            yield Report(pair.set.document, case_path(index, "rubrics", position, "rubric_content", "text_property"),
                         message.format(quoted(rubric_text(rubric))), help_text, case_id=case_id(case))  # fmt: skip


RULE = Rule(
    "ASE108",
    "prescriptive-rubric-on-simulated",
    "Rubric that prescribes a tool at a step of a simulated conversation",
    "warning",
    "pair",
    check,
    confidence="medium",
    in_plans=True,
    module=__name__,
)
