"""Asking a judge model through ADK's registry: instructions apart from the material, one answer's text back."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from google.adk.models.llm_request import LlmRequest
from google.adk.models.registry import LLMRegistry
from google.genai import types

from adk_split_eval.metrics.process.review import AnswerError, JudgeOptions
from adk_split_eval.metrics.text import quote

SECONDS = 180.0
"""How long one answer may take; our runner's own limits are usually shorter."""

_Vote = TypeVar("_Vote")


def boundary(*texts: str) -> str:
    """A boundary nobody who wrote ``texts`` could have guessed; new for every question asked."""
    while True:
        mark = secrets.token_hex(16)
        if not any(mark in text for text in texts):
            return mark


async def ask(options: JudgeOptions, instructions: str, material: str) -> str:
    """The judge's answer. Raises what the model raises, TimeoutError, or AnswerError for a refusal or silence."""
    model: Any = LLMRegistry.new_llm(options.model)
    config = types.GenerateContentConfig.model_validate({"temperature": 0.0, **options.config})
    config.system_instruction = instructions
    content = types.Content(role="user", parts=[types.Part(text=material)])
    request = LlmRequest(model=options.model, contents=[content], config=config)
    said: list[str] = []
    async with asyncio.timeout(SECONDS):
        async for response in model.generate_content_async(request, stream=False):
            if response.error_code:
                raise AnswerError(
                    f"the judge answered with an error: {response.error_code} {response.error_message or ''}"
                )
            parts: list[types.Part] = (response.content.parts if response.content else None) or []
            if not response.partial:
                said += [part.text for part in parts if part.text and not part.thought]
    return "".join(said)


async def votes(options: JudgeOptions, one: Callable[[], Awaitable[_Vote]]) -> list[_Vote | str]:
    """``options.votes`` independent answers; for one that failed, the sentence that says why."""
    slots = asyncio.Semaphore(options.parallel)

    async def vote() -> _Vote | str:
        async with slots:
            try:
                return await one()
            except TimeoutError as error:
                return str(error) or f"the judge did not answer within {SECONDS:g} s"
            except AnswerError as error:
                return f"the judge's answer cannot be used: {error}"
            except Exception as error:  # noqa: BLE001 - a judge that fails is a vote that is missing
                return f"the judge failed: {type(error).__name__}: {quote(str(error), 200)}"

    return list(await asyncio.gather(*(vote() for _ in range(options.votes))))
