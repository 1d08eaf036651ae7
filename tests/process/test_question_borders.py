"""Questions at their borders: limits reached and passed, kinds without rules, crowds of questions, a missing measure."""

from __future__ import annotations

import sys
from typing import Any

import pytest

from adk_split_eval.metrics.process import wording
from adk_split_eval.metrics.registry import METRICS
from adk_split_eval.record import Call, Conversation, Judgement, Turn

RULES: dict[str, Any] = {
    "event": {"tool": "ask"},
    "id": "args.id",
    "text": "args.text",
    "kind": "args.kind",
    "kinds": {"clarification": {"per_question": 2}, "followup": {"total": 2}},
}


def call(name: str, **args: Any) -> Call:
    return Call(name, args, {"ok": True}, answered=True)


def ask(identifier: str, text: str = "", kind: str | None = None) -> Call:
    return call("ask", id=identifier, text=text, **({"kind": kind} if kind else {}))


def talk(*turns: tuple[str, list[Call]]) -> Conversation:
    made: list[Turn] = []
    for user, calls in turns:
        for step, one in enumerate(calls):
            one.step = step
        made.append(Turn(user, calls, response="…"))
    return Conversation(made)


def questions(*turns: tuple[str, list[Call]], **rules: Any) -> Judgement:
    found = METRICS["repeated_questions_v1"](talk(*turns), {**RULES, **rules}, 1.0)
    assert found.status in ("passed", "failed"), found.reasons
    return found


def test_limits_are_reached_before_they_are_passed() -> None:
    twice = [("a", [ask("f1", kind="clarification")]), ("b", [ask("f1", kind="clarification")])]
    assert questions(*twice).status == "passed"
    found = questions(*twice, ("c", [ask("f1", kind="clarification")]))
    assert found.reasons == [
        'turn 3: the id "f1" asked a third time after turn 1 as clarification, at most 2 allowed: f1'
    ]
    assert questions(("a", [ask("x", kind="followup"), ask("y", kind="followup")])).status == "passed"
    many = [("a", [ask(f"x{n}", kind="followup")]) for n in range(4)]
    assert [r for r in questions(*many).reasons if "are allowed" in r] == [
        "turn 3: 2 questions of kind followup are allowed, this is one more: x2"
    ]


def test_a_kind_without_rules_has_those_of_the_default_and_another_none() -> None:
    again = [("a", [ask("f1")]), ("b", [ask("f1")])]
    assert questions(*again, kinds={"main": None}).status == "failed"
    assert questions(*again, kinds={"main": {"per_question": None}}).status == "passed"
    assert questions(*again, kinds={"main": {"per_question": 0}}).reasons[0].startswith("turn 1: the id")
    small_talk = [("a", [ask("f1", kind="chat")]), ("b", [ask("f1", kind="chat")])]
    assert questions(*small_talk).status == "passed"
    assert questions(*small_talk, default_kind="chat").status == "failed"
    assert questions(*again, default_kind="chat", kinds={}).status == "failed"


@pytest.mark.parametrize(
    "change",
    [
        {"kinds": {"main": {"per_questions": 1}}},
        {"kinds": {"main": {"total": True}}},
        {"kinds": {"main": {"per_question": -1}}},
        {"kinds": {"main": {"after_user": "("}}},
        {"similarity": {"same": 0, "grey": 0}},
        {"similarity": {"grey": 0}},
        {"similarity": {"same": True}},
        {"similarity": {"same": 1.1}},
        {"similarity": {"same": 0.8, "grey": 0.81}},
        {"similarity": {"gray": 0.5}},
        {"id": None, "text": None},
        {"kind": "text"},
        {"questions": 1},
    ],
)
def test_question_rules_that_make_no_sense_judge_nothing(change: dict[str, Any]) -> None:
    found = METRICS["repeated_questions_v1"](talk(("a", [ask("f1")])), {**RULES, **change}, 1.0)
    assert found.status == "not_evaluated"
    assert found.reasons[0].startswith("bad parameters: ")


def test_a_free_question_is_compared_with_those_that_have_an_id_either_way_round() -> None:
    first, second = "How does a hash map find the entry for a key?", "So how does a hash map find the entry for a key?"
    assert questions(("a", [ask("", first)]), ("b", [ask("f1", second)])).status == "failed"
    assert questions(("a", [ask("f1", first)]), ("b", [ask("f2", second)])).status == "passed"


def test_words_are_compared_only_for_kinds_that_ask_for_it() -> None:
    first, second = "How does a hash map find the entry for a key?", "So how does a hash map find the entry for a key?"
    turns = [("a", [ask("f1", first)]), ("b", [ask("", second, "clarification")])]
    assert questions(*turns).reasons == ["2 questions, none asked twice"]
    assert questions(*turns, kinds={"clarification": {"compare_text": True}}).status == "failed"


def test_the_same_words_under_two_ids_are_named_with_both() -> None:
    found = questions(("a", [ask("f1", "What is a lock?")]), ("b", [ask("f7", "What is a lock?")]))
    assert found.reasons == [
        'asked again in other words: turn 1 and turn 2: f1 "What is a lock?" / f7 "What is a lock?"'
    ]


def test_a_repeated_question_is_found_among_hundreds() -> None:
    asked = [ask("", f"What does rule {n} of chapter {n * 7 % 401} ask of subject{n}?") for n in range(450)]
    known = ask("", "Why would anybody choose an append-only ledger for bookkeeping?")
    again = ask("", "So why would anybody choose an append-only ledger for bookkeeping?")
    found = questions(("a", [known]), ("b", asked), ("c", [again]))
    assert found.status == "failed"
    assert "turn 1 and turn 3" in found.reasons[0]
    assert questions(("a", [known]), ("b", asked)).status == "passed"


def test_texts_of_thousands_of_characters_are_not_measured() -> None:
    long = "tell me more about it " * 300
    assert questions(("a", [ask("", long + "one")]), ("b", [ask("", long + "two")])).status == "passed"
    assert questions(("a", [ask("", long)]), ("b", [ask("", long)])).status == "failed"


def test_ids_may_be_numbers() -> None:
    numbered = {**RULES, "text": None}
    found = questions(("a", [call("ask", id=7)]), ("b", [call("ask", id=8)]), ("c", [call("ask", id=7)]), **numbered)
    assert found.status == "failed"
    assert 'turn 3: the id "7" asked a second time after turn 1' in found.reasons[0]


def test_without_the_measure_free_questions_are_not_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    conversation = talk(("a", [ask("", "What is a lock?")]), ("b", [ask("", "Why do queues grow?")]))
    wording._fuzz.cache_clear()
    monkeypatch.setitem(sys.modules, "rapidfuzz", None)
    found = METRICS["repeated_questions_v1"](conversation, RULES, 1.0)
    monkeypatch.undo()
    wording._fuzz.cache_clear()
    assert found.status == "not_evaluated"
    assert "needs rapidfuzz" in found.reasons[0]
    assert METRICS["repeated_questions_v1"](conversation, RULES, 1.0).status == "passed"
