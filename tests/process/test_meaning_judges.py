"""Judges about meaning: doubtful pairs of questions, and questions beside what they cite."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Iterator
from typing import Any

import pytest

pytest.importorskip("google.adk.models")

from google.adk.models import BaseLlm, LlmResponse
from google.adk.models.registry import LLMRegistry
from google.genai import types

from adk_split_eval.metrics.adapter import async_judge
from adk_split_eval.metrics.process.meaning import Verdict, majority, read_verdict
from adk_split_eval.metrics.process.review import AnswerError
from adk_split_eval.record import Call, Conversation, Judgement, Turn

_answers: list[str] = []
_seen: list[str] = []


class MeaningTestJudge(BaseLlm):
    """Gives the answers of the test in turn, the last one for ever."""

    @classmethod
    def supported_models(cls) -> list[str]:
        return ["meaning-test"]

    async def generate_content_async(self, llm_request: Any, stream: bool = False) -> AsyncGenerator[LlmResponse, None]:
        _seen.append(llm_request.contents[0].parts[0].text)
        text = _answers.pop(0) if len(_answers) > 1 else _answers[0]
        yield LlmResponse(content=types.Content(role="model", parts=[types.Part(text=text)]))


LLMRegistry.register(MeaningTestJudge)
YES, NO = (json.dumps({"verdict": verdict, "reason": "so"}) for verdict in (True, False))
JUDGE = {"judge_model": "meaning-test", "num_samples": 3}


@pytest.fixture(autouse=True)
def _fresh() -> Iterator[None]:
    yield
    _answers.clear()
    _seen.clear()


def judge(name: str, params: dict[str, Any], *asked: dict[str, Any], answers: list[str]) -> Judgement:
    _answers.extend(answers)
    turns = [Turn("a", [Call("ask", args, {"ok": True}, answered=True)], response="…") for args in asked]
    function = async_judge(name)
    assert function is not None
    return asyncio.run(function(Conversation(turns), params, 1.0))


def pairs(*texts: str, answers: list[str]) -> Judgement:
    params = {"questions": {"event": {"tool": "ask"}, "text": "args.text"}, "judge": JUDGE}
    return judge("repeated_meaning_v1", params, *({"text": text} for text in texts), answers=answers)


DOUBTFUL = ("How does a hash map find the entry for a key?", "How does a hash map find an entry for a given key?")


def test_a_doubtful_pair_that_is_one_question() -> None:
    found = pairs(*DOUBTFUL, answers=[YES])
    assert found.status == "failed"
    assert "turn 1 and turn 2" in found.reasons[0] and "one question" in found.reasons[0]


def test_a_doubtful_pair_that_is_two() -> None:
    assert pairs(*DOUBTFUL, answers=[NO, YES, NO]).status == "passed"


def test_nothing_doubtful_nothing_asked() -> None:
    assert pairs("What is a lock?", "Why do queues grow?", answers=[YES]).status == "not_applicable"
    assert not _seen


@pytest.mark.parametrize("answers", [["yes"], [YES, NO, "?"], ["{}", "{}", YES]])
def test_votes_without_a_majority_are_no_verdict(answers: list[str]) -> None:
    assert pairs(*DOUBTFUL, answers=answers).status == "not_evaluated"


def about(*asked: dict[str, Any], answers: list[str]) -> Judgement:
    source = {"id": "cv", "version": "1", "fragments": {"p1": "a job queue in Go"}}
    evidence = {"event": {"tool": "ask"}, "cites": "args.c", "text": "args.text", "source": source}
    return judge("evidence_meaning_v1", {"evidence": evidence, "judge": JUDGE}, *asked, answers=answers)


def test_a_question_beside_what_it_cites() -> None:
    assert about({"c": "p1", "text": "Why Go for the queue?"}, answers=[YES]).status == "passed"
    assert '"fragment": "a job queue in Go"' in _seen[0]
    found = about({"c": "p1", "text": "Do you like tea?"}, answers=[NO])
    assert (found.status, found.score) == ("failed", 0.0)
    assert 'turn 1: "Do you like tea?" is not about p1' in found.reasons[0]


def test_only_sound_citations_are_asked_about() -> None:
    assert about({"c": "p9", "text": "x"}, {"text": "y"}, answers=[NO]).status == "not_applicable"


@pytest.mark.parametrize("answer", ["", "true", '{"verdict": "true", "reason": "x"}', '{"verdict": true}', YES + "!"])
def test_verdicts_of_another_form(answer: str) -> None:
    with pytest.raises(AnswerError):
        read_verdict(answer)


def test_majority_of_all_votes() -> None:
    yes, no = Verdict(True, "y"), Verdict(False, "n")
    assert majority([yes, no, yes]) == yes
    assert isinstance(majority([yes, no, "lost"]), str)
