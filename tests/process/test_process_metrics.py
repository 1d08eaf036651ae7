"""The process criteria over written conversations: each rule with what breaks it and what must not."""

from __future__ import annotations

from typing import Any

import pytest

from adk_split_eval.metrics.registry import METRICS
from adk_split_eval.record import Call, Conversation, Event, Judgement, Turn

STAGES: dict[str, Any] = {
    "event": {"tool": "enter_stage", "ok": True},
    "reason": "args.reason",
    "order": [
        {"name": "warm_up", "max_turns": 2},
        {"name": "fundamentals", "min_turns": 1, "max_turns": 4, "next": ["project", "closing"]},
        {"name": "project", "skip": {"reason": "no CV"}, "back": ["fundamentals"]},
        {"name": "questions"},
        {"name": "closed", "final": True},
    ],
    "early_end": {"says": "(?i)have to go", "leads_to": ["closed"]},
}
STAGES["order"][1]["next"] = ["project"]
QUESTIONS: dict[str, Any] = {
    "event": {"tool": "ask"},
    "id": "args.id",
    "text": "args.text",
    "kind": "args.kind",
    "kinds": {
        "clarification": {"per_question": 2},
        "again": {"per_question": 1, "after_user": "(?i)repeat"},
        "followup": {"total": 2},
    },
}


def call(name: str, response: Any = None, **args: Any) -> Call:
    return Call(name, args, {"ok": True} if response is None else response, answered=True)


def enter(stage: str, reason: str = "done") -> Call:
    return call("enter_stage", stage=stage, reason=reason)


def ask(identifier: str, text: str = "", kind: str | None = None) -> Call:
    return call("ask", id=identifier, text=text, **({"kind": kind} if kind else {}))


def talk(*turns: tuple[str, list[Call]], **more: Any) -> Conversation:
    made: list[Turn] = []
    for user, calls in turns:
        for step, one in enumerate(calls):
            one.step = step
        made.append(Turn(user, calls, response="…"))
    return Conversation(made, **more)


def judge(name: str, conversation: Conversation, params: dict[str, Any], threshold: float = 1.0) -> Judgement:
    found = METRICS[name](conversation, params, threshold)
    assert found.status != "not_evaluated", found.reasons
    return found


GOOD = [
    ("hi", [enter("warm_up")]),
    ("fine", [enter("fundamentals")]),
    ("a hash", [ask("f1")]),
    ("a tree", [enter("project")]),
    ("mine", [enter("questions")]),
    ("no", [enter("closed")]),
]


def flow(*turns: tuple[str, list[Call]], **more: Any) -> Judgement:
    return judge("stage_flow_v1", talk(*turns, **more), STAGES)


def test_the_usual_way_passes_and_is_told() -> None:
    found = flow(*GOOD)
    assert found.status == "passed"
    assert found.reasons[0].startswith('stages: warm_up (turn 1, "done") → fundamentals (turn 2')


def test_a_stage_is_skipped_without_and_with_its_reason() -> None:
    skipping = [GOOD[0], GOOD[1], GOOD[2], ("x", [enter("questions", "in a hurry")]), ("no", [enter("closed")])]
    found = flow(*skipping)
    assert found.status == "failed" and not found.unfinished
    assert "turn 4" in found.reasons[0] and "skips project" in found.reasons[0] and '"in a hurry"' in found.reasons[0]
    skipping[3] = ("x", [enter("questions", "no CV given")])
    assert flow(*skipping).status == "passed"


def test_a_required_stage_cannot_be_skipped_at_all() -> None:
    found = flow(GOOD[0], ("x", [enter("project")]), ("x", [enter("questions")]), ("x", [enter("closed")]))
    assert "warm_up → project is not allowed: it skips fundamentals" in found.reasons[0]
    assert any("never entered: fundamentals" in reason for reason in found.reasons)


def test_going_back_only_where_it_is_allowed() -> None:
    back = [*GOOD[:4], ("x", [enter("fundamentals")]), ("x", [enter("project")]), *GOOD[4:]]
    assert flow(*back).status == "passed"
    worse = [*GOOD[:5], ("x", [enter("fundamentals")])]
    assert "it goes back" in flow(*worse).reasons[0]


