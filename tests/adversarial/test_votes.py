"""How votes become one answer: as ADK combines its samples, and never decided while a missing vote could turn it."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("google.adk.evaluation.eval_case")

from adk_split_eval.record import Case, Conversation, Criterion, Turn
from adk_split_eval.run.accounting import QUALITY, Vote, VoteRow, missing
from adk_split_eval.run.observe import ModelCall
from adk_split_eval.run.votes import bounds, opening_of, score

RUBRICS = "rubric_based_final_response_quality_v1"


def talk(turns: int = 2, stop: str = "stop_signal") -> Conversation:
    users = ("hello", "more", "again", "last")[:turns]
    return Conversation([Turn(u) for u in users], stop_reason=stop)  # type: ignore[arg-type]


def combined_bounds(
    criterion: Criterion, votes: list[Vote], conversation: Conversation, absent: int
) -> tuple[float, float]:
    return bounds(criterion, votes, conversation, "hello", absent)


def criterion(name: str) -> Criterion:
    return Criterion(name, "judged", "adk", 1.0)


def rubric_vote(*answers: float) -> Vote:
    return Vote(
        "PASSED", sum(answers) / len(answers), [VoteRow(1.0, "PASSED", {f"r{i}": a for i, a in enumerate(answers)})]
    )


def quality_vote(labels: str) -> Vote:
    said = {"v": '{"is_valid": true}', "i": '{"is_valid": false}'}
    return Vote("PASSED", 1.0, calls=[ModelCall("judge", QUALITY, "m", said[label]) for label in labels])


def test_the_stop_signal_and_the_last_turn_are_two_questions() -> None:
    votes = [quality_vote("vi"), quality_vote("iv"), quality_vote("vv")]
    assert combined_bounds(criterion(QUALITY), votes, talk(), 0) == (1.0, 1.0)


def test_a_stop_signal_most_votes_doubt_spoils_the_last_turn() -> None:
    votes = [quality_vote("vi"), quality_vote("vi"), quality_vote("vv")]
    assert combined_bounds(criterion(QUALITY), votes, talk(), 0) == (0.5, 0.5)


def test_a_stop_signal_never_sent_spoils_nothing() -> None:
    votes = [quality_vote("vi")] * 3
    assert combined_bounds(criterion(QUALITY), votes, talk(stop="max_turns"), 0) == (1.0, 1.0)


def test_a_missing_vote_can_turn_rubrics_that_single_votes_agree_about() -> None:
    # Each vote says yes to one of two rubrics; the missing one decides whether both hold or neither does.
    votes = [rubric_vote(1.0, 0.0), rubric_vote(0.0, 1.0)]
    assert combined_bounds(criterion(RUBRICS), votes, talk(1), 1) == (0.0, 1.0)
    assert combined_bounds(criterion(RUBRICS), votes, talk(1), 0) == (0.0, 0.0)


@pytest.mark.parametrize(
    ("answers", "low", "high"), [((1.0, 1.0), 1.0, 1.0), ((0.0, 0.0), 0.0, 0.0), ((1.0, 0.0), 0.0, 1.0)]
)
def test_two_of_three_votes_decide_when_they_agree(answers: tuple[float, ...], low: float, high: float) -> None:
    assert combined_bounds(criterion(RUBRICS), [rubric_vote(a) for a in answers], talk(1), 1) == (low, high)


@pytest.mark.parametrize(("scores", "low", "high"), [((0.8, 0.6), 0.6, 0.8), ((0.5, 0.5), 0.5, 0.5)])
def test_scores_that_are_no_yes_or_no_are_bounded_by_their_median(
    scores: tuple[float, ...], low: float, high: float
) -> None:
    votes = [Vote("PASSED", s, [VoteRow(s, "PASSED")]) for s in scores]
    assert combined_bounds(criterion("hallucinations_v1"), votes, talk(1), 1) == (low, high)


@pytest.mark.parametrize(
    ("votes", "low", "high"),
    [("vv vv", 1.0, 1.0), ("vv vi", 0.5, 1.0), ("vv iv", 0.5, 1.0), ("vi vi", 0.5, 0.5), ("iv iv", 0.5, 0.5)],
)
def test_a_missing_vote_counts_for_each_question_of_the_simulators_quality(votes: str, low: float, high: float) -> None:
    found = [quality_vote(labels) for labels in votes.split()]
    assert combined_bounds(criterion(QUALITY), found, talk(), 1) == (low, high)


@pytest.mark.parametrize("count", [1, 2, 3])
def test_a_turn_that_gave_nothing_to_judge_counts_neither_way(count: int) -> None:
    votes = [Vote("PASSED", 1.0, [VoteRow(1.0, "PASSED"), VoteRow(None, "NOT_EVALUATED")]) for _ in range(count)]
    assert combined_bounds(criterion("hallucinations_v1"), votes, talk(), 0) == (1.0, 1.0)


def test_an_opening_that_was_not_said_counts_against_the_simulator() -> None:
    found = Conversation([Turn("hi"), Turn("more")], stop_reason="stop_signal")
    assert bounds(criterion(QUALITY), [quality_vote("vv")], found, "hello") == (0.5, 0.5)


@pytest.mark.parametrize("name", ["final_response_match_v2", "hallucinations_v1", RUBRICS])
def test_a_judge_that_was_never_asked_gave_no_verdict(name: str) -> None:
    assert missing(criterion(name), Vote("PASSED", 1.0), talk(), []) == ["the judge was never asked"]
    assert missing(criterion(name), Vote("NOT_EVALUATED", None), talk(), []) == ["ADK did not evaluate it"]


def test_each_turn_has_its_own_majority() -> None:
    rows = ((1.0, 0.0), (0.0, 1.0), (1.0, 1.0))
    votes = [Vote("PASSED", sum(r) / 2, [VoteRow(r[0], "PASSED"), VoteRow(r[1], "PASSED")]) for r in rows]
    matches = criterion("final_response_match_v2")
    assert combined_bounds(matches, votes, talk(), 0) == (1.0, 1.0)
    assert combined_bounds(matches, votes[:2], talk(), 1) == (0.0, 1.0)
    assert combined_bounds(matches, votes[:1], talk(), 0) == (0.5, 0.5)


def test_two_votes_that_disagree_turn_by_turn_agree_on_nothing() -> None:
    votes = [Vote("PASSED", 0.5, [VoteRow(a, "PASSED"), VoteRow(1.0 - a, "PASSED")]) for a in (1.0, 0.0)]
    assert combined_bounds(criterion("final_response_match_v2"), votes, talk(), 0) == (0.0, 0.0)


def test_one_vote_alone_keeps_the_score_adk_gave() -> None:
    vote = Vote("PASSED", 0.9, [VoteRow(1.0, "PASSED"), VoteRow(0.0, "FAILED")])
    assert combined_bounds(criterion("final_response_match_v2"), [vote], talk(), 0) == (0.9, 0.9)


def test_a_vote_without_a_score_for_a_turn_is_no_vote_on_it() -> None:
    votes = [
        Vote("PASSED", 1.0, [VoteRow(1.0, "PASSED"), VoteRow(1.0, "PASSED")]),
        Vote("PASSED", 1.0, [VoteRow(1.0, "PASSED"), VoteRow(None, "NOT_EVALUATED")]),
    ]
    assert combined_bounds(criterion("hallucinations_v1"), votes, talk(), 0) == (1.0, 1.0)


def test_votes_that_are_missing_cannot_lift_a_score_above_the_highest() -> None:
    vote = Vote("FAILED", 0.5, [VoteRow(0.5, "FAILED")])
    assert combined_bounds(criterion("hallucinations_v1"), [vote], talk(1), 2) == (0.0, 1.0)


@pytest.mark.parametrize("name", [RUBRICS, "hallucinations_v1"])
def test_votes_on_nothing_are_not_green(name: str) -> None:
    rows = [] if name == RUBRICS else [VoteRow(None, "NOT_EVALUATED")]
    votes = [Vote("PASSED", 1.0, list(rows)) for _ in range(3)]
    assert combined_bounds(criterion(name), votes, talk(1), 0) == (0.0, 0.0)


def test_what_one_vote_alone_comes_to() -> None:
    assert score(criterion(QUALITY), quality_vote("vv"), talk(), "hello") == 1.0
    assert score(criterion(QUALITY), quality_vote("iv"), talk(), "hello") == 0.5
    assert score(criterion("hallucinations_v1"), Vote("PASSED", 0.7), talk(), "hello") == 0.7
    assert score(criterion("hallucinations_v1"), Vote("PASSED", None), talk(), "hello") == 0.0


def test_a_judged_criterion_the_catalogue_does_not_know_is_voted_on_all_the_same() -> None:
    votes = [Vote("PASSED", 1.0, [VoteRow(1.0, "PASSED")])] * 3
    assert combined_bounds(criterion("safety_of_a_later_adk_v1"), votes, talk(1), 0) == (1.0, 1.0)


@pytest.mark.parametrize(
    ("eval_case", "opening"),
    [
        ({"conversation_scenario": {"starting_prompt": "hello"}}, "hello"),
        ({"conversation_scenario": {"starting_prompt": None}}, ""),
        ({"conversation_scenario": None}, ""),
        ({}, ""),
    ],
)
def test_the_opening_is_the_scenarios_starting_prompt(eval_case: dict[str, Any], opening: str) -> None:
    assert opening_of(Case("simulated", "S", eval_case)) == opening
