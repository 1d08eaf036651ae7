"""Recorded conversations from a file: turn by turn, or flat (tool calls that belong to no turn)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, get_args

from adk_split_eval.build.jsonfile import JsonFile, JsonPath, read_json
from adk_split_eval.record import Call, CompiledPlan, Conversation, Event, StopReason, Text, Turn

TRACE_KEYS = frozenset(
    {"turns", "stop_reason", "glued_text", "state_before", "state_after", "goal_reached", "error", "flat"}
)
FLAT_KEYS = frozenset({"tool_calls", "tool_results", "final_text"})
TURN_KEYS = frozenset(
    {"user", "tool_calls", "intermediate", "response", "events", "loose_results", "instructions", "error"}
)
CALL_KEYS = frozenset({"name", "args", "response", "step", "author", "answered"})
_EVENT_KINDS = ("call", "response", "text", "transfer", "state")


def scripted_users(compiled: CompiledPlan) -> dict[str, list[str]]:
    """Case id → the user's words of each fixed case: the turns of a flat recording that lists none."""
    found: dict[str, list[str]] = {}
    for case in compiled.cases:
        turns: list[dict[str, Any]] = case.eval_case.get("conversation") or []
        if turns:
            found[case.case_id] = [str(turn["user_content"]["parts"][0]["text"]) for turn in turns]
    return found


def read_traces(path: str | Path, users: Mapping[str, Sequence[str]] | None = None) -> dict[str, Conversation]:
    """Conversations by case id, out of a JSON object ``{case_id: trace}``.

    Args:
        path: the file.
        users: the user's words of fixed cases, for flat traces without turns (see :func:`scripted_users`).

    Raises:
        PlanError: the file cannot be used; the findings say where and why.
    """
    file = read_json(path)
    return traces_of(file, file.data, (), users or {})


def traces_of(file: JsonFile, data: Any, at: JsonPath, users: Mapping[str, Sequence[str]]) -> dict[str, Conversation]:
    """The conversations of the object that stands at ``at`` in ``file``."""
    entries = file.mapping(data, at, "the collection of traces")
    return {case_id: _trace(file, value, (*at, case_id), users.get(case_id, ())) for case_id, value in entries.items()}


def _trace(file: JsonFile, value: Any, at: JsonPath, users: Sequence[str]) -> Conversation:
    trace = file.mapping(value, at, f"the trace {at[-1]}", TRACE_KEYS | FLAT_KEYS)
    turns = [
        _turn(file, turn, (*at, "turns", number))
        for number, turn in enumerate(file.sequence(trace.get("turns"), (*at, "turns"), "turns"))
    ]
    conversation = Conversation(turns, flat=bool(trace.get("flat", False)))
    conversation.stop_reason = _stop_reason(file, trace.get("stop_reason"), (*at, "stop_reason"))
    for key in ("glued_text", "error"):
        setattr(conversation, key, _text_or_none(file, trace.get(key), (*at, key), key))
    for key in ("state_before", "state_after"):
        state = trace.get(key)
        setattr(conversation, key, None if state is None else file.mapping(state, (*at, key), key))
    stated = trace.get("goal_reached")
    if stated is not None and not isinstance(stated, bool):
        file.refuse("ASE611", "goal_reached is neither true nor false", (*at, "goal_reached"), "write true or false")
    conversation.goal_reached = stated
    if FLAT_KEYS & trace.keys():
        _flatten(file, conversation, trace, at, users)
    return conversation


def _flatten(
    file: JsonFile, conversation: Conversation, trace: dict[str, Any], at: JsonPath, users: Sequence[str]
) -> None:
    """Calls, results and the final text of a flat recording go on its last turn."""
    for number, turn in enumerate(conversation.turns):
        if turn.tool_calls or turn.response:
            mend = "assign every call to a turn, or none"
            file.refuse("ASE611", "the trace has calls both on turns and beside them", (*at, "turns", number), mend)
    calls = _calls(file, trace.get("tool_calls"), (*at, "tool_calls"))
    results = file.sequence(trace.get("tool_results"), (*at, "tool_results"), "tool_results")
    final = trace.get("final_text")
    response = "" if final is None else file.string(final, (*at, "final_text"), "final_text")
    conversation.flat = True
    if not conversation.turns:
        conversation.turns = [Turn(user) for user in users]
    if not conversation.turns and (calls or results or response):
        conversation.turns = [Turn("")]
    if conversation.turns:
        last = conversation.turns[-1]
        last.tool_calls, last.loose_results, last.response = calls, results, response


