"""ADK's own prompts, rendered by ADK, are read back: simulator, simulator judge, and the history in them."""

from __future__ import annotations

from typing import Any

import pytest
from google.adk.evaluation.conversation_scenarios import ConversationScenario
from google.adk.evaluation.simulation.llm_backed_user_simulator_prompts import get_llm_backed_user_simulator_prompt
from google.adk.evaluation.simulation.per_turn_user_simulator_quality_prompts import (
    get_per_turn_user_simulator_quality_prompt,
)
from hypothesis import given
from hypothesis import strategies as st

from adk_split_eval.models.prompts import read_prompt, split_history
from adk_split_eval.models.view import View

HISTORY = (
    "user: 我要退款\n\nrefund_agent: One moment.\n\nNote: this may take a while.\n\nrefund_agent: 好了\n\nuser: thanks"
)
PLAN = "Get a refund.\n\n# Conversation style\nBe brief."


def _persona(name: str | None) -> Any:
    if name is None:
        return None
    return ConversationScenario(starting_prompt="x", conversation_plan="y", user_persona=name).user_persona


def _read(prompt: str) -> View:
    view = View(prompt=prompt, user=[prompt])
    read_prompt(view)
    return view


@pytest.mark.parametrize("persona", [None, "NOVICE", "EXPERT"])
def test_simulator_prompt(persona: str | None) -> None:
    described = _persona(persona)
    view = _read(get_llm_backed_user_simulator_prompt(PLAN, HISTORY, "</finished>", None, described))
    assert view.kind == "simulator"
    assert view.plan == PLAN
    assert view.user == ["我要退款", "thanks"]
    assert view.agent == ["One moment.\n\nNote: this may take a while.\n\nrefund_agent: 好了"]
    assert (described.description in view.persona) if described else view.persona == ""


@pytest.mark.parametrize("persona", [None, "NOVICE", "EXPERT"])
def test_simulator_judge_prompt(persona: str | None) -> None:
    described = _persona(persona)
    view = _read(
        get_per_turn_user_simulator_quality_prompt(PLAN, HISTORY, "say this\n\nand that", "</finished>", described)
    )
    assert (view.kind, view.judging) == ("judge", "simulator_quality")
    assert view.plan == PLAN
    assert view.judged == "say this\n\nand that"
    assert view.user == ["我要退款", "thanks"]
    assert (described.description in view.persona) if described else view.persona == ""


def test_tool_lines_belong_to_the_agents_side() -> None:
    history = (
        "user: hi\n\nagent called tool 'look' with args: {'id': 'A1'}\n\nTool 'look' returned: {'ok': 1}\n\nagent: done"
    )
    users, agents = split_history(history)
    assert users == ["hi"]
    assert agents[0].endswith("agent: done")


def test_an_ordinary_conversation_is_no_prompt() -> None:
    view = _read("You are nice. What is a Verdict: yes?")
    assert (view.kind, view.judging) == ("agent", None)


_LINE = st.text(st.characters(blacklist_categories=("Cs", "Cc")), min_size=1).map(lambda s: s.strip().replace(":", ";"))
_WORDS = _LINE.filter(lambda s: bool(s) and not s.startswith("called tool"))


@given(st.lists(st.tuples(_WORDS, _WORDS), min_size=1, max_size=5))
def test_history_round_trip(turns: list[tuple[str, str]]) -> None:
    history = "\n\n".join(f"user: {said}\n\nthe_agent: {answer}" for said, answer in turns)
    assert split_history(history) == ([said for said, _ in turns], [answer for _, answer in turns])
