"""Start and end states of cases."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

from adk_split_eval.lint.documents import Document
from adk_split_eval.lint.json_source import Path
from adk_split_eval.lint.plan_view import PlanView, plan_case_id
from adk_split_eval.lint.rules._common import case_path
from adk_split_eval.lint.shapes import as_object
from adk_split_eval.lint.views import EvalSet, Json, case_id


def states(eval_set: EvalSet) -> Iterator[tuple[Path, Json, str | None]]:
    """(path, state, case) of start states and expected end states."""
    if not eval_set.survey.sessions and not eval_set.survey.final_states:
        return
    for index, case in eval_set.cases:
        session: Any = case.get("session_input")
        state: Any = cast("Json", session).get("state") if isinstance(session, dict) else None
        if isinstance(state, dict):
            yield case_path(index, "session_input", "state"), cast("Json", state), case_id(case)
        final: Any = case.get("final_session_state")
        if isinstance(final, dict):
            yield case_path(index, "final_session_state"), cast("Json", final), case_id(case)


def plan_states(plan: PlanView) -> Iterator[tuple[Document, Path, Json, str | None]]:
    """(file, path, state, case) of the states a plan writes."""
    common = as_object(as_object(plan.data.get("session_input")).get("state"))
    if common:
        yield plan.document, ("session_input", "state"), common, None
    for document, path, case in plan.cases():
        state = as_object(as_object(case.get("session_input")).get("state"))
        if state:
            yield document, (*path, "session_input", "state"), state, plan_case_id(case)
        final = as_object(case.get("expect_state"))
        if final:
            yield document, (*path, "expect_state"), final, plan_case_id(case)
