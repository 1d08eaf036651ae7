"""Start and end states of cases."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

from adk_split_eval.lint.json_source import Path
from adk_split_eval.lint.rules._common import case_path
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
