"""The rules of the draft, one by one."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adk_split_eval.plan.models import DraftCase
from adk_split_eval.pool import holes
from adk_split_eval.pool.candidate import Hit
from adk_split_eval.pool.draft import Material, make_draft
from adk_split_eval.record import Call, Conversation, Turn


def material(turns: list[Turn], *, hit: Hit | None = None, **more: Any) -> Material:
    keys = {k: more.pop(k) for k in ("carries", "suspect", "user_id", "goal", "scene") if k in more}
    more.setdefault("stop_reason", "stop_signal")
    more.setdefault("state_before", {})
    chief = hit or Hit("grounded_numbers_v1", "deterministic", ["turn 2: no source"], "It is 49.5.", 2)
    return Material("S-1", Conversation(turns, **more), chief, **keys)


def good_turns() -> list[Turn]:
    return [
        Turn("first", [Call("look", {"id": "L1"})], response="Found."),
        Turn("how much", [Call("quote", {})], response="Well. It is 49.5."),
        Turn("thanks", [], response="Bye."),
    ]


def test_expectations_come_only_from_turns_before_the_failure() -> None:
    draft = make_draft(material(good_turns(), carries={"grounded_numbers": True}))
    assert draft.case == {
        "case_id": "F-S-1",
        "scene": "",
        "turns": [
            {"user": "first", "expect_tools": [{"name": "look", "args": {"id": "L1"}}]},
            {"user": "how much", "expect_tools": "TODO", "response": {"excludes": ["It is 49.5."]}},
            {"user": "thanks", "expect_tools": "TODO"},
        ],
        "grounded_numbers": True,
    }
    assert holes(draft.case) == ["turns[1].expect_tools", "turns[2].expect_tools"]
    assert "Bye." not in str(draft.case)


@pytest.mark.parametrize(
    ("change", "because"),
    [
        ({"stop_reason": "max_turns"}, "turn limit (draft it with --prefix"),
        ({"stop_reason": "empty_turn"}, "empty turn"),
        ({"stop_reason": "agent_error"}, "error"),
        ({"stop_reason": "timeout"}, "timeout"),
        ({"stop_reason": "simulator_error"}, "simulator failed"),
        ({"glued_text": "one more thing"}, "glued text to its stop signal"),
        ({"error": "boom"}, "broke off: boom"),
        ({"suspect": True}, "simulator is suspect"),
    ],
)
def test_only_clean_conversations_become_drafts(change: dict[str, Any], because: str) -> None:
    draft = make_draft(material(good_turns(), **change))
    assert draft.case is None
    assert because in str(draft.because)


def test_prefix_takes_the_turns_up_to_the_first_that_shows_the_failure() -> None:
    draft = make_draft(material(good_turns(), stop_reason="max_turns"), prefix=True)
    assert draft.case is not None
    assert [t["user"] for t in draft.case["turns"]] == ["first", "how much"]
    nowhere = Hit("goal_reached_v1", "deterministic", ["never"], None, None)
    assert "cannot be placed" in str(make_draft(material(good_turns(), hit=nowhere), prefix=True).because)
    assert make_draft(material(good_turns(), suspect=True), prefix=True).case is None


@pytest.mark.parametrize(
    ("turns", "because"),
    [
        ([Turn("a", response="x"), Turn(" ", response="y")], "turn 2: the user said nothing"),
        (
            [Turn("Hi there!", response="x"), Turn("b", response="y"), Turn("hi  there", response="z")],
            "turn 3: the simul",
        ),
        ([Turn("a"), Turn("b", response="y")], "two user messages follow each other"),
        ([Turn("a\ud800", response="x")], "no valid Unicode"),
        ([Turn("a", response="x", error="died")], "turn 1: the agent broke off: died"),
        ([], "no turns"),
    ],
)
def test_user_turns_are_refused_never_invented(turns: list[Turn], because: str) -> None:
    hit = Hit("x", "deterministic", [], None, 1)
    assert because in str(make_draft(material(turns, hit=hit)).because)


def test_parallel_calls_stay_together_and_transfers_keep_their_agent() -> None:
    calls = [
        Call("a", {}, step=0), Call("b", {"n": 1}, step=0), Call("transfer_to_agent", {"agent_name": "x"}, step=1)
    ]  # fmt: skip
    turns = [Turn("one", calls, response="r"), Turn("two", response="s")]
    case = make_draft(material(turns)).case
    assert case is not None
    assert case["turns"][0]["expect_tools"] == [
        ["a", {"name": "b", "args": {"n": 1}}],
        {"name": "transfer_to_agent", "args": {"agent_name": "x"}},
    ]


def test_volatile_arguments_become_matchers_unless_the_user_said_them() -> None:
    uuid = "123e4567-e89b-12d3-a456-426614174000"
    args = {
        "id": uuid, "at": "2026-11-30T10:00:00Z", "ts": 1_790_000_000, "key": "req_0123456789abcdef01", "order": "L8823",
        "said": "123e4567-e89b-12d3-a456-426614174001", "odd": {"any": 1}, "nan": float("nan"), "broken": "\ud800",
        "list": [uuid],
    }  # fmt: skip
    turns = [
        Turn("it is 123e4567-e89b-12d3-a456-426614174001", [Call("t", args)], response="r"),
        Turn("b", response="s"),
    ]
    draft = make_draft(material(turns))
    assert draft.case is not None
    expected = draft.case["turns"][0]["expect_tools"][0]["args"]
    assert list(expected["id"]) == ["regex"] and list(expected["at"]) == ["regex"]
    assert expected["list"] == [expected["id"]]
    assert {k: expected[k] for k in ("ts", "key", "nan", "broken")} == {
        key: {"any": True} for key in ("ts", "key", "nan", "broken")
    }
    assert expected["order"] == "L8823" and expected["said"] == args["said"]
    assert expected["odd"] == {"equals": {"any": 1}}
    assert len(draft.notes) == 7
    assert "turn 1, t.id: a UUID became the matcher" in draft.notes[0]
    DraftCase.model_validate(draft.case)


def test_start_state_without_temporary_and_private_keys_and_no_end_state() -> None:
    before = {"tier": "gold", "temp:x": 1, "_p": 2, "user:_q": 3, "__i": 4, "user:language": "en", "bad": "\ud800"}
    case = make_draft(material(good_turns(), state_before=before, state_after={"branch": "n"}, user_id="tester")).case
    assert case is not None
    assert case["session_input"] == {"user_id": "tester", "state": {"tier": "gold", "user:language": "en"}}
    assert "expect_state" not in case


def test_a_flat_recording_gives_holes_on_every_turn_and_the_calls_for_the_reader() -> None:
    turns = [Turn("a"), Turn("b"), Turn("c", [Call("order_lookup"), Call("refund_submit")], response="49.5!")]
    hit = Hit("grounded_numbers_v1", "deterministic", ["49.5"], "49.5!", 3)
    draft = make_draft(material(turns, hit=hit, flat=True, stop_reason=None))
    assert draft.case is not None
    assert draft.observed_calls == ["order_lookup", "refund_submit"]
    assert [t["expect_tools"] for t in draft.case["turns"]] == ["TODO"] * 3


def test_a_failure_without_a_place_proposes_nothing() -> None:
    draft = make_draft(material(good_turns(), hit=Hit("goal_reached_v1", "deterministic", ["never"], None, None)))
    assert draft.case is not None
    assert len(holes(draft.case)) == 3
    assert "no turn's calls are proposed" in draft.notes[0]


def test_a_recording_without_a_fault_lends_everything() -> None:
    turns = [Turn("My branch is north.", [Call("set_branch", {"branch": "north"})], response="Saved.")]
    hit = Hit("", "recorded")
    after = {"tier": "gold", "branch": "north", "temp:trace": "x9", "__internal": 1}
    draft = make_draft(material(turns, hit=hit, stop_reason=None, state_before={"tier": "gold"}, state_after=after))
    assert draft.case is not None
    assert draft.case["expect_state"] == {"tier": "gold", "branch": "north"}
    assert draft.notes == [] and holes(draft.case) == []


words = st.text(st.characters(exclude_categories=["Cs"]), min_size=1).filter(lambda t: t.strip())


@settings(max_examples=80, deadline=None)
@given(st.lists(words, min_size=2, max_size=4, unique_by=lambda t: t.strip().casefold()))
def test_user_turns_are_word_for_word(users: list[str]) -> None:
    draft = make_draft(material([Turn(u, response="ok") for u in users]))
    if draft.case is not None:
        assert [t["user"] for t in draft.case["turns"]] == users
        DraftCase.model_validate(draft.case)
    else:
        assert "repeated the opening" in str(draft.because)
