"""The persona of a simulated case, written out as ADK's UserPersona, so that plain ADK needs no registry of ours."""

from __future__ import annotations

from typing import Any

from adk_split_eval.personas import adk_persona
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
    return adk_persona(case.persona)


def described_persona(persona_id: str, text: str) -> dict[str, Any]:
    """A persona of the plan out of a free description."""
    behavior = {
        "name": "Stays this user",
        "description": text,
        "behavior_instructions": [
            f"Speak and act throughout as this user would: {text}",
            "When what the Conversation Plan wants is settled one way or the other, answer with </finished> and nothing else.",
        ],
        "violation_rubrics": [
            "The Generated User Response speaks as the Agent: it offers help, reports what a system did, or answers the "
            "user's own question."
        ],
    }
    return {"id": persona_id, "description": text, "behaviors": [behavior]}
