"""Start state that already holds the outcome.

## What it does
Reports a key of the start state whose value an expected call of the same case is to set: `branch` and `set_branch(branch=…)`.

## Why is this bad?
A case recorded from a session with its end state starts where it should arrive: the agent may do nothing and look right.

## Example
`"state": {"branch": "north"}` in a case that expects `set_branch(branch="north")`.

## Use instead
The state before the first turn. In a plan it is a warning only: `expect_state` may say that a value must stay as it is.

## Fix safety
Unsafe: it removes the key from the start state.
"""

from collections.abc import Iterator

from adk_split_eval.lint.fixes import remove_entry
from adk_split_eval.lint.patterns import lazy
from adk_split_eval.lint.plan_view import PlanView, plan_case_id
from adk_split_eval.lint.rule import Report, Rule
from adk_split_eval.lint.rules._common import case_path, quoted, turn_path
from adk_split_eval.lint.shapes import as_object
from adk_split_eval.lint.views import EvalSet, case_id, expected_calls

_SETTERS = frozenset(
    {"set", "update", "save", "store", "change", "choose", "select", "remember", "record", "put", "write", "assign", "switch",
     "enable", "disable"}
)  # fmt: skip
_WORD = lazy(r"[A-Z]?[a-z0-9]+|[A-Z0-9]+")


def check(eval_set: EvalSet) -> Iterator[Report]:
    if not eval_set.survey.sessions:
        return
    for index, case, turns in eval_set.fixed_cases():
        state = as_object(as_object(case.get("session_input")).get("state"))
        if not state:
            continue
        for number, turn in enumerate(turns):
            for path, call in expected_calls(turn) or ():
                args = as_object(call.get("args"))
                if not args:
                    continue
                for key, value in state.items():
                    plain = key.split(":")[-1]
                    if (
                        value not in (None, "", False)
                        and not isinstance(value, dict | list)
                        and args.get(plain) == value
                        and _sets(str(call.get("name")), plain)
                    ):
                        where = case_path(index, "session_input", "state", key)
                        yield Report(eval_set.document, where, f"the start state already holds `{quoted(key)}`, which `{quoted(str(call.get('name')))}` is expected to produce",
                                     "start from the state before the first turn", key=True, case_id=case_id(case), fix=remove_entry(eval_set.document, where, safe=False),
                                     related=[(eval_set.document, (*turn_path(index, number), *path), "the call that produces it")])  # fmt: skip


def _sets(tool: str, key: str) -> bool:
    """Whether the tool, by its name, sets what the key says. An identifier is what a call starts from, not what it makes."""
    words, wanted = _words(tool), _words(key)
    return bool(words & _SETTERS and (words - _SETTERS) & wanted) and not wanted & {
        "id",
        "ids",
        "uuid",
        "key",
        "number",
    }


def _words(name: str) -> set[str]:
    return {word.lower() for word in _WORD.findall(name)}


def check_plan(plan: PlanView) -> Iterator[Report]:
    common = as_object(as_object(plan.data.get("session_input")).get("state"))
    for document, path, case in plan.fixed():
        start = {**common, **as_object(as_object(case.get("session_input")).get("state"))}
        for key, value in as_object(case.get("expect_state")).items():
            if key in start and start[key] == value and not isinstance(value, dict | list):
                yield Report(document, (*path, "expect_state", key), f"the start state already holds `{quoted(key)}` with the expected value: an agent that does nothing keeps it",
                             "start from another value, unless it is meant to stay as it is", key=True, case_id=plan_case_id(case), level="warning")  # fmt: skip


RULE = Rule(
    "ASE506",
    "end-state-in-start",
    "Start state that already holds the outcome",
    "error",
    "set",
    check,
    plan_check=check_plan,
    confidence="medium",
    fixable="unsafe",
    module=__name__,
)
