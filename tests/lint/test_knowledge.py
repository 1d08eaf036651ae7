"""The stored facts: every version loads, known differences hold, and the installed google-adk has not drifted from its file."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from adk_split_eval.criteria import knowledge

TOOL = Path(__file__).parents[2] / "tools" / "regenerate_adk_knowledge.py"


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location("regenerate_adk_knowledge", TOOL)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["regenerate_adk_knowledge"] = module
    spec.loader.exec_module(module)
    return module


def test_versions_are_known_in_order() -> None:
    assert knowledge.versions() == ("1.26", "1.39", "2.0", "2.7", "2.10", "2.13")


@pytest.mark.parametrize(
    ("asked", "used"),
    [("2.13.0", "2.13"), ("2.14.1", "2.13"), ("2.9", "2.7"), ("2.1.0", "2.0"), ("1.30", "1.26"), ("0.5", "1.26")],
)
def test_nearest_older_version(asked: str, used: str) -> None:
    assert knowledge.load(asked).version == used


@pytest.mark.parametrize("version", knowledge.versions())
def test_every_type_is_understood(version: str) -> None:
    """Each field's type can be checked, and each model it names is there."""
    from adk_split_eval.lint.schema import FastChecks

    known = knowledge.load(version)
    checks = FastChecks(known)
    for name in known.raw_models:
        assert checks.model(name)(None) is False


def differences() -> list[tuple[str, Any]]:
    def has(model: str, field: str) -> Any:
        return lambda k: model in k.raw_models and field in k.raw_models[model]["fields"]

    return [
        ("1.39", lambda k: "multi_turn_task_success_v1" in k.metrics),
        ("2.7", lambda k: "rubric_based_multi_turn_trajectory_quality_v1" in k.metrics),
        ("2.10", lambda k: "token_usage_v1" in k.metrics),
        ("2.10", has("ToolTrajectoryCriterion", "ignore_args")),
        ("1.39", has("LlmBackedUserSimulatorConfig", "include_function_calls")),
        ("2.7", has("SessionInput", "session_id")),
        ("2.7", has("LlmBackedUserSimulatorConfig", "type")),
        ("2.10", has("JudgeModelOptions", "parallelism_limit")),
        ("2.7", lambda k: k.raw_models["EvalCase"]["extra"] == "allow"),
        ("2.10", lambda k: k.feature("informational_status")),
        ("2.13", lambda k: k.feature("exit_code_on_failure")),
        ("2.7", lambda k: k.feature("unicode_rouge")),
    ]


@pytest.mark.parametrize(("since", "holds"), differences())
def test_known_differences_between_versions(since: str, holds: Any) -> None:
    for version in knowledge.versions():
        assert bool(holds(knowledge.load(version))) == knowledge.at_least(version, since), version


def test_metric_facts() -> None:
    metrics = knowledge.load("2.13").metrics
    assert {n for n, m in metrics.items() if m.reference_based} == {
        "tool_trajectory_avg_score", "response_match_score", "final_response_match_v2", "response_evaluation_score",
    }  # fmt: skip
    assert {n for n, m in metrics.items() if m.needs_scenario} == {"per_turn_user_simulator_quality_v1"}
    assert metrics["response_evaluation_score"].range == (1.0, 5.0)
    assert {n for n, m in metrics.items() if not m.takes_threshold} == {
        "tool_call_count_v1", "inference_call_count_v1", "token_usage_v1", "invocation_duration_v1",
    }  # fmt: skip


@pytest.mark.adk
def test_installed_version_has_not_drifted(tool: ModuleType) -> None:
    """The stored file of the installed version is what the tool would write now."""
    pytest.importorskip("google.adk")
    root, version = tool.installed()
    made = tool.build(tool.Source(root, tool.genai_types()), version)
    stored = knowledge.DATA / f"{made['version']}.json"
    if not stored.exists():
        pytest.skip(f"no file is kept for google-adk {version}")
    assert tool.render(made) == stored.read_text(encoding="utf-8")


