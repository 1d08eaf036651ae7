"""Differences between runs and the trend over them, by the verbs themselves."""

import json
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from adk_split_eval.record.result import CaseResult, CriterionResult, RunResult, TrialResult
from adk_split_eval.record.runs import run_folder
from adk_split_eval.report.commands import COMMANDS
from adk_split_eval.report.diff import diff_runs
from adk_split_eval.report.history import read_history
from adk_split_eval.report.json_report import write_json

CLI = click.Group("adk-split-eval", commands=list(COMMANDS))
DATA = Path(__file__).parent / "data"


def criterion(score: float, kind: str = "deterministic", name: str = "grounded_numbers_v1") -> CriterionResult:
    return CriterionResult(name, kind, "passed" if score >= 1 else "failed", score, 1.0)  # type: ignore[arg-type]


def run(
    run_id: str, verdicts: dict[str, str], day: int = 1, *, flaky: tuple[str, ...] = (), plan: str = "desk"
) -> RunResult:
    cases = [
        CaseResult(
            "fixed" if name.startswith("F") else "simulated", name, verdict, flaky=name in flaky,  # type: ignore[arg-type]
            reasons=[] if verdict in ("PASS", "OK") else [f"{name} is {verdict}"],
            trials=[TrialResult(verdict, 1)],  # type: ignore[arg-type]
        )
        for name, verdict in verdicts.items()
    ]  # fmt: skip
    return RunResult(run_id, plan, f"2026-01-{day:02}T00:00:00+00:00", "2.13.0", "0.1.0", 0, cases)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / ".adk-split-eval").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


def store(project: Path, result: RunResult) -> None:
    write_json(result, run_folder(result.run_id, project).result)


def invoke(*arguments: str) -> tuple[int, str]:
    outcome = CliRunner().invoke(CLI, list(arguments))
    if outcome.exception and not isinstance(outcome.exception, SystemExit):
        raise outcome.exception
    return outcome.exit_code, outcome.output


def test_each_kind_of_change() -> None:
    first = run(
        "a",
        {
            "F-1": "PASS",
            "F-2": "FAIL",
            "F-3": "ERROR",
            "F-4": "PASS",
            "S-1": "HIT",
            "S-2": "OK",
            "S-3": "HIT",
            "F-9": "PASS",
        },
    )
    second = run(
        "b",
        {
            "F-1": "FAIL",
            "F-2": "PASS",
            "F-3": "FAIL",
            "F-4": "PASS",
            "S-1": "OK",
            "S-2": "HIT",
            "S-3": "SIMULATOR",
            "S-9": "OK",
        },
    )
    changes = {c.case_id: c.kind for c in diff_runs(first, second).changes}
    assert changes == {
        "F-1": "regressed", "F-2": "fixed", "F-3": "changed", "S-1": "hit_gone", "S-2": "new_hit", "S-3": "hit_gone",
        "F-9": "removed", "S-9": "added",
    }  # fmt: skip
    assert diff_runs(first, second).unchanged == 1


def test_the_worst_change_comes_first() -> None:
    diff = diff_runs(
        run("a", {"S-2": "OK", "F-1": "FAIL", "F-2": "PASS"}), run("b", {"S-2": "HIT", "F-1": "PASS", "F-2": "FAIL"})
    )
    assert [c.kind for c in diff.changes] == ["regressed", "new_hit", "fixed"]


def test_a_run_does_not_differ_from_itself() -> None:
    one = run("a", {"F-1": "FAIL", "S-1": "HIT"})
    assert diff_runs(one, one).changes == []


def test_criteria_and_scores() -> None:
    first, second = run("a", {"F-1": "PASS"}), run("b", {"F-1": "PASS"})
    first.cases[0].criteria = [criterion(1.0), criterion(1.0, name="gone"), criterion(1.0, name="same")]
    second.cases[0].criteria = [criterion(0.5), criterion(1.0, name="new"), criterion(1.0 + 1e-12, name="same")]
    (change,) = diff_runs(first, second).changes
    assert change.kind == "criteria"
    assert [c.text() for c in change.criteria] == [
        "grounded_numbers_v1: passed 1.00 → failed 0.50",
        "gone: passed 1.00 → not there",
        "new: not there → passed 1.00",
    ]


def test_other_circumstances_are_named() -> None:
    first, second = run("a", {}), run("b", {})
    second.adk_version = "2.14.0"
    second.extra["models"] = {"judge": "x"}
    assert diff_runs(first, second).circumstances == ["google-adk: 2.13.0 → 2.14.0", "models: - → {'judge': 'x'}"]


def test_diff_by_ids_and_as_json(project: Path) -> None:
    store(project, run("20260101-aa", {"F-1": "PASS", "S-1": "OK"}, 1))
    store(project, run("20260102-bb", {"F-1": "FAIL", "S-1": "HIT"}, 2))
    code, text = invoke("diff", "20260101")
    assert code == 0
    assert "regressed: green before, not green now" in text
    assert "fixed F-1: PASS → FAIL" in text
    assert "reason  F-1 is FAIL" in text
    assert "2 changed, 0 unchanged" in text
    data = json.loads(invoke("diff", "20260101-aa", "20260102-bb", "--json")[1])
    assert data["schema_version"] == 1
    assert [c["change"] for c in data["changes"]] == ["regressed", "new_hit"]


def test_an_unknown_run_is_exit_2_with_the_nearest_id(project: Path) -> None:
    store(project, run("20260101-aa", {"F-1": "PASS"}))
    code, text = invoke("diff", "20260101-ab")
    assert code == 2
    assert "did you mean 20260101-aa" in text


