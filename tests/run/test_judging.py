"""From what ADK answers about one criterion to its result: status, score, votes and reasons, each answer ADK can give."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("google.adk.evaluation.local_eval_service")

from adk_split_eval.criteria import function_path
from adk_split_eval.metrics import adapter
from adk_split_eval.record import Case, Conversation, Criterion, CriterionResult, Judgement, Turn
from adk_split_eval.record.conversation import Call
from adk_split_eval.run import adk as border
from adk_split_eval.run import judge
from adk_split_eval.run.observe import ModelCall, Watcher, current_watcher, watching

pytestmark = pytest.mark.adk

MATCH, RESPONSE, TRAJECTORY = "final_response_match_v2", "response_match_score", "tool_trajectory_avg_score"
Answers = Callable[[int], Any]


def row(status: str, score: float | None, *rubrics: tuple[str, float | None, str | None]) -> Any:
    scored = [SimpleNamespace(rubric_id=name, score=value, rationale=why) for name, value, why in rubrics]
    details = SimpleNamespace(rubric_scores=scored or None)
    return SimpleNamespace(eval_status=SimpleNamespace(name=status), score=score, details=details)


def answer(status: str, score: float | None, *rows: Any, said: tuple[str | None, ...] = ()) -> Any:
    overall = row(status, score, *((f"overall{n}", score, text) for n, text in enumerate(said)))
    per_turn = [SimpleNamespace(eval_metric_results=[one]) for one in rows]
    return SimpleNamespace(overall_eval_metric_results=[overall], eval_metric_result_per_invocation=per_turn)


def team(threshold: float | None = 0.5) -> Criterion:
    return Criterion("ours", "deterministic", "team", threshold, {"threshold": threshold}, function="team.ours")


def judged(name: str = MATCH, limit: float | None = 0.5, **options: Any) -> Criterion:
    return Criterion(name, "judged", "adk", limit, options)


def case_of(*criteria: Criterion, responses: tuple[str, ...] = ("Hi.", "Bye.")) -> Case:
    turns = [{"final_response": {"parts": [{"text": r}]} if r else None} for r in responses]
    return Case("fixed", "F-01", {"eval_id": "F-01", "conversation": turns}, list(criteria))


def talk(**more: Any) -> Conversation:
    return Conversation([Turn("hello", response="Hi."), Turn("bye", response="Bye.")], **more)


class Adk:
    """Stands for ADK's evaluation service: ``answers(n)`` is its n-th answer, or what it raises."""

    def __init__(self, answers: Answers) -> None:
        self.answers, self.metrics = answers, list[Any]()

    async def evaluate(self, subject: judge.Subject, metrics: list[Any], registry: Any) -> Any:
        number = len(self.metrics)
        self.metrics += metrics
        watcher = current_watcher()
        if watcher is not None:
            watcher.calls.append(ModelCall("judge", metrics[0].metric_name, "m", "an answer"))
        found = self.answers(number)
        if isinstance(found, Exception):
            raise found
        return await found if asyncio.iscoroutine(found) else found


def results(
    monkeypatch: pytest.MonkeyPatch,
    answers: Answers,
    *criteria: Criterion,
    conversation: Conversation | None = None,
    case: Case | None = None,
    watched: bool = True,
    **more: Any,
) -> list[CriterionResult]:
    adk = Adk(answers)
    monkeypatch.setattr(judge, "evaluate", adk.evaluate)
    monkeypatch.setattr(judge, "metric_of", lambda c: (SimpleNamespace(metric_name=c.name, options=c.options), None))
    subject = judge.Subject(case or case_of(*criteria), conversation or talk(), [], **more)

    async def run() -> list[CriterionResult]:
        if not watched:
            return await judge.judge_all(subject)
        with watching(Watcher("unit", 1)):
            return await judge.judge_all(subject)

    found = asyncio.run(run())
    assert [r.name for r in found] == [c.name for c in criteria]
    for told in adk.metrics:
        votes = told.options.get("judge_model_options")
        assert votes is None or (votes["num_samples"], votes.get("numSamples")) == (1, None)
    return found


def one(monkeypatch: pytest.MonkeyPatch, answers: Answers, criterion: Criterion, **more: Any) -> CriterionResult:
    return results(monkeypatch, answers, criterion, **more)[0]


# -- before anything is asked ----------------------------------------------------------------------------------------


def never(number: int) -> Any:
    raise AssertionError("nobody should have asked")


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
    ours = Criterion("expected_response_v1", "judged", "ours", 0.5)
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
    assert judge.names_only(expected) == {"expect": [{"calls": [{"name": "find"}]}]}
    assert judge.names_only(None) is None


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


# -- votes -----------------------------------------------------------------------------------------------------------


def vote(score: float | None, why: str | None = None) -> Any:
    status = "NOT_EVALUATED" if score is None else "PASSED" if score >= 0.5 else "FAILED"
    return answer(status, score, row(status, score), row(status, score), said=(why,) if why else ())


YES, NO, ILL = vote(1.0, "right"), vote(0.0, "wrong"), RuntimeError("down")


