"""The persona of a simulated case, written out as ADK's UserPersona."""

from __future__ import annotations

from typing import Any

from adk_split_eval.plan.models import Plan, SimCase


def persona_json(plan: Plan, case: SimCase) -> dict[str, Any] | None:
    """ADK's UserPersona for the case: written in place, the team's own, or a shipped one; None when it has none.

    Raises:
        KeyError: nobody knows the persona.
    """
    if case.persona is None:
        return None
    if not isinstance(case.persona, str):
        return case.persona.to_adk(case.case_id)
    own = plan.personas.get(case.persona)
    if own is not None:
        return own.to_adk(case.persona)
    raise KeyError(case.persona)
