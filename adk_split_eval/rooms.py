"""How rooms open: their names load on demand, and those that share their name with a verb can be called like it."""

from __future__ import annotations

import importlib
import sys
import types
from collections.abc import Callable, Mapping
from typing import Any


def on_demand(package: str, homes: Mapping[str, str]) -> Callable[[str], Any]:
    """The ``__getattr__`` of a package whose names are imported when they are asked for.

    Args:
        homes: the module of the package that holds each name.
    """

    def find(name: str) -> Any:
        home = homes.get(name)
        if home is None:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(importlib.import_module(f"{package}.{home}"), name)

    return find


class _Verb(types.ModuleType):
    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        # Looked up by name: the rooms below must not depend on what stands above them.
        api = importlib.import_module("adk_split_eval.api")
        return getattr(api, self.__name__.rpartition(".")[2])(*args, **kwargs)


def callable_room(name: str) -> None:
    """Make the module ``name`` pass calls on to the function of the same name in :mod:`adk_split_eval.api`.

    ``adk_split_eval.run`` is a package, and ``from adk_split_eval import run`` must give the verb whether or not the
    package has been imported before.
    """
    sys.modules[name].__class__ = _Verb
