"""Fixed and simulated cases in one set.

## What it does
Reports a set that holds both cases with a written conversation and cases played by a simulator.

## Why is this bad?
One config governs the whole set, and hardly any criterion suits both halves: what judges the fixed cases cannot run on the
simulated ones, and a red simulated case blocks a merge that the fixed cases would let pass.

## Example
```json
{"eval_set_id": "desk", "eval_cases": [{"eval_id": "a", "conversation": []}, {"eval_id": "b", "conversation_scenario": {}}]}
```

## Use instead
Two sets in two folders, each with its own `test_config.json`.

## Fix safety
Unsafe: it writes two new sets with configs beside the old one, which stays; commands that name the old set need changing.
"""

from collections.abc import Iterator

from adk_split_eval.lint.pairing import Pair
from adk_split_eval.lint.rule import Report, Rule
from adk_split_eval.lint.rules._common import case_path
from adk_split_eval.lint.views import case_id


def check(pair: Pair) -> Iterator[Report]:
    survey = pair.set.survey
    if not survey.fixed or not survey.simulated:
        return
    from adk_split_eval.lint.split import split_fix

    document = pair.set.document
    simulated = next(pair.set.simulated_cases(), None)
    fixed = next(pair.set.fixed_cases(), None)
    related = [(document, case_path(fixed[0], "eval_id"), f"`{case_id(fixed[1])}` is a fixed case")] if fixed else []
    if simulated:
        related.append((document, case_path(simulated[0], "eval_id"), f"`{case_id(simulated[1])}` is a simulated case"))
    yield Report(
        document, ("eval_cases",),
        f"fixed cases ({survey.fixed}) and simulated cases ({survey.simulated}) share one set, and so one config",
        "split it: `lint --unsafe-fixes` writes the two sets and their configs", key=True, related=related, fix=split_fix(pair),
    )  # fmt: skip


RULE = Rule(
    "ASE104",
    "mixed-set",
    "Fixed and simulated cases in one set",
    "warning",
    "pair",
    check,
    fixable="unsafe",
    module=__name__,
)
