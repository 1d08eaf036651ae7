"""Final session state that nothing reads.

## What it does
Reports `final_session_state` on a case when no custom metric is configured that could read it.

## Why is this bad?
ADK stores it and no built-in metric compares it: the end state is not checked.

## Example
`"final_session_state": {"branch": "north"}`

## Use instead
`expect_state` in a plan, which our runner checks.
"""

from collections.abc import Iterator

from adk_split_eval.lint.pairing import Pair
from adk_split_eval.lint.rule import Report, Rule
from adk_split_eval.lint.rules._common import case_path
from adk_split_eval.lint.views import case_id


def check(pair: Pair) -> Iterator[Report]:
    if not pair.set.survey.final_states:
        return
    for index, case, _ in pair.set.fixed_cases():
        if case.get("final_session_state"):
            yield Report(pair.set.document, case_path(index, "final_session_state"),
                         "`final_session_state` is stored and compared by no metric: the end state is not checked",
                         "use expect_state in a plan; `adk eval` cannot check it", key=True, case_id=case_id(case))  # fmt: skip


RULE = Rule(
    "ASE225", "final-state-unread", "Final session state that nothing reads", "warning", "pair", check, module=__name__
)
