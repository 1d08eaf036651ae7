"""The scripted model inside ADK: resolved without any provider, run by real agents, honest about what is missing."""

from __future__ import annotations

import asyncio
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from google.adk.agents import LlmAgent
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.adk.models.registry import LLMRegistry
from google.adk.runners import InMemoryRunner
from google.adk.tools.agent_tool import AgentTool
from google.genai import types

from adk_split_eval.models import ScriptedFault, ScriptedLlm, register_scripted


def _register(tmp_path: Path, **scripts: str) -> None:
    for name, text in scripts.items():
        (tmp_path / f"{name}.yaml").write_text(text, "utf-8")
    register_scripted(tmp_path)


def _ask(model: str, text: str) -> LlmResponse:
    async def first() -> LlmResponse:
        asked = LlmRequest(contents=[types.Content(role="user", parts=[types.Part(text=text)])])
        (only,) = [item async for item in LLMRegistry.new_llm(model).generate_content_async(asked, stream=True)]
        return only

    return asyncio.run(first())


def _run(agent: LlmAgent, *messages: str) -> list[Any]:
    """All events of a conversation."""

    async def everything() -> list[Any]:
        runner = InMemoryRunner(agent, app_name="app")
        session = await runner.session_service.create_session(app_name="app", user_id="u")
        events: list[Any] = []
        for text in messages:
            message = types.Content(role="user", parts=[types.Part(text=text)])
            events += [
                event async for event in runner.run_async(user_id="u", session_id=session.id, new_message=message)
            ]
        await runner.close()
        return events

    return asyncio.run(everything())


def _said(events: list[Any]) -> list[tuple[str, str]]:
    return [
        (event.author, part.text)
        for event in events
        for part in (event.content.parts if event.content else None) or []
        if part.text
    ]


def test_resolving_asks_no_provider(tmp_path: Path) -> None:
    _register(tmp_path, alone="rules:\n  - say: hello\n")
    before = "litellm" in sys.modules
    assert LLMRegistry.resolve("scripted/alone") is ScriptedLlm
    assert ("litellm" in sys.modules) is before


def test_an_unregistered_name_says_what_is_registered(tmp_path: Path) -> None:
    _register(tmp_path, here="rules:\n  - say: hello\n")
    with pytest.raises(
        KeyError, match=r"no script is registered as 'scripted/elsewhere' \(registered: .*scripted/here"
    ):
        _ask("scripted/elsewhere", "hi")


def test_prefix_keeps_two_agents_apart(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "agent.yaml").write_text(f"rules:\n  - say: I am {name}\n", "utf-8")
        assert register_scripted(tmp_path / name, prefix=f"{name}/") == [f"scripted/{name}/agent"]
    assert _ask("scripted/one/agent", "hi").content.parts[0].text == "I am one"
    assert _ask("scripted/two/agent", "hi").content.parts[0].text == "I am two"


def test_usage_and_version_are_reported(tmp_path: Path) -> None:
    _register(tmp_path, counted="rules:\n  - say: 你好 abcd\n")
    response = _ask("scripted/counted", "x" * 400)
    assert response.model_version == "scripted/counted"
    assert response.usage_metadata.prompt_token_count == 100
    assert response.usage_metadata.candidates_token_count == 4
    assert response.usage_metadata.total_token_count == 104


def test_planted_error(tmp_path: Path) -> None:
    _register(tmp_path, sick="rules:\n  - error: {code: SAFETY, message: blocked}\n")
    response = _ask("scripted/sick", "hi")
    assert (response.error_code, response.error_message, response.content) == ("SAFETY", "blocked", None)


def test_planted_emptiness(tmp_path: Path) -> None:
    _register(tmp_path, silent="rules:\n  - empty: true\n")
    assert _ask("scripted/silent", "hi").content.parts == []


def test_delay_is_waited_for(tmp_path: Path) -> None:
    _register(tmp_path, slow="rules:\n  - {say: hello, delay_ms: 30}\n")
    start = time.monotonic()
    _ask("scripted/slow", "hi")
    assert time.monotonic() - start >= 0.03


def test_an_agent_with_a_tool(tmp_path: Path) -> None:
    _register(
        tmp_path,
        clerk=r"""
rules:
  - when: {after_tool: price, result: {price: '(?P<price>[\d.]+)'}}
    say: '{sku} costs {price:number}'
  - when: {user: 'price of (?P<sku>\w+)'}
    call: {name: price, args: {sku: '{sku}'}}
remember:
  sku: {user_any: 'price of (?P<sku>\w+)'}
""",
    )

    def price(sku: str) -> dict[str, Any]:
        """The price of an article."""
        return {"price": {"A1": 9.5}.get(sku)}

    agent = LlmAgent(name="clerk", model="scripted/clerk", tools=[price])
    assert _said(_run(agent, "price of A1?")) == [("clerk", "A1 costs 9.5")]


def test_transfer_between_agents(tmp_path: Path) -> None:
    _register(
        tmp_path,
        front=r"""
rules:
  - when: {user: bill}
    call: {name: transfer_to_agent, args: {agent_name: billing}}
""",
        billing=r"""
rules:
  - when: {user: bill, called: {name: transfer_to_agent, args: {agent_name: billing}}}
    say: your bill is paid
  - when: {user: thanks, said_any: is paid}
    say: any time
""",
    )
    billing = LlmAgent(name="billing", description="bills", model="scripted/billing")
    front = LlmAgent(name="front", model="scripted/front", sub_agents=[billing])
    said = _said(_run(front, "my bill?", "thanks"))
    assert said == [("billing", "your bill is paid"), ("billing", "any time")]


def test_what_another_agent_said_is_no_user_message(tmp_path: Path) -> None:
    _register(
        tmp_path,
        back_front=r"""
rules:
  - when: {user: again, said_any: it is noted, turn: 2, called: {name: note, result: {ok: 1}}}
    say: I know that it is noted
  - when: {user: note}
    call: {name: transfer_to_agent, args: {agent_name: notes}}
""",
        back_notes=r"""
rules:
  - {when: {after_tool: note}, say: it is noted}
  - {when: {user: note}, call: note}
  - {when: {user: again}, call: {name: transfer_to_agent, args: {agent_name: front}}}
""",
    )

    def note() -> dict[str, int]:
        """Notes it."""
        return {"ok": 1}

    notes = LlmAgent(name="notes", description="notes", model="scripted/back_notes", tools=[note])
    front = LlmAgent(name="front", model="scripted/back_front", sub_agents=[notes])
    assert _said(_run(front, "note this", "again"))[-1] == ("front", "I know that it is noted")


def test_an_agent_as_a_tool(tmp_path: Path) -> None:
    _register(
        tmp_path,
        outer=r"""
rules:
  - when: {after_tool: inner, result: {result: '(?P<word>.+)'}}
    say: 'inner said {word}'
  - when: {user: ask}
    call: {name: inner, args: {request: what}}
""",
        inner="rules:\n  - {when: {user: what}, say: this}\n",
    )
    inner = LlmAgent(name="inner", description="inner", model="scripted/inner")
    outer = LlmAgent(name="outer", model="scripted/outer", tools=[AgentTool(inner)])
    assert _said(_run(outer, "ask"))[-1] == ("outer", "inner said this")


def test_a_planted_exception_reaches_whoever_runs_the_agent(tmp_path: Path) -> None:
    _register(tmp_path, broken="rules:\n  - raise: the line is down\n")
    with pytest.raises(ScriptedFault, match=r"scripted/broken: the line is down \(planted by .*broken.yaml:2\)"):
        _run(LlmAgent(name="broken", model="scripted/broken"), "hi")