@pytest.mark.parametrize(
    ("given", "status", "score", "votes", "reasons"),
    [
        ([YES, YES, YES], "passed", 1.0, "ppp", []),
        ([YES, NO, YES], "passed", 1.0, "pfp", []),
        ([NO, NO, YES], "failed", 0.0, "ffp", ["wrong"]),
        ([vote(0.0)] * 3, "failed", 0.0, "fff", ["score 0, threshold 0.5"]),
        ([YES, YES, ILL], "passed", 1.0, "ppu", ["1 of 3 votes could not be counted: RuntimeError: down"]),
        ([NO, NO, ILL], "failed", 0.0, "ffu", ["wrong", "1 of 3 votes could not be counted: RuntimeError: down"]),
        ([YES, NO, ILL], "not_evaluated", None, "pfu", ["1 of 3 votes could not be counted", "RuntimeError: down"]),
        ([YES, ILL, ILL], "not_evaluated", None, "puu", ["2 of 3 votes could not be counted", "RuntimeError: down"]),
        ([ILL, ILL, ILL], "not_evaluated", None, "uuu", ["3 of 3 votes could not be counted", "RuntimeError: down"]),
        ([YES, YES, ILL, ILL], "not_evaluated", None, "ppuu", ["2 of 4 votes could not be counted", "RuntimeError: down"]),
        ([vote(0.5), vote(0.6), vote(0.2)], "passed", 0.5, "ppf", []),
        ([vote(0.4, "a"), vote(0.49, "b"), vote(0.9, "c")], "failed", 0.49, "ffp", ["a", "b"]),
        ([YES], "passed", 1.0, "p", []),
        ([NO], "failed", 0.0, "f", ["wrong"]),
    ],
)  # fmt: skip
def test_what_votes_come_to(
    monkeypatch: pytest.MonkeyPatch, given: list[Any], status: str, score: float | None, votes: str, reasons: list[str]
) -> None:
    words = {"p": "passed", "f": "failed", "u": "unreadable"}
    found = one(monkeypatch, given.__getitem__, judged(), votes=len(given))
    assert (found.status, found.score, found.kind, found.threshold) == (status, score, "judged", 0.5)
    assert found.votes == [words[letter] for letter in votes]
    assert found.reasons == reasons


@pytest.mark.parametrize(
    ("options", "count"),
    [
        ({}, 3),
        ({"judge_model_options": {"judge_model": "m"}}, 3),
        ({"judge_model_options": {"num_samples": 5}}, 5),
        ({"judgeModelOptions": {"numSamples": 1}}, 1),
        ({"judge_model_options": {"numSamples": 7}}, 7),
        ({"judge_model_options": {"num_samples": "many"}}, 3),
    ],
)
def test_how_many_votes_are_asked_for(monkeypatch: pytest.MonkeyPatch, options: dict[str, Any], count: int) -> None:
    seen: list[int] = []
    found = one(monkeypatch, lambda number: seen.append(number) or YES, judged(**options))
    assert found.votes == ["passed"] * count
    assert seen == list(range(count))


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({}, {"threshold": 0.5, "judge_model_options": {"num_samples": 1}}),
        (
            {"threshold": 0.7, "judge_model_options": {"judge_model": "m", "num_samples": 3}},
            {"threshold": 0.7, "judge_model_options": {"judge_model": "m", "num_samples": 1}},
        ),
        (
            {"threshold": 0.7, "judgeModelOptions": {"judgeModel": "m", "numSamples": 3}},
            {"threshold": 0.7, "judge_model_options": {"judgeModel": "m", "num_samples": 1}},
        ),
    ],
)
def test_what_else_a_criterion_says_of_its_judge_is_kept(
    monkeypatch: pytest.MonkeyPatch, options: dict[str, Any], told: dict[str, Any]
) -> None:
    adk = Adk(lambda number: YES)
    monkeypatch.setattr(judge, "evaluate", adk.evaluate)
    monkeypatch.setattr(judge, "metric_of", lambda c: (SimpleNamespace(metric_name=c.name, options=c.options), None))
    asyncio.run(judge.judge_all(judge.Subject(case_of(judged(**options)), talk(), [], votes=1)))
    assert adk.metrics[0].options == told


@pytest.mark.parametrize("given", [[YES, ILL, ILL], [YES, ILL], [YES, YES, ILL, ILL]])
def test_half_of_the_votes_are_not_the_judge_whatever_the_threshold(
    monkeypatch: pytest.MonkeyPatch, given: list[Any]
) -> None:
    found = one(monkeypatch, given.__getitem__, judged(limit=None), votes=len(given))
    assert (found.status, found.score) == ("not_evaluated", None)


def test_a_vote_that_was_good_enough_gives_no_reason_to_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    given = [vote(0.5, "just enough"), vote(0.4, "too little"), vote(0.3, "less")]
    found = one(monkeypatch, given.__getitem__, judged())
    assert (found.status, found.score, found.reasons) == ("failed", 0.4, ["too little", "less"])


