"""Files as they lie about in repositories: what ADK cannot read is an error, what it reads well is none."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from adk_split_eval.lint import lint_paths

TURN = {
    "user_content": {"parts": [{"text": "Hi"}]}, "final_response": {"parts": [{"text": "Yes"}]},
    "intermediate_data": {"tool_uses": [{"name": "find", "args": {"title": "Dune"}}]},
}  # fmt: skip
FIXED = {"eval_id": "a", "conversation": [TURN]}
SCENARIO = {"eval_id": "s", "conversation_scenario": {"starting_prompt": "Hi", "conversation_plan": "Ask for Dune."}}
DETAILS = {"desk": {"name": "desk", "instructions": "Help.", "tool_declarations": [{"function_declarations": []}]}}
CONFIG = {"criteria": {"tool_trajectory_avg_score": 1.0}}


def eval_set(*cases: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"eval_set_id": "desk", "eval_cases": list(cases or [FIXED]), **more}


def errors(root: Path, given: bytes | dict[str, Any], config: dict[str, Any] | None = None) -> list[tuple[str, str]]:
    """(code, the text from its place on) of each error."""
    (root / "pyproject.toml").touch()
    path = root / "a.evalset.json"
    path.write_bytes(given if isinstance(given, bytes) else json.dumps(given).encode())
    (root / "test_config.json").write_text(json.dumps(config or CONFIG), encoding="utf-8")
    found = [f for f in lint_paths([root], adk_version="2.13").findings if f.level == "error"]
    assert all(f.line == 1 for f in found)
    return [(f.code, Path(f.path).read_text(encoding="utf-8", errors="replace")[f.column - 1 :]) for f in found]


def loads(path: Path) -> bool:
    """Whether the installed ADK reads the set."""
    from google.adk.evaluation.local_eval_sets_manager import load_eval_set_from_file

    try:
        return bool(load_eval_set_from_file(str(path), str(path)).eval_cases)
    except (TypeError, ValueError):
        return False


def with_details(details: Any) -> dict[str, Any]:
    case = copy.deepcopy(FIXED)
    case["conversation"][0]["app_details"] = {"agent_details": details}  # type: ignore[index]
    return eval_set(case)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (b"null", ("ASE601", "null")),
        (b"3", ("ASE606", "3")),
        (b'"text"', ("ASE606", '"text"')),
        (eval_set(name=3), ("ASE602", "3")),
        (eval_set(description=["x"]), ("ASE602", '["x"')),
        (eval_set(creation_timestamp="yesterday"), ("ASE602", '"yesterday"')),
        (with_details({"desk": 3}), ("ASE602", "3")),
        (with_details({"desk": {"instructions": "Help."}}), ("ASE602", '{"instructions"')),
        (with_details({"desk": {**DETAILS["desk"], "tools": []}}), ("ASE602", '"tools"')),
        (json.dumps(eval_set()).replace("Dune", "\\ud83d").encode(), ("ASE601", "\\ud83d")),
        (json.dumps(eval_set()).replace("Dune", "\\ude00\\ud83d").encode(), ("ASE601", "\\ude00")),
        (json.dumps(eval_set()).encode("utf-16-le"), ("ASE633", "\0")),
        (json.dumps(eval_set()).encode("utf-16-be"), ("ASE633", "\0")),
        (json.dumps(eval_set()).encode("utf-32-le"), ("ASE633", "\0")),
    ],
)  # fmt: skip
def test_sets_that_adk_cannot_read(tmp_path: Path, given: Any, expected: tuple[str, str]) -> None:
    [(code, text)] = errors(tmp_path, given)
    assert code == expected[0] and text.startswith(expected[1])


@pytest.mark.adk
@pytest.mark.parametrize(
    ("given", "right"),
    [
        (b"null", False),
        (json.dumps(eval_set()).replace("Dune", "\\ud83d").encode(), False),
        (json.dumps(eval_set()).replace("Dune", "\\ud83d\\ude00 \\\\ud83d").encode(), True),
        (json.dumps(eval_set()).replace('"Dune"', "NaN").encode(), True),
        (with_details(DETAILS), True),
        (with_details({"desk": 3}), False),
        (eval_set(name=3), False),
        (eval_set(name=None, description=None, creation_timestamp=1), True),
    ],
)
def test_adk_agrees(tmp_path: Path, given: Any, right: bool) -> None:
    pytest.importorskip("google.adk")
    found = errors(tmp_path, given)
    assert (found == []) is right
    assert loads(tmp_path / "a.evalset.json") is right


@pytest.mark.parametrize("value", [[], "calls nothing", {}])
def test_empty_expectation_on_a_simulated_case(tmp_path: Path, value: Any) -> None:
    config = {
        "criteria": {
            "hallucinations_v1": {"threshold": 0.8, "judge_model_options": {"judge_model": "gemini-2.5-flash"}}
        }
    }
    assert [code for code, _ in errors(tmp_path, eval_set({**SCENARIO, "expected_tool_use": value}), config)] == [
        "ASE110"
    ]
    assert errors(tmp_path, eval_set({**SCENARIO, "final_session_state": {}}), config) == []


def test_criteria_that_are_null_are_one_fault(tmp_path: Path) -> None:
    assert [code for code, _ in errors(tmp_path, eval_set(), {"criteria": None})] == ["ASE220"]


@pytest.mark.parametrize("threshold", [0, -3.5, 250])
def test_range_of_a_custom_metric_is_its_own(tmp_path: Path, threshold: float) -> None:
    config = {"criteria": {"delta": threshold}, "custom_metrics": {"delta": {"code_config": {"name": "json.dumps"}}}}
    assert errors(tmp_path, eval_set(), config) == []


@pytest.mark.parametrize("where", ["desk/.env", ".env", "app/desk/.env"])
def test_credentials_beside_the_agent(tmp_path: Path, where: str) -> None:
    sets = tmp_path / "tests" / "eval"
    sets.mkdir(parents=True)
    config = {"criteria": {"final_response_match_v2": 0.8, "safety_v1": 0.8}}
    assert [code for code, _ in errors(sets, eval_set(), config)] == ["ASE401", "ASE224"]
    (sets / "pyproject.toml").unlink()
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / where).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / where).with_name("agent.py").touch()
    (tmp_path / where).write_text("GOOGLE_API_KEY=abc\n", encoding="utf-8")
    assert [f for f in lint_paths([sets], adk_version="2.13").findings if f.level == "error"] == []


HEAD = "import os, pathlib\nfrom google.adk.evaluation.agent_evaluator import AgentEvaluator\n"


@pytest.mark.parametrize(
    ("folder", "found"),
    [
        ("'tests/evals'", True),
        ("str(pathlib.Path(__file__).parent / 'evals')", True),
        ("os.path.join(os.path.dirname(__file__), 'evals')", True),
        ("str(pathlib.Path(__file__).resolve().parents[1].joinpath('tests', 'evals'))", True),
        ("os.path.join(os.path.dirname(__file__), 'good')", False),
        ("str(pathlib.Path(__file__).parent / name)", False),
        ("'no/such/folder'", False),
    ],
)
def test_folders_that_agent_evaluator_finds_empty(tmp_path: Path, folder: str, found: bool) -> None:
    (tmp_path / "tests" / "good").mkdir(parents=True)
    (tmp_path / "tests" / "good" / "a.test.json").write_text(json.dumps(eval_set()), encoding="utf-8")
    (tmp_path / "tests" / "evals").mkdir()
    (tmp_path / "tests" / "evals" / "b.evalset.json").write_text(json.dumps(eval_set()), encoding="utf-8")
    call = f"async def test_é(name):\n    _ = 'é'; await AgentEvaluator.evaluate('desk', {folder})\n"
    (tmp_path / "tests" / "test_evals.py").write_text(HEAD + call, encoding="utf-8")
    places = [(f.line, f.column) for f in lint_paths([tmp_path]).findings if f.code == "ASE608"]
    assert places == ([(4, 1 + call.splitlines()[1].index(folder))] if found else [])


def test_evaluate_of_something_else(tmp_path: Path) -> None:
    (tmp_path / "evals").mkdir()
    (tmp_path / "a.evalset.json").write_text(json.dumps(eval_set()), encoding="utf-8")
    (tmp_path / "test_a.py").write_text(HEAD + "model.evaluate('desk', 'evals')\n", encoding="utf-8")
    assert [f for f in lint_paths([tmp_path]).findings if f.code == "ASE608"] == []


def test_session_input_with_a_misspelt_key(tmp_path: Path) -> None:
    (tmp_path / "session.json").write_text('{"app_name": "desk", "user_id": "u", "sate": {}}', encoding="utf-8")
    assert [(f.code, f.column) for f in lint_paths([tmp_path / "session.json"]).findings] == [("ASE221", 38)]


QUALITY, TRAJECTORY = "rubric_based_final_response_quality_v1", "rubric_based_multi_turn_trajectory_quality_v1"


@pytest.mark.parametrize(("kind", "expected"), [("FINAL_RESPONSE_QUALITY", []), ("TRAJECTORY_QUALITY", ["ASE218"])])
def test_same_words_for_two_metrics_are_two_rubrics(tmp_path: Path, kind: str, expected: list[str]) -> None:
    judge = {"judge_model": "gemini-2.5-flash", "num_samples": 3}
    asked = {"rubric_id": "a", "rubric_content": {"text_property": "The reply is polite."}}
    config = {
        "criteria": {
            QUALITY: {"threshold": 0.8, "judge_model_options": judge},
            TRAJECTORY: {"threshold": 0.8, "judge_model_options": judge, "rubrics": [asked]},
        }
    }
    other = {
        "rubric_id": "c",
        "rubric_content": {"text_property": "The reply  is polite."},
        "type": "FINAL_RESPONSE_QUALITY",
    }
    case = {
        **FIXED,
        "rubrics": [other, *([] if kind == other["type"] else [{**other, "rubric_id": "d", "type": kind}])],
    }
    assert [code for code, _ in errors(tmp_path, eval_set(case), config)] == expected


@pytest.mark.parametrize(
    ("state", "call"),
    [
        ({"customer_id": "C1"}, {"name": "submit_refund", "args": {"customer_id": "C1", "order_id": "L1"}}),
        ({"user:user_id": "C1"}, {"name": "update_user", "args": {"user_id": "C1", "city": "Rome"}}),
        ({"language": "de"}, {"name": "set_reminder", "args": {"language": "de", "text": "x"}}),
        ({"city": "Rome"}, {"name": "book_hotel", "args": {"city": "Rome"}}),
        ({"city": "Rome"}, {"name": "get_city", "args": {"city": "Rome"}}),
    ],
)
def test_state_that_a_call_starts_from(tmp_path: Path, state: dict[str, Any], call: dict[str, Any]) -> None:
    assert errors(tmp_path, with_state(state, call)) == []


@pytest.mark.parametrize(
    ("state", "call"),
    [
        ({"branch": "north"}, {"name": "set_branch", "args": {"branch": "north"}}),
        ({"user:language": "de"}, {"name": "changeLanguage", "args": {"language": "de"}}),
    ],
)
def test_state_that_a_call_is_to_make(tmp_path: Path, state: dict[str, Any], call: dict[str, Any]) -> None:
    assert [code for code, _ in errors(tmp_path, with_state(state, call))] == ["ASE506"]


def with_state(state: dict[str, Any], call: dict[str, Any]) -> dict[str, Any]:
    case = {**copy.deepcopy(FIXED), "session_input": {"app_name": "desk", "user_id": "u", "state": state}}
    case["conversation"][0]["intermediate_data"]["tool_uses"] = [call]  # type: ignore[index]
    return eval_set(case)


@pytest.mark.parametrize(
    ("name", "text", "ours"),
    [
        ("settings.json", '{"criteria": ["age", "income"], "name": "loan"}', False),
        ("search.json", '{"criteria": {"price": {"max": 50}}, "sort": "asc"}', False),
        ("user.json", '{"app_name": "web", "user_id": 3}', False),
        ("log.json", '{"app_name": "web", "user_id": "u", "event": "login"}', False),
        ("login.test.json", '{"steps": [1, 2]}', False),
        ("mine.json", '{"criteria": {"latency": {"threshold": 1.0}}}', True),
        ("mine.json", '{"criteria": {"polite": 0.8}}', True),
        ("mine.json", '{"criteria": ["tool_trajectory_avg_score"]}', True),
        ("start.json", '{"app_name": "desk", "user_id": "u", "state": {}}', True),
        ("a.test.json", '{"test_cases": [], "agent": "desk"}', True),
    ],
)
def test_only_what_is_likely_ours_is_looked_at(tmp_path: Path, name: str, text: str, ours: bool) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    assert bool(lint_paths([tmp_path]).files) is ours
    assert lint_paths([tmp_path / name]).files  # what is named is looked at


@pytest.mark.parametrize(
    ("reference", "told"), [("Should I book it for you?", False), ("Should greet the user.", True)]
)
def test_question_is_an_answer(tmp_path: Path, reference: str, told: bool) -> None:
    turn = {**TURN, "final_response": {"parts": [{"text": reference}]}}
    errors(tmp_path, eval_set({"eval_id": "a", "conversation": [turn]}), {"criteria": {"response_match_score": 0.5}})
    assert ("ASE307" in {f.code for f in lint_paths([tmp_path], adk_version="2.13").findings}) is told
