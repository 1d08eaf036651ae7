"""Model-judged criterion in the gate.

## What it does
Reports a criterion decided by a model that governs fixed cases.

## Why is this bad?
The fixed set blocks merges. A judge varies from run to run and from model version to model version, so the gate goes red
without any change of the agent, and people learn to ignore it.

## Example
```json
{"criteria": {"final_response_match_v2": {"threshold": 0.8}}}
```

## Use instead
Deterministic criteria (`response_text_v1`, `tool_args_v1`), or keep the judged one with an odd number of votes and its own
audit, knowing that it counts.
"""

from collections.abc import Iterator

from adk_split_eval.lint.pairing import Pair
from adk_split_eval.lint.plan_view import PlanView
from adk_split_eval.lint.rule import Report, Rule


def check(pair: Pair) -> Iterator[Report]:
    document = pair.config.document
    if not pair.set.survey.fixed or document is None:
        return
    for criterion in pair.config.criteria:
        if criterion.metric and criterion.metric.judged:
            yield Report(document, criterion.path, f"`{criterion.name}` is decided by a model and governs fixed cases, which gate merges",
                         "prefer a deterministic criterion here; a judged one belongs to the simulated set or needs votes", key=True)  # fmt: skip


def check_plan(plan: PlanView) -> Iterator[Report]:
    from adk_split_eval.criteria.catalogue import CATALOGUE

    for name in plan.criteria("fixed_set"):
        info = CATALOGUE.get(name)
        if info is not None and info.kind == "judged":
            yield Report(
                plan.document, ("fixed_set", "criteria", name),
                f"`{name}` is decided by a model and stands in the fixed set, which gates merges; it counts there",
                "prefer a deterministic criterion (response, expect_tools), or keep it knowing that it varies", key=True,
            )  # fmt: skip


RULE = Rule(
    "ASE109",
    "judged-criterion-in-gate",
    "Model-judged criterion in the gate",
    "warning",
    "pair",
    check,
    plan_check=check_plan,
    module=__name__,
)
