"""Models of the proving bench: what agent, simulated user and judge answer is set by the test, in this process."""

from __future__ import annotations

import asyncio
import json
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_response import LlmResponse
from google.genai import types

Step = Any
"""One model answer: text, a call ``("tool", {args})``, a list of both, an ``LlmResponse`` or an exception."""


@dataclass
class Script:
    """What the models of one run say.

    Attributes:
        agent: user's words → the steps of that turn, by agent name; ``"*"`` stands for any words.
        user: the simulated user's messages after the starting prompt, in order; the last one is repeated.
        judge: prompt and how often it was put before → an answer.
        tools: tool name → its answer, or a function of the arguments.
    """

    agent: dict[str, dict[str, list[Step]]] = field(default_factory=dict)
    user: list[Step] = field(default_factory=lambda: ["</finished>"])
    judge: Callable[[Any, int], Step] = lambda request, times: saying_yes(request)
    tools: dict[str, Any] = field(default_factory=dict)
    asked: Counter[str] = field(default_factory=Counter)


current = Script()


def use(script: Script) -> None:
    """Let every model follow ``script`` from now on."""
    global current
    current = script


def register(registry: Any) -> None:
    """Make the bench's models known to ADK."""
    for model in (AgentModel, UserModel, JudgeModel):
        registry.register(model)


def tool_answer(name: str, args: dict[str, Any]) -> Any:
    """What the tool gives back."""
    answer = current.tools.get(name, {"done": name})
    return answer(args) if callable(answer) else answer


def part(item: Any) -> types.Part:
    """Text, or ``(name, args[, id])`` for a call."""
    if isinstance(item, types.Part):
        return item
    if isinstance(item, tuple):
        name, args, *rest = item
        return types.Part(function_call=types.FunctionCall(name=name, args=args, id=rest[0] if rest else None))
    return types.Part(text=item)


def response(step: Step) -> LlmResponse:
    """A step as ADK's response; exceptions are raised."""
    if isinstance(step, BaseException):
        raise step
    if isinstance(step, LlmResponse):
        return step
    parts = [part(item) for item in (step if isinstance(step, list) else [step])]
    usage = types.GenerateContentResponseUsageMetadata(
        prompt_token_count=10, candidates_token_count=5, total_token_count=15
    )
    return LlmResponse(content=types.Content(role="model", parts=parts), usage_metadata=usage)


class AgentModel(BaseLlm):
    @classmethod
    def supported_models(cls) -> list[str]:
        return ["bench-agent/.*"]

    async def generate_content_async(self, llm_request: Any, stream: bool = False) -> Any:
        contents = llm_request.contents
        asked = max((i for i, content in enumerate(contents) if _is_user(content)), default=0)
        words = "".join(p.text or "" for p in contents[asked].parts or []) if contents else ""
        rules = current.agent.get(self.model.removeprefix("bench-agent/"), {})
        steps = rules.get(words, rules.get("*"))
        if steps is None:
            raise LookupError(f"{self.model}: nothing is scripted for {words!r}")
        done = sum(content.role == "model" for content in contents[asked + 1 :])
        yield response(steps[min(done, len(steps) - 1)])


def _is_user(content: Any) -> bool:
    texts = [p.text for p in content.parts or [] if p.text is not None]
    return content.role == "user" and bool(texts) and not texts[0].startswith("For context")


class UserModel(BaseLlm):
    @classmethod
    def supported_models(cls) -> list[str]:
        return ["bench-user"]

    async def generate_content_async(self, llm_request: Any, stream: bool = False) -> Any:
        prompt = "".join(p.text or "" for c in llm_request.contents for p in c.parts or [])
        heard = len(re.findall(r"(?m)^user: ", prompt))
        yield response(current.user[min(max(heard - 1, 0), len(current.user) - 1)])


class JudgeModel(BaseLlm):
    @classmethod
    def supported_models(cls) -> list[str]:
        return ["bench-judge"]

    async def generate_content_async(self, llm_request: Any, stream: bool = False) -> Any:
        prompt = "".join(p.text or "" for c in llm_request.contents for p in c.parts or [])
        times = current.asked[prompt]
        current.asked[prompt] += 1
        answer = current.judge(llm_request, times)
        if asyncio.iscoroutine(answer):
            answer = await answer
        yield response(answer)


def saying(verdict: bool, fault: str | None = None) -> Callable[[Any, int], Step]:
    """A judge that answers every one of ADK's judge prompts in the form asked for, always the same."""
    from adk_split_eval.models.judge import JudgeAnswer
    from adk_split_eval.models.request import view_of

    def judge(request: Any, times: int) -> str:
        return JudgeAnswer(verdict, "because", fault=fault).text(view_of("bench-judge", request))

    return judge


def saying_yes(request: Any) -> str:
    return saying(True)(request, 0)


def voting(pattern: str) -> Callable[[Any, int], Step]:
    """``"yny"``: yes to the first asking of a prompt, no to the second, yes to the third; then from the start."""
    yes, no = saying(True), saying(False)
    return lambda request, times: (yes if pattern[times % len(pattern)] == "y" else no)(request, times)


def plain(text: str) -> str:
    """A JSON string without its quotes: what a text looks like inside a stored file."""
    return json.dumps(text, ensure_ascii=False)[1:-1]
