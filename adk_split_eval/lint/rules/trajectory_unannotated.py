"""Trajectory criterion over turns without expected calls.

## What it does
Reports a fixed case governed by `tool_trajectory_avg_score` (EXACT) with turns that have no `intermediate_data`.

## Why is this bad?
ADK cannot tell "not annotated" from "calls nothing": such a turn fails as soon as the agent calls any tool. It is the
commonest fault in public sets.

## Example
A turn with `user_content` and `final_response` only.

## Use instead
`"intermediate_data": {"tool_uses": []}` where nothing may be called, the expected calls where some must be.
"""

from collections.abc import Iterator

from adk_split_eval.lint.pairing import Pair
from adk_split_eval.lint.rule import Report, Rule
from adk_split_eval.lint.rules._common import criterion_place, turn_path
from adk_split_eval.lint.views import case_id, expected_calls


def check(pair: Pair) -> Iterator[Report]:
    if not pair.set.survey.turns_unannotated:
        return
    for criterion in pair.config.criteria:
        if criterion.name != "tool_trajectory_avg_score" or criterion.metric is None or criterion.match_type != "EXACT":
            continue
        for index, case, turns in pair.set.fixed_cases():
            bare = [n for n, turn in enumerate(turns) if expected_calls(turn) is None]
            if bare:
                yield Report(pair.set.document, turn_path(index, bare[0]),
                             f"{len(bare)} of {len(turns)} turns annotate no tool calls; `{criterion.name}` takes that as “calls nothing”",
                             "write the expected calls, or an empty tool_uses list where none may happen", case_id=case_id(case),
                             related=criterion_place(pair, criterion), confidence="high" if pair.sure else "medium")  # fmt: skip


RULE = Rule(
    "ASE305",
    "trajectory-unannotated",
    "Trajectory criterion over turns without expected calls",
    "warning",
    "pair",
    check,
    module=__name__,
)
