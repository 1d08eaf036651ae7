"""ADK's invocations in, ADK's results out."""

from __future__ import annotations

import asyncio
import inspect
import json
from typing import Any

import pytest

pytest.importorskip("google.adk.evaluation.eval_case")
pytestmark = pytest.mark.adk

from google.adk.evaluation.eval_case import Invocation  # noqa: E402
from google.adk.evaluation.eval_metrics import BaseCriterion, EvalMetric  # noqa: E402
from google.adk.evaluation.evaluator import EvalStatus, EvaluationResult  # noqa: E402

import adk_split_eval.metrics as metrics  # noqa: E402
from adk_split_eval.metrics.adapter import (  # noqa: E402
    async_judge,
    conversation_from_invocations,
    entry_point,
    expected_steps,
    threshold_of,
)
from adk_split_eval.metrics.registry import METRICS  # noqa: E402
from adk_split_eval.record import Conversation, Text, Turn  # noqa: E402


def content(text: str, role: str = "model") -> dict[str, Any]:
    return {"role": role, "parts": [{"text": text}]}


def call_part(name: str, identifier: str | None = None, **args: Any) -> dict[str, Any]:
    return {"function_call": {"name": name, "args": args, **({"id": identifier} if identifier else {})}}


def response_part(name: str, response: Any, identifier: str | None = None) -> dict[str, Any]:
    return {"function_response": {"name": name, "response": response, **({"id": identifier} if identifier else {})}}


def event(*parts: dict[str, Any], author: str = "desk") -> dict[str, Any]:
    return {"author": author, "content": {"role": "model", "parts": list(parts)}}


def invocation(
    user: str = "hi",
    response: str | None = "ok",
    intermediate: dict[str, Any] | None = None,
    rubrics: list[dict[str, Any]] | None = None,
) -> Invocation:
    return Invocation.model_validate(
        {
            "user_content": content(user, "user"),
            "final_response": content(response) if response is not None else None,
            "intermediate_data": intermediate,
            "rubrics": rubrics,
        }
    )


def rubric(name: str, params: Any, turn: bool = False) -> dict[str, Any]:
    text = params if isinstance(params, str) else json.dumps(params)
    return {
        "rubric_id": f"{name}.turn" if turn else name,
        "type": f"ADK_SPLIT_EVAL.{name}",
        "rubric_content": {"text_property": text},
    }


def metric(name: str, threshold: float = 1.0, **extras: Any) -> EvalMetric:
    """As ADK's custom evaluator hands it over: the threshold only in the criterion."""
    return EvalMetric(metric_name=name, criterion=BaseCriterion.model_validate({"threshold": threshold, **extras}))


def evaluate(
    name: str, actual: list[Invocation], expected: list[Invocation] | None = None, **options: Any
) -> EvaluationResult:
    found = getattr(metrics, name)(metric(name, **options), actual, expected, None)
    result = asyncio.run(_await(found)) if inspect.isawaitable(found) else found
    assert isinstance(result, EvaluationResult)
    assert len(result.per_invocation_results) == len(actual)
    ids = [score.rubric_id for score in result.overall_rubric_scores or []]
    assert len(ids) == len(set(ids))
    result.model_dump_json()
    return result


async def _await(found: Any) -> Any:
    return await found


def reasons(result: EvaluationResult) -> str:
    return "\n".join(score.rationale or "" for score in result.overall_rubric_scores or [])


# -- conversations ---------------------------------------------------------------------------------------------------


