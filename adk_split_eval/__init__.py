"""adk-split-eval: a fixed set that gates and a simulated set that probes, from one plan, for Google ADK agents."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from adk_split_eval.api import build, freeze, lint, load_plan, run, run_sets, score, score_run

__version__ = "0.1.0"

__all__ = ["build", "freeze", "lint", "load_plan", "run", "run_sets", "score", "score_run"]


def __getattr__(name: str) -> Any:
    if name in __all__:
        # Looked up by name: rooms import this package for its version and must not depend on the verbs.
        return getattr(importlib.import_module("adk_split_eval.api"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
