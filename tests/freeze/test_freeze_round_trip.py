"""Draft → plan → set → ADK's loader → draft is stable, and any text survives the way."""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

sys.path.insert(0, str(Path(__file__).parent))
import freeze_desk as desk

from adk_split_eval.build import compile_plan
from adk_split_eval.freeze.frozen_file import add_case, read_cases
from adk_split_eval.freeze.recordings import case_conversation
from adk_split_eval.plan import load_plan
from adk_split_eval.pool.candidate import Hit
from adk_split_eval.pool.draft import Material, make_draft
from adk_split_eval.record import Call, Conversation, Turn

letters = st.characters(exclude_categories=["Cs"], exclude_characters="\x00")
words = st.text(letters, min_size=1, max_size=30).filter(lambda t: bool(t.strip()))
names = st.from_regex(r"[a-z_]{1,10}", fullmatch=True)
values = st.recursive(
    words | st.integers(-(10**9), 10**9) | st.floats(-1e9, 1e9) | st.booleans() | st.none(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=3),
    max_leaves=5,
)
calls = st.builds(Call, names, st.dictionaries(names, values, max_size=3))


@st.composite
def conversations(draw: st.DrawFn) -> Conversation:
    users = draw(st.lists(words, min_size=1, max_size=3, unique_by=lambda t: " ".join(t.casefold().split())))
    turns: list[Turn] = []
    for user in users:
        made = draw(st.lists(calls, max_size=3))
        for step, call in enumerate(made):
            call.step = step
        turns.append(Turn(user, made, response=draw(words)))
    return Conversation(turns, "script_end", state_before=draw(st.dictionaries(names, values, max_size=2)))


def load(eval_set: dict[str, Any]) -> dict[str, Any]:
    """The set as ADK reads it, back as JSON."""
    from google.adk.evaluation.eval_set import EvalSet

    return json.loads(EvalSet.model_validate_json(json.dumps(eval_set)).model_dump_json(exclude_none=True))


@pytest.mark.adk
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
@given(conversations())
def test_a_draft_is_stable_on_its_way_through_adk(conversation: Conversation) -> None:
    pytest.importorskip("google.adk")
    first = make_draft(Material("S-1", conversation, Hit("", "recorded")))
    if first.case is None:
        assert "repeated the opening" in str(first.because)
        return
    with tempfile.TemporaryDirectory() as folder:
        plan = desk.make_plan(Path(folder))
        frozen = plan.parent / "desk.frozen.yaml"
        add_case(frozen, "desk", first.case)
        assert read_cases(frozen) == [first.case]
        loaded = load_plan(plan)
        assert loaded.findings == []
        compiled = compile_plan(loaded)
    case = next(c for c in compiled.cases if c.case_id == "F-S-1")
    assert case.findings == []
    eval_set = next(s for s in compiled.sets if "F-S-1" in s.case_ids).eval_set
    back = next(c for c in load(eval_set)["eval_cases"] if c["eval_id"] == "F-S-1")
    read = case_conversation(back)
    assert [t.user for t in read.turns] == [t.user for t in conversation.turns]
    assert [[c.name for c in t.tool_calls] for t in read.turns] == [
        [c.name for c in t.tool_calls] for t in conversation.turns
    ]
    assert back["session_input"].get("state", {}) == first.case.get("session_input", {}).get("state", {})
    # ADK's set carries names and arguments of expected calls; a second draft from it says the same again.
    read.state_before = conversation.state_before
    for turn, original in zip(read.turns, conversation.turns, strict=True):
        for call, source in zip(turn.tool_calls, original.tool_calls, strict=True):
            call.args = call.args or source.args
    second = make_draft(Material("S-1", read, Hit("", "recorded")))
    assert second.case == first.case
