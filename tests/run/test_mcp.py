"""Real MCP servers over stdio: called, judged, lost in the middle of a call, and gone when the run is over."""

from __future__ import annotations

import asyncio
import gc
import json
import os
import signal
import threading
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

from adk_split_eval.run.adk import adk_version

pytest.importorskip("mcp")

SERVER = Path(__file__).parent / "data" / "mcp_shop.py"
TOOLSET = """
import sys

from google.adk.tools.mcp_tool import McpToolset
from google.adk.tools.mcp_tool.mcp_session_manager import StdioConnectionParams
from mcp import StdioServerParameters

TOOLS |= dict.fromkeys(["stock", "refuses", "dies", "sleeps"])
toolset = McpToolset(
    connection_params=StdioConnectionParams(
        server_params=StdioServerParameters(command=sys.executable, args={arguments!r}), timeout=60.0
    ),
    errlog=sys.__stderr__,
)
root_agent.tools.append(toolset)
"""
INNER = """
from google.adk.tools.agent_tool import AgentTool
from pydantic import BaseModel


class Order(BaseModel):
    order: str


class ClerkLlm(ProbeLlm):
    @classmethod
    def supported_models(cls):
        return ["probe/clerk"]

    async def generate_content_async(self, llm_request, stream=False):
        if any(p.function_response for p in llm_request.contents[-1].parts or []):
            yield _answer(types.Part(text="there are seven"))
        else:
            yield _answer(types.Part(function_call=types.FunctionCall(name="stock", args={"order": "F"})))


LLMRegistry.register(ClerkLlm)
TOOLS["clerk"] = None
root_agent.tools.remove(toolset)
root_agent.tools.append(
    AgentTool(LlmAgent(name="clerk", description="d", model="probe/clerk", input_schema=Order, tools=[toolset]))
)
"""
LOST = "a tool's MCP server was lost while it was called: MCPError: Connection closed"


@pytest.fixture
def shop(project: Any, tmp_path: Path) -> Any:
    """A project whose agent has the tools of the server as well."""
    project.many(fixed=1).write()
    project.fixed.clear()
    add(project, TOOLSET.format(arguments=[str(SERVER), str(tmp_path / "servers.log")]))
    return project


def add(project: Any, source: str) -> None:
    file = project.root / "probe_agent" / "agent.py"
    file.write_text(file.read_text(encoding="utf-8") + source, encoding="utf-8")


def started(shop: Any) -> list[int]:
    """The process ids of all servers there ever were."""
    log = shop.root / "servers.log"
    lines = log.read_text(encoding="utf-8").splitlines() if log.exists() else []
    return [int(line.split()[1]) for line in lines if line.startswith("start")]


def alive(pids: list[int]) -> list[int]:
    found: list[int] = []
    for pid in pids:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            continue
        found.append(pid)
    return found


def test_eight_servers_at_once_are_called_judged_and_gone(shop: Any) -> None:
    """In a process of its own: nothing that starts faster keeps the MCP library from being imported, and it ends."""
    shop.many(fixed=8, words="stock")
    shop.each_turn = {"expect_tools": [{"name": "stock", "args": {"order": {"regex": "F-.*"}}}]}
    child = shop.start("--jobs", "8")
    said, _ = child.communicate(timeout=120)
    assert child.returncode == 0, said
    result = json.loads((shop.root / "out.json").read_text(encoding="utf-8"))
    assert result["counts"]["fixed"] == {"PASS": 8}
    for case in result["cases"]:
        (call,) = case["turns"][0]["tool_calls"]
        assert call["response"]["structuredContent"] == {"order": case["case_id"], "stock": "seven"}
        assert {c["name"]: c["status"] for c in case["criteria"]}["tool_args_v1"] == "passed"
    assert len(started(shop)) == 8, "a fresh agent has a server of its own"
    assert alive(started(shop)) == []
    assert "Traceback" not in said


def test_a_shared_agent_has_one_server(shop: Any, fork: Any) -> None:
    shop.many(fixed=8, words="stock").fixed["F-odd"] = "F-odd refuses"
    shop.write()
    assert fork("run", "--jobs", "8", "--shared-agent", "--json", "out.json").exit_code() == 0
    result = json.loads((shop.root / "out.json").read_text(encoding="utf-8"))
    assert result["counts"]["fixed"] == {"PASS": 9}
    answers = [c["turns"][0]["tool_calls"][0]["response"]["isError"] for c in result["cases"]]
    assert answers == [False] * 8 + [True], "what a server answers, if only no, is the agent's business"
    assert len(started(shop)) == 1
    assert alive(started(shop)) == []


