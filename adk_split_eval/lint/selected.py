"""The sets that the linted command lines select."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from adk_split_eval.lint.commands import Command, Selector, read_commands
from adk_split_eval.lint.documents import read
from adk_split_eval.lint.project import Project
from adk_split_eval.lint.views import EvalSet, open_set


def commands(project: Project) -> list[Command]:
    """The commands of ``--command``, read once."""
    known: Any = project.cache.get("commands")
    if known is None:
        known = project.cache["commands"] = read_commands(project.options.command or "")
    return known


def selected_sets(project: Project) -> Iterator[tuple[Command, Selector, EvalSet | None]]:
    """(command, selector, its set); the set is None when the file is not there or no set."""
    for command in commands(project):
        for selector in command.selectors:
            path = command.resolve(selector.path)
            opened: Any = project.cache.get(path)
            if opened is None and os.path.isfile(path):  # noqa: PTH113
                document = read(path)
                if document.kind == "evalset" and document.data is not None:
                    opened = project.cache[path] = open_set(document, project.knowledge)
            yield command, selector, opened
