"""Around ADK's evaluation service: units, observed models, journal, trials and votes, verdicts.

With the metric adapters and the scripted model, the only place that knows ADK.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from adk_split_eval.rooms import callable_room, on_demand

if TYPE_CHECKING:
    from adk_split_eval.run.asked import RunError, RunOptions
    from adk_split_eval.run.engine import EngineOptions
    from adk_split_eval.run.raw import RawInputError
    from adk_split_eval.run.session import run_cases, run_compiled

__all__ = ["EngineOptions", "RawInputError", "RunError", "RunOptions", "run_cases", "run_compiled"]

_HOMES = {
    "EngineOptions": "engine",
    "RawInputError": "raw",
    "RunError": "asked",
    "RunOptions": "asked",
    "run_cases": "session",
    "run_compiled": "session",
}

__getattr__ = on_demand(__name__, _HOMES)
callable_room(__name__)
