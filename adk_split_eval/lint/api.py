"""The linter for other rooms and for Python users: paths in, findings out."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from adk_split_eval.lint.engine import LintResult, lint
from adk_split_eval.lint.rule import rejecting_codes
from adk_split_eval.lint.settings import Options, load_options
from adk_split_eval.record.finding import Finding

__all__ = ["LintResult", "Options", "lint_paths", "lint_plan", "lint_sets", "rejecting_codes"]


def lint_paths(paths: Sequence[str | Path], options: Options | None = None, **named: Any) -> LintResult:
    """Lints files and folders, with the settings of the nearest pyproject.toml.

    ``named`` are fields of :class:`Options` (``adk_version="2.10"``), for callers that need only one or two.

    Raises:
        SettingsError: the settings cannot be used.
    """
    names = [os.fspath(p) for p in paths]
    return lint(names, load_options(options or Options(**named), names[0] if names else "."))


def lint_sets(
    set_paths: Sequence[str | Path],
    config_path: str | Path | None = None,
    adk_version: str | None = None,
    agent_dir: str | Path | None = None,
) -> list[Finding]:
    """Findings about ADK sets under one config, as ``run --agent DIR SET… --config FILE`` uses them.

    A finding about one case carries its ``case_id``; whether an error refuses the case says :func:`rejecting_codes`.
    """
    options = Options(
        adk_version=adk_version,
        config=os.fspath(config_path) if config_path is not None else None,
        agent_dir=os.fspath(agent_dir) if agent_dir is not None else None,
    )
    names = [os.fspath(p) for p in set_paths]
    return lint(names, load_options(options, names[0] if names else ".")).findings


def lint_plan(path: str | Path) -> list[Finding]:
    """Findings about one plan: its format, and the rules for plans."""
    return lint_paths([path]).findings
