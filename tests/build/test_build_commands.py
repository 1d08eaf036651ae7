"""The verbs of this room: exit codes, messages with places, nothing overwritten, no traceback for a user's mistake."""

from __future__ import annotations

import json
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from adk_split_eval.build import compile_plan, write_sets
from adk_split_eval.build.commands import COMMANDS
from adk_split_eval.build.scaffold import scaffold_files
from adk_split_eval.plan import PlanError, load_plan

PLAN = """plan_id: desk
agent: desk_agent
models: {simulator: m, judge: j}
fixed_set:
  cases:
    - {case_id: A, turns: [{user: hi, expect_tools: [[f, g]]}]}
"""
REJECTED = "sim_set:\n  cases:\n    - {case_id: S, starting_prompt: hi, goal: g, expect_tools: [f]}\n"
MIXED = {
    "eval_set_id": "mixed",
    "eval_cases": [
        {"eval_id": "A", "conversation": [{"user_content": {"parts": [{"text": "hi"}], "role": "user"}}]},
        {"eval_id": "B", "conversation_scenario": {"starting_prompt": "hi", "conversation_plan": "ask"}},
    ],
}


def call(*arguments: str | Path) -> Result:
    group = click.Group(commands={command.name or "": command for command in COMMANDS})
    result = CliRunner().invoke(group, [str(argument) for argument in arguments])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


@pytest.fixture
def plan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "desk.plan.yaml"
    path.write_text(PLAN, encoding="utf-8")
    return path


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name or "")
def test_every_verb_has_help_with_an_example(command: click.Command) -> None:
    result = call(command.name or "", "--help")
    assert result.exit_code == 0
    assert f"adk-split-eval {command.name}" in " ".join(result.output.split())


class TestBuild:
    def test_the_only_plan_here_is_built_and_then_up_to_date(self, plan: Path) -> None:
        assert call("build", "--check").exit_code == 1
        built = call("build")
        assert built.exit_code == 0 and "written: fixed/desk_fixed.evalset.json" in built.output
        assert "nothing to do: 2 files" in call("build").output
        checked = call("build", plan, "--check")
        assert checked.exit_code == 0 and "up to date: 2 files" in checked.output

    @pytest.mark.parametrize("name", ["other.plan.yaml", "other.plan.yml"])
    def test_two_plans_in_one_folder_are_refused_before_anything_is_written(self, plan: Path, name: str) -> None:
        other = plan.with_name(name)
        other.write_text(PLAN.replace("plan_id: desk", "plan_id: other"), encoding="utf-8")
        before = sorted(plan.parent.rglob("*"))
        for arguments in ((plan, other), (plan,), (other,), ("desk.plan.yaml",), (plan, "--check")):
            result = call("build", *arguments)
            assert result.exit_code == 2 and "ASE041" in result.output
        with pytest.raises(PlanError, match="ASE041"):
            write_sets(compile_plan(load_plan(plan)))
        assert sorted(plan.parent.rglob("*")) == before

    def test_plans_in_folders_of_their_own_are_built_together(self, plan: Path) -> None:
        (plan.parent / "b").mkdir()
        other = plan.parent / "b" / "other.plan.yaml"
        other.write_text(PLAN.replace("plan_id: desk", "plan_id: other"), encoding="utf-8")
        assert call("build", plan, other, plan).exit_code == 0
        assert (plan.parent / "fixed").is_dir() and (other.parent / "fixed").is_dir()

    def test_check_says_what_is_stale_and_how_to_mend_it(self, plan: Path) -> None:
        call("build")
        plan.write_text(PLAN.replace("user: hi", "user: hello"), encoding="utf-8")
        result = call("build", "--check")
        assert result.exit_code == 1
        assert "stale: fixed/desk_fixed.evalset.json" in result.output and "run `adk-split-eval build`" in result.output

    def test_verbose_says_what_was_decided(self, plan: Path) -> None:
        output = call("build", "-v").output
        assert "fixed/ holds A; judged by tool_args_v1" in output
        assert "A: tool_trajectory_avg_score is left out" in output

    def test_a_rejected_case_is_left_out_and_said(self, plan: Path) -> None:
        plan.write_text(PLAN + REJECTED, encoding="utf-8")
        result = call("build")
        assert result.exit_code == 3
        assert f"{plan.name}:9:" in result.output and "ASE101" in result.output
        assert result.output.count("ASE101") == 1 and "rejected, in no set: S" in result.output
        assert (plan.parent / "fixed" / "desk_fixed.evalset.json").exists()
        assert not (plan.parent / "simulated").exists()

    def test_a_criterion_that_judges_nothing_stops_the_build(self, plan: Path) -> None:
        plan.write_text(PLAN.replace("fixed_set:\n", "fixed_set:\n  criteria: {response_match_score: 0.8}\n"), "utf-8")
        result = call("build")
        assert result.exit_code == 2
        assert f"{plan.name}:5:" in result.output and "ASE203" in result.output
        assert not (plan.parent / "fixed").exists()

    def test_a_plan_that_cannot_be_read_is_exit_2(self, plan: Path) -> None:
        assert call("build", "absent.plan.yaml").exit_code == 2
        plan.write_text("plan_id: [", encoding="utf-8")
        assert call("build").exit_code == 2

    def test_a_folder_that_cannot_be_written_is_exit_2(self, plan: Path) -> None:
        (plan.parent / "fixed").write_text("a file where the folder belongs", encoding="utf-8")
        result = call("build")
        assert result.exit_code == 2 and "cannot be read or written" in result.output


