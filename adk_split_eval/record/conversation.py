"""What happened: one conversation as turns, steps and calls, whoever recorded it.

The same shape comes out of ADK's invocations, of a trace file and of a stored run; metrics see
nothing else. A *turn* is one user message and everything the agent did about it; a *step* is one
model answer, whose tool calls are parallel.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

StopReason = Literal[
    "script_end", "stop_signal", "max_turns", "empty_turn", "simulator_error", "agent_error", "timeout"
]
EventKind = Literal["call", "response", "text", "transfer", "state", "interrupt"]


@dataclass(slots=True)
class Call:
    """One tool call.

    Attributes:
        step: 0-based number of the model answer within the turn; calls with one step are parallel.
        name: tool name; an agent transfer appears as ``transfer_to_agent``.
        args: arguments as given by the model.
        response: what the tool returned; None when nothing was recorded (see ``answered``).
        answered: whether a response was recorded at all.
        author: the agent that called, when known.
    """

    name: str
    args: dict[str, Any] = field(default_factory=dict[str, Any])
    response: Any = None
    step: int = 0
    author: str | None = None
    answered: bool = False

    def to_json(self) -> dict[str, Any]:
        return {"step": self.step, "name": self.name, "args": self.args, "response": self.response}


@dataclass(slots=True)
class Text:
    """Something an agent said before its final response of the turn."""

    author: str
    text: str

    def to_json(self) -> dict[str, Any]:
        return {"author": self.author, "text": self.text}


@dataclass(slots=True)
class Event:
    """One thing that happened, in raw order: the sequence rules about process are judged on.

    Attributes:
        kind: ``call`` and ``response`` (of a tool), ``text`` (said by the agent, final response included),
            ``transfer`` (to another agent), ``state`` (a session-state change; only under our runner), ``interrupt``
            (here our runner dropped the agent and went on with a new one in the same session).
        name: tool name, or target agent of a transfer.
        data: arguments, response, text or state delta.
        step: 0-based model answer within the turn.
    """

    kind: EventKind
    name: str = ""
    data: Any = None
    author: str | None = None
    step: int = 0

    def to_json(self) -> dict[str, Any]:
        return {"kind": self.kind, "name": self.name, "data": self.data, "author": self.author, "step": self.step}


@dataclass(slots=True)
class Turn:
    """One user message and the agent's whole answer to it.

    Attributes:
        user: the user's words, verbatim.
        response: the agent's final response ("" when it gave none).
        events: raw order of what happened; when a recording has none it is derived from calls and texts.
        loose_results: tool results of a flat recording that belong to no call.
        instructions: what the agents were instructed with, when known.
        error: why the turn did not complete, when it did not.
    """

    user: str
    tool_calls: list[Call] = field(default_factory=list[Call])
    intermediate: list[Text] = field(default_factory=list[Text])
    response: str = ""
    events: list[Event] = field(default_factory=list[Event])
    loose_results: list[Any] = field(default_factory=list[Any])
    instructions: list[str] = field(default_factory=list[str])
    error: str | None = None

    def raw_events(self) -> list[Event]:
        """The raw events; derived as calls with their responses, step by step, then the texts, when none were recorded."""
        if self.events:
            return self.events
        derived: list[Event] = [Event("text", data=t.text, author=t.author) for t in self.intermediate]
        for step in sorted({c.step for c in self.tool_calls}):
            parallel = [c for c in self.tool_calls if c.step == step]
            for c in parallel:
                derived.append(Event("call", c.name, c.args, c.author, step))
                if c.name == "transfer_to_agent":
                    derived.append(Event("transfer", str(c.args.get("agent_name", "")), c.args, c.author, step))
            derived.extend(Event("response", c.name, c.response, c.author, step) for c in parallel if c.answered)
        if self.response:
            derived.append(Event("text", data=self.response))
        return derived

    def to_json(self) -> dict[str, Any]:
        """The public form (result JSON, schema_version 1)."""
        return {
            "user": self.user,
            "tool_calls": [c.to_json() for c in self.tool_calls],
            "intermediate": [t.to_json() for t in self.intermediate],
            "response": self.response,
        }


@dataclass(slots=True)
class Conversation:
    """One recorded conversation.

    Attributes:
        stop_reason: why it ended; None when the recording does not say.
        glued_text: text the simulator glued to its stop signal and ADK dropped, if any.
        state_before, state_after: session state around the conversation; None when unknown.
        flat: tool calls are not assigned to turns (all of them sit on the last turn).
        goal_reached: what a flat recording itself states about the goal.
        error: what broke it off (an exception's message), if anything did.
    """

    turns: list[Turn] = field(default_factory=list[Turn])
    stop_reason: StopReason | None = None
    glued_text: str | None = None
    state_before: dict[str, Any] | None = None
    state_after: dict[str, Any] | None = None
    flat: bool = False
    goal_reached: bool | None = None
    error: str | None = None

    def to_json(self) -> dict[str, Any]:
        """The whole record, loss-free: what a run stores and ``from_json`` reads back."""
        return {
            "turns": [
                {
                    "user": t.user,
                    "tool_calls": [{**c.to_json(), "author": c.author, "answered": c.answered} for c in t.tool_calls],
                    "intermediate": [x.to_json() for x in t.intermediate],
                    "response": t.response,
                    "events": [e.to_json() for e in t.events],
                    "loose_results": t.loose_results,
                    "instructions": t.instructions,
                    "error": t.error,
                }
                for t in self.turns
            ],
            "stop_reason": self.stop_reason,
            "glued_text": self.glued_text,
            "state_before": self.state_before,
            "state_after": self.state_after,
            "flat": self.flat,
            "goal_reached": self.goal_reached,
            "error": self.error,
        }

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Conversation:
        """Read :meth:`to_json` back. Missing keys take their defaults; wrong shapes raise KeyError or TypeError."""
        turns: list[Turn] = []
        for t in data.get("turns", []):
            calls = [
                Call(
                    name=c["name"],
                    args=dict(c.get("args") or {}),
                    response=c.get("response"),
                    step=int(c.get("step", 0)),
                    author=c.get("author"),
                    answered=bool(c.get("answered", c.get("response") is not None)),
                )
                for c in t.get("tool_calls", [])
            ]
            turns.append(
                Turn(
                    user=t["user"],
                    tool_calls=calls,
                    intermediate=[Text(x.get("author", ""), x["text"]) for x in t.get("intermediate", [])],
                    response=t.get("response") or "",
                    events=[
                        Event(e["kind"], e.get("name", ""), e.get("data"), e.get("author"), int(e.get("step", 0)))
                        for e in t.get("events", [])
                    ],
                    loose_results=list(t.get("loose_results", [])),
                    instructions=list(t.get("instructions", [])),
                    error=t.get("error"),
                )
            )
        return cls(
            turns=turns,
            stop_reason=data.get("stop_reason"),
            glued_text=data.get("glued_text"),
            state_before=data.get("state_before"),
            state_after=data.get("state_after"),
            flat=bool(data.get("flat", False)),
            goal_reached=data.get("goal_reached"),
            error=data.get("error"),
        )
