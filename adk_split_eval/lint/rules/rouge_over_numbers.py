"""Word overlap over numbers that matter.

## What it does
Reports references with amounts, dates or identifiers that only `response_match_score` below 1.0 compares.

## Why is this bad?
ROUGE counts words: at 0.8 an answer of ten words may have two wrong ones, and "$400" instead of "$40" is one.

## Example
`"Your refund of $40 arrives within 5 days."` under `{"response_match_score": 0.8}`.

## Use instead
`response_text_v1` with `contains`, or `grounded_numbers_v1`.
"""

from collections.abc import Iterator

from adk_split_eval.lint.pairing import Pair
from adk_split_eval.lint.patterns import lazy
from adk_split_eval.lint.plan_view import PlanView, plan_case_id, threshold_of
from adk_split_eval.lint.rule import Report, Rule
from adk_split_eval.lint.rules._common import criterion_place, turn_path
from adk_split_eval.lint.views import case_id, content_text

_NUMBER = lazy(r"[$€£¥]\s?\d|\d\s?[%€£¥元]|\d{3,}|\d+[.,]\d+|\b[A-Z]{1,4}-?\d{2,}\b")
_GUARDS = {"response_text_v1", "grounded_numbers_v1", "final_response_match_v2", "hallucinations_v1"}


def check(pair: Pair) -> Iterator[Report]:
    criteria = {c.name: c for c in pair.config.criteria}
    criterion = criteria.get("response_match_score")
    if criterion is None or criterion.metric is None or _GUARDS & criteria.keys() or (criterion.threshold or 0) >= 1.0:
        return
    if not any(_NUMBER.search(text) for text in pair.set.survey.references):
        return
    for index, case, turns in pair.set.fixed_cases():
        for number, turn in enumerate(turns):
            if _NUMBER.search(content_text(turn.get("final_response"))):
                yield Report(pair.set.document, turn_path(index, number, "final_response"),
                             f"`response_match_score` at {criterion.threshold or 0:g} lets a wrong number in this reference pass",
                             "check numbers with response_text_v1 or grounded_numbers_v1", key=True, case_id=case_id(case),
                             related=criterion_place(pair, criterion))  # fmt: skip
                break


def check_plan(plan: PlanView) -> Iterator[Report]:
    criterion = plan.criteria("fixed_set").get("response_match_score")
    threshold = threshold_of(criterion)
    if criterion is None or threshold is None or threshold >= 1.0:
        return
    guarded = {plan_case_id(c) for _, _, c in plan.fixed() if c.get("grounded_numbers")}
    for document, path, text, case in plan.references():
        if _NUMBER.search(text) and case not in guarded:
            yield Report(document, path, f"`response_match_score` at {threshold:g} lets a wrong number in this reference pass",
                         "add `response: {contains: […]}` or `grounded_numbers: true`", case_id=case)  # fmt: skip


RULE = Rule(
    "ASE308",
    "rouge-over-numbers",
    "Word overlap over numbers that matter",
    "warning",
    "pair",
    check,
    plan_check=check_plan,
    confidence="medium",
    rejects=False,
    module=__name__,
)