def test_an_event_that_names_the_present_stage_is_no_step() -> None:
    found = flow(*GOOD[:2], ("x", [enter("fundamentals")]), *GOOD[3:])
    assert "it was in that stage already" in found.reasons[0]
    repeating = {**STAGES, "order": [{**stage, "repeat": True} for stage in STAGES["order"]]}
    conversation = talk(*GOOD[:2], ("x", [enter("fundamentals")]), *GOOD[3:])
    assert judge("stage_flow_v1", conversation, repeating).status == "passed"


def test_a_refused_change_of_stage_is_no_event() -> None:
    refused = call("enter_stage", {"error": "not yet"}, stage="closed", reason="x")
    assert flow(GOOD[0], ("x", [refused, enter("fundamentals")]), *GOOD[2:]).status == "passed"


def test_longest_and_shortest_stay() -> None:
    long = [*GOOD[:2], *[("x", [ask(f"f{n}")]) for n in range(5)], *GOOD[3:]]
    assert "turn 8: 6 user turns in fundamentals, at most 4 are allowed" in flow(*long).reasons
    short = [GOOD[0], ("x", [enter("fundamentals"), enter("project")]), *GOOD[4:]]
    assert "fundamentals was left after 0 user turns" in flow(*short).reasons[0]


def test_still_in_a_stage_at_the_end_counts_its_turns() -> None:
    found = flow(GOOD[0], *[("x", []) for _ in range(4)])
    assert "turn 5: 4 user turns in warm_up, at most 2 are allowed" in found.reasons
    assert not found.unfinished


def test_nothing_but_words_after_the_end() -> None:
    assert flow(*GOOD, ("thanks", [])).status == "passed"
    found = flow(*GOOD, ("one more thing", [ask("f9")]))
    assert 'turn 7: call of "ask" after the end' in found.reasons[0]
    assert "closed is final" in flow(*GOOD, ("x", [enter("warm_up")])).reasons[0]


def test_ending_early_leads_where_it_should() -> None:
    assert flow(GOOD[0], ("sorry, I have to go", [enter("closed", "candidate left")])).status == "passed"
    found = flow(GOOD[0], ("sorry, I have to go", [enter("fundamentals")]), ("bye", []))
    assert "the user asked to stop in turn 2, and closed was not entered" in found.reasons[0]
    assert "closed → closed: it was in that stage already" in flow(*GOOD, ("x", [enter("closed")])).reasons[0]


def test_not_there_yet_is_unfinished_and_never_a_pass() -> None:
    found = flow(*GOOD[:3], stop_reason="max_turns")
    assert found.status == "failed" and found.unfinished
    assert "never entered: project, questions, closed" in found.reasons[0]


def test_no_stage_event_at_all_fails() -> None:
    found = flow(("hi", []))
    assert "no stage event was recorded" in found.reasons[0]


def test_stages_by_state_are_judged_on_changes_only() -> None:
    rules = {"event": {"state": "stage"}, "stage": "value", "order": [{"name": "a"}, {"name": "b"}]}
    turns = [
        Turn("x", events=[Event("state", data={"stage": "a"})]),
        Turn("x", events=[Event("state", data={"stage": "a", "n": 1})]),
        Turn("x", events=[Event("state", data={"stage": "b"})]),
    ]
    conversation = Conversation(turns, state_before={}, state_after={"stage": "b"})
    assert judge("stage_flow_v1", conversation, rules).status == "passed"
    conversation.state_after = None
    assert METRICS["stage_flow_v1"](conversation, rules, 1.0).status == "not_evaluated"


def questions(*turns: tuple[str, list[Call]], **rules: Any) -> Judgement:
    return judge("repeated_questions_v1", talk(*turns), {**QUESTIONS, **rules})


def test_an_id_asked_twice_is_two_events() -> None:
    found = questions(("a", [ask("f1", "What is a lock?")]), ("b", [ask("f2")]), ("c", [ask("f1", "What is a lock?")]))
    assert found.status == "failed"
    assert 'turn 3: the id "f1" asked a second time after turn 1 as main, at most 1 allowed' in found.reasons[0]


