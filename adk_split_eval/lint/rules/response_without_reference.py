"""Response criterion over turns without a reference.

## What it does
Reports a fixed case governed by a criterion that compares final responses, with turns that have no `final_response`.

## Why is this bad?
`response_match_score` gives such a turn 0.0 whatever the agent says; `final_response_match_v2` shows the judge an empty
reference and takes its answer.

## Example
A turn with `user_content` only, under ADK's default criteria.

## Use instead
A reference on every turn, or a criterion that needs none; in a plan, `expect_response` on just the turns that have one.
"""

from collections.abc import Iterator

from adk_split_eval.lint.config_view import CriterionView
from adk_split_eval.lint.pairing import Pair
from adk_split_eval.lint.rule import Report, Rule
from adk_split_eval.lint.rules._common import criterion_place, governed_by, turn_path
from adk_split_eval.lint.views import case_id, content_text

_NAMES = ("response_match_score", "final_response_match_v2")


def check(pair: Pair) -> Iterator[Report]:
    if not pair.set.survey.turns_without_reference:
        return
    criteria = [c for c in pair.config.criteria if c.name in _NAMES and c.metric is not None]
    for index, case, turns in pair.set.fixed_cases():
        bare = [n for n, turn in enumerate(turns) if not content_text(turn.get("final_response")).strip()]
        for criterion in criteria if bare else []:
            hopeless = _hopeless(criterion, len(turns), len(bare))
            yield Report(pair.set.document, turn_path(index, bare[0]),
                         f"{len(bare)} of {len(turns)} turns have no final_response for `{criterion.name}` to compare with"
                         + (": " + hopeless if hopeless else "") + f" ({governed_by(pair)})",
                         "write the reference, or choose a criterion that needs none", case_id=case_id(case),
                         level=None if hopeless else "warning", related=criterion_place(pair, criterion),
                         confidence="high" if pair.sure else "medium")  # fmt: skip


def _hopeless(criterion: CriterionView, turns: int, bare: int) -> str:
    if criterion.name == "final_response_match_v2":
        return "the judge is shown an empty text there"
    best = (turns - bare) / turns
    threshold = criterion.threshold
    if threshold is not None and best < threshold:
        return f"it scores at most {best:.2g} and can never reach {threshold:g}"
    return ""


RULE = Rule(
    "ASE306",
    "response-without-reference",
    "Response criterion over turns without a reference",
    "error",
    "pair",
    check,
    rejects=False,
    module=__name__,
)
