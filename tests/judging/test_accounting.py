"""What a vote lacks, answer by answer: every verdict the judge owed is counted, and the sentence says which one is missing."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("google.adk.evaluation.eval_case")

from adk_split_eval.record import Conversation, Criterion, Text, Turn
from adk_split_eval.run.accounting import (
    HALLUCINATIONS,
    QUALITY,
    TRAJECTORY_RUBRICS,
    Vote,
    VoteRow,
    effective_rubric_ids,
    missing,
)
from adk_split_eval.run.observe import ModelCall

MATCH = "final_response_match_v2"
RUBRICS = "rubric_based_final_response_quality_v1"
VALID, INVALID = '{"is_valid": true}', '{"is_valid": false}'


def call(text: str | None = "an answer", error: str | None = None) -> ModelCall:
    return ModelCall("judge", "any", "judge", text, error)


def criterion(name: str, **options: Any) -> Criterion:
    return Criterion(name, "judged", "adk", 1.0, options)


def talk(*responses: str) -> Conversation:
    return Conversation([Turn("hello", response=response) for response in responses])


def lacks(
    name: str, vote: Vote, conversation: Conversation | None = None, ids: list[set[str]] | None = None, **options: Any
) -> list[str]:
    return missing(criterion(name, **options), vote, conversation or talk("Hi.", "Bye."), ids or [])


def test_what_went_wrong_comes_before_what_is_missing() -> None:
    vote = Vote("NOT_EVALUATED", None, failure="TypeError: no", calls=[call(None, "UNAVAILABLE")])
    assert lacks(MATCH, vote) == ["TypeError: no"]
    vote.failure = None
    vote.calls.append(call(None, "later"))
    assert lacks(MATCH, vote) == ["the judge's model failed: UNAVAILABLE"]


@pytest.mark.parametrize("name", [MATCH, RUBRICS, HALLUCINATIONS, QUALITY])
@pytest.mark.parametrize("status", ["PASSED", "NOT_EVALUATED"])
def test_a_judge_nobody_asked(name: str, status: str) -> None:
    expected = "ADK did not evaluate it" if status == "NOT_EVALUATED" else "the judge was never asked"
    if (name, status) == (QUALITY, "PASSED"):  # its opening is compared without a judge; what it owes is counted
        expected = "0 of 2 simulator-quality verdicts could be read"
    assert lacks(name, Vote(status, None)) == [expected]


@pytest.mark.parametrize("name", [MATCH, "a_criterion_of_a_later_adk_v1"])
@pytest.mark.parametrize(
    ("overall", "scores", "turns"),
    [
        (1.0, [1.0, 0.0], None),
        (1.0, [0.0, None], "2"),
        (1.0, [None, None], "1, 2"),
        (None, [1.0, 1.0], "all"),
        (None, [], "all"),
        (0.0, [], None),
    ],
)
def test_turns_without_a_score(name: str, overall: float | None, scores: list[float | None], turns: str | None) -> None:
    vote = Vote("PASSED", overall, [VoteRow(score, "PASSED") for score in scores], [call()])
    assert lacks(name, vote) == ([] if turns is None else [f"the judge's answer could not be read (turn {turns})"])


def rubric_vote(*rows: dict[str, float | None], score: float | None = 1.0) -> Vote:
    return Vote("PASSED", score, [VoteRow(1.0, "PASSED", row) for row in rows], [call()])


def test_every_rubric_of_every_turn() -> None:
    ids = [{"a", "b"}, {"a", "b", "c"}]
    assert lacks(RUBRICS, rubric_vote({"a": 1.0, "b": 0.0}, {"a": 0.0, "b": 1.0, "c": 1.0}), ids=ids) == []
    assert lacks(RUBRICS, rubric_vote({"a": 1.0, "b": None}, {"c": 1.0, "d": 1.0}), ids=ids) == [
        "1 of 2 rubrics judged on turn 1; no readable verdict for: b",
        "1 of 3 rubrics judged on turn 2; no readable verdict for: a, b",
    ]
    assert lacks(RUBRICS, rubric_vote({"a": 1.0, "b": None}, score=None), ids=ids) == [
        "1 of 2 rubrics judged on turn 1; no readable verdict for: b"
    ]
    assert lacks(RUBRICS, rubric_vote({"a": 1.0, "b": 1.0}), ids=ids) == []
    assert lacks(RUBRICS, rubric_vote({"a": 1.0, "b": 1.0}, {"x": 1.0}), ids=ids[:1]) == []


def test_a_trajectory_is_judged_on_its_last_turn() -> None:
    ids = [{"a"}, {"a"}]
    assert lacks(TRAJECTORY_RUBRICS, rubric_vote({}, {"a": 1.0}), ids=ids) == []
    assert lacks(TRAJECTORY_RUBRICS, rubric_vote({"a": 1.0}, {}), ids=ids) == [
        "0 of 1 rubrics judged on turn 2; no readable verdict for: a"
    ]


@pytest.mark.parametrize("name", [RUBRICS, TRAJECTORY_RUBRICS])
def test_rubrics_without_an_overall_score(name: str) -> None:
    assert lacks(name, rubric_vote({"a": 1.0}, score=None), ids=[{"a"}]) == ["the judge gave no readable verdict"]
    assert lacks(name, rubric_vote(score=None), ids=[{"a"}]) == ["the judge gave no readable verdict"]


@pytest.mark.parametrize(
    ("turns", "answers", "readable"),
    [
        (2, [VALID, INVALID], None),
        (2, [VALID], 1),
        (2, [VALID, "maybe"], 1),
        (2, [VALID, None], 1),
        (2, [VALID, VALID, "maybe"], 2),
        (2, [VALID, VALID, VALID], None),
        (1, [VALID], None),
        (1, ["maybe"], 0),
        (3, [VALID, VALID], 2),
    ],
)
def test_every_verdict_on_the_simulator(turns: int, answers: list[str | None], readable: int | None) -> None:
    vote = Vote("PASSED", 1.0, calls=[call(answer) for answer in answers])
    found = lacks(QUALITY, vote, talk(*["Hi."] * turns))
    expected = f"{readable} of {turns} simulator-quality verdicts could be read"
    assert found == ([] if readable is None else [expected])


def split(*sentences: str) -> ModelCall:
    return call("\n".join(f"<sentence>{sentence}</sentence>" for sentence in sentences))


def labels(*found: tuple[str, str]) -> ModelCall:
    blocks = [
        f"sentence: {sentence}\nlabel: {label}\nrationale: r\nsupporting_excerpt: null\ncontradicting_excerpt: null"
        for sentence, label in found
    ]
    return call("\n".join(blocks))


def taken_apart(*calls: ModelCall, scores: tuple[float | None, ...] = (1.0,)) -> Vote:
    return Vote("PASSED", 1.0, [VoteRow(score, "PASSED") for score in scores], list(calls))


SAID = "One copy is left. It is here."
GOOD = (
    split("One copy is left.", "It is here."),
    labels(("One copy is left.", "supported"), ("It is here.", "Disputed")),
)


@pytest.mark.parametrize(
    ("calls", "problem"),
    [
        (GOOD, None),
        ((split("- *One* copy is left", "", "It is HERE"), GOOD[1]), None),
        ((split("One copy is left. It is here."), labels((SAID, "supported"))), None),
        ((split(SAID), GOOD[1]), None),
        ((split("Two copies are left.", "It is here."), GOOD[1]), "the judge split the response into sentences that are not in it"),
        ((split("One copy is left."), labels(("One copy is left.", "supported"))), "the judge left sentences of the response out"),
        ((split(), GOOD[1]), "the judge left sentences of the response out"),
        ((call(None), GOOD[1]), "the judge left sentences of the response out"),
        ((GOOD[0], labels((SAID, "supported"), ("It is here.", "supported"))), None),
        ((GOOD[0], labels(("One copy is left.", "supported"))), "1 of 2 sentences judged"),
        ((GOOD[0], call(None)), "0 of 2 sentences judged"),
        ((GOOD[0], call("all fine")), "0 of 2 sentences judged"),
        (
            (GOOD[0], labels(("One copy is left.", "supported"), ("It is here.", "fine"))),
            "the judge gave a label nobody knows: 'fine'",
        ),
        (
            (GOOD[0], labels(("One copy is left.", "supported"), ("Somewhere else.", "supported"))),
            "the judge labelled a sentence that is not in the response",
        ),
        ((GOOD[0], labels(("One copy is left.", "supported"), ("It", "not_applicable"), ("...", "supported"))), None),
    ],
)  # fmt: skip
def test_every_sentence_of_a_response(calls: tuple[ModelCall, ModelCall], problem: str | None) -> None:
    found = lacks(HALLUCINATIONS, taken_apart(*calls), talk(SAID))
    assert found == ([] if problem is None else [f"turn 1: {problem}"])


@pytest.mark.parametrize(("letters", "enough"), [(8, True), (7, False)])
def test_four_fifths_of_the_letters_are_enough(letters: int, enough: bool) -> None:
    part = "abcdefghij"[:letters]
    found = lacks(HALLUCINATIONS, taken_apart(split(part), labels((part, "supported"))), talk("Abcde fghij!"))
    assert (found == []) == enough


def test_each_response_has_its_own_pair_of_calls() -> None:
    other = (split("Bye."), labels(("Bye.", "supported")))
    both = talk(SAID, "Bye.")
    assert lacks(HALLUCINATIONS, taken_apart(*GOOD, *other, scores=(1.0, 1.0)), both) == []
    assert lacks(HALLUCINATIONS, taken_apart(*GOOD, scores=(1.0, 1.0)), both) == ["1 of 2 responses judged"]
    assert lacks(HALLUCINATIONS, taken_apart(*GOOD), both) == ["1 of 2 responses judged"]
    assert lacks(HALLUCINATIONS, taken_apart(*GOOD, *other), talk(SAID)) == []
    assert lacks(HALLUCINATIONS, taken_apart(*GOOD, other[0], scores=(1.0, 1.0)), both) == ["1 of 2 responses judged"]
    assert lacks(HALLUCINATIONS, taken_apart(*GOOD, other[0], call(""), scores=(1.0, 1.0)), both) == [
        "turn 2: 0 of 1 sentences judged"
    ]
    assert lacks(HALLUCINATIONS, taken_apart(*GOOD, *other, scores=(1.0, None)), both) == [
        "turn 2: the judge's answer could not be read"
    ]


def test_a_turn_without_words_owes_nothing() -> None:
    silent = talk("", SAID, " \n")
    blank = (call(""), call(""))
    assert lacks(HALLUCINATIONS, taken_apart(*GOOD, *blank, scores=(None, 1.0, None)), silent) == []
    assert lacks(HALLUCINATIONS, taken_apart(*GOOD, *blank, scores=(None, None, None)), silent) == [
        "turn 2: the judge's answer could not be read"
    ]


def test_what_was_said_on_the_way_is_judged_when_asked_for() -> None:
    turn = Turn("hello", response="Bye.", intermediate=[Text("desk", SAID), Text("desk", "")])
    last = (split("Bye."), labels(("Bye.", "supported")))
    conversation = Conversation([turn])
    asked: dict[str, Any] = {"evaluate_intermediate_nl_responses": True}
    assert lacks(HALLUCINATIONS, taken_apart(*GOOD, *last), conversation, **asked) == []
    assert lacks(HALLUCINATIONS, taken_apart(*last), conversation) == []
    assert lacks(HALLUCINATIONS, taken_apart(*last), conversation, **asked) == ["1 of 2 responses judged"]
    assert lacks(HALLUCINATIONS, taken_apart(*last, *GOOD), conversation, **asked)[0].startswith("turn 1: ")


def rubric(name: str, kind: str | None = None, key: str = "rubric_id") -> dict[str, Any]:
    return {key: name, "type": kind} if kind else {key: name}


def test_which_rubrics_the_judge_owes_an_answer() -> None:
    mine, other = "FINAL_RESPONSE_QUALITY", "TOOL_USE_QUALITY"
    eval_case = {
        "rubrics": [rubric("case", mine), rubric("elsewhere", other), rubric("untyped")],
        "conversation": [{"rubrics": [rubric("turn", mine), rubric("tools", other)]}, {"rubrics": None}, {}],
    }
    judged = criterion(RUBRICS, rubrics=[rubric("own"), rubric("old", key="rubricId"), rubric("typed", other)])
    common = {"own", "old", "typed", "case"}
    assert effective_rubric_ids(judged, eval_case, 4) == [common | {"turn"}, common, common, common]
    assert effective_rubric_ids(criterion(RUBRICS), {}, 1) == [set()]
    assert effective_rubric_ids(criterion(RUBRICS, rubrics=[{}]), {"rubrics": None}, 1) == [{""}]


@pytest.mark.parametrize("name", [MATCH, "a_criterion_of_a_later_adk_v1"])
def test_other_criteria_owe_no_rubrics(name: str) -> None:
    case = {"rubrics": [rubric("case", "FINAL_RESPONSE_QUALITY")]}
    assert effective_rubric_ids(criterion(name, rubrics=[rubric("own")]), case, 2) == [set(), set()]
