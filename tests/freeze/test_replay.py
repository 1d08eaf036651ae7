"""Replayed tools: ordered queues, state writes, and never the real tool."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("google.adk")

from adk_split_eval.record import Case
from adk_split_eval.run.replay import ReplayMismatchError, ReplayPlugin, replay_plugin


def ask(plugin: ReplayPlugin, name: str, args: dict[str, Any], state: dict[str, Any] | None = None) -> Any:
    context = SimpleNamespace(state=state if state is not None else {})
    return asyncio.run(
        plugin.before_tool_callback(tool=SimpleNamespace(name=name), tool_args=args, tool_context=context)
    )


def test_the_same_call_is_answered_in_recorded_order() -> None:
    plugin = ReplayPlugin(
        [
            {"name": "stock", "args": {"sku": "A"}, "response": {"left": 1}},
            {"name": "stock", "args": {"sku": "B"}, "response": {"left": 7}},
            {"name": "stock", "args": {"sku": "A"}, "response": {"left": 0}},
        ]
    )
    assert ask(plugin, "stock", {"sku": "A"}) == {"left": 1}
    assert plugin.unused == ["stock", "stock"]
    assert ask(plugin, "stock", {"sku": "A"}) == {"left": 0}
    assert ask(plugin, "stock", {"sku": "B"}) == {"left": 7}
    assert plugin.unused == []


def test_argument_order_and_whole_floats_do_not_matter_but_types_do() -> None:
    recorded = {"name": "pay", "args": {"a": 1, "b": {"x": 2.0, "y": None}}, "response": {}}
    assert ask(ReplayPlugin([recorded]), "pay", {"b": {"y": None, "x": 2}, "a": 1.0}) == {}
    for args in ({"a": "1", "b": {"x": 2, "y": None}}, {"a": True, "b": {"x": 2, "y": None}}):
        with pytest.raises(ReplayMismatchError):
            ask(ReplayPlugin([recorded]), "pay", args)


@pytest.mark.parametrize(
    ("name", "args", "why"),
    [
        ("other", {}, "no result of other"),
        ("stock", {"sku": "B"}, "no result for these arguments of stock"),
    ],
)
def test_no_match_is_an_error_with_its_cause(name: str, args: dict[str, Any], why: str) -> None:
    plugin = ReplayPlugin([{"name": "stock", "args": {"sku": "A"}, "response": {"left": 1}}])
    with pytest.raises(ReplayMismatchError, match="the real tool was not called"):
        ask(plugin, name, args)
    assert why in plugin.misses[0]


def test_an_exhausted_queue_is_a_miss_and_a_call_without_result_too() -> None:
    plugin = ReplayPlugin([{"name": "stock", "args": {}, "response": 3}, {"name": "late", "args": {}}])
    assert ask(plugin, "stock", {}) == {"result": 3}
    for name in ("stock", "late"):
        with pytest.raises(ReplayMismatchError, match="no further result"):
            ask(plugin, name, {})


def test_state_writes_are_applied_again_and_are_copies() -> None:
    written = {"branch": ["north"]}
    plugin = ReplayPlugin([{"name": "set", "args": {}, "response": {"ok": True}, "state": written}])
    state: dict[str, Any] = {}
    ask(plugin, "set", {}, state)
    state["branch"].append("south")
    assert written == {"branch": ["north"]}


def test_generated_arguments_may_be_matched() -> None:
    plugin = ReplayPlugin([{"name": "log", "args": {"id": {"any": True}, "k": 1}, "response": {}}])
    assert ask(plugin, "log", {"id": "c0ffee", "k": 1}) == {}
    with pytest.raises(ReplayMismatchError):
        ask(plugin, "log", {"id": "c0ffee", "k": 1})


def test_control_tools_run_as_they_are_and_recorded_errors_are_raised() -> None:
    plugin = ReplayPlugin([{"name": "pay", "args": {}, "error": "bank is closed"}])
    assert ask(plugin, "transfer_to_agent", {"agent_name": "x"}) is None
    with pytest.raises(RuntimeError, match="bank is closed"):
        ask(plugin, "pay", {})


def test_a_case_without_replay_gets_no_plugin_and_each_trial_a_fresh_one() -> None:
    case = Case("fixed", "F-1", {}, runner={"tool_results": [[{"name": "a", "args": {}, "response": 1}], []]})
    assert replay_plugin(case) is None
    case.runner["replay_tools"] = True
    for _ in range(2):
        plugin = replay_plugin(case)
        assert plugin is not None
        assert ask(plugin, "a", {}) == {"result": 1}


@pytest.mark.adk
def test_under_adk_the_real_tool_is_never_called_and_its_state_is_there() -> None:
    from google.adk.agents import LlmAgent
    from google.adk.apps.app import App
    from google.adk.models.base_llm import BaseLlm
    from google.adk.models.llm_response import LlmResponse
    from google.adk.runners import InMemoryRunner
    from google.genai import types

    touched: list[str] = []

    def set_branch(branch: str) -> dict[str, str]:
        """Sets the branch."""
        touched.append(branch)
        return {"real": branch}

    class Caller(BaseLlm):
        """Calls the tool once with the user's word, then reports what it got."""

        async def generate_content_async(self, llm_request: Any, stream: bool = False) -> Any:
            last = llm_request.contents[-1].parts[0]
            if last.function_response:
                part = types.Part(text=str(last.function_response.response))
            else:
                part = types.Part.from_function_call(name="set_branch", args={"branch": last.text})
            yield LlmResponse(content=types.Content(role="model", parts=[part]))

    async def talk(plugin: ReplayPlugin, word: str) -> tuple[str, dict[str, Any]]:
        agent = LlmAgent(name="desk", model=Caller(model="caller"), tools=[set_branch])
        runner = InMemoryRunner(app=App(name="desk", root_agent=agent, plugins=[plugin]))
        session = await runner.session_service.create_session(app_name="desk", user_id="u")
        said = ""
        message = types.Content(role="user", parts=[types.Part(text=word)])
        async for event in runner.run_async(user_id="u", session_id=session.id, new_message=message):
            said = (event.content.parts[0].text or said) if event.content and event.content.parts else said
        kept = await runner.session_service.get_session(app_name="desk", user_id="u", session_id=session.id)
        assert kept is not None
        return said, dict(kept.state)

    recorded = {"name": "set_branch", "args": {"branch": "north"}, "response": {"ok": 1}, "state": {"branch": "north"}}
    assert asyncio.run(talk(ReplayPlugin([recorded]), "north")) == ("{'ok': 1}", {"branch": "north"})
    empty = {**recorded, "response": {}}
    assert asyncio.run(talk(ReplayPlugin([empty]), "north"))[0] == "{}"
    plugin = ReplayPlugin([recorded])
    with pytest.raises(RuntimeError, match="the real tool was not called"):
        asyncio.run(talk(plugin, "south"))
    assert plugin.misses and touched == []
