"""The linter: says, with line and column, which checks have never run. Reads files; imports neither ADK nor project code."""

from __future__ import annotations

from typing import TYPE_CHECKING

from adk_split_eval.rooms import callable_room, on_demand

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

__getattr__ = on_demand(__name__, _HOMES)
callable_room(__name__)
