"""Around ADK's evaluation service: units, observed models, journal, trials and votes, verdicts.

With the metric adapters and the scripted model, the only place that knows ADK.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from adk_split_eval.verbs import callable_room

if TYPE_CHECKING:
    from adk_split_eval.api import run as run_plan
    from adk_split_eval.run.engine import EngineOptions
    from adk_split_eval.run.raw import RawInputError
    from adk_split_eval.run.session import RunError, RunOptions, run_cases, run_compiled

__all__ = ["EngineOptions", "RawInputError", "RunError", "RunOptions", "run_cases", "run_compiled", "run_plan"]

_HOMES = {
    "EngineOptions": "engine",
    "RawInputError": "raw",
    "RunError": "session",
    "RunOptions": "session",
    "run_cases": "session",
    "run_compiled": "session",
}


def __getattr__(name: str) -> Any:
    if name == "run_plan":
        return import_module("adk_split_eval.api").run
    if name in _HOMES:
        return getattr(import_module(f"adk_split_eval.run.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


callable_room(__name__)
