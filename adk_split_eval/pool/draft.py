"""The draft of the fixed case: what may be taken from a conversation that failed, and what must be left to a person.

Expectations come from turns before the failure only. The failing turn and all after it carry a visible hole, ``TODO``;
what the agent did wrong there is kept as a counter-example, never as a reference.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from adk_split_eval.pool import personal
from adk_split_eval.pool.candidate import HOLE, Hit
from adk_split_eval.pool.emit import as_list, as_mapping, depth_exceeded, has_lone_surrogate, portable
from adk_split_eval.pool.volatile import expected_args, expected_value
from adk_split_eval.record import Call, Conversation, Turn

CLEAN_STOPS = frozenset({"stop_signal", "script_end"})
_ENDED = {
    "max_turns": "it was cut off at the turn limit",
    "empty_turn": "the simulated user sent an empty turn",
    "simulator_error": "the simulator failed",
    "agent_error": "the agent broke off with an error",
    "timeout": "it ran into a timeout",
}


@dataclass(slots=True)
class Material:
    """All a draft is made of.

    Attributes:
        carries: what goes along besides the turns, in plan format (the criterion that hit, invariants of the case).
        user_id: of the session, when it is known.
        suspect: the simulator's quality failed.
    """

    case_id: str
    conversation: Conversation
    hit: Hit
    carries: dict[str, Any] = field(default_factory=dict[str, Any])
    scene: str = ""
    goal: str | None = None
    user_id: str | None = None
    suspect: bool = False


@dataclass(slots=True)
class Draft:
    """A draft, or why there is none. ``observed_calls`` are the calls of a flat recording, for the reader."""

    case: dict[str, Any] | None = None
    because: str | None = None
    notes: list[str] = field(default_factory=list[str])
    observed_calls: list[str] = field(default_factory=list[str])


def make_draft(material: Material, *, prefix: bool = False) -> Draft:
    """The draft by the rules of the house.

    Args:
        prefix: take only the turns up to and including the first that shows the failure.
    """
    conversation = material.conversation
    turns = conversation.turns
    if prefix:
        if material.hit.turn is None:
            return Draft(because="the failure cannot be placed in a turn, so there is no prefix that shows it")
        turns = turns[: material.hit.turn]
    because = _refusal(material, turns, prefix)
    if because:
        return Draft(because=because, observed_calls=_names(conversation) if conversation.flat else [])
    return _draft(material, turns)


def _refusal(material: Material, turns: Sequence[Turn], prefix: bool) -> str | None:
    """Why this conversation cannot become a draft; None when it can."""
    conversation = material.conversation
    if material.suspect:
        return (
            "the simulator is suspect: its own quality criterion failed, so look at the simulated user before the agent"
        )
    if not turns:
        return "the recording holds no turns"
    if not prefix:
        whole = _unclean_end(conversation)
        if whole:
            can = " (draft it with --prefix: up to the first turn that shows the failure)" if material.hit.turn else ""
            return whole + can
    return _broken_turns(conversation, turns)


def _unclean_end(conversation: Conversation) -> str | None:
    stop = conversation.stop_reason
    if conversation.glued_text:
        return (
            f"the simulator glued text to its stop signal, which never reached the agent: {conversation.glued_text!r}"
        )
    if conversation.error:
        return f"the conversation broke off: {conversation.error}"
    if stop is not None and stop not in CLEAN_STOPS:
        return f"the conversation did not end by a clean stop: {_ENDED.get(stop, stop)}"
    return None


def _broken_turns(conversation: Conversation, turns: Sequence[Turn]) -> str | None:
    opening = _folded(turns[0].user)
    # A set may state calls without answers: then no answer is missing.
    answered = any(turn.response.strip() for turn in turns) and not conversation.flat
    for number, turn in enumerate(turns, 1):
        if not turn.user.strip():
            return f"turn {number}: the user said nothing (empty turn)"
        if has_lone_surrogate(turn.user):
            return f"turn {number}: the user's text is no valid Unicode (a lone surrogate), which ADK cannot carry"
        if number > 1 and _folded(turn.user) == opening:
            return f"turn {number}: the simulated user repeated the opening"
        if turn.error:
            return f"turn {number}: the agent broke off: {turn.error}"
        silent = not (turn.response.strip() or turn.tool_calls or turn.intermediate)
        if silent and number < len(turns) and answered:
            return f"turn {number}: the agent's answer is missing, so two user messages follow each other"
    return None


def _folded(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split()).strip(" .!?。！？,，")


def _draft(material: Material, turns: Sequence[Turn]) -> Draft:
    draft = Draft()
    conversation, hit = material.conversation, material.hit
    good = _turns_before_the_failure(conversation, hit, len(turns))
    case: dict[str, Any] = {"case_id": f"F-{material.case_id}", "scene": material.scene}
    if material.goal:
        case["goal"] = material.goal
    said = ""
    drafted: list[dict[str, Any]] = []
    for number, turn in enumerate(turns, 1):
        said += turn.user + "\n"
        entry: dict[str, Any] = {"user": turn.user}
        entry["expect_tools"] = _steps(turn, said, number, draft.notes) if number <= good else HOLE
        if number == hit.turn:
            _keep_counter_example(entry, hit, turn)
        drafted.append(entry)
    case["turns"] = drafted
    case |= material.carries
    _add_state(case, material, draft)
    if conversation.flat:
        draft.observed_calls = _names(conversation)
        draft.notes.append("the recording does not say which turn made which call: see observed_calls")
    if conversation.stop_reason is None and hit.kind != "recorded":
        draft.notes.append("the recording does not say why the conversation ended")
    if hit.turn is None and hit.kind != "recorded" and not conversation.flat:
        draft.notes.append("the failure cannot be placed in a turn, so no turn's calls are proposed")
    draft.case = case
    return draft


def _turns_before_the_failure(conversation: Conversation, hit: Hit, count: int) -> int:
    """How many leading turns may lend their observed calls as a proposal."""
    if conversation.flat:
        return 0
    if hit.kind == "recorded":
        return count
    return hit.turn - 1 if hit.turn is not None else 0


def observed_steps(turn: Turn, said: str) -> list[Any]:
    """What the agent called in ``turn``, in plan form; ``said`` is everything the user said up to it."""
    return _steps(turn, said, 1, [])


def _steps(turn: Turn, said: str, number: int, notes: list[str]) -> list[Any]:
    """The turn's calls in plan form: parallel ones stay together, ids and clocks are gone, ``[]`` calls nothing."""
    grouped: dict[int, list[Any]] = {}
    for call in turn.tool_calls:
        grouped.setdefault(call.step, []).append(_call(call, said, number, notes))
    return [calls if len(calls) > 1 else calls[0] for calls in grouped.values()]


