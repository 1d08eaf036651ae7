"""What a rule may ask of a conversation: one small class a kind of condition, and the table of their names."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

from adk_split_eval.models.values import MISSING, follow
from adk_split_eval.models.view import ToolUse, View

Captures = dict[str, Any]


class Condition(Protocol):
    """One thing that must hold. ``holds`` adds what it captured to ``captures`` when it does."""

    def holds(self, view: View, captures: Captures) -> bool: ...

    def names(self) -> set[str]:
        """Names it captures when it holds."""
        ...


def search(pattern: re.Pattern[str], texts: list[str], captures: Captures) -> bool:
    """Look for ``pattern`` in ``texts``, the latest first; named groups become captures."""
    for text in reversed(texts):
        if found := pattern.search(text):
            captures.update({name: value for name, value in found.groupdict().items() if value is not None})
            return True
    return False


TEXTS: dict[str, Callable[[View], list[str]]] = {
    "user": lambda view: [view.last_user],
    "user_before": lambda view: view.user[:-1],
    "user_any": lambda view: view.user,
    "opening": lambda view: view.user[:1],
    "said": lambda view: [view.last_agent],
    "said_any": lambda view: view.agent,
    "system": lambda view: [view.system],
    "prompt": lambda view: [view.prompt],
    "plan": lambda view: [view.plan],
    "persona": lambda view: [view.persona],
    "judged": lambda view: [view.judged],
    "reference": lambda view: [view.reference],
}
"""Condition name → the texts its pattern is looked for in."""


@dataclass(slots=True)
class TextCondition:
    """All of these patterns are found in the texts of one source."""

    source: str
    patterns: list[re.Pattern[str]]

    def holds(self, view: View, captures: Captures) -> bool:
        texts = TEXTS[self.source](view)
        return all(search(pattern, texts, captures) for pattern in self.patterns)

    def names(self) -> set[str]:
        return {name for pattern in self.patterns for name in pattern.groupindex}


@dataclass(slots=True)
class ValueTest:
    """What one value of a call or a result must be: a pattern (of a text), an equal value, present, greater, less."""

    path: str
    pattern: re.Pattern[str] | None = None
    equals: Any = MISSING
    exists: bool | None = None
    above: float | None = None
    below: float | None = None

    def holds(self, value: Any, captures: Captures) -> bool:
        found = follow(value, self.path)
        if self.exists is not None:
            return (found is not MISSING) == self.exists
        if found is MISSING:
            return False
        if self.pattern is not None:
            return search(self.pattern, [found if isinstance(found, str) else str(found)], captures)
        if self.equals is not MISSING:
            return (
                type(found) is not bool and found == self.equals
                if type(self.equals) is not bool
                else found is self.equals
            )
        if isinstance(found, bool) or not isinstance(found, (int, float)):
            return False
        return (self.above is None or found > self.above) and (self.below is None or found < self.below)

    def names(self) -> set[str]:
        return set(self.pattern.groupindex) if self.pattern else set()


@dataclass(slots=True)
class ToolTest:
    """A tool call: its name, and what its arguments and its result must be."""

    name: str
    args: list[ValueTest] = field(default_factory=list[ValueTest])
    result: list[ValueTest] = field(default_factory=list[ValueTest])
    this_turn: bool = False

    def matches(self, use: ToolUse, captures: Captures, turn: int) -> bool:
        if use.name != self.name or (self.result and not use.answered) or (self.this_turn and use.turn != turn):
            return False
        found: Captures = {}
        if all(test.holds(use.args, found) for test in self.args) and all(
            test.holds(use.result, found) for test in self.result
        ):
            captures.update(found)
            return True
        return False

    def names(self) -> set[str]:
        return {name for test in [*self.args, *self.result] for name in test.names()}


@dataclass(slots=True)
class AfterTool:
    """The results just returned include one of every tool named."""

    tests: list[ToolTest]

    def holds(self, view: View, captures: Captures) -> bool:
        return view.last == "tool" and all(
            any(test.matches(use, captures, view.turn) for use in reversed(view.returned)) for test in self.tests
        )

    def names(self) -> set[str]:
        return {name for test in self.tests for name in test.names()}


@dataclass(slots=True)
class Called:
    """Every tool named was called somewhere in the conversation; with ``negate``, none of them was."""

    tests: list[ToolTest]
    negate: bool = False

    def holds(self, view: View, captures: Captures) -> bool:
        found: Captures = {}
        hits = [any(test.matches(use, found, view.turn) for use in reversed(view.tools)) for test in self.tests]
        if self.negate:
            return not any(hits)
        captures.update(found)
        return all(hits)

    def names(self) -> set[str]:
        return set() if self.negate else {name for test in self.tests for name in test.names()}


@dataclass(slots=True)
class Turn:
    """The number of user messages lies within ``low`` and ``high``, both included."""

    low: int
    high: int | None

    def holds(self, view: View, captures: Captures) -> bool:
        return self.low <= view.turn and (self.high is None or view.turn <= self.high)

    def names(self) -> set[str]:
        return set()


@dataclass(slots=True)
class Last:
    """Who is to be answered: the user, or tools that just returned."""

    who: str

    def holds(self, view: View, captures: Captures) -> bool:
        return self.who == "any" or view.last == self.who

    def names(self) -> set[str]:
        return set()


@dataclass(slots=True)
class Who:
    """Who asks (agent, simulator, judge), or which judge prompt it is."""

    allowed: list[str]

    def holds(self, view: View, captures: Captures) -> bool:
        return view.kind in self.allowed or view.judging in self.allowed

    def names(self) -> set[str]:
        return set()


@dataclass(slots=True)
class Known:
    """All of these names have been captured so far; with ``negate``, none of them."""

    wanted: list[str]
    negate: bool = False

    def holds(self, view: View, captures: Captures) -> bool:
        if self.negate:
            return not any(name in captures for name in self.wanted)
        return all(name in captures for name in self.wanted)

    def names(self) -> set[str]:
        return set()


@dataclass(slots=True)
class Chance:
    """Holds for this share of seeds, always the same way for the same seed and conversation; never without a seed."""

    share: float
    salt: str

    def holds(self, view: View, captures: Captures) -> bool:
        return view.seed is not None and draw(view, self.salt) < self.share

    def names(self) -> set[str]:
        return set()


@dataclass(slots=True)
class Group:
    """``not`` (none of the inner conditions hold), ``any`` (one branch holds) or a plain list (all hold)."""

    kind: str
    branches: list[list[Condition]]

    def holds(self, view: View, captures: Captures) -> bool:
        for branch in self.branches:
            found = dict(captures)
            if all(condition.holds(view, found) for condition in branch):
                if self.kind == "not":
                    return False
                captures.update(found)
                return True
        return self.kind == "not"

    def names(self) -> set[str]:
        if self.kind == "not" or not self.branches:
            return set()
        sets = [{name for condition in branch for name in condition.names()} for branch in self.branches]
        return set[str].intersection(*sets)


def draw(view: View, salt: str) -> float:
    """A number in [0, 1) that depends on the seed, the conversation and ``salt`` alone, alike in every process."""
    parts = [str(view.seed), view.model, salt, view.prompt, str(len(view.tools))]
    digest = hashlib.sha256("\x00".join(parts).encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:8], "big") / 2**64
