"""The path through which ADK reaches a team's own metrics: ``adk_split_eval.metrics.team.<module path>.<function>``.

``adk eval`` puts neither the project root nor the working directory on the import path, and turns a metric that cannot
be imported into a silent NOT_EVALUATED. Modules below this package exist for any path; each attribute is a function that
finds the team's metric when it is called and answers FAILED with the reason when that goes wrong. Only this file lives
here, so no module of ours can hide a team's.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

_PREFIX = __name__ + "."


class _TeamFinder(MetaPathFinder, Loader):
    """Makes a module for every dotted path below this package."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        del path, target
        if not fullname.startswith(_PREFIX):
            return None
        return ModuleSpec(fullname, self, is_package=True)

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return _TeamModule(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        del module


class _TeamModule(ModuleType):
    """A module whose every public attribute is the bridge to the team's function of that name."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # the import system asks for such names; no metric has one
            raise AttributeError(name)
        from adk_split_eval.metrics.adapter_team import bridge

        return bridge(f"{self.__name__.removeprefix(_PREFIX)}.{name}")


def __getattr__(name: str) -> Any:
    """A path without a module (``team.promises_a_date``) gets a bridge too: one that says what is missing."""
    if name.startswith("__"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from adk_split_eval.metrics.adapter_team import bridge

    return bridge(name)


if not any(type(finder).__name__ == _TeamFinder.__name__ for finder in sys.meta_path):
    sys.meta_path.insert(0, _TeamFinder())
