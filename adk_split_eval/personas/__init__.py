"""Ready-made users: one file a persona, in ADK's UserPersona shape plus the kind of fault it tends to expose.

A persona is added by adding its file; the file's name is its id. ADK tells a simulator with a persona how to stop only
through the persona's own behaviours, so each of them names the stop signal.
"""

from __future__ import annotations

import copy
import json
from functools import cache
from pathlib import Path
from typing import Any, cast

HOME = Path(__file__).parent


@cache
def persona_ids() -> tuple[str, ...]:
    """Ids of the shipped personas, sorted."""
    return tuple(sorted(file.stem for file in HOME.glob("*.json")))


@cache
def _read() -> dict[str, dict[str, Any]]:
    return {
        name: cast("dict[str, Any]", json.loads((HOME / f"{name}.json").read_text("utf-8"))) for name in persona_ids()
    }


def load_personas() -> dict[str, dict[str, Any]]:
    """All shipped personas by id: ADK's UserPersona as JSON data, with ``exposes`` (text) beside it."""
    return copy.deepcopy(_read())


def get(persona_id: str) -> dict[str, Any] | None:
    """The shipped persona of that id, ``exposes`` included; None when there is none."""
    found = _read().get(persona_id)
    return copy.deepcopy(found) if found is not None else None


def to_adk(persona: dict[str, Any]) -> dict[str, Any]:
    """The persona as plain ADK reads it (without ``exposes``)."""
    return {key: value for key, value in persona.items() if key != "exposes"}


def adk_persona(persona_id: str) -> dict[str, Any]:
    """The shipped persona of that id as ADK's UserPersona JSON.

    Raises KeyError when there is none.
    """
    return to_adk(copy.deepcopy(_read()[persona_id]))