def test_legal_repeats_have_their_own_kinds() -> None:
    assert (
        questions(
            ("a", [ask("f1", "What is a lock?")]),
            ("what do you mean?", [ask("f1", "In other words: what is a lock?", "clarification")]),
            ("please repeat", [ask("f1", "What is a lock?", "again")]),
        ).status
        == "passed"
    )
    found = questions(("a", [ask("f1")]), ("a mutex", [ask("f1", kind="again")]))
    assert "which the user did not ask for" in found.reasons[0]
    found = questions(("a", [ask("x", kind="followup"), ask("y", kind="followup"), ask("z", kind="followup")]))
    assert "2 questions of kind followup are allowed" in found.reasons[0]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("How does a hash map find the entry for a key?", "So how does a hash map find the entry for a key?"),
        ("How does a hash map find the entry for a key?", "How, for a key, does a hash map find the entry?"),
        ("请说说进程和线程有什么区别？", "请你说一说进程和线程有什么区别"),
        ("What is a LOCK?", "what is a lock"),
        ("Why did you choose Go for the Orion queue back then?", "Why did you choose Go for the queue back then?"),
        ("Why did you choose Go for the queue back then?", "Why did you choose Go for the Orion queue back then?"),
    ],
)
def test_a_free_question_in_other_words(first: str, second: str) -> None:
    found = questions(("a", [ask("f1", first)]), ("b", [ask("", second)]))
    assert found.status == "failed"
    assert "turn 1 and turn 2" in found.reasons[0]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (
            "Tell me what you decided yourself in the Orion project.",
            "Tell me what you decided yourself in the Lyra project.",
        ),
        (
            "Tell me about a time when you had to learn something quickly: what was it and how did you go about it?",
            "Tell me about a time when you had to say no: what was it?",
        ),
        ('What does "lock" mean in that sentence of yours?', 'What does "latch" mean in that sentence of yours?'),
        ("What would you do with 10 servers and 1 database?", "What would you do with 10 servers and 3 databases?"),
    ],
)
def test_questions_that_begin_alike_are_two_questions(first: str, second: str) -> None:
    assert questions(("a", [ask("", first)]), ("b", [ask("", second)])).status == "passed"


def test_doubtful_pairs_are_listed() -> None:
    found = questions(
        ("a", [ask("", "Why did you choose Go for the Orion queue?")]),
        ("b", [ask("", "Why did you choose Go for the Lyra queue?")]),
    )
    assert found.status == "passed"
    assert "doubtful, for a reader to decide: turn 1 and turn 2" in found.reasons[1]


def test_a_last_question_kept_in_the_state_is_not_asked_again() -> None:
    turns = [
        Turn("a", [ask("f1")], events=[Event("call", "ask", {"id": "f1"}), Event("state", data={"last": "f1"})]),
        Turn("b", events=[Event("text", data="Go on."), Event("state", data={"last": "f1", "turn": 2})]),
        Turn("c", events=[Event("text", data="And?"), Event("state", data={"last": "f1", "turn": 3})]),
    ]
    conversation = Conversation(turns, state_before={}, state_after={"last": "f1"})
    assert judge("repeated_questions_v1", conversation, {"event": {"tool": "ask"}, "id": "args.id"}).status == "passed"
    by_state = {"event": {"state": "last"}, "id": "value"}
    assert judge("repeated_questions_v1", conversation, by_state).status == "passed"


def test_the_same_words_under_another_id_are_found() -> None:
    found = questions(("a", [ask("f1", "What is a lock?")]), ("b", [ask("f7", "What is a lock?")]))
    assert found.status == "failed"


CV = {"id": "cv-1", "version": "2", "fragments": {"p1": "Orbit: a job queue in Go", "p2": "搜索引擎，每天四万次查询"}}
EVIDENCE: dict[str, Any] = {
    "event": {"tool": "ask"},
    "cites": "args.fragment",
    "version": "args.version",
    "quote": "args.quote",
    "text": "args.text",
    "claims_where": {"args.about": "cv"},
    "claims_pattern": "(?i)your cv",
    "source": CV,
}


def evidence(rules: dict[str, Any] | None = None, **args: Any) -> Judgement:
    return judge("evidence_links_v1", talk(("a", [call("ask", **args)])), rules or EVIDENCE)


def test_citations_that_hold() -> None:
    assert evidence(fragment="p1", version="2", quote="a job QUEUE").status == "passed"
    assert evidence(fragment="p2", version=2, quote="每天四万次").status == "passed"
    assert evidence(text="What is a lock?").status == "passed"


@pytest.mark.parametrize(
    ("args", "words"),
    [
        ({"fragment": "x9", "version": "2"}, "has no such fragment"),
        ({"fragment": "p1", "version": "1"}, 'cites version "1", not the version "2"'),
        ({"fragment": "p1"}, "states no version"),
        ({"fragment": "p1", "version": "2", "quote": "a message queue"}, "does not stand in"),
        ({"fragment": "p1", "version": "2", "quote": "ob"}, "does not stand in"),
        ({"quote": "a job queue"}, "cites no fragment"),
        ({"about": "cv"}, "claims to build on the document"),
        ({"text": "Your CV mentions Orbit. Why Go?"}, "claims to build on the document"),
    ],
)
def test_citations_that_do_not(args: dict[str, Any], words: str) -> None:
    found = evidence(**args)
    assert found.status == "failed"
    assert words in found.reasons[0]


