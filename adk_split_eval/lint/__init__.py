"""The linter: says, with line and column, which checks have never run. Reads files; imports neither ADK nor project code."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from adk_split_eval.verbs import callable_room

if TYPE_CHECKING:
    from adk_split_eval.lint.api import lint_paths, lint_plan, lint_sets
    from adk_split_eval.lint.engine import LintResult
    from adk_split_eval.lint.rule import refusing_codes, rejecting_codes
    from adk_split_eval.lint.settings import Options, SettingsError

_HOMES = {
    "LintResult": "engine",
    "Options": "settings",
    "SettingsError": "settings",
    "lint_paths": "api",
    "lint_plan": "api",
    "lint_sets": "api",
    "refusing_codes": "rule",
    "rejecting_codes": "rule",
}

__all__ = [
    "LintResult",
    "Options",
    "SettingsError",
    "lint_paths",
    "lint_plan",
    "lint_sets",
    "refusing_codes",
    "rejecting_codes",
]


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{home}"), name)


callable_room(__name__)