@pytest.mark.adk
def test_facts_agree_with_the_imported_package() -> None:
    """What was read off the source is what pydantic and the registry say at run time."""
    pytest.importorskip("google.adk")
    import google.adk
    from google.adk.evaluation import eval_case, eval_config, eval_metrics
    from google.adk.evaluation.metric_evaluator_registry import DEFAULT_METRIC_EVALUATOR_REGISTRY

    known = knowledge.load(google.adk.__version__)
    assert set(known.metrics) == {
        m.metric_name if isinstance(m.metric_name, str) else m.metric_name.value
        for m in DEFAULT_METRIC_EVALUATOR_REGISTRY.get_registered_metrics()
    }
    for module in (eval_case, eval_config, eval_metrics):
        for name, raw in known.raw_models.items():
            model = getattr(module, name, None)
            if model is None or not hasattr(model, "model_fields"):
                continue
            assert set(raw["fields"]) == set(model.model_fields), name
            assert raw["extra"] == (model.model_config.get("extra") or "ignore"), name
            assert {f for f, v in raw["fields"].items() if v.get("required")} == {
                f for f, v in model.model_fields.items() if v.is_required()
            }, name


@pytest.mark.adk
@pytest.mark.parametrize("by_alias", [False, True])
@pytest.mark.parametrize("exclude", [{}, {"exclude_none": True}, {"exclude_unset": True}])
def test_what_adk_writes_itself_is_clean(by_alias: bool, exclude: dict[str, bool], tmp_path: Path) -> None:
    """Sets dumped by ADK's own models, with or without nulls and aliases inside cases, have no schema findings."""
    pytest.importorskip("google.adk")
    import json

    from google.adk.evaluation.eval_case import (
        EvalCase,
        IntermediateData,
        Invocation,
        InvocationEvent,
        InvocationEvents,
        SessionInput,
    )
    from google.adk.evaluation.eval_rubrics import Rubric, RubricContent
    from google.genai import types

    from adk_split_eval.lint import lint_paths
    from adk_split_eval.lint.settings import Options

    call = types.FunctionCall(name="find_title", args={"title": "Dune"})
    words = types.Content(role="user", parts=[types.Part(text="Hold Dune.")])
    answer = types.Content(role="model", parts=[types.Part(text="Held.")])
    uses = IntermediateData(tool_uses=[call], intermediate_responses=[("desk", [types.Part(text="wait")])])
    events = InvocationEvents(
        invocation_events=[
            InvocationEvent(author="desk", content=types.Content(role="model", parts=[types.Part(function_call=call)]))
        ]
    )
    rubric = Rubric(rubric_id="r", rubric_content=RubricContent(text_property="Short."), type="FINAL_RESPONSE_QUALITY")
    cases = [
        EvalCase(
            eval_id=f"c{i}", conversation=[Invocation(user_content=words, final_response=answer, intermediate_data=data)],
            session_input=SessionInput(app_name="desk", user_id="u", state={"a": 1}), rubrics=[rubric],
        )
        for i, data in enumerate([uses, events])
    ]  # fmt: skip
    dumped = [json.loads(c.model_dump_json(by_alias=by_alias, **exclude)) for c in cases]
    (tmp_path / "a.evalset.json").write_text(
        json.dumps(
            {"eval_set_id": "d", "name": None, "description": None, "eval_cases": dumped, "creation_timestamp": 1.5}
        ),
        encoding="utf-8",
    )
    (tmp_path / "test_config.json").write_text(
        '{"criteria": {"tool_trajectory_avg_score": 1.0, "rubric_based_final_response_quality_v1": {"threshold": 0.8, "judge_model_options": {"judge_model": "gemini-2.5-flash", "num_samples": 3}}}}',
        encoding="utf-8",
    )
    found = lint_paths([tmp_path], Options(adk_version="2.13")).findings
    assert {f.code for f in found} <= {"ASE109"}, [f.render() for f in found]
