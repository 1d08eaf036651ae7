"""Rules of a scripted model: the first whose conditions all hold gives the answer."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from adk_split_eval.models.conditions import TEXTS, Captures, Condition, search
from adk_split_eval.models.judge import JudgeAnswer
from adk_split_eval.models.values import MISSING, convert, follow
from adk_split_eval.models.view import View


class NoRuleMatches(LookupError):
    """No rule of a scripted model covers a request. Never answered with a default: the script has a hole."""


@dataclass(slots=True)
class Remember:
    """Something kept from the whole conversation: the latest text that matches, or a value of a tool's latest result."""

    name: str
    source: str
    pattern: Any = None
    path: str = ""
    of_args: bool = False
    form: str | None = None

    def recall(self, view: View, texts: list[str]) -> Any:
        if self.pattern is not None:
            found: Captures = {}
            if not search(self.pattern, texts, found):
                return MISSING
            return convert(found.get(self.name, MISSING), self.form) if self.name in found else MISSING
        for use in reversed(view.tools):
            if use.name == self.source and (self.of_args or use.answered):
                value = follow(use.args if self.of_args else use.result, self.path)
                if value is not MISSING:
                    return convert(value, self.form)
        return MISSING


@dataclass(slots=True)
class ToolCall:
    """A call the model makes; argument values may hold placeholders."""

    name: str
    args: dict[str, Any] = field(default_factory=dict[str, Any])


@dataclass(slots=True)
class Answer:
    """What the model answers. Everything is optional, but loading makes sure that something is there.

    Attributes:
        say: the text; several are alternatives the seed chooses from (the first without a seed).
        calls: tool calls of one step, parallel when there are several.
        stop: ends a simulated conversation with ADK's stop signal, after ``say`` if there is one.
        empty: an answer without any part (a planted fault).
        error: (code, message) given back as a model error (a planted fault).
        fault: message of an exception (a planted fault).
        delay_ms: how long the answer takes.
    """

    say: list[str] = field(default_factory=list[str])
    thought: str | None = None
    calls: list[ToolCall] = field(default_factory=list[ToolCall])
    stop: bool = False
    empty: bool = False
    error: tuple[str, str] | None = None
    fault: str | None = None
    delay_ms: int = 0
    judge: JudgeAnswer | None = None


@dataclass(slots=True)
class Rule:
    """One rule: conditions by the name they have in the file, and the answer."""

    name: str
    conditions: list[tuple[str, Condition]]
    answer: Answer
    path: str = ""
    line: int = 0

    def place(self) -> str:
        return f"{self.path}:{self.line}"


@dataclass(slots=True)
class Script:
    """A scripted model: its rules in order, and what it keeps from the conversation."""

    path: str
    rules: list[Rule]
    remember: list[Remember] = field(default_factory=list[Remember])

    def decide(self, view: View) -> tuple[Rule, Captures]:
        """The first rule that holds, with everything captured for its answer.

        Raises:
            NoRuleMatches: none holds.
        """
        known = self.recall(view)
        nearest: tuple[int, Rule, str] | None = None
        for rule in self.rules:
            captures = dict(known)
            failed = next((name for name, item in rule.conditions if not item.holds(view, captures)), None)
            if failed is None:
                return rule, captures
            held = [name for name, _ in rule.conditions].index(failed)
            if nearest is None or held > nearest[0]:
                nearest = (held, rule, failed)
        raise NoRuleMatches(self._complaint(view, nearest))

    def recall(self, view: View) -> Captures:
        """What is known before any rule is tried: ``remember``, and the conversation's own names."""
        known: Captures = {
            "user": view.last_user,
            "said": view.last_agent,
            "opening": view.user[0] if view.user else "",
            "turn": view.turn,
        }
        for item in self.remember:
            value = item.recall(view, TEXTS[item.source](view) if item.pattern is not None else [])
            if value is not MISSING:
                known[item.name] = value
        return known

    def _complaint(self, view: View, nearest: tuple[int, Rule, str] | None) -> str:
        asked = f"user said {_clip(view.last_user)!r}"
        if view.last == "tool":
            asked = "tool returned " + "; ".join(f"{use.name}: {_clip(str(use.result))}" for use in view.returned)
        elif view.kind == "simulator":
            asked = f"agent said {_clip(view.last_agent)!r} (turn {view.turn})"
        elif view.judging:
            asked = f"judge prompt of kind {view.judging!r} about {_clip(view.judged)!r}"
        text = f"{view.model}: no rule of {self.path} matches; {asked}"
        if nearest is not None:
            text += f"; nearest is rule {nearest[1].name!r} ({nearest[1].place()}), whose {nearest[2]!r} does not hold"
        return text


def _clip(text: str, length: int = 160) -> str:
    return text if len(text) <= length else text[: length - 1] + "…"
