"""Fresh agents: what is copied for every unit, what is built again, what stays shared and is closed once."""

from __future__ import annotations

import asyncio
import sys
import threading
import types
from collections.abc import Iterator
from typing import Any

import pytest

from adk_split_eval.run import adk
from adk_split_eval.run.agents import LoadedAgent
from adk_split_eval.run.freshness import Kept, Refresher

SOURCE = """
from google.adk.agents import LlmAgent
from google.adk.tools.agent_tool import AgentTool
from google.adk.tools.base_tool import BaseTool


class Shop:
    def __init__(self):
        self.orders = []

    def order(self, name: str) -> dict:
        self.orders.append(name)
        return {"orders": list(self.orders)}


class Counter(BaseTool):
    def __init__(self):
        super().__init__(name="counter", description="counts")
        self.count = 0


shop, open_shop = Shop(), Shop()


def stock() -> dict:
    return {"stock": len(open_shop.orders)}


inner = LlmAgent(name="inner", model="m", tools=[Counter()])
sub = LlmAgent(name="sub", model="m", tools=[Counter()])
root_agent = LlmAgent(
    name="root", model="m", sub_agents=[sub], tools=[shop.order, open_shop.order, stock, Counter(), AgentTool(inner)]
)
"""


@pytest.fixture
def module() -> Iterator[types.ModuleType]:
    adk.load()
    made = types.ModuleType("agent")
    sys.modules["agent"] = made
    exec(compile(SOURCE, "agent.py", "exec"), made.__dict__)
    yield made
    del sys.modules["agent"]


def fresh(module: Any, **options: Any) -> Any:
    loaded = LoadedAgent("shop", None, module, **options)  # type: ignore[arg-type]
    return asyncio.run(loaded.fresh())[1]


def test_tools_with_a_state_are_copied(module: Any) -> None:
    root = fresh(module)
    order, open_order, stock, counter, behind = root.tools
    order("tea")
    assert module.shop.orders == []
    counter.count = 7
    assert module.root_agent.tools[3].count == 0
    assert behind.agent is not module.inner
    assert behind.agent.tools[0] is not module.inner.tools[0]
    assert root.sub_agents[0] is not module.sub
    assert root.sub_agents[0].tools[0] is not module.sub.tools[0]
    assert root.sub_agents[0].parent_agent is root
    open_order("milk")
    assert stock() == {"stock": 1}, "what functions reach by its global name is one thing for all of them"


def test_a_shared_agent_is_the_very_same(module: Any) -> None:
    loaded = LoadedAgent("shop", None, module, True)  # type: ignore[arg-type]
    assert asyncio.run(loaded.fresh())[1] is module.root_agent
    assert asyncio.run(loaded.fresh())[1] is module.root_agent


class Connection:
    """A toolset that cannot be copied."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.closed = 0

    async def get_tools_with_prefix(self, _context: Any = None) -> list[Any]:
        return []

    async def close(self) -> None:
        self.closed += 1


class Node:
    """Just enough of an agent."""

    def __init__(self, tools: list[Any]) -> None:
        self.tools = tools
        self.sub_agents: list[Any] = []

    def clone(self) -> Node:
        return Node(list(self.tools))


@pytest.mark.parametrize("shared", [False, True])
def test_what_cannot_be_copied_is_closed_once_at_the_end(shared: bool) -> None:
    kept, connection = Kept(), Connection()
    refresher = Refresher(kept, "nothing_of_that_name")
    root = Node([connection])

    async def units() -> None:
        for _ in range(3):
            unit = refresher.shared(root) if shared else refresher.agent(root)
            await unit.tools[0].close()
        assert connection.closed == 0, "other units still use it"
        await kept.close()

    asyncio.run(units())
    assert connection.closed == 1
    assert kept.problems == []


def test_a_toolset_that_does_not_close_keeps_no_other_open() -> None:
    kept = Kept()
    good, bad = Connection(), Connection()

    async def fails() -> None:
        raise ConnectionError("gone")

    bad.close = fails  # type: ignore[method-assign]
    kept.keep(good)
    kept.keep(bad)
    asyncio.run(kept.close())
    assert good.closed == 1
    assert kept.problems == ["Connection did not close cleanly: ConnectionError: gone"]


def test_mcp_toolsets_are_built_again() -> None:
    """By their own parameters, which ADK keeps under the same names with an underscore."""

    class Toolset(Connection):
        def __init__(self, *, connection_params: str, tool_filter: Any = None, errlog: Any = None) -> None:
            super().__init__()
            self._connection_params = connection_params
            self.tool_filter = tool_filter
            self._errlog = errlog

    Toolset.__module__ = "google.adk.tools.mcp_tool.mcp_toolset"
    toolset = Toolset(connection_params="npx server", tool_filter=["read"])
    kept = Kept()
    (again,) = Refresher(kept, "nothing_of_that_name").agent(Node([toolset])).tools
    assert again is not toolset
    assert (again._connection_params, again.tool_filter) == ("npx server", ["read"])
    assert kept.closers == {}


def test_agents_that_use_each_other_as_tools() -> None:
    class Used:
        def __init__(self, agent: Any) -> None:
            self.agent = agent

    one, other = Node([]), Node([])
    one.tools, other.tools = [Used(other)], [Used(one)]
    fresh = Refresher(Kept(), "nothing_of_that_name").agent(one)
    assert fresh is not one
    assert fresh.tools[0].agent is not other
    assert fresh.tools[0].agent.tools[0].agent is fresh
    assert Refresher(Kept(), "nothing_of_that_name").shared(one) is one
