"""A fresh agent for every unit, as deep as it can be made without changing what the agent means.

ADK's ``clone`` copies agents and their lists and shares everything in them. Here tools with a state of their own are
copied too, MCP toolsets are built again from their own parameters (the runner closes a toolset at the end of a
conversation, under the feet of all others that share it), and what can be neither copied nor rebuilt stays shared, is
kept open, and is closed once when the run ends. An object that functions of the agent's modules reach by its global name
stays shared as well: a copy would part the tool from the rest of its code.
"""

from __future__ import annotations

import asyncio
import copy
import inspect
import sys
import types
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, cast

CLOSE_SECONDS = 10.0
CALLBACKS = (
    "before_agent_callback",
    "after_agent_callback",
    "before_model_callback",
    "after_model_callback",
    "on_model_error_callback",
    "before_tool_callback",
    "after_tool_callback",
    "on_tool_error_callback",
)


async def _stays_open() -> None:
    """Stands in for ``close`` on what other units still use."""


@dataclass(slots=True)
class Kept:
    """What all units share: closed once, at the end.

    Attributes:
        closers: what to call, in the order of first use.
        problems: what went wrong while closing; sentences.
    """

    closers: dict[int, tuple[Any, Any]] = field(default_factory=dict[int, tuple[Any, Any]])
    problems: list[str] = field(default_factory=list[str])

    def keep(self, thing: Any, *, in_place: bool = False) -> Any:
        """``thing``, or a shallow copy of it, that its runner cannot close."""
        if id(thing) not in self.closers:
            self.closers[id(thing)] = (thing, thing.close)
        if not in_place:
            thing = copy.copy(thing)
        object.__setattr__(thing, "close", _stays_open)
        return thing

    async def close(self) -> None:
        """Close everything that was kept open; never raises for what one of them does."""
        for thing, closer in reversed(list(self.closers.values())):
            getattr(thing, "__dict__", {}).pop("close", None)
            try:
                answer = closer()
                if inspect.isawaitable(answer):
                    await asyncio.wait_for(answer, CLOSE_SECONDS)
            except Exception as error:  # noqa: BLE001 - one that fails to close must not keep the others open
                self.problems.append(f"{type(thing).__name__} did not close cleanly: {type(error).__name__}: {error}")
        self.closers.clear()


