"""From a reviewed candidate to a frozen fixed case that was red first, for the same reason."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from adk_split_eval.verbs import callable_room

if TYPE_CHECKING:
    from adk_split_eval.freeze.checking import check
    from adk_split_eval.freeze.procedure import FreezeReport, Frozen, freeze_candidates
    from adk_split_eval.freeze.proving import NoAgentError

__all__ = ["FreezeReport", "Frozen", "NoAgentError", "check", "freeze_candidates"]

_HOMES = {
    "FreezeReport": "procedure",
    "Frozen": "procedure",
    "NoAgentError": "proving",
    "check": "checking",
    "freeze_candidates": "procedure",
}


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{home}"), name)


callable_room(__name__)