def _turn(file: JsonFile, value: Any, at: JsonPath) -> Turn:
    turn = file.mapping(value, at, "the turn", TURN_KEYS)
    if "user" not in turn:
        file.refuse("ASE611", "the turn lacks the user's words", at, "add `user`")
    response = turn.get("response")
    return Turn(
        user=file.string(turn["user"], (*at, "user"), "user"),
        tool_calls=_calls(file, turn.get("tool_calls"), (*at, "tool_calls")),
        intermediate=[
            _said(file, said, (*at, "intermediate", number))
            for number, said in enumerate(
                file.sequence(turn.get("intermediate"), (*at, "intermediate"), "intermediate")
            )
        ],
        response="" if response is None else file.string(response, (*at, "response"), "response"),
        events=[
            _event(file, event, (*at, "events", number))
            for number, event in enumerate(file.sequence(turn.get("events"), (*at, "events"), "events"))
        ],
        loose_results=file.sequence(turn.get("loose_results"), (*at, "loose_results"), "loose_results"),
        instructions=[
            file.string(text, (*at, "instructions", number), "an instruction")
            for number, text in enumerate(
                file.sequence(turn.get("instructions"), (*at, "instructions"), "instructions")
            )
        ],
        error=_text_or_none(file, turn.get("error"), (*at, "error"), "error"),
    )


def _calls(file: JsonFile, value: Any, at: JsonPath) -> list[Call]:
    """Calls in order; one that names no step is a step of its own."""
    found: list[Call] = []
    for number, entry in enumerate(file.sequence(value, at, "tool_calls")):
        here = (*at, number)
        call = file.mapping(entry, here, "the tool call", CALL_KEYS)
        name = file.string(call.get("name"), (*here, "name"), "the tool's name")
        args = call.get("args")
        step = call.get("step")
        if step is None:
            step = found[-1].step + 1 if found else 0
        if isinstance(step, bool) or not isinstance(step, int) or step < (found[-1].step if found else 0):
            file.refuse("ASE611", "step does not count up from 0", (*here, "step"), "number the model's answers from 0")
        found.append(
            Call(
                name=name,
                args={} if args is None else file.mapping(args, (*here, "args"), "args"),
                response=call.get("response"),
                step=step,
                author=_text_or_none(file, call.get("author"), (*here, "author"), "author"),
                answered=bool(call.get("answered", "response" in call)),
            )
        )
    return found


def _said(file: JsonFile, value: Any, at: JsonPath) -> Text:
    said = file.mapping(value, at, "the intermediate response", {"author", "text"})
    author = said.get("author")
    return Text(
        "" if author is None else file.string(author, (*at, "author"), "author"),
        file.string(said.get("text"), (*at, "text"), "text"),
    )


def _event(file: JsonFile, value: Any, at: JsonPath) -> Event:
    event = file.mapping(value, at, "the event", {"kind", "name", "data", "author", "step"})
    kind = event.get("kind")
    if kind not in _EVENT_KINDS:
        file.refuse("ASE611", f"the kind of event {kind!r} is unknown", (*at, "kind"), ", ".join(_EVENT_KINDS))
    step = event.get("step", 0)
    if isinstance(step, bool) or not isinstance(step, int):
        file.refuse("ASE611", "step is no whole number", (*at, "step"), "number the model's answers from 0")
    name = file.string(event.get("name", ""), (*at, "name"), "name")
    return Event(
        kind, name, event.get("data"), _text_or_none(file, event.get("author"), (*at, "author"), "author"), step
    )


def _stop_reason(file: JsonFile, value: Any, at: JsonPath) -> StopReason | None:
    known = get_args(StopReason)
    if value is not None and value not in known:
        file.refuse("ASE611", f"the stop reason {value!r} is unknown", at, "one of " + ", ".join(known))
    return value


def _text_or_none(file: JsonFile, value: Any, at: JsonPath, what: str) -> str | None:
    return None if value is None else file.string(value, at, what)