class Refresher:
    """Makes copies of one agent.

    Args:
        kept: where to register what must stay open.
        package: name of the agent's package in ``sys.modules``.
    """

    def __init__(self, kept: Kept, package: str = "agent") -> None:
        self._kept = kept
        self._package = package
        self._global: dict[int, Any] | None = None

    def agent(self, root: Any) -> Any:
        """A copy of the agent tree; the agent itself when it cannot be cloned."""
        clone: Any = getattr(root, "clone", None)
        if clone is None:
            self.shared(root)
            return root
        fresh = clone()
        self._refresh(fresh, dict(self._reached_by_name()), {id(root): fresh})
        return fresh

    def plugins(self, plugins: list[Any]) -> list[Any]:
        """Copies of an App's plugins; one that cannot be copied is shared and kept open."""
        memo = dict(self._reached_by_name())
        return [self._copied(plugin, memo) for plugin in plugins]

    def shared(self, root: Any) -> Any:
        """The agent itself, with its toolsets kept open until the run ends."""
        self._keep_open(root, set())
        return root

    def _keep_open(self, root: Any, seen: set[int]) -> None:
        if id(root) in seen:
            return
        seen.add(id(root))
        for agent in _tree(root):
            for tool in cast("list[Any]", getattr(agent, "tools", None) or []):
                if _is_toolset(tool):
                    self._kept.keep(tool, in_place=True)
                inner: Any = getattr(tool, "agent", None)
                if inner is not None and _is_agent(inner):
                    # An agent that is used as a tool has a runner of its own for every call, which closes its toolsets.
                    self._keep_open(inner, seen)

    def _refresh(self, root: Any, memo: dict[int, Any], clones: dict[int, Any]) -> None:
        for agent in _tree(root):
            tools: list[Any] = getattr(agent, "tools", None) or []
            if tools:
                agent.tools[:] = [self._tool(tool, memo, clones) for tool in tools]
            for name in CALLBACKS:
                callback: Any = getattr(agent, name, None)
                if callback is not None:
                    object.__setattr__(agent, name, self._callback(callback, memo, clones))

    def _callback(self, callback: Any, memo: dict[int, Any], clones: dict[int, Any]) -> Any:
        if isinstance(callback, list):
            return [self._callback(c, memo, clones) for c in cast("list[Any]", callback)]
        own = inspect.ismethod(callback) and not _is_agent(callback.__self__)
        return self._tool(callback, memo, clones) if own else callback

    def _tool(self, tool: Any, memo: dict[int, Any], clones: dict[int, Any]) -> Any:
        if isinstance(tool, types.FunctionType | types.BuiltinFunctionType | type):
            return tool
        inner: Any = getattr(tool, "agent", None)
        if inner is not None and _is_agent(inner):
            fresh = copy.copy(tool)
            if id(inner) not in clones:
                # Known before its own tools are looked at: agents may use each other, or themselves.
                clones[id(inner)] = inner.clone()
                self._refresh(clones[id(inner)], memo, clones)
            fresh.agent = clones[id(inner)]
            return fresh
        if _is_agent(tool):
            return tool
        return self._copied(tool, memo)

    def _copied(self, thing: Any, memo: dict[int, Any]) -> Any:
        again = _rebuilt(thing)
        if again is not None:
            return again
        try:
            return copy.deepcopy(thing, memo)
        except Exception:  # noqa: BLE001 - what cannot be copied (a connection, a lock) is shared, as ADK does it
            return self._kept.keep(thing) if hasattr(thing, "close") else thing

    def _reached_by_name(self) -> dict[int, Any]:
        """Objects that functions of the agent's modules name as globals, by id: a memo that ``deepcopy`` leaves alone."""
        if self._global is None:
            self._global = {}
            for name, module in list(sys.modules.items()):
                if name == self._package or name.startswith(f"{self._package}."):
                    for thing in _named_in(module):
                        self._global[id(thing)] = thing
        return self._global


def _tree(root: Any) -> Iterator[Any]:
    yield root
    for child in cast("list[Any]", getattr(root, "sub_agents", None) or []):
        yield from _tree(child)


def _is_agent(thing: Any) -> bool:
    return hasattr(thing, "clone") and hasattr(thing, "sub_agents")


def _is_toolset(thing: Any) -> bool:
    return hasattr(thing, "get_tools_with_prefix") and hasattr(thing, "close")


def _rebuilt(thing: Any) -> Any:
    """An MCP toolset made anew with the parameters it was made with; None for everything else."""
    kind = cast("Any", type(thing))
    if not kind.__module__.startswith("google.adk.tools.mcp_tool") or not _is_toolset(thing):
        return None
    given: dict[str, Any] = {}
    for name in list(inspect.signature(kind.__init__).parameters)[1:]:
        for attribute in (f"_{name}", name):
            if hasattr(thing, attribute):
                given[name] = getattr(thing, attribute)
                break
    config: Any = getattr(thing, "_auth_config", None)
    if config is not None and getattr(config, "credential_key", None):
        given["credential_key"] = config.credential_key
    try:
        return kind(**given)
    except Exception:  # noqa: BLE001 - another ADK names its parameters otherwise: shared and kept open then
        return None


def _named_in(module: types.ModuleType) -> Iterator[Any]:
    """Objects with a state that the module's functions and methods name as globals."""
    variables: dict[str, Any] = vars(module)
    for value in list(variables.values()):
        for code in _codes(value, module.__name__):
            for name in code.co_names:
                thing = variables.get(name)
                if thing is not None and not isinstance(
                    thing, types.FunctionType | types.ModuleType | type | str | int
                ):
                    yield thing


def _codes(value: Any, module: str) -> Iterator[types.CodeType]:
    if isinstance(value, types.FunctionType):
        yield from _nested(value.__code__)
    elif isinstance(value, type) and value.__module__ == module:
        for member in list(vars(value).values()):
            function = getattr(member, "__func__", member)
            if isinstance(function, types.FunctionType):
                yield from _nested(function.__code__)


def _nested(code: types.CodeType) -> Iterator[types.CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _nested(constant)
