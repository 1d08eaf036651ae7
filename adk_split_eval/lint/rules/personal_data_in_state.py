"""Personal data in a state.

## What it does
Notes e-mail addresses, telephone, card and account numbers in start states.

## Why is this bad?
Recorded sessions hold real people's data; a repository is no place for them.

## Example
`"user:email": "ana@example.com"`

## Use instead
Invented values.
"""

import re
from collections.abc import Iterator

from adk_split_eval.lint.patterns import lazy
from adk_split_eval.lint.plan_view import PlanView
from adk_split_eval.lint.rule import Report, Rule
from adk_split_eval.lint.rules._states import plan_states, states
from adk_split_eval.lint.views import EvalSet, walk_strings

_PATTERNS = (
    ("an e-mail address", lazy(r"[\w.+-]{1,64}@[\w-]{1,63}\.[a-z]{2,}", re.I)),
    ("a payment card number", lazy(r"\b(?:\d[ -]?){13,19}\b")),
    ("a bank account number", lazy(r"\b[A-Z]{2}\d{2}[A-Z0-9 ]{11,30}\b")),
    ("a telephone number", lazy(r"\+\d[\d ()-]{7,}\d|\b1[3-9]\d{9}\b")),
)


def check(eval_set: EvalSet) -> Iterator[Report]:
    for path, state, case in states(eval_set):
        for where, text in walk_strings(state, path):
            for what, pattern in _PATTERNS:
                if pattern.search(text[:500]):
                    yield Report(
                        eval_set.document, where, f"this looks like {what}", "use invented values", case_id=case
                    )
                    break


def check_plan(plan: PlanView) -> Iterator[Report]:
    for document, path, state, case in plan_states(plan):
        for where, text in walk_strings(state, path):
            for what, pattern in _PATTERNS:
                if pattern.search(text[:500]):
                    yield Report(document, where, f"this looks like {what}", "use invented values", case_id=case)
                    break


RULE = Rule(
    "ASE508",
    "personal-data-in-state",
    "Personal data in a state",
    "info",
    "set",
    check,
    plan_check=check_plan,
    confidence="low",
    module=__name__,
)
