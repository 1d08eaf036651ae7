"""Helpers for scripted models: scripts from text, requests from plain data, answers as plain data."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.adk.models.registry import LLMRegistry
from google.genai import types

from adk_split_eval.models import register_scripted

Say = dict[str, Any]


def content(item: str | Say) -> types.Content:
    """``"text"`` is the user's; ``{"agent": text}``, ``{"call": name, **args}`` and ``{"result": name, **data}``."""
    if isinstance(item, str):
        return types.Content(role="user", parts=[types.Part(text=item)])
    data = dict(item)
    if "agent" in data:
        return types.Content(role="model", parts=[types.Part(text=data["agent"])])
    if "call" in data:
        return types.Content(
            role="model", parts=[types.Part(function_call=types.FunctionCall(name=data.pop("call"), args=data))]
        )
    return types.Content(
        role="user",
        parts=[types.Part(function_response=types.FunctionResponse(name=data.pop("result"), response=data))],
    )


def request(*items: str | Say, system: str | None = None, seed: int | None = None) -> LlmRequest:
    config = types.GenerateContentConfig(system_instruction=system, seed=seed)
    return LlmRequest(model="scripted/under_test", contents=[content(item) for item in items], config=config)


def ask(model: str, asked: LlmRequest) -> LlmResponse:
    """The single response of ``model``."""

    async def answers() -> list[LlmResponse]:
        llm = LLMRegistry.new_llm(model)
        return [response async for response in llm.generate_content_async(asked)]

    (response,) = asyncio.run(answers())
    return response


@pytest.fixture
def script(tmp_path: Path) -> Callable[[str], Callable[..., Any]]:
    """``script(yaml)(*conversation)`` answers with the text, or with the calls as ``[(name, args), ...]``."""

    def make(text: str) -> Callable[..., Any]:
        file = tmp_path / "under_test.yaml"
        file.write_text(text, encoding="utf-8")
        register_scripted(file)

        def answer(*items: str | Say, system: str | None = None, seed: int | None = None) -> Any:
            response = ask("scripted/under_test", request(*items, system=system, seed=seed))
            parts = response.content.parts if response.content else None
            calls = [
                (part.function_call.name, dict(part.function_call.args or {}))
                for part in parts or []
                if part.function_call
            ]
            return calls or "".join(part.text or "" for part in parts or [] if not part.thought)

        return answer

    return make
