"""Two detectors that look reasonable and are wrong, as counter-examples: ours is right on the same inputs."""

from __future__ import annotations

from typing import Any

from adk_split_eval.metrics.registry import METRICS
from adk_split_eval.record import Call, Conversation, Event, Turn

RULES: dict[str, Any] = {"event": {"tool": "ask"}, "id": "args.id"}


def by_set(conversation: Conversation) -> bool:
    """Repeated when fewer ids than ... ids: a set was built first, so nothing can ever be counted twice."""
    ids = {call.args["id"] for turn in conversation.turns for call in turn.tool_calls if call.name == "ask"}
    return any(sum(one == other for other in ids) > 1 for one in ids)


def by_snapshots(conversation: Conversation) -> bool:
    """Repeated when two turns leave the same last question in the state: a value that stays is taken for an event."""
    last: list[Any] = []
    for turn in conversation.turns:
        for event in turn.events:
            if event.kind == "state" and "last_question" in event.data:
                last.append(event.data["last_question"])
    return len(last) != len(set(last))


def ours(conversation: Conversation) -> bool:
    status = METRICS["repeated_questions_v1"](conversation, RULES, 1.0).status
    assert status in ("passed", "failed")
    return status == "failed"


def _turn(user: str, asked: str | None, kept: str) -> Turn:
    events = [Event("call", "ask", {"id": asked})] if asked else [Event("text", data="Take your time.")]
    calls = [Call("ask", {"id": asked}, {"ok": True}, answered=True)] if asked else []
    return Turn(user, calls, response="…", events=[*events, Event("state", data={"last_question": kept})])


def test_a_set_forgets_what_was_asked_twice() -> None:
    repeated = Conversation([_turn("a", "f1", "f1"), _turn("b", "f2", "f2"), _turn("c", "f1", "f1")])
    assert not by_set(repeated)
    assert ours(repeated)


def test_snapshots_invent_repeats() -> None:
    quiet = Conversation([_turn("a", "f1", "f1"), _turn("let me think", None, "f1"), _turn("c", "f2", "f2")])
    assert by_snapshots(quiet)
    assert not ours(quiet)


def test_all_agree_where_nothing_is_hidden() -> None:
    plain = Conversation([_turn("a", "f1", "f1"), _turn("b", "f2", "f2")])
    assert not by_set(plain) and not by_snapshots(plain) and not ours(plain)
