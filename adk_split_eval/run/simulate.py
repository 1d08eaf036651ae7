"""Around ADK's user simulator: why a conversation stopped, what the simulator swallowed, when it was ill."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field
from typing import Any

from adk_split_eval.record.conversation import Conversation, StopReason
from adk_split_eval.run.adk import compile_templates_once
from adk_split_eval.run.observe import asking_as, current_watcher, describe

STOP_SIGNAL = "</finished>"

_ROLE_SWAP = re.compile(
    r"(how (can|may) i (help|assist) you|(is there )?anything else (i can|you('d| would) like me to)|"
    r"i(?:'ve| have) (placed|processed|submitted|booked|issued|updated|cancell?ed)\b.{0,60}\bfor you|"
    r"thank you for (contacting|calling)|"
    r"还有什么(可以|能)帮|请问有什么(可以|能)帮|已(经)?(为|帮|替)您|感谢您的(来电|咨询))",
    re.IGNORECASE,
)


@dataclass(slots=True)
class Ending:
    """How the user's side of a conversation ended.

    Attributes:
        stop_reason: None while it is still going on.
        glued_text: text the simulator put beside its stop signal, which ADK drops.
        error: why the simulator's model gave nothing, when it failed for reasons of its own.
        messages: how many messages the simulated user has sent.
    """

    stop_reason: StopReason | None = None
    glued_text: str | None = None
    error: str | None = None
    messages: int = 0
    events: list[Any] = field(default_factory=list[Any])


class ObservedSimulator:
    """Delegates to ADK's simulator of one case and notes how it ends; a failure to speak becomes an ending."""

    def __init__(self, inner: Any, ending: Ending, statuses: Any, next_message: Any) -> None:
        self._inner = inner
        self._ending = ending
        self._statuses = statuses
        self._next_message = next_message

    async def get_next_user_message(self, events: list[Any]) -> Any:
        self._ending.events = events
        watcher = current_watcher()
        seen = len(watcher.calls) if watcher else 0
        try:
            with asking_as("simulator"):
                answer = await self._inner.get_next_user_message(events)
        except Exception as error:  # noqa: BLE001 - the conversation so far is kept, the cause is recorded
            self._note_failure(error, watcher.calls_of("simulator", since=seen) if watcher else [])
            return self._next_message(status=self._statuses.NO_MESSAGE_GENERATED)
        self._note(answer, watcher.calls_of("simulator", since=seen) if watcher else [])
        return answer

    def _note_failure(self, error: Exception, calls: list[Any]) -> None:
        failed = next((c.error for c in calls if c.error and c.error != "no text"), None)
        if failed is None and isinstance(error, RuntimeError) and calls:
            self._ending.stop_reason = "empty_turn"
            self._ending.error = str(error)
            return
        self._ending.stop_reason = "simulator_error"
        self._ending.error = failed or describe(error)

    def _note(self, answer: Any, calls: list[Any]) -> None:
        status = answer.status
        if status == self._statuses.SUCCESS:
            self._ending.messages += 1
            parts: list[Any] = answer.user_message.parts or []
            text = "".join(p.text or "" for p in parts)
            if not text.strip():
                self._ending.stop_reason = "empty_turn"
            return
        if status == self._statuses.TURN_LIMIT_REACHED:
            self._ending.stop_reason = "max_turns"
        elif status == self._statuses.STOP_SIGNAL_DETECTED:
            self._ending.stop_reason = "stop_signal"
            said = "".join(c.text or "" for c in calls[-1:])
            rest = re.sub(re.escape(STOP_SIGNAL), "", said, flags=re.IGNORECASE).strip()
            self._ending.glued_text = rest or None
        elif self._ending.stop_reason is None:
            self._ending.stop_reason = "script_end"

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)


class ObservingProvider:
    """A UserSimulatorProvider for one unit: ADK's own, with the simulator observed."""

    def __init__(self, inner: Any, ending: Ending, adk: Any) -> None:
        self._inner = inner
        self._ending = ending
        self._adk = adk

    def provide(self, eval_case: Any) -> Any:
        try:
            simulator = self._inner.provide(eval_case)
        except Exception as error:
            # An unknown simulator model is the simulator's fault, not the agent's.
            self._ending.stop_reason = "simulator_error"
            self._ending.error = describe(error)
            raise
        if eval_case.conversation is not None:
            self._ending.stop_reason = "script_end"
            return simulator
        compile_templates_once()
        return ObservedSimulator(simulator, self._ending, self._adk.Status, self._adk.NextUserMessage)


def _normalised(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split()).strip(" .!?。！？,，")


def simulator_faults(conversation: Conversation) -> list[str]:
    """What shows that the simulator was ill: an empty turn, the opening repeated, text glued to the stop signal."""
    faults: list[str] = []
    users = [t.user for t in conversation.turns]
    if conversation.stop_reason == "empty_turn" or any(not u.strip() for u in users):
        faults.append("the simulated user said nothing (empty turn)")
    if users:
        opening = _normalised(users[0])
        for number, text in enumerate(users[1:], start=2):
            if opening and _normalised(text) == opening:
                faults.append(f"turn {number}: the simulated user repeated the opening word for word: {text!r}")
    if conversation.glued_text:
        faults.append(f"text glued to the stop signal never reached the agent: {conversation.glued_text!r}")
    return faults


def role_warnings(conversation: Conversation) -> list[str]:
    """Turns in which the simulated user seems to speak as the agent; a suspicion, so only a warning."""
    said: set[str] = set()
    warnings: list[str] = []
    for number, turn in enumerate(conversation.turns, start=1):
        text = _normalised(turn.user)
        if number > 1 and (text in said or _ROLE_SWAP.search(turn.user)):
            warnings.append(f"turn {number}: the simulated user seems to speak as the agent: {turn.user!r}")
        said |= {_normalised(t) for t in (turn.response, *(x.text for x in turn.intermediate)) if len(t) > 20}
    return warnings
