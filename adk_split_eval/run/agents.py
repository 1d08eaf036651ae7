"""Loading an agent folder the way ``adk eval`` does, and a fresh agent for every unit."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import sys
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, cast


class AgentLoadError(Exception):
    """The agent folder cannot be loaded; the message says what to do about it."""


@dataclass(slots=True)
class LoadedAgent:
    """An agent folder, loaded once.

    Attributes:
        app_name: the folder's name, which ADK uses as app name.
        directory: the folder.
        module: the module that holds ``app``, ``root_agent`` or ``get_agent_async``.
        shared: every unit uses the very same agent object (``--shared-agent``).
    """

    app_name: str
    directory: Path
    module: Any
    shared: bool = False

    async def fresh(self) -> tuple[Any, Any]:
        """``(app or None, root agent)`` for one unit; the agent is a copy unless ``shared``.

        Raises:
            AgentLoadError: when the module offers no agent.
        """
        app: Any = getattr(self.module, "app", None)
        if app is not None and type(app).__name__ == "App" and hasattr(app, "root_agent"):
            root = self._copy(app.root_agent)
            return app.model_copy(update={"root_agent": root}), root
        root_agent: Any = getattr(self.module, "root_agent", None)
        if root_agent is not None:
            return None, self._copy(root_agent)
        factory: Any = getattr(self.module, "get_agent_async", None)
        if factory is not None:
            made = factory()
            if inspect.isawaitable(made):
                made = await made
            pair: tuple[Any, ...] = cast("tuple[Any, ...]", made) if isinstance(made, tuple) else (made,)
            return None, pair[0]
        raise AgentLoadError(
            f"{self.directory}: the agent module has neither `app`, `root_agent` nor `get_agent_async`"
        )

    def _copy(self, agent: Any) -> Any:
        clone: Any = getattr(agent, "clone", None)
        if self.shared or clone is None:
            return agent
        return clone()


def load_agent(directory: Path, *, shared: bool = False) -> LoadedAgent:
    """Import an agent folder as module ``agent``, after loading its ``.env``.

    Raises:
        AgentLoadError: when the folder is missing, or importing it fails; the cause is in the message.
    """
    directory = directory.resolve()
    init = directory / "__init__.py"
    if not directory.is_dir():
        raise AgentLoadError(f"{directory}: no such agent folder")
    if not init.is_file():
        raise AgentLoadError(f"{directory}: not an ADK agent folder, it has no __init__.py (add: from . import agent)")
    _load_env(directory)
    loaded = sys.modules.get("agent")
    if loaded is not None and getattr(loaded, "__file__", None) == str(init):
        package = loaded
    elif loaded is not None and getattr(loaded, "_adk_split_eval", False):
        raise AgentLoadError(
            f"{directory}: this process has already loaded {getattr(loaded, '__file__', 'another agent')}; "
            "ADK caches agents by module name, so another folder needs another process"
        )
    else:
        package = _import(directory, init)
    module: Any = getattr(package, "agent", package)
    return LoadedAgent(directory.name, directory, module, shared)


def _import(directory: Path, init: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("agent", init, submodule_search_locations=[str(directory)])
    if spec is None or spec.loader is None:
        raise AgentLoadError(f"{init}: cannot be imported")
    module = importlib.util.module_from_spec(spec)
    sys.modules["agent"] = module
    try:
        spec.loader.exec_module(module)
        offers = any(hasattr(module, name) for name in ("agent", "app", "root_agent", "get_agent_async"))
        if not offers and (directory / "agent.py").is_file():
            importlib.import_module("agent.agent")
    except Exception as error:
        for name in [n for n in sys.modules if n == "agent" or n.startswith("agent.")]:
            del sys.modules[name]
        raise AgentLoadError(f"{directory}: importing the agent failed: {type(error).__name__}: {error}") from error
    module._adk_split_eval = True  # type: ignore[attr-defined]
    return module


def _load_env(directory: Path) -> None:
    """The nearest ``.env`` upwards, as ADK finds it; variables that are already set win."""
    for folder in (directory, *directory.parents):
        candidate = folder / ".env"
        if candidate.is_file():
            try:
                from dotenv import load_dotenv
            except ModuleNotFoundError:
                return
            load_dotenv(candidate, override=False)
            return