@pytest.fixture
def left_behind(monkeypatch: pytest.MonkeyPatch) -> Callable[[], list[str]]:
    """Names of tasks still there when a run is through, and of descriptors and threads beyond those of the start."""
    from adk_split_eval.run.engine import Engine

    tasks: list[str] = []
    real = Engine.run

    async def watched(self: Engine, *arguments: Any) -> Any:
        result = await real(self, *arguments)
        me = asyncio.current_task()
        await asyncio.sleep(0.05)
        tasks.extend(getattr(t.get_coro(), "__qualname__", "?") for t in asyncio.all_tasks() if t is not me)
        return result

    monkeypatch.setattr(Engine, "run", watched)
    before, threads = pipes(), threading.active_count()

    def look() -> list[str]:
        gc.collect()
        more = [f"{n} descriptor(s)" for n in [len(pipes()) - len(before)] if n > 0]
        return [*tasks, *more, *(f"{n} thread(s)" for n in [threading.active_count() - threads] if n > 1)]

    return look


def pipes() -> list[str]:
    folder = Path("/proc/self/fd")
    if not folder.is_dir():
        return []
    found = [str(f.readlink()) for f in folder.iterdir() if f.is_symlink()]
    return [f for f in found if f.startswith("pipe:")]


def test_a_server_that_dies_is_one_cases_error(shop: Any, left_behind: Any) -> None:
    """ADK hands the agent an answer of its own making for a call that never came back."""
    shop.fixed = {"F-stock": "F-stock stock", "F-dies": "F-dies dies"}
    result = shop.run(jobs=8)
    assert [c.verdict for c in result.cases] == ["PASS", "ERROR"]
    assert result.cases[1].reasons[0] == LOST
    assert result.exit_code == 3
    assert alive(started(shop)) == []
    assert left_behind() == []


def test_a_shared_server_that_dies_is_started_again(shop: Any, left_behind: Any) -> None:
    """One at a time, so that nobody else was using it when it died."""
    shop.fixed = {"F-first": "F-first stock", "F-dies": "F-dies dies", "F-last": "F-last stock"}
    result = shop.run(jobs=1, shared_agent=True)
    verdicts = [c.verdict for c in result.cases]
    assert verdicts[:2] == ["PASS", "ERROR"]
    assert result.cases[1].reasons[0] == LOST
    if adk_version().startswith("2.10.") and version("mcp").startswith("2."):
        # This pair does not see that the session is dead and goes on with it: never a PASS.
        assert verdicts[2] == "ERROR"
        assert result.cases[2].reasons[0].startswith("a toolset could not be loaded")
    else:
        assert verdicts[2] == "PASS"
        assert len(started(shop)) == 2
    assert alive(started(shop)) == []
    assert left_behind() == []


def test_a_call_that_never_comes_back_takes_its_server_along(shop: Any, left_behind: Any) -> None:
    limit = shop.time_limit(6.0, cases=4)
    shop.fixed = {"F-sleeps": "F-sleeps sleeps", "F-plain": "F-plain lookup"}
    result = shop.run(engine={"unit_timeout": limit})
    assert [c.verdict for c in result.cases] == ["ERROR", "PASS"]
    assert result.cases[0].reasons[0] == f"the conversation did not finish within {limit:g} s"
    assert alive(started(shop)) == []
    assert left_behind() == []


def test_a_server_that_does_not_start_is_an_error(project: Any) -> None:
    project.many(fixed=1).write()
    add(project, TOOLSET.format(arguments=["-c", "raise SystemExit('no shop today')"]))
    case = project.run().cases[0]
    assert case.verdict == "ERROR"
    assert "a toolset could not be loaded: ConnectionError: Failed to create MCP session" in case.reasons[0]


def test_behind_a_shared_agent_tool(shop: Any) -> None:
    """Every call of an agent used as a tool has its own runner, which must not close what the others use."""
    add(shop, INNER)
    shop.fixed = {f"F-{n}": f"F-{n} clerk" for n in range(3)}
    result = shop.run(jobs=1, shared_agent=True)
    assert [c.verdict for c in result.cases] == ["PASS"] * 3
    assert "there are seven" in str(result.cases[0].turns[0].tool_calls[0].response)
    assert len(started(shop)) == 1
    assert alive(started(shop)) == []


@pytest.mark.parametrize("number", [signal.SIGTERM, pytest.param(signal.SIGINT, marks=pytest.mark.slow)])
def test_interrupted_while_a_tool_is_called(number: int, shop: Any, fork: Any) -> None:
    shop.fixed = {"F-0": "F-0 sleeps"}
    shop.write()
    child = fork("run")
    end = time.monotonic() + 30
    while len(started(shop)) < 1 and time.monotonic() < end and not child.ended():
        time.sleep(0.02)
    child.kill(number)
    assert child.exit_code() == 130
    said = (shop.root / "out.txt").read_text(encoding="utf-8")
    assert "the same command resumes" in said
    assert "Traceback" not in said
    assert alive(started(shop)) == []