def test_events_become_steps_calls_and_texts() -> None:
    data = {
        "invocation_events": [
            event({"text": "let me look"}, call_part("a", "1", k=1), call_part("b", "2")),
            event(response_part("b", {"r": 2}, "2"), response_part("a", {"r": 1}, "1")),
            event({"text": "secret", "thought": True}, call_part("transfer_to_agent", "3", agent_name="fees")),
            event(response_part("transfer_to_agent", {"result": None}, "3")),
            event({"text": "fees here"}, author="fees"),
            {"author": "fees", "content": None},
        ]
    }
    [turn] = conversation_from_invocations([invocation("你好", "done", data)]).turns
    assert [(c.name, c.step, c.args, c.response, c.answered, c.author) for c in turn.tool_calls] == [
        ("a", 0, {"k": 1}, {"r": 1}, True, "desk"),
        ("b", 0, {}, {"r": 2}, True, "desk"),
        ("transfer_to_agent", 1, {"agent_name": "fees"}, {"result": None}, True, "desk"),
    ]
    assert [(t.author, t.text) for t in turn.intermediate] == [("desk", "let me look"), ("fees", "fees here")]
    assert (turn.user, turn.response) == ("你好", "done")
    assert [(e.kind, e.name or e.data, e.step) for e in turn.events] == [
        ("text", "let me look", 0),
        ("call", "a", 0),
        ("call", "b", 0),
        ("response", "b", 0),
        ("response", "a", 0),
        ("call", "transfer_to_agent", 1),
        ("transfer", "fees", 1),
        ("response", "transfer_to_agent", 1),
        ("text", "fees here", 2),
        ("text", "done", 3),
    ]


def test_lists_make_each_call_its_own_step() -> None:
    data = {
        "tool_uses": [{"name": "a", "args": {"k": 1}}, {"name": "a"}, {"name": "b"}],
        "tool_responses": [{"name": "a", "response": {"n": 1}}, {"name": "b", "response": {"n": 2}}],
        "intermediate_responses": [["desk", [{"text": "one"}, {"text": "two"}]]],
    }
    [turn] = conversation_from_invocations([invocation(intermediate=data)]).turns
    assert [(c.step, c.args, c.response, c.answered) for c in turn.tool_calls] == [
        (0, {"k": 1}, {"n": 1}, True),
        (1, {}, None, False),
        (2, {}, {"n": 2}, True),
    ]
    assert turn.intermediate == [Text("desk", "one\ntwo")]
    assert [e.kind for e in turn.raw_events()][-1] == "text"


@pytest.mark.parametrize(
    ("calls", "answers", "expected"),
    [
        ([("a", "1"), ("a", "1")], [("a", "1", 1), ("a", "1", 2)], [1, 2]),
        ([("a", "1"), ("b", "1")], [("b", "1", 1), ("a", "1", 2)], [2, 1]),
        ([("a", None), ("a", None)], [("a", None, 1)], [1, None]),
        ([("a", "1"), ("a", "2")], [("a", "9", 1)], [None, None]),
        ([("a", None)], [("a", "9", 1)], [1]),
        ([], [("a", "1", 1)], []),
    ],
)
def test_responses_find_their_calls(calls: list[Any], answers: list[Any], expected: list[Any]) -> None:
    data = {
        "invocation_events": [
            event(*(call_part(name, identifier) for name, identifier in calls)),
            event(*(response_part(name, {"n": n}, identifier) for name, identifier, n in answers)),
        ]
    }
    [turn] = conversation_from_invocations([invocation(intermediate=data)]).turns
    assert [(c.response or {}).get("n") for c in turn.tool_calls] == expected
    assert [c.answered for c in turn.tool_calls] == [n is not None for n in expected]


def test_a_response_before_any_call_belongs_to_the_first_step() -> None:
    data = {"invocation_events": [event(response_part("a", {"n": 1})), event(call_part("b"))]}
    [turn] = conversation_from_invocations([invocation(intermediate=data)]).turns
    assert [(e.kind, e.step) for e in turn.events] == [("response", 0), ("call", 0), ("text", 1)]


def test_a_final_event_with_calls_is_not_said_twice() -> None:
    parts = [{"text": "please wait"}, call_part("long_job", "1")]
    raw = Invocation.model_validate(
        {
            "user_content": content("go", "user"),
            "final_response": {"role": "model", "parts": parts},
            "intermediate_data": {"invocation_events": [event(*parts)]},
        }
    )
    [turn] = conversation_from_invocations([raw]).turns
    assert turn.response == "please wait"
    assert turn.intermediate == []
    assert [c.name for c in turn.tool_calls] == ["long_job"]


