"""Plans: the plan room's own findings, the rules over plans with places in the YAML, and what is generated from them."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from adk_split_eval.lint import lint_paths, lint_plan
from adk_split_eval.lint.settings import Options

ROOT = Path(__file__).parents[2]
PLAN = """plan_id: desk
agent: desk
models: {simulator: gemini-2.5-flash, judge: gemini-2.5-flash}
fixed_set:
  criteria: {tool_trajectory_avg_score: {threshold: 1.0, match_type: EXACT}}
  cases:
    - case_id: F-01
      turns:
        - {user: Hold Dune., expect_tools: [{name: find_title, args: {title: Dune}}]}
sim_set:
  cases:
    - {case_id: S-01, persona: hurried, starting_prompt: Hi, goal: a book, goal_evidence: [{says: held}]}
"""


def put(folder: Path, text: str, name: str = "desk.plan.yaml") -> Path:
    (folder / "desk").mkdir(exist_ok=True)
    (folder / "desk" / "__init__.py").touch()
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_sound_plan_is_silent(tmp_path: Path) -> None:
    assert lint_plan(put(tmp_path, PLAN)) == []


def test_format_errors_come_from_the_plan_room(tmp_path: Path) -> None:
    found = lint_plan(put(tmp_path, PLAN.replace("fixed_set", "fixd_set")))
    assert next(f.code for f in found if f.level == "error") == "ASE010"
    assert found[0].line == 4


def test_expectation_on_a_simulated_case_rejects_that_case(tmp_path: Path) -> None:
    found = lint_plan(put(tmp_path, PLAN.replace("persona: hurried", "persona: hurried, expect_tools: [x]")))
    assert [(f.code, f.case_id, f.level) for f in found] == [("ASE101", "S-01", "error")]


def test_rules_name_the_case_and_the_place(tmp_path: Path) -> None:
    found = lint_plan(put(tmp_path, PLAN.replace("title: Dune}", "title: '*'}")))
    assert [(f.code, f.case_id, f.line) for f in found] == [("ASE309", "F-01", 9)]
    assert PLAN.replace("title: Dune}", "title: '*'}").splitlines()[8][found[0].column - 1 :].startswith("'*'")


def test_matchers_are_no_literals(tmp_path: Path) -> None:
    for matcher in (
        "{any: true}",
        "{regex: '2026-11-30T10:22:01'}",
        "{contains: a long sentence of more than six words here}",
    ):
        assert lint_plan(put(tmp_path, PLAN.replace("title: Dune}", f"title: {matcher}}}"))) == []


def test_frozen_cases_are_linted_in_their_own_file(tmp_path: Path) -> None:
    path = put(tmp_path, PLAN)
    frozen = """plan_id: desk
cases:
  - case_id: frozen_1
    provenance: {candidate: c, run: r}
    turns:
      - {user: "That is all. </finished>", expect_tools: []}
