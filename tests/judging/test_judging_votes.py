"""What votes come to, what judges of ours tell of theirs, and what ADK is handed to judge."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("google.adk.evaluation.local_eval_service")

from judge_stub import ILL, NO, YES, Adk, case_of, judged, never, one, talk, vote

from adk_split_eval.metrics import adapter
from adk_split_eval.record import Case, Conversation, Criterion, CriterionResult, Judgement
from adk_split_eval.run import adk as border
from adk_split_eval.run import judge
from adk_split_eval.run.observe import Watcher, current_watcher, watching

pytestmark = pytest.mark.adk

# -- votes -----------------------------------------------------------------------------------------------------------


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
        watcher = current_watcher()
        assert watcher is not None
        watcher.failures.append(("metric", TypeError(f"logged by vote {number}")))
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
    assert [str(error) for _, error in unit.failures] == [f"logged by vote {number}" for number in range(3)]


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
