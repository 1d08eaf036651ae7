"""ADK's invocations as conversations: both forms of intermediate data, responses found for their calls."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence

from google.adk.evaluation.eval_case import IntermediateData, Invocation, InvocationEvents
from google.genai import types

from adk_split_eval.metrics.trajectory import ExpectedCall
from adk_split_eval.record import Call, Conversation, Event, Text, Turn

_TRANSFER = "transfer_to_agent"


def conversation_from_invocations(invocations: Sequence[Invocation]) -> Conversation:
    """The conversation that ``invocations`` record; what they do not hold (state, stop reason) stays unknown.

    A step is one recorded event with calls or text, that is one model answer. The older form of intermediate data does
    not say which calls belong together: there each call is a step of its own.
    """
    return Conversation(turns=[turn_from_invocation(invocation) for invocation in invocations])


def turn_from_invocation(invocation: Invocation) -> Turn:
    """One invocation as a turn. Thoughts of the model are not said to anybody and are left out."""
    turn = Turn(user=content_text(invocation.user_content), response=content_text(invocation.final_response))
    if invocation.app_details:
        turn.instructions = [
            details.instructions for details in invocation.app_details.agent_details.values() if details.instructions
        ]
    data = invocation.intermediate_data
    if isinstance(data, InvocationEvents):
        _read_events(turn, data, invocation.final_response)
    elif data is not None:
        _read_lists(turn, data)
    return turn


def expected_steps(
    invocation: Invocation, *, exact: bool = False, as_literal: bool = False
) -> list[list[ExpectedCall]] | None:
    """The calls that an expected invocation states, as steps; None when it states nothing about calls.

    Args:
        exact: arguments are compared as a whole, as ADK does.
        as_literal: no argument is read as a matcher.
    """
    data = invocation.intermediate_data
    if data is None or (isinstance(data, IntermediateData) and "tool_uses" not in data.model_fields_set):
        return None
    steps: dict[int, list[ExpectedCall]] = {}
    for call in turn_from_invocation(invocation).tool_calls:
        steps.setdefault(call.step, []).append(ExpectedCall(call.name, call.args, exact, as_literal))
    return list(steps.values())


def content_text(content: types.Content | None) -> str:
    """The text a person sees of ``content``: its text parts without thoughts, joined by line ends, as ADK joins them."""
    return "\n".join(_texts(content))


def _texts(content: types.Content | None) -> list[str]:
    parts = (content.parts if content else None) or []
    return [part.text for part in parts if part.text and not part.thought]


def _read_events(turn: Turn, data: InvocationEvents, final_response: types.Content | None) -> None:
    answers = _Answers()
    step = -1
    for event in data.invocation_events:
        parts = (event.content.parts if event.content else None) or []
        has_calls = any(part.function_call for part in parts)
        # The event that is the final response keeps its content when it holds calls; its text is the response.
        said = [] if has_calls and event.content == final_response else _texts(event.content)
        if has_calls or said:
            step += 1
        if said:
            turn.intermediate.append(Text(event.author, "\n".join(said)))
            turn.events.append(Event("text", data="\n".join(said), author=event.author, step=step))
        for part in parts:
            if part.function_call:
                _add_call(turn, answers, part.function_call, step, event.author)
            elif part.function_response:
                _add_response(turn, answers, part.function_response, event.author, max(step, 0))
    if turn.response:
        turn.events.append(Event("text", data=turn.response, step=step + 1))


def _add_call(turn: Turn, answers: _Answers, raw: types.FunctionCall, step: int, author: str) -> None:
    call = _call(raw, step, author)
    turn.tool_calls.append(call)
    answers.expect(raw.id, call)
    turn.events.append(Event("call", call.name, call.args, author, step))
    if call.name == _TRANSFER:
        turn.events.append(Event("transfer", str(call.args.get("agent_name", "")), call.args, author, step))


def _add_response(turn: Turn, answers: _Answers, raw: types.FunctionResponse, author: str, step: int) -> None:
    call = answers.give(raw)
    step = call.step if call else step
    turn.events.append(Event("response", raw.name or "", raw.response, author, step))


def _read_lists(turn: Turn, data: IntermediateData) -> None:
    """Events stay empty: the lists do not say in which order calls and texts came."""
    answers = _Answers()
    for step, raw in enumerate(data.tool_uses):
        call = _call(raw, step, None)
        turn.tool_calls.append(call)
        answers.expect(raw.id, call)
    for response in data.tool_responses:
        answers.give(response)
    for author, parts in data.intermediate_responses:
        said = [part.text for part in parts if part.text and not part.thought]
        if said:
            turn.intermediate.append(Text(author, "\n".join(said)))


def _call(raw: types.FunctionCall, step: int, author: str | None) -> Call:
    return Call(name=raw.name or "", args=dict(raw.args or {}), step=step, author=author)


class _Answers:
    """Calls that wait for their response: by id, and by name for recordings without ids or with repeated ones."""

    def __init__(self) -> None:
        self.by_id: dict[str, deque[Call]] = {}
        self.by_name: dict[str, deque[Call]] = {}

    def expect(self, identifier: str | None, call: Call) -> None:
        if identifier:
            self.by_id.setdefault(identifier, deque()).append(call)
        self.by_name.setdefault(call.name, deque()).append(call)

    def give(self, raw: types.FunctionResponse) -> Call | None:
        """Give the response to the earliest waiting call it belongs to; None when there is none."""
        if raw.id and raw.id in self.by_id:
            call = _first(c for c in _waiting(self.by_id[raw.id]) if not raw.name or c.name == raw.name)
        elif raw.id and self.by_id:
            call = None  # it names a call, and that call was never made here
        else:
            call = _first(_waiting(self.by_name.get(raw.name or "", deque())))
        if call is not None:
            call.response = raw.response
            call.answered = True
        return call


def _waiting(calls: deque[Call]) -> deque[Call]:
    while calls and calls[0].answered:
        calls.popleft()
    return calls


def _first(calls: Iterable[Call]) -> Call | None:
    return next((call for call in calls if not call.answered), None)
