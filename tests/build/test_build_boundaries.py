"""What a plan becomes where two rules meet: names of groups, default thresholds, what goes to which metric, what is said where."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import pytest
import yaml
from click.testing import CliRunner, Result

from adk_split_eval.build import import_sets, read_traces
from adk_split_eval.build.commands import COMMANDS
from adk_split_eval.build.flat import is_flat
from adk_split_eval.build.jsonfile import read_json
from adk_split_eval.build.process import reads_state
from adk_split_eval.plan import PlanError
from adk_split_eval.record import CompiledPlan, Criterion

Compile = Callable[[str], CompiledPlan]
MODELS = "models: {simulator: scripted/user, judge: scripted/judge}\n"
PLAIN = "{case_id: A, turns: [{user: hi, expect_tools: [f]}]}"
PARALLEL = "{case_id: B, turns: [{user: hi, expect_tools: [[f, g]]}]}"
SILENT = "{case_id: C, turns: [{user: hi, response: {contains: [hello]}}]}"
NOTHING = "{case_id: D, match_type: IN_ORDER, turns: [{user: hi, expect_tools: []}]}"


def fixed(*cases: str, criteria: str = "{}") -> str:
    return f"fixed_set: {{criteria: {criteria}, cases: [{', '.join(cases)}]}}\n"


def found(made: CompiledPlan, name: str) -> Criterion | None:
    return next((c for case in made.cases for c in case.criteria if c.name == name), None)


@pytest.mark.parametrize(
    ("cases", "groups"),
    [
        ((PLAIN, PARALLEL), {"": ["A"], "parallel": ["B"]}),
        ((PLAIN, SILENT), {"": ["A"], "no_tools": ["C"]}),
        ((PLAIN, NOTHING), {"": ["A"], "calls_nothing": ["D"]}),
        ((PLAIN, PARALLEL, SILENT), {"": ["A"], "no_trajectory": ["B", "C"]}),
        ((PLAIN, PARALLEL, SILENT, NOTHING), {"": ["A"], "no_trajectory": ["B", "C", "D"]}),
        ((PARALLEL, SILENT), {"": ["B", "C"]}),
    ],
)
def test_a_group_is_named_by_what_sets_it_apart(
    compiled: Compile, cases: tuple[str, ...], groups: dict[str, list[str]]
) -> None:
    assert {s.group: s.case_ids for s in compiled(fixed(*cases)).sets} == groups


@pytest.mark.parametrize(
    ("name", "stated", "threshold"),
    [
        ("hallucinations_v1", "{judge_model_options: {judge_model: j}}", 1.0),
        ("hallucinations_v1", "{threshold: 0.25}", 0.25),
        ("response_match_score", "{include_intermediate_responses_in_final: true}", 0.8),
        ("ours", "{}", 0.75),
        ("ours", "0.5", 0.5),
    ],
)
def test_a_criterion_without_a_threshold_has_its_default(
    compiled: Compile, name: str, stated: str, threshold: float
) -> None:
    metric = "custom_metrics: {ours: {function: team.ours, threshold: 0.75}}\n"
    case = "{case_id: A, turns: [{user: hi, expect_response: yes please}]}"
    made = compiled(MODELS + metric + fixed(case, criteria=f"{{{name}: {stated}}}"))
    criterion = found(made, name)
    assert criterion is not None and criterion.threshold == threshold


REFERENCES = "{case_id: A, turns: [{user: a, expect_response: x}, {user: b, expect_response: y}]}"


@pytest.mark.parametrize(
    ("criteria", "names"),
    [
        ("{}", ["expected_response_v1"]),
        ("{response_match_score: 0.5}", ["response_match_score"]),
        ("{expected_response_v1: 0.5}", ["expected_response_v1"]),
        ("{response_match_score: 0.5, expected_response_v1: 0.5}", ["response_match_score", "expected_response_v1"]),
    ],
)
def test_references_on_every_turn(compiled: Compile, criteria: str, names: list[str]) -> None:
    made = compiled(fixed(REFERENCES, criteria=criteria))
    assert sorted(c.name for c in made.cases[0].criteria) == sorted(names)


@pytest.mark.parametrize(
    ("keys", "flat"),
    [
        (["traces", "fixed_set"], True),
        (["traces", "sim_set"], True),
        (["traces", "fixed_set", "sim_set"], True),
        (["traces"], False),
        (["fixed_set", "sim_set"], False),
    ],
)
def test_what_is_a_flat_file(tmp_path: Path, keys: list[str], flat: bool) -> None:
    path = tmp_path / "recorded.json"
    path.write_text(json.dumps({key: {} for key in keys}), "utf-8")
    assert is_flat(path) is flat
    path.write_text(json.dumps(keys), "utf-8")
    assert not is_flat(path)
    assert not is_flat(tmp_path / "gone.json")


@pytest.mark.parametrize(
    ("data", "tools"),
    [
        (None, None),
        ({}, "[]"),
        ({"tool_uses": []}, "[]"),
        ({"tool_uses": [{"name": "f"}]}, "[f]"),
        ({"intermediate_responses": [["desk", [{"text": "one moment"}]]]}, None),
        ({"tool_responses": [{"name": "f", "response": {}}]}, None),
        ({"tool_uses": [], "intermediate_responses": [["desk", [{"text": "one moment"}]]]}, "[]"),
    ],
)
def test_an_imported_turn_expects_what_it_stated(tmp_path: Path, data: Any, tools: str | None) -> None:
    turn: dict[str, Any] = {"user_content": {"parts": [{"text": "hi"}], "role": "user"}}
    turn["final_response"] = {"parts": [{"text": "hello"}], "role": "model"}
    if data is not None:
        turn["intermediate_data"] = data
    path = tmp_path / "old.evalset.json"
    path.write_text(
        json.dumps({"eval_set_id": "old", "eval_cases": [{"eval_id": "A", "conversation": [turn]}]}), "utf-8"
    )
    text = import_sets([path])
    stated = [line.split("expect_tools:")[1].strip() for line in text.splitlines() if "expect_tools:" in line]
    assert stated == ([] if tools is None else [tools]), text


@pytest.mark.parametrize(
    ("stated", "kept"), [(0.5, "0.5"), (1, "1"), (True, "1.0"), (0, "1.0"), (1.5, "1.0"), ({"threshold": -1}, "1.0")]
)
def test_an_imported_threshold_can_decide(tmp_path: Path, stated: Any, kept: str) -> None:
    turn = {
        "user_content": {"parts": [{"text": "hi"}], "role": "user"},
        "final_response": {"parts": [{"text": "hello"}], "role": "model"},
    }
    data = {"eval_set_id": "old", "eval_cases": [{"eval_id": "A", "conversation": [turn]}]}
    path = tmp_path / "old.evalset.json"
    path.write_text(json.dumps(data), "utf-8")
    (tmp_path / "test_config.json").write_text(json.dumps({"criteria": {"response_match_score": stated}}), "utf-8")
    text = import_sets([path])
    assert f"    response_match_score: {kept}\n" in text
    assert ("could not decide anything" in text) == (kept == "1.0")


@pytest.mark.parametrize(("ignored", "tools"), [(True, "[f]"), (False, "[{name: f, args: {a: 1}, args_exact: true}]")])
def test_imported_arguments_count_unless_they_were_ignored(tmp_path: Path, ignored: bool, tools: str) -> None:
    turn = {
        "user_content": {"parts": [{"text": "h"}, {"text": "i"}], "role": "user"},
        "intermediate_data": {"tool_uses": [{"name": "f", "args": {"a": 1}}]},
    }
    path = tmp_path / "old.evalset.json"
    path.write_text(
        json.dumps({"eval_set_id": "old", "eval_cases": [{"eval_id": "A", "conversation": [turn]}]}), "utf-8"
    )
    config = {"criteria": {"tool_trajectory_avg_score": {"threshold": 1.0, "ignore_args": ignored}}}
    (tmp_path / "test_config.json").write_text(json.dumps(config), "utf-8")
    text = import_sets([path])
    plan = yaml.safe_load(text)
    assert plan["fixed_set"]["cases"][0]["turns"][0] == {"user": "hi", "expect_tools": yaml.safe_load(tools)}
    assert "is in 2 parts: they are joined" in text


@pytest.mark.parametrize("step", ["1", 1.5, True, None])
def test_a_recorded_step_is_a_whole_number(tmp_path: Path, step: Any) -> None:
    turn = {"user": "hi", "events": [{"kind": "call", "name": "f", "step": step}]}
    path = tmp_path / "traces.json"
    path.write_text(json.dumps({"A": {"turns": [turn]}}), "utf-8")
    with pytest.raises(PlanError, match="ASE611 step is no whole number"):
        read_traces(path)


def test_only_the_models_a_plan_pins_are_told(compiled: Compile) -> None:
    assert compiled("models: {judge: j}\n" + fixed(PLAIN)).models == {"judge": "j"}
    assert compiled(fixed(PLAIN)).models == {}


def test_why_a_json_file_cannot_be_read(tmp_path: Path) -> None:
    for path, cause in ((tmp_path / "gone.json", "No such file or directory"), ("a\0b", "embedded null byte")):
        with pytest.raises(PlanError, match=f"ASE634 cannot be read: {cause}"):
            read_json(path)


@pytest.mark.parametrize(
    ("process", "names"),
    [
        ("questions: {event: {tool: ask}, text: args.text}", ["repeated_questions_v1"]),
        (
            "questions: {event: {tool: ask}, text: args.text, judge: true}",
            ["repeated_questions_v1", "repeated_meaning_v1"],
        ),
        ("report: {from: {tool: tell, pick: args.report}, requirements: [names a strength]}", ["report_review_v1"]),
    ],
)
def test_what_a_judge_decides_of_the_process(compiled: Compile, process: str, names: list[str]) -> None:
    made = compiled(MODELS + f"process: {{{process}}}\n" + fixed(PLAIN))
    criteria = {
        c.name: c for c in made.cases[0].criteria if c.name not in ("tool_trajectory_avg_score", "tool_args_v1")
    }
    assert list(criteria) == names
    for name, criterion in criteria.items():
        judged = name in ("repeated_meaning_v1", "report_review_v1")
        assert (criterion.kind == "judged") == judged == ("judge" in criterion.params)
        assert not judged or criterion.params["judge"]["judge_model"] == "scripted/judge"


STATE, TOOL = {"event": {"state": "stage"}}, {"event": {"tool": "f"}}


@pytest.mark.parametrize(
    ("params", "reads"),
    [
        (STATE, True),
        (TOOL, False),
        ({"event": "named"}, False),
        ({}, False),
        ({**TOOL, "early_end": STATE}, True),
        ({**TOOL, "report": STATE}, True),
        ({**TOOL, "from": STATE, "report": TOOL}, True),
        ({"questions": TOOL, "evidence": STATE}, True),
        ({**TOOL, "early_end": TOOL, "report": None}, False),
        ({**TOOL, "nothing_after": [{"tool": "f"}, {"state": "s"}]}, True),
        ({**TOOL, "nothing_after": [{"tool": "f"}]}, False),
    ],
)
def test_what_only_our_runner_can_see_is_left_to_it(params: dict[str, Any], reads: bool) -> None:
    assert reads_state(params) is reads


class TestWhatBuildSaysWhere:
    @pytest.fixture
    def plan(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
        monkeypatch.chdir(tmp_path)
        path = tmp_path / "desk.plan.yaml"
        path.write_text("plan_id: desk\nagent: desk_agent\n" + fixed(PLAIN), "utf-8")
        return path

    def build(self, *arguments: str | Path) -> Result:
        group = click.Group(commands={command.name or "": command for command in COMMANDS})
        return CliRunner().invoke(group, ["build", *map(str, arguments)])

    def test_what_was_done_is_output(self, plan: Path) -> None:
        first = self.build(plan)
        assert first.exit_code == 0 and first.stderr == ""
        assert first.stdout.splitlines() == [
            "written: fixed/desk_fixed.evalset.json",
            "written: fixed/test_config.json",
        ]
        again = self.build(plan)
        assert (again.exit_code, again.stdout) == (0, "nothing to do: 2 files are up to date\n")
        plan.write_text(plan.read_text("utf-8").replace("[f]", "[g]"), "utf-8")
        stale = self.build(plan, "--check")
        assert (stale.exit_code, stale.stdout) == (1, "stale: fixed/desk_fixed.evalset.json\n")
        assert stale.stderr == "run `adk-split-eval build` and commit what it writes\n"

    def test_a_remark_is_no_output(self, plan: Path) -> None:
        result = self.build(plan, "--web")
        assert result.exit_code == 0
        assert result.stderr == "no copies for adk web: the plan's agent folder does not exist\n"
        assert "adk web" not in result.stdout

    def test_what_is_wrong_is_no_output(self, plan: Path) -> None:
        plan.write_text(
            plan.read_text("utf-8")
            + "sim_set: {criteria: {grounded_numbers_v1: 1.0}, cases: [{case_id: S, goal: g}]}\n",
            "utf-8",
        )
        result = self.build(plan)
        assert result.exit_code == 3
        assert "ASE012" in result.stderr and "rejected, in no set: S" in result.stderr
        assert "ASE012" not in result.stdout and "rejected" not in result.stdout
        plan.write_text("plan_id: desk\nzzz: 1\n", "utf-8")
        result = self.build(plan)
        assert (result.exit_code, result.stdout) == (2, "")
        assert "desk.plan.yaml:2:1: ASE010" in result.stderr

    def test_a_folder_that_cannot_be_written_is_named(self, plan: Path) -> None:
        (plan.parent / "fixed").write_text("a file stands in the way", "utf-8")
        result = self.build(plan)
        assert (result.exit_code, result.stdout) == (2, "")
        assert "fixed" in result.stderr and "cannot be read or written" in result.stderr
