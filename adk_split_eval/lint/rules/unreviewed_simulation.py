"""Fixed case made of a simulated conversation without a reviewed freeze.

## What it does
Reports a fixed conversation whose user turns bear the marks of a simulator: its stop signal, or the opening of a scenario
that is linted in the same run, followed by recorded events.

## Why is this bad?
Whatever the agent happened to do in a simulation becomes the expected behaviour, its faults included, without anyone having
looked at it. A frozen case is reviewed: which turns and which calls matter is decided by a person.

## Example
A user turn `Thanks, that is all. </finished>` in a `conversation`.

## Use instead
`pool approve` and `freeze`, which keep the provenance.
"""

from collections.abc import Iterator
from datetime import date

from adk_split_eval.lint.plan_view import PlanView, plan_case_id
from adk_split_eval.lint.project import Project
from adk_split_eval.lint.rule import Report, Rule
from adk_split_eval.lint.rules._common import case_path, quoted, turn_path
from adk_split_eval.lint.shapes import as_object, objects
from adk_split_eval.lint.views import case_id, content_text


def check(project: Project) -> Iterator[Report]:
    openings: dict[str, str] = {}
    for eval_set in project.sets:
        for _, case, scenario in eval_set.simulated_cases():
            prompt = scenario.get("starting_prompt")
            if isinstance(prompt, str) and len(prompt.strip()) > 8:
                openings[prompt.strip()] = case_id(case) or "?"
    for eval_set in project.sets:
        if not openings and "</finished>" not in eval_set.document.text:
            continue
        for index, case, turns in eval_set.fixed_cases():
            if "provenance" in case or not turns:
                continue
            for number, turn in enumerate(turns):
                if "</finished>" in content_text(turn.get("user_content")):
                    yield Report(eval_set.document, turn_path(index, number, "user_content"),
                                 "this user turn carries a simulator's stop signal: the case is a recorded simulation nobody reviewed",
                                 "review it as a candidate and freeze it", case_id=case_id(case))  # fmt: skip
                    break
            else:
                opening = content_text(turns[0].get("user_content")).strip()
                if (
                    len(turns) > 1
                    and opening in openings
                    and "invocation_events" in (turns[0].get("intermediate_data") or {})
                ):
                    yield Report(eval_set.document, case_path(index, "eval_id"),
                                 f"this fixed case opens like the scenario `{openings[opening]}` and holds recorded events: it looks like a simulation nobody reviewed",
                                 "review it as a candidate and freeze it", case_id=case_id(case), confidence="low")  # fmt: skip


def check_plan(plan: PlanView) -> Iterator[Report]:
    for document, path, case in plan.fixed():
        pending = as_object(case.get("pending"))
        if pending:
            until = str(pending.get("until"))
            effect = "it blocks since that day" if until < date.today().isoformat() else "it does not guard yet"
            yield Report(document, (*path, "pending"), f"this frozen case waits for {quoted(str(pending.get('owner')))} until {quoted(until)}; {effect}",
                         "settle it with `freeze`", key=True, case_id=plan_case_id(case), level="info", confidence="high")  # fmt: skip
        for index, turn in objects(case.get("turns")):
            user = turn.get("user")
            if isinstance(user, str) and "</finished>" in user:
                yield Report(document, (*path, "turns", index, "user"), "this user turn carries a simulator's stop signal: the case is a recorded simulation nobody reviewed",
                             "review it as a candidate and freeze it", case_id=plan_case_id(case))  # fmt: skip


RULE = Rule(
    "ASE107",
    "unreviewed-simulation",
    "Fixed case made of a simulated conversation without a reviewed freeze",
    "warning",
    "project",
    check,
    plan_check=check_plan,
    confidence="medium",
    module=__name__,
)
