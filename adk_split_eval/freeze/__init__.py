"""From a reviewed candidate to a frozen fixed case that was red first, for the same reason."""

from __future__ import annotations

from typing import TYPE_CHECKING

from adk_split_eval.rooms import callable_room, on_demand

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

__getattr__ = on_demand(__name__, _HOMES)
callable_room(__name__)
