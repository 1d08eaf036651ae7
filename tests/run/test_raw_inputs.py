"""Raw sets that cannot be used, and criteria that do not exist, are told with their place and what may be meant."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from adk_split_eval.cli import main
from adk_split_eval.record.runs import list_runs, load_result

CASE = (
    '{"eval_id": "%s", "conversation": [{"user_content": {"role": "user", "parts": [{"text": "F-01 lookup"}]},'
    ' "final_response": {"role": "model", "parts": [{"text": "done"}]}}]}'
)


def case_set(name: str, *ids: str) -> str:
    cases = ",\n    ".join(CASE % i for i in ids)
    return f'{{\n  "eval_set_id": "{name}",\n  "eval_cases": [\n    {cases}\n  ]\n}}\n'


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["run", "--agent", "probe_agent", *arguments])


@pytest.fixture
def folder(project: Any) -> Path:
    project.many(fixed=1).write()
    root: Path = project.root
    return root


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (case_set("s", "a", "b", "a"), "s.json:6:17: ASE908 eval_id 'a' stands twice, first in line 4"),
        (case_set("s", "a", "a").replace('"eval_id"', '"evalId"'), "s.json:5:16: ASE908 eval_id 'a' stands twice"),
        ('{"eval_set_id": "s",\n "eval_cases": []}', "s.json:2:16: ASE908 the set has no cases"),
        ('[{"query": "hi", "reference": "x"}]', "s.json:1:1: ASE603 this is the oldest list format"),
        ('[{"name": "x", "data": []}]', "s.json:1:1: ASE603 this is the old list format"),
        ("[1, 2]", "s.json: ASE907 not an ADK eval set (a list)"),
    ],
)
def test_a_set_that_cannot_be_used_is_refused_at_its_place(folder: Path, text: str, said: str) -> None:
    (folder / "s.json").write_text(text, encoding="utf-8")
    refused = run("s.json")
    assert refused.exit_code == 2, refused.output
    assert refused.stderr.startswith(said)


def test_a_run_of_raw_sets_is_resumed_with_the_cases_it_has(folder: Path) -> None:
    """Else an interrupted run of all cases would be finished, green, with those that were named the second time."""
    (folder / "s.json").write_text(case_set("s", "a", "b"), encoding="utf-8")
    config = {"criteria": {"response_match_score": 0.1}}
    (folder / "c.json").write_text(json.dumps(config), encoding="utf-8")
    assert run("s.json", "--config", "c.json").exit_code == 0
    whole = list_runs(folder)[-1]
    whole.result.unlink()  # as if interrupted before the end
    refused = run("s.json:a", "--config", "c.json", "--resume", whole.run_id)
    assert refused.exit_code == 2
    assert re.search(r"ASE917 run \S+ is of \S+s\.json, .* by that of \S+s\.json:a;", refused.stderr), refused.stderr
    assert run("s.json:a", "--config", "c.json").exit_code == 0
    part = list_runs(folder)[-1]
    assert (part.run_id != whole.run_id, whole.finished) == (True, False)
    assert run("s.json", "--config", "c.json").exit_code == 0
    assert {c.case_id for c in load_result(whole.run_id, folder).cases} == {"a", "b"}


def test_two_sets_of_one_id_are_refused_with_both_places(folder: Path) -> None:
    (folder / "s.json").write_text(case_set("s", "a"), encoding="utf-8")
    (folder / "t.json").write_text(case_set("s", "b"), encoding="utf-8")
    assert run("s.json", "t.json").stderr.startswith(
        "t.json:2:18: ASE908 eval_set_id 's' is also in s.json:2:18; rename one of them"
    )
    assert "the set is named twice" in run("s.json", "s.json").stderr


def test_a_selector_that_matches_nothing_gives_the_nearest_id(folder: Path) -> None:
    (folder / "s.json").write_text(case_set("s", "asks_first", "pays"), encoding="utf-8")
    assert "ASE901 no case 'ask_first'; did you mean asks_first?" in run("s.json:ask_first").stderr


@pytest.mark.parametrize(
    ("data", "read"),
    [
        (
            [{"query": "hi", "expected_tool_use": [], "reference": "x"}],
            "AgentEvaluator.migrate_eval_data_to_new_schema",
        ),
        (
            [{"name": "x", "data": [{"query": "hi", "expected_tool_use": [], "reference": "x"}]}],
            "load_eval_set_from_file",
        ),
    ],
)
def test_each_old_format_is_told_the_call_that_really_migrates_it(folder: Path, data: Any, read: str) -> None:
    old, new = folder / "old.json", folder / "new.json"
    old.write_text(json.dumps(data), encoding="utf-8")
    assert f"help: migrate it: {read}" in run("old.json").stderr
    if read == "load_eval_set_from_file":
        from google.adk.evaluation.local_eval_sets_manager import load_eval_set_from_file

        new.write_text(load_eval_set_from_file(str(old), "migrated").model_dump_json(), encoding="utf-8")
    else:
        from google.adk.evaluation.agent_evaluator import AgentEvaluator

        AgentEvaluator.migrate_eval_data_to_new_schema(str(old), str(new))
    assert len(json.loads(new.read_text("utf-8"))["eval_cases"]) == 1


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("response_mach_score", "config.json:3:5: ASE201 there is no metric `response_mach_score`"),
        ("politeness_of_the_day", "config.json:3:5: ASE227 `politeness_of_the_day` is neither a built-in metric"),
    ],
)
def test_a_criterion_that_does_not_exist_is_told_with_its_place(folder: Path, name: str, said: str) -> None:
    (folder / "s.json").write_text(case_set("s", "a"), encoding="utf-8")
    (folder / "config.json").write_text(f'{{\n  "criteria": {{\n    "{name}": 0.5\n  }}\n}}\n', encoding="utf-8")
    ran = run("s.json", "--config", "config.json", "--json", "out.json")
    assert ran.exit_code == 3, ran.output
    (case,) = json.loads((folder / "out.json").read_text("utf-8"))["cases"]
    assert case["verdict"] == "ERROR"
    assert case["reasons"][0].startswith(f"{name}: {said}")
    assert ("did you mean `response_match_score`?" in case["reasons"][0]) == (name == "response_mach_score")
    assert "four arguments" not in case["next_step"]
