"""From what ADK answers about one criterion to its result: status, score and reasons, each answer ADK can give."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

pytest.importorskip("google.adk.evaluation.local_eval_service")

from judge_stub import ILL, MATCH, YES, answer, case_of, judged, never, one, results, row, talk, team

from adk_split_eval.criteria import function_path
from adk_split_eval.metrics import adapter
from adk_split_eval.record import Case, Conversation, Criterion
from adk_split_eval.record.conversation import Call
from adk_split_eval.run import judge
from adk_split_eval.run.observe import current_watcher
from adk_split_eval.run.trajectory_reasons import names_only

pytestmark = pytest.mark.adk

RESPONSE, TRAJECTORY = "response_match_score", "tool_trajectory_avg_score"


# -- before anything is asked ----------------------------------------------------------------------------------------


def test_no_conversation_is_not_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    forbidden = Criterion("forbidden_tools_v1", "deterministic", "ours", 1.0, params={"forbidden": []})
    found = results(monkeypatch, never, team(), forbidden, conversation=Conversation([]))
    assert {(r.status, r.score, *r.reasons) for r in found} == {
        ("not_evaluated", None, "there is no conversation to judge")
    }


def test_a_conversation_that_broke_off_is_judged_by_invariants_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    forbidden = Criterion("forbidden_tools_v1", "deterministic", "ours", 1.0, params={"forbidden": [{"name": "pay"}]})
    broken = talk(error="the agent raised")
    broken.turns[0].tool_calls.append(Call("pay", {}, step=0))
    found = results(monkeypatch, never, team(), forbidden, conversation=broken)
    assert (found[0].status, found[0].reasons) == (
        "not_evaluated",
        ["the conversation broke off before it could be judged"],
    )
    assert (found[1].status, found[1].score) == ("failed", 0.0)
    assert found[1].reasons


def test_what_is_raised_takes_down_its_own_criterion_only(monkeypatch: pytest.MonkeyPatch) -> None:
    other = Criterion("theirs", "deterministic", "team", 0.5, function="team.theirs")
    answers = {0: TypeError("no"), 1: answer("PASSED", 1.0)}
    found = results(monkeypatch, answers.get, team(), other)
    assert [(r.status, r.reasons) for r in found] == [("not_evaluated", ["TypeError: no"]), ("passed", [])]


def test_a_criterion_that_takes_too_long_says_how_long(monkeypatch: pytest.MonkeyPatch) -> None:
    found = one(monkeypatch, lambda number: asyncio.sleep(60), team(), timeout=0.01)
    assert (found.status, found.reasons) == ("not_evaluated", ["it did not finish within 0.01 s"])
    found = one(monkeypatch, lambda number: answer("PASSED", 1.0), team(), timeout=60.0)
    assert found.status == "passed"


@pytest.mark.parametrize("criterion", [judged(), Criterion(RESPONSE, "deterministic", "adk", 0.5)])
def test_nothing_to_compare_with_is_not_a_score_of_nought(
    monkeypatch: pytest.MonkeyPatch, criterion: Criterion
) -> None:
    case = case_of(criterion, responses=("Hi.", ""))
    found = one(monkeypatch, never, criterion, case=case)
    assert (found.status, found.score, found.threshold) == ("not_evaluated", None, 0.5)
    assert found.reasons == ["turn 2: there is no final_response to compare with"]


def test_a_criterion_that_reads_the_answer_alone_needs_no_reference(monkeypatch: pytest.MonkeyPatch) -> None:
    reads = judged("hallucinations_v1")
    found = one(monkeypatch, lambda number: ILL, reads, case=case_of(reads, responses=("", "")))
    assert found.reasons == ["3 of 3 votes could not be counted", "RuntimeError: down"]


def test_a_metric_of_the_team_needs_no_reference(monkeypatch: pytest.MonkeyPatch) -> None:
    named_alike = Criterion(RESPONSE, "deterministic", "team", 0.5, function="team.ours")
    case = case_of(named_alike, responses=("", ""))
    assert one(monkeypatch, lambda number: answer("PASSED", 1.0), named_alike, case=case).status == "passed"


def test_a_case_without_a_script_is_left_to_the_judge(monkeypatch: pytest.MonkeyPatch) -> None:
    case = Case("simulated", "S-01", {"eval_id": "S-01", "conversation_scenario": {}}, [judged()])
    assert one(monkeypatch, lambda number: YES, judged(), case=case).status == "passed"


class NotFoundError(Exception):
    """Named as what ADK raises for a metric it has not got."""


@pytest.mark.parametrize(
    ("raised", "source", "params", "reason"),
    [
        (NotFoundError("safty_v1"), "adk", {judge.NAMED_WRONG: "no such criterion"}, "no such criterion"),
        (NotFoundError("safty_v1"), "adk", {}, "NotFoundError: safty_v1"),
        (NotFoundError("safty_v1"), "team", {judge.NAMED_WRONG: "no such criterion"}, "NotFoundError: safty_v1"),
        (TypeError("no"), "adk", {judge.NAMED_WRONG: "no such criterion"}, "TypeError: no"),
    ],
)
def test_a_criterion_adk_has_not_got_is_named(
    monkeypatch: pytest.MonkeyPatch, raised: Exception, source: Any, params: dict[str, Any], reason: str
) -> None:
    criterion = Criterion("safty_v1", "deterministic", source, 1.0, params=params)
    assert one(monkeypatch, lambda number: raised, criterion).reasons == [reason]


def test_the_metric_adk_is_given() -> None:
    def metric(*given: Any, **more: Any) -> tuple[str | None, float, Any]:
        found, _ = judge.metric_of(Criterion(*given, **more))
        return found.custom_function_path, found.threshold, getattr(found.criterion, "judge_model_options", None)

    assert metric("tool_args_v1", "deterministic", "ours", 0.5) == (function_path("tool_args_v1"), 0.5, None)
    assert metric("theirs", "deterministic", "team", 0.5, function="team.theirs") == ("team.theirs", 0.5, None)
    assert metric("safety_v1", "deterministic", "adk", 0.25) == (None, 0.25, None)
    options = {"threshold": 0.7, "judge_model_options": {"num_samples": 1}}
    assert metric(MATCH, "judged", "adk", 0.2, options) == (None, 0.7, {"num_samples": 1})


# -- one evaluation --------------------------------------------------------------------------------------------------

NO_NUMBER = float("nan")


@pytest.mark.parametrize(
    ("given", "status", "score", "reasons"),
    [
        (answer("PASSED", 1.0), "passed", 1.0, []),
        (answer("PASSED", 1.0, said=("good", None, "good")), "passed", 1.0, ["good"]),
        (answer("PASSED", None), "passed", None, []),
        (answer("FAILED", 0.2, said=("bad",)), "failed", 0.2, ["bad"]),
        (
            answer("FAILED", 0.2, row("FAILED", 0.4), row("PASSED", 0.5), row("NOT_EVALUATED", None)),
            "failed",
            0.2,
            ["turn 1: score 0.4, threshold 0.5"],
        ),
        (
            answer("FAILED", 0.2, row("FAILED", 0.0, ("r1", 0.0, "rude"), ("r2", 1.0, "short"), ("r3", 0.0, None))),
            "failed",
            0.2,
            ["rude"],
        ),
        (answer("FAILED", None), "not_evaluated", None, ["the metric failed without a score"]),
        (answer("FAILED", None, said=("broken",)), "not_evaluated", None, ["broken"]),
        (answer("NOT_EVALUATED", 0.3), "not_evaluated", None, ["ADK did not evaluate it (status NOT_EVALUATED)"]),
        (
            answer("NOT_EVALUATED", None, said=("why",)),
            "not_evaluated",
            None,
            ["ADK did not evaluate it (status NOT_EVALUATED)", "why"],
        ),
        (answer("INFORMATIONAL", 7.0), "informational", 7.0, []),
        (answer("INFORMATIONAL", None), "not_applicable", None, []),
        (
            answer("PASSED", NO_NUMBER, said=("fine",)),
            "not_evaluated",
            None,
            ["the metric returned a score that is no number: nan", "fine"],
        ),
        (answer("PASSED", 1.0, row("FAILED", 0.0), row("PASSED", 1.0)), "passed", 1.0, []),
        (answer("PASSED", 1.0, row("NOT_EVALUATED", None)), "passed", 1.0, []),
        (
            answer("PASSED", 1.0, row("FAILED", 0.0), row("NOT_EVALUATED", None), said=("fine",)),
            "not_evaluated",
            None,
            ["the metric says PASSED overall but FAILED on a turn", "fine"],
        ),
        (ValueError("no such metric"), "not_evaluated", None, ["ValueError: no such metric"]),
    ],
)
@pytest.mark.parametrize("watched", [True, False])
def test_what_one_evaluation_comes_to(
    monkeypatch: pytest.MonkeyPatch, watched: bool, given: Any, status: str, score: float | None, reasons: list[str]
) -> None:
    found = one(monkeypatch, lambda number: given, team(), watched=watched)
    assert (found.status, found.score, found.threshold, found.reasons) == (status, score, 0.5, reasons)


def test_without_a_threshold_no_turn_is_blamed(monkeypatch: pytest.MonkeyPatch) -> None:
    found = one(monkeypatch, lambda number: answer("FAILED", 0.2, row("FAILED", 0.1)), team(None))
    assert (found.status, found.score, found.reasons) == ("failed", 0.2, [])


def test_adks_own_criterion_may_pass_overall_and_fail_on_its_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    own = Criterion("safety_v1", "deterministic", "adk", 0.5)
    assert one(monkeypatch, lambda number: answer("PASSED", 1.0, row("FAILED", 0.0)), own).status == "passed"


def test_a_metric_that_asks_a_model_is_a_judged_one(monkeypatch: pytest.MonkeyPatch) -> None:
    found = one(monkeypatch, lambda number: answer("PASSED", 1.0), team())
    assert (found.kind, found.votes) == ("judged", ["passed"])
    found = one(monkeypatch, lambda number: answer("PASSED", 1.0), team(), watched=False)
    assert (found.kind, found.votes) == ("deterministic", None)


def test_a_judged_metric_of_the_team_takes_its_own_votes(monkeypatch: pytest.MonkeyPatch) -> None:
    theirs = Criterion("theirs", "judged", "team", 0.5, {"threshold": 0.5}, function="team.theirs")
    found = one(monkeypatch, {0: answer("PASSED", 1.0)}.__getitem__, theirs)
    assert (found.status, found.score, found.votes) == ("passed", 1.0, ["passed"])


def test_a_judged_criterion_of_ours_without_a_judge_of_its_own_goes_through_adk(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(adapter, "async_judge", lambda name: None)
    ours = Criterion("report_review_v1", "judged", "ours", 0.5)
    found = one(monkeypatch, {0: answer("FAILED", 0.2, said=("another answer",))}.__getitem__, ours)
    assert (found.status, found.score, found.reasons) == ("failed", 0.2, ["another answer"])


def test_what_adk_only_logged_is_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    def answers(number: int) -> Any:
        watcher = current_watcher()
        assert watcher is not None
        watcher.failures += [("metric", TypeError("first")), ("metric", KeyError("later"))]
        return answer("NOT_EVALUATED" if number == 0 else "PASSED", None if number == 0 else 1.0)

    found = one(monkeypatch, answers, team())
    assert (found.status, found.reasons) == ("not_evaluated", ["KeyError: 'later'"])
    found = one(monkeypatch, lambda number: answers(number + 1), team())
    assert (found.status, found.reasons) == ("passed", [])


def test_a_failed_trajectory_says_what_was_expected_and_what_came(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = {"expect": [{"calls": [{"name": "find", "args": {"id": 1}}]}]}
    args = Criterion("tool_args_v1", "deterministic", "ours", 1.0, params={"turns": [expected, None]})
    trajectory = Criterion(TRAJECTORY, "deterministic", "adk", 1.0)
    other = Criterion("safety_v1", "deterministic", "adk", 1.0)
    conversation = talk()
    conversation.turns[0].tool_calls.append(Call("pay", {}, step=0))
    failed = answer("FAILED", 0.0, row("FAILED", 0.0))
    found = results(monkeypatch, lambda number: failed, trajectory, args, other, conversation=conversation)
    assert "find" in found[0].reasons[0] and "pay" in found[0].reasons[0]
    assert found[2].reasons == ["turn 1: score 0, threshold 1"]
    alone = one(monkeypatch, lambda number: failed, trajectory, conversation=conversation)
    assert alone.reasons == ["turn 1: score 0, threshold 1"]
    assert names_only(expected) == {"expect": [{"calls": [{"name": "find"}]}]}
    assert names_only(None) is None


# -- raw sets: our matcher in place of ADK's -------------------------------------------------------------------------


def calls(*names: str) -> dict[str, Any]:
    return {"expect": [{"calls": [{"name": name}]} for name in names]}


NOTE = "judged by adk-split-eval's matcher in place of ADK's: calls of one step form a set"
OPEN = "turn 2: no expected calls are given (intermediate_data is absent)"


@pytest.mark.parametrize(
    ("turns", "status", "score", "reasons"),
    [
        ([calls("find"), calls()], "passed", 1.0, []),
        ([calls("find"), None], "not_evaluated", None, [OPEN, NOTE]),
        ([calls("pay"), calls()], "failed", 0.5, None),
        ([calls("pay"), None], "failed", 0.0, None),
    ],
)
def test_a_raw_sets_trajectory(
    monkeypatch: pytest.MonkeyPatch, turns: list[Any], status: str, score: float | None, reasons: list[str] | None
) -> None:
    conversation = talk()
    conversation.turns[0].tool_calls.append(Call("find", {}, step=0))
    criterion = Criterion(TRAJECTORY, "deterministic", "adk", None, params={"turns": turns, "match_type": "EXACT"})
    found = one(monkeypatch, never, criterion, conversation=conversation)
    assert (found.status, found.score) == (status, score)
    if reasons is None:
        assert found.reasons[-1] == NOTE and "find" in found.reasons[0] and OPEN not in found.reasons
    else:
        assert found.reasons == reasons


@pytest.mark.parametrize(("threshold", "status"), [(None, "failed"), (0.6, "failed"), (0.5, "passed")])
def test_a_metric_of_ours_asks_for_everything_unless_told_how_much(
    monkeypatch: pytest.MonkeyPatch, threshold: float | None, status: str
) -> None:
    params = {"turns": [calls("pay"), calls()]}
    found = one(monkeypatch, never, Criterion("tool_args_v1", "deterministic", "ours", threshold, params=params))
    assert (found.status, found.score, found.threshold, found.kind) == (status, 0.5, threshold, "deterministic")
    met = Criterion("tool_args_v1", "deterministic", "ours", threshold, params={"turns": [calls(), calls()]})
    assert (one(monkeypatch, never, met).status, met.threshold) == ("passed", threshold)
