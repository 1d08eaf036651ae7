"""Finding runs on disk, and reading results back."""

import json
import os
from pathlib import Path

import pytest

from adk_split_eval.record.result import CaseResult, CriterionResult, RunResult, TrialResult
from adk_split_eval.record.runs import (
    RunNotFoundError,
    latest_run,
    list_runs,
    load_result,
    project_root,
    resolve_run,
    run_folder,
)


def store(root: Path, run_id: str, started: str) -> Path:
    folder = run_folder(run_id, root)
    folder.path.mkdir(parents=True)
    result = RunResult(run_id, "plan", started, "2.13.0", "0.1.0", cases=[CaseResult("fixed", "F-01", "PASS")])
    folder.result.write_text(json.dumps(result.to_json()), encoding="utf-8")
    return folder.path


def test_the_root_is_where_the_runs_are_then_where_the_project_is(tmp_path: Path) -> None:
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    (tmp_path / "pyproject.toml").touch()
    assert project_root(inner) == tmp_path
    (tmp_path / "a" / ".adk-split-eval").mkdir()
    assert project_root(inner) == tmp_path / "a"


def test_without_a_project_the_root_is_the_start(tmp_path: Path) -> None:
    assert project_root(tmp_path) in (tmp_path, *tmp_path.parents)


def test_the_latest_is_the_last_started_not_the_last_written(tmp_path: Path) -> None:
    newer = store(tmp_path, "b", "2026-02-01T00:00:00+00:00")
    older = store(tmp_path, "a", "2026-01-01T00:00:00+00:00")
    os.utime(newer / "result.json", (0, 0))
    assert [run.run_id for run in list_runs(tmp_path)] == ["a", "b"]
    assert latest_run(tmp_path).path == newer
    assert resolve_run("latest", tmp_path).run_id == "b"
    assert older.is_dir()


def test_a_run_is_found_by_id_beginning_folder_and_file(tmp_path: Path) -> None:
    path = store(tmp_path, "20260101-aaaa", "2026-01-01T00:00:00Z")
    store(tmp_path, "20260102-bbbb", "2026-01-02T00:00:00Z")
    for reference in ("20260101-aaaa", "20260101", path, path / "result.json"):
        assert resolve_run(reference, tmp_path).run_id == "20260101-aaaa"
        assert load_result(reference, tmp_path).run_id == "20260101-aaaa"


def test_an_ambiguous_beginning_and_a_misspelt_id_are_told_apart(tmp_path: Path) -> None:
    store(tmp_path, "20260101-aaaa", "2026-01-01T00:00:00Z")
    store(tmp_path, "20260102-bbbb", "2026-01-02T00:00:00Z")
    with pytest.raises(RunNotFoundError, match="begins 2 runs"):
        resolve_run("202601", tmp_path)
    with pytest.raises(RunNotFoundError, match="did you mean 20260101-aaaa"):
        resolve_run("20260101-aaab", tmp_path)
    with pytest.raises(RunNotFoundError, match="no finished run"):
        latest_run(tmp_path / "elsewhere")


def test_an_unfinished_run_says_so(tmp_path: Path) -> None:
    folder = run_folder("half", tmp_path)
    folder.path.mkdir(parents=True)
    folder.journal.touch()
    assert list_runs(tmp_path) == []
    assert [run.run_id for run in list_runs(tmp_path, finished=False)] == ["half"]
    with pytest.raises(RunNotFoundError, match="interrupted"):
        load_result("half", tmp_path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"run_id": ', r"bad.json:1:12: not JSON"),
        ("[]", "not a result"),
        ('{"run_id": "a", "cases": [], "schema_version": 7}', "schema_version 7"),
        ('{"run_id": "a", "cases": [{}], "schema_version": 1}', "damaged"),
        ('{"run_id": "a", "cases": [3], "schema_version": 1}', "damaged"),
        ("[" * 100_000, "nested too deeply"),
    ],
)
def test_a_bad_result_is_explained(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "bad.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(RunNotFoundError, match=message):
        load_result(path)


def test_a_result_comes_back_whole() -> None:
    criterion = CriterionResult("c", "judged", "failed", 0.5, 1.0, ["failed", "passed"], ["why"])
    trial = TrialResult("HIT", 7, [], [criterion], ["r"], ["w"], "e", "max_turns", True)
    case = CaseResult(
        "simulated", "S-01", "HIT", ["r"], ["w"], True, "agent", "look", "e", "max_turns", [], [criterion], [trial],
        True, "scene", {"persona": "hurried"},
    )  # fmt: skip
    result = RunResult("r", "p", "t", "a", "v", 3, [case], ["pool/x.yaml"], ["note"], {"models": {"judge": "j"}})
    assert RunResult.from_json(json.loads(json.dumps(result.to_json()))) == result
