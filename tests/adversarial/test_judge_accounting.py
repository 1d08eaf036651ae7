"""A judge that did not give its verdict never makes anything green: every judged criterion, every way of being ill."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

pytest.importorskip("google.adk.evaluation.local_eval_service")
pytestmark = pytest.mark.adk

from google.adk.models.llm_response import LlmResponse  # noqa: E402
from proof_bench import Bench, fixed_case, forget_agent, judged, rubrics, scenario, user_turn  # noqa: E402
from proof_models import Script, saying  # noqa: E402

from adk_split_eval.run.engine import EngineOptions  # noqa: E402
from adk_split_eval.run.observe import CallPolicy  # noqa: E402

Judge = Callable[[Any, int], Any]
PAIR = rubrics("The answer is polite.", "The answer is short.")
CRITERIA: dict[str, dict[str, Any]] = {
    "final_response_match_v2": {},
    "hallucinations_v1": {},
    "rubric_based_final_response_quality_v1": {"rubrics": PAIR},
    "rubric_based_tool_use_quality_v1": {"rubrics": PAIR},
    "rubric_based_multi_turn_trajectory_quality_v1": {"rubrics": PAIR},
    "per_turn_user_simulator_quality_v1": {},
}
ILL: dict[str, Judge] = {
    "error_code": lambda request, times: LlmResponse(error_code="UNAVAILABLE", error_message="try later"),
    "raises": lambda request, times: RuntimeError("the judge is down"),
    "no_content": lambda request, times: LlmResponse(content=None),
    "empty_text": lambda request, times: "",
    "garbled": saying(True, "garbled"),
    "reworded": saying(True, "reworded"),
    "partial": saying(True, "partial"),
    "undecided": saying(True, "undecided"),
    "slow": lambda request, times: asyncio.sleep(60, "too late"),
}
AGENT = {"desk": {"hello": ["What can I do for you?"], "find": [[("find", {"item": "a"})], "One copy. It is here."]}}


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Any:
    forget_agent()
    yield Bench(tmp_path_factory.mktemp("judges"))
    forget_agent()


def case_for(name: str) -> dict[str, Any]:
    if name.startswith("per_turn"):
        return scenario("talk")
    return fixed_case("talk", user_turn("hello", [], "Hi."), user_turn("find", [], "One copy."))


def run(bench: Bench, name: str, judge: Judge, samples: int = 1, user: list[Any] | None = None) -> Any:
    script = Script(agent=AGENT, user=user or ["find", "</finished>"], judge=judge)
    sets = bench.write([case_for(name)], {name: judged(samples=samples, **CRITERIA[name])}, name="judged")
    engine = EngineOptions(policy=CallPolicy(attempts=1, timeout=0.05 if judge is ILL["slow"] else 60.0))
    result = bench.ours(sets, script, engine=engine)
    return result.cases[0], result


def criterion(case: Any, name: str) -> Any:
    return next(c for c in case.criteria if c.name == name)


@pytest.mark.parametrize("name", CRITERIA)
@pytest.mark.parametrize("ill", ILL)
def test_an_ill_judge_is_an_error_with_its_reason(bench: Bench, name: str, ill: str) -> None:
    case, result = run(bench, name, ILL[ill])
    found = criterion(case, name)
    assert (case.verdict, found.status, found.score, result.exit_code) == ("ERROR", "not_evaluated", None, 3)
    assert "votes could not be counted" in found.reasons[0]
    assert len(found.reasons) > 1
    assert found.votes == ["unreadable"]


@pytest.mark.parametrize("ill", [i for i in ILL if i != "slow"])
def test_the_quality_judge_of_a_one_turn_talk_is_held_to_account(bench: Bench, ill: str) -> None:
    name = "per_turn_user_simulator_quality_v1"
    case, _ = run(bench, name, ILL[ill], user=["</finished>"])
    assert len(case.turns) == 1
    assert (case.verdict, criterion(case, name).status) == ("ERROR", "not_evaluated")


@pytest.mark.parametrize("name", CRITERIA)
@pytest.mark.parametrize(
    ("votes", "status"),
    [
        ("yy!", "passed"),
        ("nn!", "failed"),
        ("y!!", "not_evaluated"),
        ("n!!", "not_evaluated"),
        ("yn!", "not_evaluated"),
    ],
)
def test_the_votes_there_are_decide_only_when_they_are_enough(bench: Bench, name: str, votes: str, status: str) -> None:
    answers = {"y": saying(True), "n": saying(False), "!": ILL["garbled"]}
    case, _ = run(bench, name, lambda request, times: answers[votes[times % 3]](request, times), samples=3)
    found = criterion(case, name)
    assert found.status == status, found
    assert any(f"{votes.count('!')} of 3 votes could not be counted" in r for r in found.reasons)
    assert (case.verdict == "ERROR") == (status == "not_evaluated")


@pytest.mark.parametrize("name", CRITERIA)
def test_a_judge_that_fails_on_one_turn_only(bench: Bench, name: str) -> None:
    yes = saying(True)

    def judge(request: Any, times: int) -> Any:
        text = request.contents[0].parts[0].text[-1500:]
        return (
            ILL["error_code"](request, times)
            if any(w in text for w in ("One copy", "</finished>", "item"))
            else yes(request, times)
        )

    case, _ = run(bench, name, judge)
    assert (case.verdict, criterion(case, name).status) == ("ERROR", "not_evaluated")


@pytest.mark.parametrize("name", [n for n in CRITERIA if "final_response" in n or n == "hallucinations_v1"])
def test_a_judge_that_cannot_be_read_on_the_first_turn_only(bench: Bench, name: str) -> None:
    yes, garbled = saying(True), saying(True, "garbled")

    def judge(request: Any, times: int) -> Any:
        text = request.contents[0].parts[0].text[-1500:]
        return (garbled if "What can I do" in text else yes)(request, times)

    case, _ = run(bench, name, judge)
    assert (case.verdict, criterion(case, name).status) == ("ERROR", "not_evaluated")
    assert "turn 1" in " ".join(criterion(case, name).reasons)


@pytest.mark.parametrize("name", [n for n in CRITERIA if n.startswith("rubric")])
def test_one_rubric_left_open(bench: Bench, name: str) -> None:
    yes = saying(True)

    def judge(request: Any, times: int) -> str:
        head, verdict, tail = yes(request, times).rpartition("Verdict: yes")
        return f"{head}{verdict.replace('yes', 'hard to say')}{tail}"

    case, _ = run(bench, name, judge)
    assert case.verdict == "ERROR"
    assert "1 of 2 rubrics judged" in " ".join(case.reasons)
    assert "r2" in " ".join(case.reasons)


def test_half_of_the_sentences_are_not_the_answer(bench: Bench) -> None:
    script = Script(agent=AGENT, judge=saying(True, "partial"))
    sets = bench.write([fixed_case("talk", user_turn("find"))], {"hallucinations_v1": judged()}, name="sentences")
    case = bench.ours(sets, script).cases[0]
    assert case.verdict == "ERROR"
    assert "1 of 2 sentences judged" in " ".join(case.reasons)


def test_a_turn_without_words_gives_the_judge_of_hallucinations_nothing(bench: Bench) -> None:
    silent = {"desk": {**AGENT["desk"], "silent": [[("find", {"item": "a"})], ""]}}
    turns = [user_turn("silent"), user_turn("find")]
    sets = bench.write([fixed_case("talk", *turns)], {"hallucinations_v1": judged(samples=3)}, name="silent")
    case = bench.ours(sets, Script(agent=silent)).cases[0]
    assert (case.verdict, criterion(case, "hallucinations_v1").score) == ("PASS", 1.0)


def test_a_dead_judge_hides_no_failure_of_a_deterministic_criterion(bench: Bench) -> None:
    script = Script(agent=AGENT, judge=ILL["error_code"])
    criteria = {"final_response_match_v2": judged(), "tool_trajectory_avg_score": 1.0}
    sets = bench.write([case_for("final_response_match_v2")], criteria, name="both")
    result = bench.ours(sets, script)
    assert (result.cases[0].verdict, result.exit_code) == ("FAIL", 1)
    assert criterion(result.cases[0], "final_response_match_v2").status == "not_evaluated"