def test_scripted_judges_choose_anew_for_each_vote(monkeypatch: pytest.MonkeyPatch) -> None:
    seeds: list[int] = []

    def answers(number: int) -> Any:
        watcher = current_watcher()
        assert watcher is not None
        seeds.append(watcher.seed)
        return YES

    one(monkeypatch, answers, judged())
    assert seeds == [1, 2, 3]


def test_no_threshold_is_passed_by_any_score(monkeypatch: pytest.MonkeyPatch) -> None:
    assert one(monkeypatch, lambda number: NO, judged(limit=None)).status == "passed"


def test_at_most_five_reasons_of_all_votes_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    found = one(monkeypatch, lambda number: vote(0.0, f"reason {number}"), judged(), votes=7)
    assert found.reasons == [f"reason {number}" for number in range(5)]


def test_each_vote_counts_its_own_calls_and_leaves_them_with_the_unit(monkeypatch: pytest.MonkeyPatch) -> None:
    async def slow(number: int) -> Any:
        await asyncio.sleep(0)
        return YES

    unit = Watcher("unit", 1)
    adk = Adk(slow)
    monkeypatch.setattr(judge, "evaluate", adk.evaluate)
    monkeypatch.setattr(judge, "metric_of", lambda c: (SimpleNamespace(metric_name=c.name, options=c.options), None))

    async def run() -> list[CriterionResult]:
        with watching(unit):
            return await judge.judge_all(judge.Subject(case_of(judged()), talk(), []))

    (found,) = asyncio.run(run())
    assert found.votes == ["passed"] * 3
    assert len(unit.calls) == 3


def test_votes_without_any_model_call_do_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    found = one(monkeypatch, lambda number: YES, judged(), watched=False)
    assert (found.status, found.votes) == ("not_evaluated", ["unreadable"] * 3)
    assert found.reasons == ["3 of 3 votes could not be counted", "the judge was never asked"]


# -- criteria of ours that ask a judge -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("reasons", "votes"),
    [
        (["too short", "votes: passed (0.8), failed (0.2), unreadable"], ["passed", "failed", "unreadable"]),
        (["too short"], None),
    ],
)
def test_a_judge_of_ours_tells_its_votes(
    monkeypatch: pytest.MonkeyPatch, reasons: list[str], votes: list[str] | None
) -> None:
    thresholds: list[float] = []

    async def review(conversation: Conversation, params: Any, threshold: float) -> Judgement:
        thresholds.append(threshold)
        return Judgement("failed", 0.2, reasons, unfinished=True)

    monkeypatch.setattr(adapter, "async_judge", lambda name: review)
    for threshold in (None, 0.75):
        criterion = Criterion("report_review_v1", "judged", "ours", threshold)
        found = one(monkeypatch, never, criterion)
        assert (found.status, found.score, found.threshold) == ("failed", 0.2, threshold)
        assert (found.reasons, found.votes, found.unfinished, found.kind) == (reasons, votes, True, "judged")
    assert thresholds == [1.0, 0.75]


# -- what ADK is handed ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("declared", [None, [], [{"function_declarations": [{"name": "find"}]}]])
def test_stored_tool_declarations_are_tools_again(declared: list[Any] | None) -> None:
    adk = border.load()
    details = {"desk": {"name": "desk", "instructions": "", "tool_declarations": declared or []}}
    data = {
        "invocation_id": "1",
        "user_content": {"parts": [{"text": "hello"}], "role": "user"},
        "app_details": {"agent_details": details},
    }
    restored = judge.invocation_of(adk, data)
    again = judge.invocation_of(adk, restored.model_dump(mode="json"))
    for invocation in (restored, again):
        tools = invocation.app_details.agent_details["desk"].tool_declarations
        assert [type(tool) for tool in tools] == [adk.genai_types.Tool] * len(declared or [])
        assert [tool.function_declarations[0].name for tool in tools] == ["find"][: len(declared or [])]
    del data["app_details"]
    assert judge.invocation_of(adk, data).app_details is None


# -- efficiency ------------------------------------------------------------------------------------------------------


def test_efficiency_is_told_beside_the_criteria_once() -> None:
    part = {"user_content": {"parts": [{"text": "hello"}], "role": "user"}, "invocation_id": "1"}
    own = Criterion("tool_call_count_v1", "deterministic", "ours", None)
    case = case_of()

    def names(case: Case, invocations: list[Any], **extra: Any) -> dict[str, str]:
        found = asyncio.run(judge.judge_all(judge.Subject(case, talk(), invocations, extra=extra)))
        return {r.name: r.status for r in found}

    told = names(case, [part])
    assert told and set(told.values()) == {"informational"} and set(told) <= set(judge.EFFICIENCY)
    assert names(case, [part], efficiency=True) == told
    assert names(case, [part], efficiency=False) == {}
    assert names(case, []) == {}
    assert names(case, [{"not": "an invocation"}]) == {}
    assert own.name in told
    assert names(case_of(own), [part])[own.name] == "not_evaluated"
