"""What a scripted model sees of one request: the conversation so far, as plain data that rules can be tested on."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

Judging = Literal["rubrics", "sentences", "labels", "final_response", "simulator_quality"]
Last = Literal["user", "tool"]


@dataclass(slots=True)
class ToolUse:
    """One tool call and, once it came back, its result.

    Attributes:
        turn: 1-based number of the user message it happened under.
        answered: whether the result is there; ``result`` is None until then.
    """

    name: str
    args: dict[str, Any]
    turn: int
    result: Any = None
    answered: bool = False


@dataclass(slots=True)
class Item:
    """One thing a judge must give a verdict on: a rubric, or a sentence (whose ``id`` is empty)."""

    id: str
    text: str


@dataclass(slots=True)
class View:
    """A request, read.

    Attributes:
        model: the model's name as it was asked for.
        kind: who asks: an agent, ADK's user simulator, or one of ADK's judges.
        system: the system instruction.
        prompt: every text of the request, joined.
        user: the user's messages, oldest first (of a simulator or judge prompt: those of its history).
        agent: what agents said, oldest first; texts between two user messages count as one.
        tools: tool calls of this conversation, oldest first.
        returned: the calls whose results are the last thing in the request.
        last: whether the last thing is the user's message or tool results.
        plan, persona: of a simulator's or a simulator judge's prompt.
        judging: which of ADK's judge prompts this is.
        items: what the judge must decide, one by one.
        judged: the text under judgement (answer, dialogue, context or simulated user message).
        reference: the reference answer, where the judge compares with one.
        seed: of the request, when it was given one.
    """

    model: str = ""
    kind: Literal["agent", "simulator", "judge"] = "agent"
    system: str = ""
    prompt: str = ""
    user: list[str] = field(default_factory=list[str])
    agent: list[str] = field(default_factory=list[str])
    tools: list[ToolUse] = field(default_factory=list[ToolUse])
    returned: list[ToolUse] = field(default_factory=list[ToolUse])
    last: Last = "user"
    plan: str = ""
    persona: str = ""
    judging: Judging | None = None
    items: list[Item] = field(default_factory=list[Item])
    judged: str = ""
    reference: str = ""
    seed: int | None = None

    @property
    def turn(self) -> int:
        """How many user messages there are; 1 while the first is being answered."""
        return len(self.user)

    @property
    def last_user(self) -> str:
        return self.user[-1] if self.user else ""

    @property
    def last_agent(self) -> str:
        return self.agent[-1] if self.agent else ""

    def latest(self, tool: str) -> ToolUse | None:
        """The latest answered call of ``tool``."""
        return next((use for use in reversed(self.tools) if use.name == tool and use.answered), None)
