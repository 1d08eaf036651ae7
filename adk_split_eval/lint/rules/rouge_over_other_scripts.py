"""Word overlap over a script this ADK cannot split.

## What it does
Reports a reference in a non-Latin script under `response_match_score` of an ADK version whose tokenizer knows ASCII only.

## Why is this bad?
Such a text has no words for it: the score is 0.0 even when answer and reference are equal.

## Example
`"予約しました"` under ADK 2.0.

## Use instead
ADK 2.7 or newer, or another criterion.
"""

from collections.abc import Iterator

from adk_split_eval.lint.pairing import Pair
from adk_split_eval.lint.patterns import lazy
from adk_split_eval.lint.rule import Report, Rule
from adk_split_eval.lint.rules._common import criterion_place, turn_path
from adk_split_eval.lint.views import case_id, content_text

_ASCII_WORD = lazy(r"[a-zA-Z0-9]")


def check(pair: Pair) -> Iterator[Report]:
    if pair.knowledge.feature("unicode_rouge"):
        return
    criterion = next((c for c in pair.config.criteria if c.name == "response_match_score" and c.metric), None)
    if criterion is None or not any(not _ASCII_WORD.search(t) for t in pair.set.survey.references):
        return
    for index, case, turns in pair.set.fixed_cases():
        for number, turn in enumerate(turns):
            text = content_text(turn.get("final_response"))
            if text and not _ASCII_WORD.search(text):
                yield Report(pair.set.document, turn_path(index, number, "final_response"),
                             f"ADK {pair.knowledge.version} finds no word in this reference: `response_match_score` is 0.0 whatever the agent says",
                             "use ADK 2.7 or newer, or another criterion", key=True, case_id=case_id(case), related=criterion_place(pair, criterion))  # fmt: skip


RULE = Rule(
    "ASE314",
    "rouge-over-other-scripts",
    "Word overlap over a script this ADK cannot split",
    "error",
    "pair",
    check,
    until="2.6",
    module=__name__,
)
