"""Loading an agent folder the way ``adk eval`` does, and a fresh agent for every unit."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import sys
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any, cast

from adk_split_eval.run.freshness import Kept, Refresher


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
        kept: what units share and :meth:`close` closes.
    """

    app_name: str
    directory: Path
    module: Any
    shared: bool = False
    kept: Kept = field(default_factory=Kept)
    _refresher: Refresher | None = None
    _once: tuple[Any, Any] | None = None

    async def fresh(self) -> tuple[Any, Any]:
        """``(app or None, root agent)`` for one unit; the agent is a copy unless ``shared``.

        Raises:
            AgentLoadError: when the module offers no agent.
        """
        if self._once is not None:
            return self._once
        if self._refresher is None:
            self._refresher = Refresher(self.kept, str(getattr(self.module, "__package__", "") or "agent"))
        copied = self._refresher.shared if self.shared else self._refresher.agent
        app: Any = getattr(self.module, "app", None)
        root_agent: Any = getattr(self.module, "root_agent", None)
        factory: Any = getattr(self.module, "get_agent_async", None)
        if app is not None and type(app).__name__ == "App" and hasattr(app, "root_agent"):
            root = copied(app.root_agent)
            plugins: list[Any] = list(app.plugins)
            if self.shared:
                plugins = [self.kept.keep(p, in_place=True) for p in plugins]
            else:
                plugins = self._refresher.plugins(plugins)
            made = app.model_copy(update={"root_agent": root, "plugins": plugins}), root
        elif root_agent is not None:
            made = None, copied(root_agent)
        elif factory is not None:
            made = None, await self._made_by(factory)
        else:
            raise AgentLoadError(
                f"{self.directory}: the agent module has neither `app`, `root_agent` nor `get_agent_async`"
            )
        if self.shared:
            self._once = made
        return made

    async def _made_by(self, factory: Any) -> Any:
        """What ``get_agent_async`` gives: an agent, or an agent with the exit stack of what it opened."""
        made = factory()
        if inspect.isawaitable(made):
            made = await made
        if not isinstance(made, tuple):
            return made
        agent, *others = cast("tuple[Any, ...]", made)
        for other in others:
            if hasattr(other, "aclose"):
                self.kept.closers[id(other)] = (other, other.aclose)
        return agent

    async def close(self) -> None:
        """Close what the units of a run shared; never raises, ``kept.problems`` says what did not close."""
        await self.kept.close()
        self._once = None


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
    _require_agent(directory, module)
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
    except (Exception, SystemExit) as error:
        for name in [n for n in sys.modules if n == "agent" or n.startswith("agent.")]:
            del sys.modules[name]
        raise AgentLoadError(f"{directory}: importing the agent failed: {type(error).__name__}: {error}") from error
    module._adk_split_eval = True  # type: ignore[attr-defined]
    return module


def _require_agent(directory: Path, module: Any) -> None:
    """Refuse a module that offers no agent before anything is run with it."""
    app: Any = getattr(module, "app", None)
    if app is not None and type(app).__name__ == "App":
        return
    root: Any = getattr(module, "root_agent", None)
    if root is not None:
        if not hasattr(root, "name") or not hasattr(cast("Any", type(root)), "model_fields"):
            raise AgentLoadError(f"{directory}: root_agent is a {type(root).__name__}, not an ADK agent")
        return
    if getattr(module, "get_agent_async", None) is None:
        raise AgentLoadError(f"{directory}: the agent module has neither `app`, `root_agent` nor `get_agent_async`")


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
