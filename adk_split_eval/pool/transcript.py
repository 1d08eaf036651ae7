"""A conversation as it stands in a candidate, and back: no call ids, no clocks, state writes beside the call that made them."""

from __future__ import annotations

from typing import Any

from adk_split_eval.pool.emit import as_list, as_mapping, plain_data
from adk_split_eval.record import Call, Conversation, Text, Turn


def to_transcript(conversation: Conversation) -> list[dict[str, Any]]:
    """The turns as plain data, in the order people read them."""
    return [_turn(turn) for turn in conversation.turns]


def _turn(turn: Turn) -> dict[str, Any]:
    entry: dict[str, Any] = {"user": turn.user, "tool_calls": _calls(turn)}
    if turn.intermediate:
        entry["intermediate"] = [text.to_json() for text in turn.intermediate]
    if turn.loose_results:
        entry["tool_results"] = plain_data(turn.loose_results)
    entry["response"] = turn.response
    if turn.error:
        entry["error"] = turn.error
    return entry


def _calls(turn: Turn) -> list[dict[str, Any]]:
    writes = _state_writes(turn)
    entries: list[dict[str, Any]] = []
    for number, call in enumerate(turn.tool_calls):
        entry: dict[str, Any] = {"step": call.step, "name": call.name, "args": plain_data(call.args)}
        if call.answered:
            entry["response"] = plain_data(call.response)
        if call.author:
            entry["author"] = call.author
        if number in writes:
            entry["state"] = plain_data(writes[number])
        entries.append(entry)
    return entries


def _state_writes(turn: Turn) -> dict[int, dict[str, Any]]:
    """State changes by number of the call that answered just before them; parallel calls share the last one's place."""
    writes: dict[int, dict[str, Any]] = {}
    pending = list(range(len(turn.tool_calls)))
    current: int | None = None
    for event in turn.events:
        if event.kind in ("call", "text", "transfer"):
            current = None  # what is written now is the agent's own doing (an output key, say), not a tool's
        elif event.kind == "response":
            match = next((n for n in pending if turn.tool_calls[n].name == event.name), None)
            if match is not None:
                pending.remove(match)
                current = match
        elif event.kind == "state" and current is not None:
            delta = as_mapping(event.data) or ({event.name: event.data} if event.name else {})
            writes.setdefault(current, {}).update(delta)
    return writes


def from_transcript(transcript: list[dict[str, Any]]) -> list[Turn]:
    """The turns of a candidate. Missing keys take their defaults, so a file edited by hand is read as far as it goes."""
    return [_read_turn(entry) for entry in transcript]


def _read_turn(entry: dict[str, Any]) -> Turn:
    calls = [
        Call(
            name=str(call.get("name", "")),
            args=as_mapping(call.get("args")),
            response=call.get("response"),
            step=step if isinstance(step := call.get("step"), int) else 0,
            author=call.get("author"),
            answered="response" in call,
        )
        for call in map(as_mapping, as_list(entry.get("tool_calls")))
    ]
    return Turn(
        user=str(entry.get("user") or ""),
        tool_calls=calls,
        intermediate=[
            Text(str(t.get("author", "")), str(t.get("text", "")))
            for t in map(as_mapping, as_list(entry.get("intermediate")))
        ],
        response=str(entry.get("response") or ""),
        loose_results=as_list(entry.get("tool_results")),
        error=entry.get("error"),
    )