"""
    put(tmp_path, frozen, "desk.frozen.yaml")
    found = [f for f in lint_plan(path) if f.code == "ASE107"]
    assert [(Path(f.path).name, f.line, f.case_id) for f in found] == [("desk.frozen.yaml", 6, "frozen_1")]


def test_custom_metric_of_the_project_is_found_upwards(tmp_path: Path) -> None:
    (tmp_path / "metrics_of_ours").mkdir()
    (tmp_path / "metrics_of_ours" / "tone.py").write_text(
        "def warm(a, b, c, d=None):\n    return None\n", encoding="utf-8"
    )
    folder = tmp_path / "evals"
    folder.mkdir()
    declared = PLAN.replace(
        "agent: desk\n", "agent: desk\ncustom_metrics: {warm: {function: metrics_of_ours.tone.NAME}}\n"
    )
    assert lint_plan(put(folder, declared.replace("NAME", "warm"))) == []
    assert [f.code for f in lint_plan(put(folder, declared.replace("NAME", "cold")))] == ["ASE206"]


@pytest.mark.parametrize(("with_adk", "level"), [(True, "error"), (False, "warning")])
def test_a_metric_module_with_a_syntax_error_is_told_with_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, with_adk: bool, level: str
) -> None:
    monkeypatch.setattr("adk_split_eval.lint.function_source.has_adk", lambda: with_adk)
    monkeypatch.setattr("adk_split_eval.lint.function_source.forget", lambda: None)
    (tmp_path / "tone.py").write_text("def warm(a, b, c, d=None):\n    mood = = 1\n", encoding="utf-8")
    declared = PLAN.replace("agent: desk\n", "agent: desk\ncustom_metrics: {warm: {function: tone.warm}}\n")
    monkeypatch.chdir(tmp_path)
    (found,) = lint_plan(put(tmp_path, declared))
    assert (found.code, found.level, found.line, found.column) == ("ASE206", level, 3, 35)
    assert "(tone.py:2:12: invalid syntax)" in found.message


def test_examples_of_this_repository_have_no_errors() -> None:
    """Plans, and the sets and configs generated from them."""
    examples = ROOT / "evalsets"
    if not examples.is_dir():
        pytest.skip("no example plans here")
    found = [
        f
        for f in lint_paths([examples], Options(adk_version="2.13")).findings
        if f.level == "error" and f.code not in ("ASE414", "ASE401")
    ]
    assert [f.render() for f in found] == []


def test_stale_sets_are_said_and_mended_by_build(tmp_path: Path) -> None:
    from adk_split_eval.build import compile_plan, write_sets
    from adk_split_eval.plan import load_plan

    (tmp_path / "desk").mkdir()
    (tmp_path / "desk" / "agent.py").write_text("", encoding="utf-8")
    path = put(tmp_path, PLAN)
    write_sets(compile_plan(load_plan(path)))
    assert not [f for f in lint_plan(path) if f.code == "ASE630"]
    put(tmp_path, PLAN.replace("Hold Dune.", "Hold Emma."))
    assert {f.code for f in lint_plan(path)} == {"ASE630"}
    shutil.rmtree(tmp_path / "fixed")
    assert "is missing" in " ".join(f.message for f in lint_plan(path) if f.code == "ASE630")


RUBRIC = "{rubric_id: a, rubric_content: {text_property: %s}}"
QUALITY = "rubric_based_final_response_quality_v1"
TWO_LINES = r'"A\n\nB"'


@pytest.mark.parametrize(
    ("old", "new", "code", "level", "place"),
    [
        ("criteria: {", f"criteria: {{{QUALITY}: {{rubrics: [{RUBRIC % 'A'}, {RUBRIC % 'B'}]}}, ", "ASE217", "error", "a, rubric_content: {text_property: B"),
        ("criteria: {", f"criteria: {{{QUALITY}: {{rubrics: [{RUBRIC % 'A'}, {(RUBRIC % 'A').replace('id: a', 'id: b')}]}}, ", "ASE218", "error", "A}}]}"),
        ("criteria: {", f"criteria: {{{QUALITY}: {{rubrics: [{RUBRIC % TWO_LINES}]}}, ", "ASE216", "error", TWO_LINES),
        ("criteria: {", "criteria: {safety_v1: 0.8, ", "ASE224", "error", "safety_v1"),
        ("sim_set:\n", "sim_set:\n  criteria: {per_turn_user_simulator_quality_v1: {stop_signal: <done>}}\n", "ASE405", "error", "<done>"),
        ("sim_set:\n", "sim_set:\n  simulator: {custom_instructions: You are a customer.}\n", "ASE409", "error", "You are"),
        ("sim_set:\n", "sim_set:\n  simulator: {custom_instructions: '{{ stop_signal }}{{ conversation_plan }}{{ conversation_history }}'}\n", "ASE409", "error", "'{{ stop"),
        ("simulator: gemini-2.5-flash", "simulator: gpt4", "ASE414", "error", "gpt4"),
        ("judge: gemini-2.5-flash", "judge: gpt4", "ASE414", "error", "gpt4"),
        ("fixed_set:\n", "policy: {votes: 1}\nfixed_set:\n", "ASE404", "warning", "1}"),
        ("sim_set:\n", f"sim_set:\n  criteria: {{{QUALITY}: {{rubrics: [{RUBRIC % 'The agent must call find_title in the first turn.'}]}}}}\n", "ASE108", "warning", "The agent"),
        ("persona: hurried", "persona: {id: x, description: d, behaviors: [{name: n, description: d, behavior_instructions: [Ask], violation_rubrics: []}]}", "ASE411", "warning", "violation_rubrics"),
        ("expect_tools: [", "expect_tools: [{name: desk, args: {request: x}}, ", "ASE315", "warning", "{name: find_title"),
    ],
)  # fmt: skip
def test_what_a_set_would_be_told_a_plan_is_told(
    tmp_path: Path, old: str, new: str, code: str, level: str, place: str
) -> None:
    # A project begins here: an agent of another test beside this folder, with a key in its `.env`, is none of its own.
    (tmp_path / ".git").mkdir()
    text = PLAN.replace(old, new, 1)
    found = [f for f in lint_plan(put(tmp_path, text)) if f.code == code]
    assert [f.level for f in found] == [level]
    assert text.splitlines()[found[0].line - 1][found[0].column - 1 :].startswith(place)
