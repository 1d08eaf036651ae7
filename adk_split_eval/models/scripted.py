"""``scripted/<name>``: a model that follows rules in a YAML file, for agents, simulated users and judges alike.

Hermetic: no network, no key, no chance unless a seed is given. A request no rule covers is an error.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncGenerator
from contextvars import ContextVar
from pathlib import Path

from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.adk.models.registry import LLMRegistry
from google.genai import types
from typing_extensions import override

from adk_split_eval.models.conditions import Captures, draw
from adk_split_eval.models.loading import load_script
from adk_split_eval.models.located import ScriptError
from adk_split_eval.models.prompts import STOP_SIGNAL
from adk_split_eval.models.request import view_of
from adk_split_eval.models.rules import Answer, Rule, Script
from adk_split_eval.models.values import FillError, fill
from adk_split_eval.models.view import View
from adk_split_eval.record import Finding

PREFIX = "scripted/"
SEED_VARIABLE = "ADK_SPLIT_EVAL_SEED"
seed_of_this_task: ContextVar[int | None] = ContextVar("adk_split_eval_seed", default=None)
"""Seed of the running trial; a request's own seed goes before it, the environment's comes after."""

_scripts: dict[str, Script] = {}


class ScriptedFault(RuntimeError):
    """An exception a script planted with ``raise``."""


class ScriptedLlm(BaseLlm):
    """Answers by the rules of the script registered under its name (see :func:`register_scripted`)."""

    @classmethod
    @override
    def supported_models(cls) -> list[str]:
        return [r"scripted/.+"]

    @override
    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        """One complete answer, also when streaming is asked for.

        Raises:
            KeyError: no script is registered under this name.
            NoRuleMatches: the script has no rule for this request.
            ScriptedFault: the rule plants an exception.
        """
        view = view_of(self.model, llm_request, _seed())
        rule, captures = script_named(self.model).decide(view)
        if rule.answer.delay_ms:
            await asyncio.sleep(rule.answer.delay_ms / 1000)
        yield respond(view, rule, captures)


def register_scripted(source: Path | str, *, prefix: str = "") -> list[str]:
    """Make scripts usable as models, in this process.

    Args:
        source: a folder of ``<name>.yaml`` files, or one such file.
        prefix: put before each name, to keep two agents' scripts of one process apart.

    Returns:
        The model names, ``scripted/<prefix><name>``. A name registered before is replaced.

    Raises:
        ScriptError: a script has mistakes, or there is none; all mistakes of all scripts at once.
    """
    path = Path(source)
    files = sorted(path.glob("*.yaml")) if path.is_dir() else [path]
    if not files:
        raise ScriptError([Finding("ASE661", "error", "holds no script (<name>.yaml)", str(path))])
    loaded: dict[str, Script] = {}
    findings: list[Finding] = []
    for file in files:
        try:
            loaded[f"{PREFIX}{prefix}{file.stem}"] = load_script(file)
        except ScriptError as problem:
            findings.extend(problem.findings)
    if findings:
        raise ScriptError(list(dict.fromkeys(findings)))
    _scripts.update(loaded)
    LLMRegistry.register(ScriptedLlm)
    return list(loaded)


def script_named(model: str) -> Script:
    """The script registered as ``model`` (``scripted/<name>``)."""
    script = _scripts.get(model)
    if script is None:
        have = ", ".join(sorted(_scripts)) or "none"
        raise KeyError(f"no script is registered as {model!r} (registered: {have}); call register_scripted in agent.py")
    return script


def respond(view: View, rule: Rule, captures: Captures) -> LlmResponse:
    """The rule's answer as ADK's response."""
    answer = rule.answer
    if answer.fault is not None:
        raise ScriptedFault(f"{view.model}: {answer.fault} (planted by {rule.place()})")
    if answer.error is not None:
        return LlmResponse(error_code=answer.error[0], error_message=answer.error[1], model_version=view.model)
    try:
        parts = _parts(view, rule.name, answer, captures)
    except FillError as problem:
        raise FillError(f"{view.model}: rule {rule.name!r} ({rule.place()}): {problem}") from None
    return LlmResponse(
        content=types.Content(role="model", parts=parts),
        model_version=view.model,
        finish_reason=types.FinishReason.STOP,
        usage_metadata=_usage(view, parts),
    )


def _parts(view: View, salt: str, answer: Answer, captures: Captures) -> list[types.Part]:
    parts: list[types.Part] = []
    if answer.thought is not None:
        parts.append(types.Part(text=str(fill(answer.thought, captures)), thought=True))
    if answer.judge is not None:
        parts.append(types.Part(text=answer.judge.text(view)))
    text = _said(view, salt, answer, captures)
    if answer.stop:
        text = f"{text} {STOP_SIGNAL}" if text else STOP_SIGNAL
    if text:
        parts.append(types.Part(text=text))
    for call in answer.calls:
        args = {key: fill(value, captures) for key, value in call.args.items()}
        parts.append(types.Part(function_call=types.FunctionCall(name=call.name, args=args)))
    return parts


def _said(view: View, salt: str, answer: Answer, captures: Captures) -> str:
    if not answer.say:
        return ""
    chosen = 0 if view.seed is None else int(draw(view, salt) * len(answer.say))
    return str(fill(answer.say[chosen], captures))


def _seed() -> int | None:
    seed = seed_of_this_task.get()
    if seed is None and os.environ.get(SEED_VARIABLE, "").lstrip("-").isdigit():
        seed = int(os.environ[SEED_VARIABLE])
    return seed


def _usage(view: View, parts: list[types.Part]) -> types.GenerateContentResponseUsageMetadata:
    """Token counts of about the size a real model reports, so that efficiency criteria have something to report."""
    asked = _tokens(view.system) + _tokens(view.prompt) + sum(_tokens(str(use.result)) for use in view.tools)
    given = sum(_tokens(part.text or str(part.function_call.args if part.function_call else "")) for part in parts)
    return types.GenerateContentResponseUsageMetadata(
        prompt_token_count=asked, candidates_token_count=given, total_token_count=asked + given
    )


def _tokens(text: str) -> int:
    """Roughly: four Latin letters a token, one token for every other letter."""
    narrow = sum(1 for letter in text if ord(letter) < 0x250)
    return (narrow + 3) // 4 + len(text) - narrow