def test_a_document_without_a_version_has_none_to_compare() -> None:
    rules = {**EVIDENCE, "source": {"id": "cv-1", "fragments": CV["fragments"]}, "document": "args.document"}
    assert evidence(rules, fragment="p1", document="cv-1").status == "passed"
    assert evidence(rules, fragment="p1", document="cv-1", version="9").status == "passed"
    assert (
        'cites document "cv-2", not the document "cv-1"' in evidence(rules, fragment="p1", document="cv-2").reasons[0]
    )
    assert "states no document" in evidence(rules, fragment="p1", document=" ").reasons[0]


def test_only_what_claims_to_build_on_the_document_must_cite() -> None:
    rules = {key: value for key, value in EVIDENCE.items() if key not in ("claims_where", "claims_pattern")}
    assert evidence(rules, text="Your CV mentions Orbit. Why Go?", about="cv").status == "passed"
    rules["claims_where"] = {"args.about": "cv", "args.deep": {"any": True}}
    assert evidence(rules, about="life", deep=1).status == "passed"
    assert evidence(rules, about="cv").status == "passed"
    assert evidence(rules, about="cv", deep=None).status == "failed"


def test_without_a_document_nothing_is_cited_or_claimed() -> None:
    rules = {key: value for key, value in EVIDENCE.items() if key != "source"}
    assert evidence(rules, text="What is a lock?").status == "passed"
    assert "no document was given" in evidence(rules, fragment="p1").reasons[0]
    assert "none was given" in evidence(rules, about="cv").reasons[0]


ENDING: dict[str, Any] = {
    "event": {"tool": "finish"},
    "reason": "args.reason",
    "reasons": ["completed", "left"],
    "stages": ["closed"],
    "report": {"event": {"tool": "report"}, "not_before": "closed"},
    "nothing_after": [{"tool": "ask"}],
    "entering": {"event": {"tool": "enter_stage"}},
}
END = [enter("closed"), call("report"), call("finish", reason="completed")]


def ending(*turns: tuple[str, list[Call]]) -> Judgement:
    return judge("ending_v1", talk(*turns), ENDING)


def test_an_ending_as_allowed() -> None:
    assert ending(("a", [ask("x")]), ("b", END)).status == "passed"


@pytest.mark.parametrize(
    ("turns", "words", "unfinished"),
    [
        ([("a", [enter("closed"), call("report"), call("finish", reason="bored")])], 'the reason "bored"', False),
        ([("a", [*END, call("report")])], "2 reports (turns 1, 1), 1 due", False),
        ([("a", [call("report"), enter("closed"), call("finish", reason="left")])], "before closed was entered", False),
        ([("a", END), ("b", [ask("x")])], "tool ask after the end in turn 1", False),
        ([("a", END), ("b", [call("finish", reason="left")])], "ends again", False),
        ([("a", [enter("closed"), call("finish", reason="left")])], "0 reports", False),
        ([("a", [enter("project"), call("report"), call("finish", reason="left")])], "ends in project", False),
        ([("a", [enter("closed")])], "0 reports", True),
        ([("a", [ask("x")])], "never ended", True),
    ],
)
def test_endings_that_are_not(turns: Any, words: str, unfinished: bool) -> None:
    found = ending(*turns)
    assert found.status == "failed"
    assert any(words in reason for reason in found.reasons), found.reasons
    assert found.unfinished is unfinished


def interrupted(before: list[Call], after: list[Call], *, inside: bool = False) -> Conversation:
    def events(calls: list[Call]) -> list[Event]:
        return [e for c in calls for e in (Event("call", c.name, c.args), Event("response", c.name, c.response))]

    cut = Event("interrupt", data={"after_turn": 1})
    if inside:
        before[-1].answered = False
        return Conversation([Turn("a", [*before, *after], events=[*events(before)[:-1], cut, *events(after)])])
    return Conversation([Turn("a", before, events=events(before)), Turn("b", after, events=[cut, *events(after)])])


RECOVERY = {"interrupt": {"after_turn": 1}, "side_effects": ["book"], "stages": STAGES, "questions": QUESTIONS}