def test_history_shows_trend_hit_rate_and_flaky(project: Path) -> None:
    store(project, run("a", {"F-1": "PASS", "S-1": "OK", "S-2": "OK", "S-3": "SIMULATOR"}, 1, flaky=("F-1",)))
    store(project, run("b", {"F-1": "FAIL", "S-1": "HIT", "S-2": "OK", "S-3": "OK"}, 2, flaky=("F-1", "S-1")))
    code, text = invoke("history")
    assert code == 0
    assert text.index("  a  ") < text.index("  b  ")
    text = " ".join(text.split())
    assert "hit rate 0 of 2 (0%)" in text
    assert "hit rate 1 of 3 (33%)" in text
    assert "desk/fixed/F-1: 2 of 2" in text
    data = json.loads(invoke("history", "--json", "--last", "1")[1])
    assert [r["run_id"] for r in data["runs"]] == ["b"]
    assert data["runs"][0]["hit_rate"] == pytest.approx(1 / 3)


def test_a_dry_spell_is_told_even_beyond_the_runs_shown(project: Path) -> None:
    for day in range(1, 10):
        store(project, run(f"r{day:02}", {"S-1": "OK"}, day))
    store(project, run("gate-only", {"F-1": "PASS"}, 11))
    assert "the last 10 probe runs found nothing" not in " ".join(invoke("history", "--last", "3")[1].split())
    store(project, run("r12", {"S-1": "OK"}, 12))
    text = " ".join(invoke("history", "--last", "3")[1].split())
    assert "desk: the last 10 probe runs found nothing" in text
    assert "plant a known fault" in text
    assert "found nothing" not in invoke("history", "--dry-spell", "0")[1]


def test_a_hit_ends_the_dry_spell_and_plans_are_apart(project: Path) -> None:
    for day in range(1, 11):
        store(project, run(f"r{day:02}", {"S-1": "OK"}, day))
    store(project, run("hit", {"S-1": "HIT"}, 11))
    store(project, run("other", {"S-1": "OK"}, 12, plan="other"))
    assert read_history(project).dry_spells == {"desk": 0, "other": 1}
    assert [r.run_id for r in read_history(project, plan_id="other").runs] == ["other"]


def test_a_damaged_result_is_left_out_and_named(project: Path) -> None:
    store(project, run("good", {"F-1": "PASS"}))
    bad = run_folder("bad", project)
    bad.path.mkdir(parents=True)
    bad.result.write_text("{", encoding="utf-8")
    code, text = invoke("history")
    assert code == 0
    assert "good" in text
    assert "left out" in text
    assert "bad" in text


def test_history_of_nothing_is_exit_2(project: Path) -> None:
    code, text = invoke("history", "--plan", "desk")
    assert code == 2
    assert "no finished run here of plan 'desk'" in text


def test_report_of_the_latest_run_and_its_files(project: Path) -> None:
    store(project, RunResult.from_json(json.loads((DATA / "run.json").read_text(encoding="utf-8"))))
    code, text = invoke("report")
    assert code == 0
    assert "GATE: fixed set" in text
    code, text = invoke("report", "--html", "out/r.html", "--junit", "r.xml", "--json", "r.json", "--github")
    assert code == 0
    assert "HTML written to out/r.html" in text
    assert "::error " in text
    assert "GATE: fixed set" not in text
    assert (project / "r.xml").read_text(encoding="utf-8").startswith("<?xml")
    assert json.loads((project / "r.json").read_text(encoding="utf-8"))["plan_id"] == "refund_desk"
    assert json.loads(invoke("report", "r.json", "--json", "-")[1])["plan_id"] == "refund_desk"


def test_a_report_that_cannot_be_written_is_exit_2(project: Path) -> None:
    store(project, run("a", {"F-1": "PASS"}))
    (project / "file").touch()
    code, text = invoke("report", "--html", "file/x.html")
    assert code == 2
    assert "file/x.html: cannot be written" in text


def test_criteria_say_which_set_and_why() -> None:
    code, text = invoke("criteria", "tool_args_v1")
    assert code == 0
    assert "(fixed, deterministic, key `expect_tools`)" in text
    assert "not simulated: compared with a reference" in text
    rows = {row["name"]: row for row in json.loads(invoke("criteria", "--json")[1])}
    assert rows["forbidden_tools_v1"]["sets"] == ["fixed", "simulated"]
    assert rows["goal_reached_v1"]["why_not"]["fixed"]
    code, text = invoke("criteria", "tool_arg_v1")
    assert code == 2
    assert "did you mean tool_args_v1?" in text


@pytest.mark.parametrize("command", COMMANDS, ids=lambda c: c.name)
def test_every_verb_has_an_example_in_its_help(command: click.Command) -> None:
    assert f"Example: adk-split-eval {command.name}" in invoke(command.name or "", "--help")[1]


def test_personas_are_listed_shown_and_exported() -> None:
    text = invoke("personas")[1]
    assert "hurried" in text
    assert "exposes" in text
    assert "violated" not in text
    assert "violated" in invoke("personas", "hurried")[1]
    one = json.loads(invoke("personas", "hurried", "--json")[1])
    assert one["id"] == "hurried"
    assert "exposes" not in one
    assert one in json.loads(invoke("personas", "--json")[1])
    code, text = invoke("personas", "hurry")
    assert code == 2
    assert "did you mean hurried?" in text
