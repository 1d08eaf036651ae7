"""A stand-in for ADK's evaluation of one criterion, for tests of what we make of its answers."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from adk_split_eval.record import Case, Conversation, Criterion, CriterionResult, Turn
from adk_split_eval.run import judge
from adk_split_eval.run.observe import ModelCall, Watcher, current_watcher, watching

MATCH = "final_response_match_v2"
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


def never(number: int) -> Any:
    raise AssertionError("nobody should have asked")


def vote(score: float | None, why: str | None = None) -> Any:
    status = "NOT_EVALUATED" if score is None else "PASSED" if score >= 0.5 else "FAILED"
    return answer(status, score, row(status, score), row(status, score), said=(why,) if why else ())


YES, NO, ILL = vote(1.0, "right"), vote(0.0, "wrong"), RuntimeError("down")
