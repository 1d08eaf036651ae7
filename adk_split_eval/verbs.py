"""Rooms that share their name with a verb can be called like it.

``adk_split_eval.run`` is a package, and ``from adk_split_eval import run`` must give the verb whether or not the package
has been imported before. So the package itself is callable and passes the call on to :mod:`adk_split_eval.api`.
"""

from __future__ import annotations

import importlib
import sys
import types
from typing import Any


class _Verb(types.ModuleType):
    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        # Looked up by name: the rooms below must not depend on what stands above them.
        api = importlib.import_module("adk_split_eval.api")
        return getattr(api, self.__name__.rpartition(".")[2])(*args, **kwargs)


def callable_room(name: str) -> None:
    """Make the module ``name`` pass calls on to the function of the same name in :mod:`adk_split_eval.api`."""
    sys.modules[name].__class__ = _Verb
