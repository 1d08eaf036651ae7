"""Conversations out of ADK's own files: session exports, recorded eval cases, results of ``adk eval``. Plain JSON, no ADK."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from adk_split_eval.pool.emit import as_list, as_mapping
from adk_split_eval.record import Call, Conversation, Event, Text, Turn


def field_of(data: dict[str, Any], name: str) -> Any:
    """The value under ``name``, spelt in snake_case or in camelCase."""
    if name in data:
        return data[name]
    head, *rest = name.split("_")
    return data.get(head + "".join(part.capitalize() for part in rest))


def text_of(content: Any) -> str:
    """All text of a genai Content, thoughts left out."""
    parts = (as_mapping(part) for part in as_list(as_mapping(content).get("parts")))
    return "".join(str(part.get("text") or "") for part in parts if not part.get("thought"))


def session_conversation(session: dict[str, Any]) -> Conversation:
    """A session as ADK exports it: events in order, the state as it was at the end.

    The start state is what the events never wrote: a key that some event wrote may have been there before, with another
    value, and an export does not say.
    """
    turns: list[Turn] = []
    written: set[str] = set()
    current = ""
    for event in (as_mapping(e) for e in as_list(session.get("events"))):
        if event.get("partial"):
            continue
        delta = as_mapping(field_of(as_mapping(event.get("actions")), "state_delta"))
        written |= set(delta)
        said = text_of(event.get("content"))
        if event.get("author") == "user" and not _responses(event):
            # ADK gives every user message an invocation of its own; one of several events is one message.
            invocation = str(field_of(event, "invocation_id") or "")
            if turns and invocation and invocation == current:
                turns[-1].user += said
            else:
                turns.append(Turn(said))
            current = invocation
        elif turns:
            _add_event(turns[-1], event, said, delta)
    for turn in turns:
        _settle_texts(turn)
    end = as_mapping(session.get("state"))
    start = {key: value for key, value in end.items() if key not in written}
    return Conversation(turns, state_before=start, state_after=end)


def _responses(event: dict[str, Any]) -> list[dict[str, Any]]:
    return _parts(event, "function_response")


def _parts(event: dict[str, Any], name: str) -> list[dict[str, Any]]:
    parts = (as_mapping(part) for part in as_list(as_mapping(event.get("content")).get("parts")))
    return [as_mapping(found) for part in parts if (found := field_of(part, name))]


def _add_event(turn: Turn, event: dict[str, Any], said: str, delta: dict[str, Any]) -> None:
    author = str(event.get("author") or "")
    calls = _parts(event, "function_call")
    step = 1 + max((call.step for call in turn.tool_calls), default=-1)
    if said:
        turn.intermediate.append(Text(author, said))
        turn.events.append(Event("text", data=said, author=author, step=step))
    for call in calls:
        made = Call(str(call.get("name") or ""), as_mapping(call.get("args")), step=step, author=author)
        turn.tool_calls.append(made)
        turn.events.append(Event("call", made.name, made.args, author, step))
    for response in _responses(event):
        _answer(turn, response, author)
    if delta:
        turn.events.append(Event("state", data=delta, author=author, step=step))
    if code := field_of(event, "error_code"):
        turn.error = f"{code}: {field_of(event, 'error_message') or ''}".rstrip(": ")


def _answer(turn: Turn, response: dict[str, Any], author: str) -> None:
    name = str(response.get("name") or "")
    call = next((c for c in turn.tool_calls if c.name == name and not c.answered), None)
    if call is not None:
        call.response, call.answered = response.get("response"), True
        turn.events.append(Event("response", name, response.get("response"), author, call.step))


def _settle_texts(turn: Turn) -> None:
    """The last thing said is the turn's response; what came before is intermediate."""
    if turn.intermediate:
        turn.response = turn.intermediate.pop().text


def turns_conversation(data: dict[str, Any]) -> Conversation:
    """Turns written out one by one: ``{user, calls | tool_calls, agent | response}``, with the states around them."""
    turns: list[Turn] = []
    for entry in (as_mapping(t) for t in as_list(data.get("turns"))):
        turn = Turn(str(entry.get("user") or ""), response=str(entry.get("agent") or entry.get("response") or ""))
        listed = entry.get("calls") if "calls" in entry else entry.get("tool_calls")
        for number, call in enumerate(as_mapping(c) for c in as_list(listed)):
            answered = "response" in call
            step = call.get("step", number)
            turn.tool_calls.append(
                Call(
                    str(call.get("name") or ""),
                    as_mapping(call.get("args")),
                    call.get("response"),
                    step if isinstance(step, int) else number,
                    answered=answered,
                )
            )
        turns.append(turn)
    before, after = data.get("state_at_start"), data.get("state_at_end")
    return Conversation(
        turns,
        state_before=as_mapping(before) if before is not None else None,
        state_after=as_mapping(after) if after is not None else None,
        stop_reason=data.get("stop_reason"),
    )


def case_conversation(case: dict[str, Any]) -> Conversation:
    """An eval case as ``adk web`` records it (or as written by hand)."""
    turns = [invocation_turn(as_mapping(i)) for i in as_list(case.get("conversation"))]
    session = as_mapping(field_of(case, "session_input"))
    state = session.get("state")
    end = field_of(case, "final_session_state")
    return Conversation(
        turns,
        state_before=as_mapping(state) if state is not None else None,
        state_after=as_mapping(end) if end is not None else None,
    )


def invocation_turn(invocation: dict[str, Any]) -> Turn:
    """One Invocation of ADK, with its calls under ``invocation_events`` or under ``tool_uses``."""
    turn = Turn(text_of(field_of(invocation, "user_content")))
    data = as_mapping(field_of(invocation, "intermediate_data"))
    events = field_of(data, "invocation_events")
    if events is not None:
        for event in (as_mapping(e) for e in as_list(events)):
            _add_event(turn, event, text_of(event.get("content")), {})
    else:
        for step, call in enumerate(_tool_uses(data)):
            turn.tool_calls.append(Call(str(call.get("name") or ""), as_mapping(call.get("args")), step=step))
        for response in (as_mapping(r) for r in as_list(field_of(data, "tool_responses"))):
            _answer(turn, response, "")
        for pair in as_list(field_of(data, "intermediate_responses")):
            author, parts = [*as_list(pair), None, None][:2]
            turn.intermediate.append(Text(str(author or ""), text_of({"parts": parts})))
    turn.response = text_of(field_of(invocation, "final_response"))
    return turn


def _tool_uses(data: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for call in as_list(field_of(data, "tool_uses")):
        yield as_mapping(call)
