"""An agent, a simulated user and a judge that do what the words of a case say, faults included.

``PROBE_LOG`` names a file that gets one line a model call: role, first word of the conversation.
``PROBE_PROCESSES`` names a file that gets the number of the process each time.
``PROBE_DELAY`` is how long a model call takes, in seconds. ``PROBE_TOOLS`` names the tools it has, all of them when unset.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import time
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

from google.adk.agents import LlmAgent
from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.adk.models.registry import LLMRegistry
from google.genai import types

from adk_split_eval.models import register_scripted


class Unfit(BaseException):
    """No Exception: what passes every handler that means well."""


def lookup(order: str) -> dict[str, Any]:
    """Look an order up."""
    return {"order": order, "status": "sent"}


def broken(order: str) -> dict[str, Any]:
    """Raises."""
    raise ValueError(f"the database of {order} is gone")


def leaves(order: str) -> dict[str, Any]:
    """Ends the process, or tries to."""
    raise SystemExit(3)


def unfit(order: str) -> dict[str, Any]:
    """Raises what is no Exception."""
    raise Unfit("nobody catches me")


async def cancels(order: str) -> dict[str, Any]:
    """Raises a cancellation nobody asked for, as a torn connection does."""
    raise asyncio.CancelledError


async def hangs(order: str) -> dict[str, Any]:
    """Never answers."""
    await asyncio.sleep(3600)
    return {}


def blocks(order: str) -> dict[str, Any]:
    """Never answers, and lets nobody else."""
    _note("tool", order)
    time.sleep(3600)
    return {}


def stubborn(order: str) -> dict[str, Any]:
    """Lets nobody else run, and goes on when it is interrupted."""
    for _ in range(3):
        with contextlib.suppress(Exception):
            time.sleep(3600)
    return {}


def nothing(order: str) -> None:
    """Returns nothing."""


def huge(order: str) -> dict[str, Any]:
    """Returns megabytes."""
    return {"order": order, "pages": "x" * 3_000_000}


def recurses(order: str) -> dict[str, Any]:
    """Calls itself for ever."""
    return recurses(order)


TOOLS = {
    f.__name__: f for f in (lookup, broken, leaves, unfit, cancels, hangs, blocks, stubborn, nothing, huge, recurses)
}


def _texts(request: LlmRequest, role: str) -> list[str]:
    return [p.text for c in request.contents if c.role == role for p in c.parts or [] if p.text]


class ProbeLlm(BaseLlm):
    """``probe/agent``: calls the tool the user names, then says it is done."""

    @classmethod
    def supported_models(cls) -> list[str]:
        return ["probe/agent"]

    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        said = _texts(llm_request, "user")
        await _account("agent", said[0] if said else "")
        words = said[-1].split() if said else []
        last = llm_request.contents[-1].parts or []
        if "mute" in words:
            yield LlmResponse()
        elif "raises" in words:
            raise RuntimeError("the model is on fire")
        elif "code" in words:
            yield LlmResponse(error_code="SAFETY", error_message="blocked")
        elif any(p.function_response for p in last) and "forever" not in words:
            yield _answer(types.Part(text=f"done: {words[0]}"))
        else:
            called = [w for w in words if w in TOOLS] or (["lookup"] if "forever" in words else [])
            calls = [types.Part(function_call=types.FunctionCall(name=n, args={"order": words[0]})) for n in called]
            yield _answer(*(calls or [types.Part(text=f"hello {words[0] if words else ''}")]))


class UserLlm(BaseLlm):
    """``probe/user``: asks once more, then stops; ``PROBE_TURNS`` messages beside the first."""

    @classmethod
    def supported_models(cls) -> list[str]:
        return ["probe/user"]

    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        text = "\n".join(p.text for c in llm_request.contents for p in c.parts or [] if p.text)
        text += str(llm_request.config.system_instruction or "")
        await _account("user", text[:80])
        if "user-raises" in text:
            raise RuntimeError("the simulator is on fire")
        if "user-mute" in text:
            yield _answer(types.Part(text=""))
            return
        spoken = text.count("again lookup")
        more = spoken < int(os.environ.get("PROBE_TURNS", "1"))
        yield _answer(types.Part(text=f"number {spoken} again lookup" if more else "</finished>"))


def _note(role: str, first: str) -> None:
    if os.environ.get("PROBE_LOG"):
        with Path(os.environ["PROBE_LOG"]).open("a", encoding="utf-8") as file:
            file.write(f"{role} {first.split()[0] if first.split() else '-'}\n")


async def _account(role: str, first: str) -> None:
    _note(role, first)
    if os.environ.get("PROBE_PROCESSES"):
        with Path(os.environ["PROBE_PROCESSES"]).open("a", encoding="utf-8") as file:
            file.write(f"{os.getpid()}\n")
    await asyncio.sleep(float(os.environ.get("PROBE_DELAY", "0")))


def _answer(*parts: types.Part) -> LlmResponse:
    return LlmResponse(content=types.Content(role="model", parts=list(parts)), model_version="probe")


LLMRegistry.register(ProbeLlm)
LLMRegistry.register(UserLlm)
if (Path(__file__).parent / "scripts").is_dir():
    register_scripted(Path(__file__).parent / "scripts")

root_agent = LlmAgent(
    name="probe_agent",
    model="probe/agent",
    instruction="Do as you are told.",
    tools=[TOOLS[name] for name in os.environ.get("PROBE_TOOLS", " ".join(TOOLS)).split()],
)