def test_bare_invocations_and_instructions() -> None:
    bare = invocation(response=None)
    [turn] = conversation_from_invocations([bare]).turns
    assert (turn.response, turn.tool_calls, turn.instructions) == ("", [], [])
    told = Invocation.model_validate(
        {
            "user_content": content("x", "user"),
            "app_details": {"agent_details": {"desk": {"name": "desk", "instructions": "Refund within 7 days."}}},
        }
    )
    assert conversation_from_invocations([told]).turns[0].instructions == ["Refund within 7 days."]


def test_expected_steps_tell_nothing_from_none() -> None:
    assert expected_steps(invocation()) is None
    assert expected_steps(invocation(intermediate={"intermediate_responses": []})) is None
    assert expected_steps(invocation(intermediate={"tool_uses": []})) == []
    events = {"invocation_events": [event(call_part("a"), call_part("b")), event(call_part("c"))]}
    assert [[c.name for c in step] for step in expected_steps(invocation(intermediate=events)) or []] == [
        ["a", "b"],
        ["c"],
    ]


# -- parameters and results ------------------------------------------------------------------------------------------

CALLED_A = {"tool_uses": [{"name": "a", "args": {"k": 1, "extra": 2}}]}
EXPECT_A = {"expect": [{"calls": [{"name": "a", "args": {"k": 1}}]}]}


def turns_with(*entries: Any, name: str = "tool_args_v1", case: Any = None) -> list[Invocation]:
    """Invocations as ADK leaves them: the case's rubric on each, the turn's on its own."""
    return [
        invocation(
            intermediate=CALLED_A,
            rubrics=[rubric(name, case or {"match_type": "EXACT"})] + ([rubric(name, e, turn=True)] if e else []),
        )
        for e in entries
    ]


def test_parameters_come_from_rubrics_and_rows_are_one_per_turn() -> None:
    result = evaluate("tool_args_v1", turns_with(EXPECT_A, None, {"expect": []}))
    assert (result.overall_eval_status, result.overall_score) == (EvalStatus.FAILED, 0.5)
    assert [(r.eval_status, r.score) for r in result.per_invocation_results] == [
        (EvalStatus.PASSED, 1.0),
        (EvalStatus.NOT_EVALUATED, None),
        (EvalStatus.FAILED, 0.0),
    ]
    assert reasons(result) == "turn 3: a(k=1, extra=2) called, but the turn expects no calls"
    told = [[s.rationale for s in row.rubric_scores or []] for row in result.per_invocation_results]
    assert told == [[], [], ["turn 3: a(k=1, extra=2) called, but the turn expects no calls"]]


def test_threshold_comes_from_the_criterion() -> None:
    assert (
        evaluate("tool_args_v1", turns_with(EXPECT_A, {"expect": []}), threshold=0.5).overall_eval_status
        == EvalStatus.PASSED
    )
    result = evaluate("tool_args_v1", turns_with(EXPECT_A), threshold=float("nan"))
    assert (result.overall_eval_status, result.overall_score) == (EvalStatus.FAILED, None)


@pytest.mark.parametrize("name", ["tool_args_v1", "forbidden_tools_v1", "goal_reached_v1", "expected_response_v1"])
def test_nothing_declared_is_informational(name: str) -> None:
    foreign = rubric("tool_order_v1", {"rules": []})
    result = evaluate(name, [invocation(rubrics=[foreign]), invocation()])
    assert (result.overall_eval_status, result.overall_score) == (EvalStatus.INFORMATIONAL, None)
    assert {(r.eval_status, r.score) for r in result.per_invocation_results} == {(EvalStatus.INFORMATIONAL, None)}


@pytest.mark.parametrize("text", ["", "not json", "[1]", "5", '{"forbidden": [{}]}', '{"forbiden": []}', "[" * 100_000])
def test_unusable_rubrics_are_failed_without_a_score(text: str) -> None:
    result = evaluate("forbidden_tools_v1", [invocation(rubrics=[rubric("forbidden_tools_v1", text)])])
    assert (result.overall_eval_status, result.overall_score) == (EvalStatus.FAILED, None)
    assert "bad parameters" in reasons(result)
    assert [r.eval_status for r in result.per_invocation_results] == [EvalStatus.FAILED]


