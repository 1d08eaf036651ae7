"""Existing ADK sets as a plan, and mixed ones divided: what comes over is equal, what does not is said."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from adk_split_eval.build import compile_plan, import_sets, split_set
from adk_split_eval.build.adkfiles import snake
from adk_split_eval.plan import PlanError, load_plan
from adk_split_eval.record import CompiledPlan

USER = {"parts": [{"text": "你好"}], "role": "user"}
CONVERSATION: dict[str, Any] = {
    "eval_id": "talk",
    "conversation": [
        {
            "user_content": USER,
            "final_response": {"parts": [{"text": "Which order?"}], "role": "model"},
            "intermediate_data": {"tool_uses": [], "intermediate_responses": [["helper", [{"text": "one moment"}]]]},
        },
        {
            "user_content": {"parts": [{"text": "L8823"}], "role": "user"},
            "final_response": {"parts": [{"text": "Done."}], "role": "model"},
            "intermediate_data": {
                "tool_uses": [
                    {"args": {"order_id": "L8823", "filter": {"any": True}, "n": 1.5}, "name": "order_lookup"},
                    {"args": {}, "name": "submit"},
                ]
            },
        },
    ],
    "session_input": {"app_name": "desk_agent", "user_id": "u", "state": {"vip": True}},
}
SCENARIO: dict[str, Any] = {
    "eval_id": "improvised",
    "conversation_scenario": {
        "starting_prompt": "refund, please",
        "conversation_plan": "Ask for a refund of L8823, then stop.",
        "user_persona": {
            "id": "terse",
            "description": "Says little.",
            "behaviors": [
                {"name": "T", "description": "d", "behavior_instructions": ["i"], "violation_rubrics": ["v"]},
            ],
        },
    },
    "session_input": {"app_name": "desk_agent", "user_id": "u"},
}
CONFIG: dict[str, Any] = {
    "criteria": {
        "tool_trajectory_avg_score": {"threshold": 1.0, "match_type": "EXACT"},
        "response_match_score": 0.7,
        "hallucinations_v1": {"threshold": 0.9, "judge_model_options": {"judge_model": "judge-1", "num_samples": 3}},
        "per_turn_user_simulator_quality_v1": {"threshold": 0.8, "judge_model_options": {"judge_model": "judge-1"}},
    },
    "user_simulator_config": {"model": "sim-1", "max_allowed_invocations": 9, "include_function_calls": True},
}


def written(folder: Path, cases: list[Any], config: Any = CONFIG, name: str = "old") -> Path:
    path = folder / f"{name}.evalset.json"
    path.write_text(json.dumps({"eval_set_id": name, "eval_cases": cases}, ensure_ascii=False), encoding="utf-8")
    if config is not None:
        (folder / "test_config.json").write_text(json.dumps(config), encoding="utf-8")
    return path


def rebuilt(folder: Path, text: str) -> CompiledPlan:
    path = folder / "new.plan.yaml"
    path.write_text(text, encoding="utf-8")
    compiled = compile_plan(load_plan(path))
    assert not [finding for finding in compiled.findings if finding.level == "error"], compiled.findings
    return compiled


def bare(case: dict[str, Any]) -> dict[str, Any]:
    """A case without what build adds for our metrics: the rubrics."""
    stripped = {key: value for key, value in copy.deepcopy(case).items() if key != "rubrics"}
    for turn in stripped.get("conversation", []):
        turn.pop("rubrics", None)
    return stripped


def test_import_then_build_gives_equal_cases_and_criteria(tmp_path: Path) -> None:
    text = import_sets([written(tmp_path, [CONVERSATION, SCENARIO])])
    compiled = rebuilt(tmp_path, text)
    assert {case.case_id: bare(case.eval_case) for case in compiled.cases} == {
        "talk": CONVERSATION,
        "improvised": SCENARIO,
    }
    fixed, simulated = compiled.sets
    assert fixed.config["criteria"]["tool_trajectory_avg_score"] == {
        "threshold": 1.0,
        "match_type": "EXACT",
        "ignore_args": False,
    }
    assert fixed.config["criteria"]["response_match_score"] == 0.7
    for made in (fixed, simulated):
        assert made.config["criteria"]["hallucinations_v1"] == CONFIG["criteria"]["hallucinations_v1"]
    assert simulated.config["user_simulator_config"] == {"type": "llm_backed", **CONFIG["user_simulator_config"]}
    assert compiled.models == {"simulator": "sim-1", "judge": "judge-1"}
    assert "tool_trajectory_avg_score never judged the simulated cases" in text


def test_several_sets_and_camel_case(tmp_path: Path) -> None:
    camel = {
        "evalId": "camel",
        "conversation": [
            {
                "userContent": USER,
                "intermediateData": {"toolUses": [{"name": "f", "args": {"orderId": 1}}]},
                "invocationId": "1",
            }
        ],
        "sessionInput": {"appName": "desk_agent", "userId": "u", "state": {"toolUses": 1}},
    }
    first = written(tmp_path, [CONVERSATION], {"criteria": {"toolTrajectory": 1.0, "tool_trajectory_avg_score": 1.0}})
    text = import_sets([first, written(tmp_path, [camel], None, name="two")])
    cases = {case.case_id: case.eval_case for case in rebuilt(tmp_path, text).cases}
    assert cases["camel"]["conversation"][0]["intermediate_data"]["tool_uses"] == [
        {"args": {"orderId": 1}, "name": "f"}
    ]
    assert cases["camel"]["session_input"]["state"] == {"toolUses": 1}
    assert "toolTrajectory is no criterion that ADK knows" in text


def test_what_a_plan_cannot_hold_is_said(tmp_path: Path) -> None:
    case = copy.deepcopy(CONVERSATION)
    case["final_session_state"] = {"done": {"any": True}}
    case["rubrics"] = [{"rubric_id": "polite", "rubric_content": {"text_property": "x"}}]
    case["conversation"][0]["user_content"] = {"parts": [{"text": "a"}, {"text": "b"}, {"inline_data": {}}]}
    case["session_input"]["unknown\nkey"] = 1
    config = {
        "criteria": {
            "tool_trajectory_avg_score": 0.0,
            "made_up": 1,
            "token_usage_v1": 5,
            "per_turn_user_simulator_quality_v1": 1.0,
            "rubric_based_tool_use_quality_v1": {"threshold": 1.0},
        },
        "custom_metrics": {"idle": {"code_config": {"name": "a.b"}}},
        "num_runs": 3,
    }
    text = import_sets([written(tmp_path, [case], config)])
    for said in (
        "made_up is no criterion",
        "token_usage_v1 takes no threshold",
        "the metric idle stands under custom_metrics but not under criteria",
        "key num_runs is unknown",
        "per_turn_user_simulator_quality_v1 can judge only simulated cases",
        "rubric_based_tool_use_quality_v1 is left out: it has no rubrics",
        "the threshold 0.0 could not decide anything",
        "'polite' (no type, so ADK never read it)",
        "final_session_state, which ADK never reads",
        "holds more than text",
        "session_input.unknown key is not carried over",
    ):
        assert said in text
    compiled = rebuilt(tmp_path, text)
    assert compiled.cases[0].runner["expect_state"] == {"done": {"equals": {"any": True}}}


def test_recorded_events_keep_parallel_calls_together(tmp_path: Path) -> None:
    def event(*names: str) -> dict[str, Any]:
        return {"author": "a", "content": {"parts": [{"function_call": {"name": name, "args": {}}} for name in names]}}

    case = {
        "eval_id": "recorded",
        "conversation": [
            {"user_content": USER, "intermediate_data": {"invocation_events": [event("f", "g"), event("h")]}}
        ],
    }
    compiled = rebuilt(tmp_path, import_sets([written(tmp_path, [case])]))
    (criterion,) = [c for c in compiled.cases[0].criteria if c.name == "tool_args_v1"]
    steps = criterion.params["turns"][0]["expect"]
    assert [[call["name"] for call in step["calls"]] for step in steps] == [["f", "g"], ["h"]]


def test_without_a_config_adks_defaults_are_written_out(tmp_path: Path) -> None:
    text = import_sets([written(tmp_path, [CONVERSATION], None)])
    assert "ADK's defaults" in text and "response_match_score: 0.8" in text


@pytest.mark.parametrize(
    ("data", "code", "says"),
    [
        ([{"query": "hi", "expected_tool_use": [], "reference": "x"}], "ASE603", "oldest list format"),
        ([{"name": "x", "data": []}], "ASE603", "old list format"),
        ({"evalSetId": "x", "evalCases": []}, "ASE604", "camelCase at the top"),
        ({"criteria": {}}, "ASE602", "no eval_set_id"),
        ({"eval_set_id": "x", "eval_cases": []}, "ASE614", "no case"),
        ({"eval_set_id": "x", "eval_cases": [CONVERSATION, CONVERSATION]}, "ASE502", "stands twice"),
        ({"eval_set_id": "x", "eval_cases": [{"eval_id": "a"}]}, "ASE605", "exactly one of"),
        ({"eval_set_id": "x", "eval_cases": [{"eval_id": "a", "conversation": [1]}]}, "ASE602", "has not the shape"),
        ({"eval_set_id": "x", "eval_cases": [{"conversation": []}]}, "ASE611", "eval_id is null"),
    ],
)
def test_what_is_no_adk_set_is_refused_with_an_explanation(tmp_path: Path, data: Any, code: str, says: str) -> None:
    path = tmp_path / "x.json"
    path.write_text(json.dumps(data), encoding="utf-8")
    with pytest.raises(PlanError) as refused:
        import_sets([path])
    assert refused.value.findings[0].code == code and says in refused.value.findings[0].message


def test_a_set_is_no_config(tmp_path: Path) -> None:
    path = written(tmp_path, [CONVERSATION])
    with pytest.raises(PlanError, match="an eval set, not a config"):
        import_sets([path], config=path)


def test_a_mixed_set_is_divided_word_for_word(tmp_path: Path) -> None:
    result = split_set(written(tmp_path, [SCENARIO, CONVERSATION]))
    assert result.fixed_set == {"eval_set_id": "old_fixed", "eval_cases": [CONVERSATION]}
    assert result.simulated_set == {"eval_set_id": "old_simulated", "eval_cases": [SCENARIO]}
    assert list(result.fixed_config["criteria"]) == [
        "tool_trajectory_avg_score",
        "response_match_score",
        "hallucinations_v1",
    ]
    assert list(result.simulated_config["criteria"]) == ["hallucinations_v1", "per_turn_user_simulator_quality_v1"]
    assert "user_simulator_config" in result.simulated_config and "user_simulator_config" not in result.fixed_config
    assert sorted(result.files()) == [
        "fixed/old_fixed.evalset.json",
        "fixed/test_config.json",
        "simulated/old_simulated.evalset.json",
        "simulated/test_config.json",
    ]


def test_a_half_that_nothing_could_judge_gets_a_criterion(tmp_path: Path) -> None:
    result = split_set(written(tmp_path, [SCENARIO, CONVERSATION], {"criteria": {"tool_trajectory_avg_score": 1.0}}))
    assert result.simulated_config["criteria"] == {"grounded_numbers_v1": 1.0}
    assert any("grounded_numbers_v1 stands in" in note for note in result.notes)


def test_a_set_of_one_kind_is_not_split(tmp_path: Path) -> None:
    with pytest.raises(PlanError, match="nothing to split"):
        split_set(written(tmp_path, [SCENARIO]))


def test_a_teams_own_keys_are_never_renamed() -> None:
    data = {"toolUses": [{"args": {"toolUses": 1, "userContent": {}}, "name": "f"}], "myKey": {"evalId": 1}}
    assert snake(data) == {
        "tool_uses": [{"args": {"toolUses": 1, "userContent": {}}, "name": "f"}],
        "myKey": {"eval_id": 1},
    }


texts = st.text(st.characters(codec="utf-8"), min_size=1, max_size=10).filter(str.strip)
scalars = (
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False) | texts
)
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3), max_leaves=5
)


@settings(
    max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
)
@given(
    st.lists(st.tuples(texts, st.dictionaries(texts, values, max_size=3), texts), min_size=1, max_size=3),
    st.dictionaries(texts, values, max_size=3),
)
def test_any_text_and_any_arguments_survive_the_round_trip(
    tmp_path: Path, spoken: list[tuple[str, dict[str, Any], str]], state: dict[str, Any]
) -> None:
    conversation = [
        {
            "user_content": {"parts": [{"text": user}], "role": "user"},
            "final_response": {"parts": [{"text": reference}], "role": "model"},
            "intermediate_data": {"tool_uses": [{"args": args, "name": "f"}]},
        }
        for user, args, reference in spoken
    ]
    session: dict[str, Any] = {"app_name": "desk_agent", "user_id": "u", **({"state": state} if state else {})}
    case = {"eval_id": "any", "conversation": conversation, "session_input": session}
    config = {"criteria": {"tool_trajectory_avg_score": 1.0, "response_match_score": 0.8}}
    compiled = rebuilt(tmp_path, import_sets([written(tmp_path, [case], config)]))
    assert bare(compiled.cases[0].eval_case) == case
    assert compiled.cases[0].criteria[0].options["ignore_args"] is False