class TestInit:
    def test_the_scaffold_is_a_plan_without_findings(self, tmp_path: Path) -> None:
        result = call("init", tmp_path / "my desk")
        assert result.exit_code == 0
        path = tmp_path / "my desk" / "my_desk.plan.yaml"
        loaded = load_plan(path)
        assert loaded.findings == [] and loaded.plan.plan_id == "my_desk"
        assert sorted(scaffold_files("my_desk")) == sorted(
            found.relative_to(path.parent).as_posix() for found in path.parent.rglob("*") if found.is_file()
        )
        assert call("build", path).exit_code == 0

    def test_nothing_is_overwritten(self, tmp_path: Path) -> None:
        agent = tmp_path / "shop_agent" / "agent.py"
        agent.parent.mkdir()
        agent.write_text("mine", encoding="utf-8")
        result = call("init", tmp_path)
        assert result.exit_code == 2 and "ASE620" in result.output
        assert agent.read_text("utf-8") == "mine" and not list(tmp_path.glob("*.plan.yaml"))

    def test_a_folder_with_a_plan_is_left_alone(self, plan: Path) -> None:
        assert call("init").exit_code == 2

    def test_an_impossible_id_is_refused(self, tmp_path: Path) -> None:
        result = call("init", tmp_path / "x", "--plan-id", "a b")
        assert result.exit_code == 2 and "ASE021" in result.output
        assert not (tmp_path / "x").exists()


class TestImportAndSplit:
    @pytest.fixture
    def mixed(self, tmp_path: Path) -> Path:
        path = tmp_path / "mixed.evalset.json"
        path.write_text(json.dumps(MIXED), encoding="utf-8")
        return path

    def test_import_prints_or_writes_a_plan(self, mixed: Path, tmp_path: Path) -> None:
        printed = call("import", mixed)
        assert printed.exit_code == 0 and printed.output.startswith("# yaml-language-server")
        target = tmp_path / "new.plan.yaml"
        assert call("import", mixed, "-o", target).exit_code == 0
        assert target.read_text("utf-8") == printed.output
        assert call("import", mixed, "-o", target).exit_code == 2

    def test_a_dash_is_standard_output(self, mixed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(tmp_path)
        assert call("import", mixed, "-o", "-").stdout == call("import", mixed).stdout
        refused = call("split", mixed, "-o", "-")
        assert refused.exit_code == 2 and "standard output holds one" in refused.output
        assert not (tmp_path / "-").exists()

    def test_split_writes_two_sets_and_two_configs(self, mixed: Path, tmp_path: Path) -> None:
        result = call("split", mixed, "-o", tmp_path / "out")
        assert result.exit_code == 0 and "note: " in result.output
        assert len(list((tmp_path / "out").rglob("*.json"))) == 4
        assert call("split", mixed, "-o", tmp_path / "out").exit_code == 2

    def test_what_is_no_set_is_exit_2_with_its_place(self, tmp_path: Path) -> None:
        path = tmp_path / "x.json"
        path.write_text('{"eval_set_id": "x",\n "eval_cases": 3}', encoding="utf-8")
        for verb in ("import", "split"):
            result = call(verb, path)
            assert result.exit_code == 2 and "x.json:2:16: ASE611" in result.output
        assert call("split", tmp_path / "absent.json").exit_code == 2


def test_schema_is_json() -> None:
    schema = json.loads(call("schema").output)
    assert "fixed_set" in schema["properties"]


def test_init_says_a_command_that_can_be_pasted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    result = call("init", "bad name!")
    assert result.exit_code == 0 and "next: cd 'bad name!' && adk-split-eval run" in result.output
    assert "next: cd plain && " in call("init", "plain").output