def test_a_metric_without_a_criterion_takes_its_own_threshold_and_declares_nothing() -> None:
    bare = EvalMetric(metric_name="forbidden_tools_v1", threshold=0.5)
    found = entry_point("forbidden_tools_v1")(bare, [invocation(intermediate=CALLED_A)], None, None)
    assert isinstance(found, EvaluationResult)
    assert (found.overall_eval_status, found.overall_score) == (EvalStatus.INFORMATIONAL, None)
    assert threshold_of(bare) == 0.5
    assert threshold_of(EvalMetric(metric_name="forbidden_tools_v1")) == 1.0


def test_conversation_level_metrics_repeat_the_overall_score() -> None:
    params = {"forbidden": [{"name": "a"}]}
    result = evaluate("forbidden_tools_v1", turns_with(None, None, name="forbidden_tools_v1", case=params))
    assert (result.overall_eval_status, result.overall_score) == (EvalStatus.FAILED, 0.0)
    assert [(r.eval_status, r.score) for r in result.per_invocation_results] == [(EvalStatus.FAILED, 0.0)] * 2


def test_a_config_of_ones_own_serves_as_parameters() -> None:
    result = evaluate("forbidden_tools_v1", [invocation(intermediate=CALLED_A)], forbidden=["a"])
    assert result.overall_eval_status == EvalStatus.FAILED
    order = [{"before": "x", "after": "a"}]
    assert evaluate("tool_order_v1", [invocation(intermediate=CALLED_A)], rules=order).overall_score == 0.0


def test_expected_invocations_serve_tool_args() -> None:
    actual = [invocation(intermediate=CALLED_A)] * 2
    said = invocation(intermediate={"tool_uses": [{"name": "a", "args": {"k": 1}}]})
    result = evaluate("tool_args_v1", actual, [said, invocation()])
    assert [r.eval_status for r in result.per_invocation_results] == [EvalStatus.PASSED, EvalStatus.NOT_EVALUATED]
    none = invocation(intermediate={"tool_uses": []})
    assert evaluate("tool_args_v1", actual, [none, none], match_type="ANY_ORDER").overall_score == 0.0
    assert evaluate("tool_args_v1", actual, [invocation()] * 2).overall_eval_status == EvalStatus.INFORMATIONAL


def test_state_is_never_visible_to_a_metric_of_adk() -> None:
    result = evaluate("final_state_v1", [invocation()], expect={"a": 1})
    assert (result.overall_eval_status, result.overall_score) == (EvalStatus.FAILED, None)
    assert "our own runner" in reasons(result)


def test_an_unreached_optional_goal_does_not_fail() -> None:
    result = evaluate("goal_reached_v1", [invocation()], evidence=[{"says": "never"}], required=False)
    assert (result.overall_eval_status, result.overall_score) == (EvalStatus.INFORMATIONAL, 0.0)


def test_no_invocations_are_no_success() -> None:
    assert evaluate("forbidden_tools_v1", [], forbidden=["a"]).overall_eval_status == EvalStatus.FAILED


def test_a_catalogued_metric_that_is_not_there_is_no_success() -> None:
    found = entry_point("no_such_metric_v1")(metric("no_such_metric_v1", x=1), [invocation()], None, None)
    assert isinstance(found, EvaluationResult)
    assert found.overall_eval_status == EvalStatus.FAILED
    assert "has no metric" in reasons(found)


def test_hostile_conversations_are_judged_and_printable() -> None:
    nasty = "\u202e\x1b[2J" + "x" * 1_000_000
    deep: Any = 1
    for _ in range(150):
        deep = [deep]
    data = {"tool_uses": [{"name": "a", "args": {"k": deep, nasty: nasty, "n": float("nan")}}]}
    hostile = [invocation(nasty, nasty, data)]
    for name, extras in (
        ("tool_args_v1", {"turns": [{"expect": [{"calls": [{"name": "a", "args": {"k": 1, "n": 1}}]}]}]}),
        ("response_text_v1", {"turns": [{"contains": ["absent"], "excludes": ["x"]}]}),
        ("forbidden_tools_v1", {"forbidden": ["a"]}),
        ("goal_reached_v1", {"evidence": [{"says": "absent"}]}),
    ):
        result = evaluate(name, hostile, **extras)
        assert result.overall_eval_status == EvalStatus.FAILED
        assert result.overall_score == 0.0
        assert reasons(result).replace("\n", "").isprintable()
        assert len(reasons(result)) < 5000


