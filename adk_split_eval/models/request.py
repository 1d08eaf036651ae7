"""From ADK's model request to a :class:`View`: whose turn it is, what was said, which tools ran."""

from __future__ import annotations

import ast
import re
from typing import Any, cast

from google.adk.models.llm_request import LlmRequest
from google.genai import types

from adk_split_eval.models.prompts import read_prompt
from adk_split_eval.models.view import ToolUse, View

# How ADK relays to one agent what another agent of the same conversation did: user-role text, quoted since 2.10.
_RELAYED = "For context:"
_INSTRUCTION = "<<<BEGIN_SYSTEM_INSTRUCTION>>>"
_QUOTE = re.compile(r"<<<(?:BEGIN|END)_QUOTED_AGENT_CONTENT>>>\n?")
_RELAYED_SAID = re.compile(r"\A\[[^\]\n]+\] said:\s*(?P<text>.*)\Z", re.DOTALL)
_RELAYED_CALL = re.compile(
    r"\A\[[^\]\n]+\] called tool `(?P<name>[^`]+)` with parameters:\s*(?P<value>.*)\Z", re.DOTALL
)
_RELAYED_RESULT = re.compile(r"\A\[[^\]\n]+\] `(?P<name>[^`]+)` tool returned result:\s*(?P<value>.*)\Z", re.DOTALL)


def view_of(model: str, request: LlmRequest, seed: int | None = None) -> View:
    """Read ``request`` as a scripted model's rules see it. The request's own seed goes before ``seed``."""
    view = View(model=model, seed=seed)
    if request.config.seed is not None:
        view.seed = request.config.seed
    view.system = _instruction_text(cast(Any, request.config).system_instruction)
    texts: list[str] = []
    for content in request.contents:
        texts.extend(part.text for part in content.parts or [] if part.text and not part.thought)
        _read_content(view, content)
    view.prompt = "\n\n".join(texts)
    if len(request.contents) == 1 and not view.tools:
        read_prompt(view)
    return view


def _read_content(view: View, content: types.Content) -> None:
    parts = content.parts or []
    if content.role == "model":
        _read_model(view, parts)
        return
    responses = [part.function_response for part in parts if part.function_response]
    if responses:
        view.returned = [_answer(view, item.name or "", item.response) for item in responses]
        view.last = "tool"
        return
    said = [part.text for part in parts if part.text and not part.thought]
    if not said:
        return
    if said[0].startswith(_RELAYED):
        for text in said[1:]:
            _read_relayed(view, _QUOTE.sub("", text).strip())
    elif said[0].startswith(_INSTRUCTION):
        view.system = "\n\n".join([view.system, *said]).strip()
    else:
        view.user.append("\n".join(said))
        view.last, view.returned = "user", []


def _read_model(view: View, parts: list[types.Part]) -> None:
    for part in parts:
        if part.function_call:
            call = part.function_call
            use = ToolUse(call.name or "", dict(call.args or {}), view.turn)
            view.tools.append(use)
        elif part.text and not part.thought:
            view.agent.append(part.text)


def _answer(view: View, name: str, response: Any) -> ToolUse:
    """Give the oldest unanswered call of ``name`` its response; a response without a call is kept as one."""
    use = next((use for use in view.tools if use.name == name and not use.answered), None)
    if use is None:
        use = ToolUse(name, {}, view.turn)
        view.tools.append(use)
    use.result, use.answered = response, True
    return use


def _read_relayed(view: View, text: str) -> None:
    if match := _RELAYED_SAID.match(text):
        view.agent.append(match["text"])
    elif match := _RELAYED_CALL.match(text):
        args = _literal(match["value"])
        view.tools.append(
            ToolUse(match["name"], cast("dict[str, Any]", args) if isinstance(args, dict) else {}, view.turn)
        )
    elif match := _RELAYED_RESULT.match(text):
        _answer(view, match["name"], _literal(match["value"]))


def _literal(text: str) -> Any:
    """A Python literal ADK printed with ``str``; the bare text when it is none (tool objects, say)."""
    try:
        return ast.literal_eval(text.strip())
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return text.strip()


def _instruction_text(instruction: Any) -> str:
    if instruction is None:
        return ""
    if isinstance(instruction, str):
        return instruction
    content: list[types.Part] = getattr(instruction, "parts", None) or []
    return "\n".join(part.text for part in content if part.text)