def _call(call: Call, said: str, number: int, notes: list[str]) -> Any:
    if depth_exceeded(call.args):
        notes.append(f"turn {number}, {call.name}: its arguments nest too deeply to be expected, so only its name is")
        return call.name
    args = expected_args(call, said, notes, f"turn {number}")
    return {"name": call.name, "args": args} if args else call.name


def _keep_counter_example(entry: dict[str, Any], hit: Hit, turn: Turn) -> None:
    sentence = hit.sentence
    if sentence and sentence in turn.response and sentence.strip() and not has_lone_surrogate(sentence):
        entry["response"] = {"excludes": [sentence]}


def _add_state(case: dict[str, Any], material: Material, draft: Draft) -> None:
    conversation = material.conversation
    before = personal.start_state(conversation.state_before or {})
    unfit = sorted(key for key, value in before.items() if not (portable(key) and portable(value)))
    for key in unfit:
        draft.notes.append(f"state key {key} holds what JSON cannot carry (or nests too deeply) and was left out")
    session: dict[str, Any] = {"user_id": material.user_id} if material.user_id else {}
    if state := {key: value for key, value in before.items() if key not in unfit}:
        session["state"] = state
    if session:
        case["session_input"] = session
    if conversation.state_before is None:
        draft.notes.append("the recording has no start state")
    if material.hit.kind == "recorded" and conversation.state_after is not None:
        after = personal.start_state(conversation.state_after)
        expected = {k: expected_value(v, k, f"end state, {k}", draft.notes) for k, v in after.items()}
        if expected and expected != before:
            case["expect_state"] = expected


def _names(conversation: Conversation) -> list[str]:
    return [call.name for turn in conversation.turns for call in turn.tool_calls]


def holes(case: dict[str, Any]) -> list[str]:
    """Places of a draft that a person must still fill, as ``turns[2].expect_tools``."""
    found: list[str] = []
    _find_holes(case, "", found)
    return found


def _find_holes(value: Any, place: str, found: list[str]) -> None:
    if value == HOLE:
        found.append(place)
    elif isinstance(value, dict):
        for key, entry in as_mapping(value).items():
            if key not in ("user", "args", "session_input", "tool_results"):
                _find_holes(entry, f"{place}.{key}" if place else key, found)
    elif isinstance(value, list):
        for number, entry in enumerate(as_list(value)):
            _find_holes(entry, f"{place}[{number}]", found)