# -- expected_response_v1 --------------------------------------------------------------------------------------------


def test_references_on_some_turns_judge_just_those() -> None:
    actual = [invocation("a", "anything at all"), invocation("b", "the refund is on its way")]
    params: dict[str, Any] = {"method": "response_match_score", "turns": [None, {"text": "the refund is on its way"}]}
    result = evaluate("expected_response_v1", actual, threshold=0.8, **params)
    assert (result.overall_eval_status, result.overall_score) == (EvalStatus.PASSED, 1.0)
    assert [r.score for r in result.per_invocation_results] == [None, 1.0]
    params["turns"][1] = {"text": "nothing alike"}
    result = evaluate("expected_response_v1", actual, threshold=0.8, **params)
    assert result.overall_eval_status == EvalStatus.FAILED
    assert "turn 2: response_match_score 0 is below 0.8" in reasons(result)


@pytest.mark.parametrize(
    ("params", "said"),
    [
        ({"method": "rouge", "turns": [{"text": "x"}]}, "none of response_match_score"),
        ({"turns": [{"txt": "x"}]}, "unknown keys"),
        (
            {"method": "final_response_match_v2", "options": {"judge_model_options": 5}, "turns": [{"text": "x"}]},
            "Valid",
        ),
        (
            {
                "method": "final_response_match_v2",
                "options": {"judge_model_options": {"judge_model": "no-such-model"}},
                "turns": [{"text": "x"}],
            },
            "no-such-model",
        ),
    ],
)
def test_a_response_criterion_that_cannot_run_is_no_success(params: dict[str, Any], said: str) -> None:
    result = evaluate("expected_response_v1", [invocation()], **params)
    assert (result.overall_eval_status, result.overall_score) == (EvalStatus.FAILED, None)
    assert said in reasons(result)


def test_references_of_recorded_conversations() -> None:
    judge = async_judge("expected_response_v1")
    assert judge is not None
    talk = Conversation([Turn("hi", response="hello there")])
    params = {"turns": [{"text": "hello there"}]}
    assert asyncio.run(judge(talk, params, 0.8)).status == "passed"  # type: ignore[arg-type]
    assert asyncio.run(judge(talk, {"turns": [None, {"text": "x"}]}, 0.8)).status == "failed"  # type: ignore[arg-type]
    talk.flat = True
    assert asyncio.run(judge(talk, params, 0.8)).status == "passed"  # type: ignore[arg-type]
    assert async_judge("tool_args_v1") is None


@pytest.mark.parametrize("old_shape", [False, True])
def test_the_parts_of_one_message_are_one_text_joined_as_adk_joins_them(old_shape: bool) -> None:
    from google.adk.evaluation.llm_as_judge_utils import get_text_from_content
    from google.genai import types

    texts = ["Let me look that up.", "One moment."]
    parts = [{"text": text} for text in texts]
    joined = get_text_from_content(types.Content(role="model", parts=[types.Part(text=text) for text in texts]))
    intermediate: dict[str, Any] = {"invocation_events": [event(*parts), event({"text": "Done."})]}
    if old_shape:
        intermediate = {"tool_uses": [], "intermediate_responses": [["desk", parts], ["desk", [{"text": "Done."}]]]}
    talk = conversation_from_invocations([invocation(intermediate=intermediate)])
    assert [said.text for said in talk.turns[0].intermediate] == [joined, "Done."]
    judgement = METRICS["intermediate_responses_v1"](
        talk, {"turns": [{"expect": [{"author": "desk", "text": joined}, {"text": {"contains": "moment"}}]}]}, 1.0
    )
    assert judgement.status == "failed", "one message is one text: the second expectation needs a message of its own"
    judgement = METRICS["intermediate_responses_v1"](
        talk, {"turns": [{"expect": [{"author": "desk", "text": joined}, {"text": "Done."}]}]}, 1.0
    )
    assert judgement.status == "passed"