def recovery(conversation: Conversation) -> Judgement:
    return judge("recovery_v1", conversation, RECOVERY)


def test_going_on_after_an_interruption() -> None:
    found = recovery(interrupted([enter("warm_up"), ask("w1")], [enter("fundamentals"), ask("f1")]))
    assert found.status == "passed"
    assert found.reasons == ["interrupted in turn 2"]


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        ([enter("warm_up"), enter("fundamentals")], [enter("warm_up")], "the stage jumped over the interruption"),
        ([ask("w1")], [ask("w1")], "asked again after the interruption: w1, asked in turn 1"),
        ([call("book", slot=4)], [call("book", slot=4)], "the side effect book(slot=4) is repeated"),
    ],
)
def test_what_must_not_happen_over_an_interruption(before: list[Call], after: list[Call], words: str) -> None:
    found = recovery(interrupted(before, after))
    assert found.status == "failed"
    assert words in found.reasons[0]


def test_a_question_that_never_reached_the_user_may_be_asked_again() -> None:
    assert recovery(interrupted([ask("w1")], [ask("w1")], inside=True)).status == "passed"
    assert "side effect" in recovery(interrupted([call("book")], [call("book")], inside=True)).reasons[0]
    conversation = interrupted([ask("w1")], [ask("w1")], inside=True)
    assert judge("repeated_questions_v1", conversation, QUESTIONS).status == "passed"


def test_what_an_interruption_made_unheard_of_is_no_event() -> None:
    without_ok = {**STAGES, "event": {"tool": "enter_stage"}}
    conversation = interrupted([enter("warm_up")], [enter("warm_up"), enter("fundamentals")], inside=True)
    lost = judge("stage_flow_v1", conversation, without_ok)
    assert "was in that stage already" not in " ".join(lost.reasons)
    twice = interrupted([call("report")], [enter("closed"), call("report"), call("finish", reason="left")], inside=True)
    assert judge("ending_v1", twice, ENDING).status == "passed"


def test_over_without_a_required_stage_is_no_mere_gap() -> None:
    rules = {**STAGES, "order": [{"name": "a", "next": ["c"]}, {"name": "b"}, {"name": "c", "final": True}]}
    found = judge("stage_flow_v1", talk(("x", [enter("a")]), ("y", [enter("c")])), rules | {"early_end": None})
    assert found.status == "failed" and not found.unfinished


def test_a_failed_side_effect_may_be_tried_again() -> None:
    failed = call("book", {"error": "busy"}, slot=4)
    assert recovery(interrupted([failed], [call("book", slot=4)])).status == "passed"


def test_an_interruption_that_never_came_is_no_verdict() -> None:
    found = METRICS["recovery_v1"](talk(("a", [])), RECOVERY, 1.0)
    assert found.status == "not_evaluated"
    assert "never interrupted" in found.reasons[0]


@pytest.mark.parametrize(
    "name", ["stage_flow_v1", "repeated_questions_v1", "evidence_links_v1", "ending_v1", "recovery_v1"]
)
@pytest.mark.parametrize(
    "params",
    [{"event": 5}, {"event": {"tool": "a", "says": "b"}}, {"unknown": 1}, {"event": {"says": "("}, "order": []}],
)
def test_no_parameters_make_a_process_metric_raise(name: str, params: dict[str, Any]) -> None:
    found = METRICS[name](Conversation([Turn("hi")]), params, 1.0)
    assert found.status == "not_evaluated"
    assert found.reasons
    assert METRICS[name](Conversation(), {}, 1.0).status == "not_applicable"


@pytest.mark.parametrize(("name", "params"), [("repeated_questions_v1", QUESTIONS), ("evidence_links_v1", EVIDENCE)])
def test_a_rule_about_events_that_never_come_is_no_verdict(name: str, params: dict[str, Any]) -> None:
    found = METRICS[name](talk(("a", [ask("f1")])), {**params, "event": {"tool": "aks"}}, 1.0)
    assert found.status == "not_evaluated"
    assert found.reasons == ["no event is tool aks in 1 turns, so nothing was judged; is the name right?"]


def test_questions_that_cannot_be_told_apart_are_no_verdict() -> None:
    found = METRICS["repeated_questions_v1"](
        talk(("a", [ask("f1")])), {"event": {"tool": "ask"}, "id": "args.qid"}, 1.0
    )
    assert found.status == "not_evaluated"
    assert "has an id or words" in found.reasons[0]
