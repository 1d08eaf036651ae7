"""Killed, interrupted, out of disk: what was finished stays finished, and the same command goes on."""

from __future__ import annotations

import json
import os
import random
import signal
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from adk_split_eval.record.runs import list_runs
from adk_split_eval.run.asked import RunError
from adk_split_eval.run.journal import Journal

ROUNDS = [*range(5), *(pytest.param(n, marks=pytest.mark.slow) for n in range(5, 50))]


def comparable(project: Any) -> dict[str, Any]:
    """The result but for ids, times and the note about the resumption."""
    result: dict[str, Any] = json.loads((project.root / "out.json").read_text(encoding="utf-8"))
    for key in ("run_id", "started_at", "notes", "plan_path"):
        result.pop(key)
    for case in result["cases"]:
        for part in (case, *case["trials"]):
            part["criteria"] = [c for c in part["criteria"] if c["name"] != "invocation_duration_v1"]
    return result


@pytest.fixture(scope="module")
def uninterrupted() -> dict[str, Any]:
    return {}


@pytest.mark.parametrize("number", ROUNDS)
def test_killed_at_any_moment(
    number: int, project: Any, fork: Any, monkeypatch: pytest.MonkeyPatch, uninterrupted: dict[str, Any]
) -> None:
    monkeypatch.setenv("PROBE_DELAY", "0.01")
    project.many(fixed=12, simulated=8).write()
    command = ("run", "--json", "out.json", "--trials", "2", "--jobs", "5")
    if not uninterrupted:
        assert fork(*command, "--fresh").exit_code() == 0
        uninterrupted |= comparable(project)
        project.log.unlink()
    child = fork(*command)
    child.wait_for_calls(project, random.Random(number).randrange(1, 150))
    child.kill(signal.SIGKILL)
    child.exit_code()
    before = len(project.calls())
    unfinished = [r for r in list_runs(project.root, finished=False) if not r.finished]
    finished: set[str] = set()
    if unfinished:
        with Journal(unfinished[-1].journal) as journal:
            for stored in journal.units():
                if stored.result is not None:
                    finished.add(f"{stored.unit.case_id}/{stored.unit.trial}")
            assert journal._db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    assert fork(*command).exit_code() == 0
    assert comparable(project) == uninterrupted
    both = {i.split("/")[0] for i in finished if i[:-1] + "0" in finished and i[:-1] + "1" in finished}
    again = {line.split()[1] for line in project.calls()[before:] if line.startswith("agent")}
    assert not both & again, "a finished unit acted again"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interrupted_in_order(number: int, project: Any, fork: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PROBE_DELAY", "0.05")
    project.many(fixed=30).write()
    child = fork("run", "--jobs", "3")
    child.wait_for_calls(project, 12)
    child.kill(number)
    assert child.exit_code() == 130
    said = (project.root / "out.txt").read_text(encoding="utf-8")
    assert "the same command resumes" in said
    assert "Traceback" not in said
    before = len(project.calls())
    assert fork("run", "--json", "out.json").exit_code() == 0
    result = json.loads((project.root / "out.json").read_text(encoding="utf-8"))
    assert result["counts"]["fixed"] == {"PASS": 30}
    assert len(project.calls()) - before < 60, "finished units were not run again"
    assert any("taken over from the interrupted run" in n for n in result["notes"])


def test_an_error_is_kept_until_its_retry_is_through(project: Any) -> None:
    project.fixed = {"F-0": "F-0 broken", "F-1": "F-1 lookup"}
    first = project.run()
    assert [c.verdict for c in first.cases] == ["ERROR", "PASS"]
    calls = len(project.calls())
    again = project.run(resume="latest")
    assert again.run_id == first.run_id
    assert [c.verdict for c in again.cases] == ["ERROR", "PASS"]
    assert {line.split()[1] for line in project.calls()[calls:]} == {"F-0"}, "only the ERROR was tried again"


def test_a_retry_that_is_killed_leaves_the_old_error(project: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    project.fixed = {"F-0": "F-0 broken"}
    first = project.run()
    from adk_split_eval.run import engine

    def die(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(engine, "judge_subject", die)
    with pytest.raises(KeyboardInterrupt):
        project.run(resume="latest")
    with Journal(project.root / ".adk-split-eval" / "runs" / first.run_id / "journal.sqlite") as journal:
        (stored,) = journal.units()
    assert stored.result is not None
    assert stored.result.verdict == "ERROR"


def test_only_what_a_change_touches_runs_again(project: Any, tmp_path: Path) -> None:
    project.many(fixed=3, simulated=1)
    first = project.run()

    def resumed() -> tuple[set[str], Any]:
        calls = len(project.calls())
        result = project.run(resume="latest")
        assert result.run_id == first.run_id
        return {line.split()[1] for line in project.calls()[calls:] if line.startswith("agent")}, result

    assert resumed()[0] == set()
    project.fixed["F-0001"] = "F-0001 please lookup"
    assert resumed()[0] == {"F-0001"}
    project.each_simulated = {"forbidden_tools": ["huge"]}
    acted, result = resumed()
    assert acted == set(), "other criteria judge what was said before"
    assert "1 unit(s) judged again: the criteria have changed since" in result.notes
    assert "forbidden_tools_v1" in {c.name for c in result.cases[-1].criteria}
    source = tmp_path / "probe_agent" / "agent.py"
    source.write_text(source.read_text(encoding="utf-8") + "\n# another agent\n", encoding="utf-8")
    acted, result = resumed()
    assert acted == {"F-0000", "F-0001", "F-0002", "S-0000"}
    assert any(n.startswith("4 unit(s) acted again") for n in result.notes)


def test_a_full_disk_ends_the_run_and_loses_nothing(project: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from adk_split_eval.run import journal as stores

    project.many(fixed=10)
    left = 7
    real = stores.Journal._commit

    def commit(self: Journal, statements: Any) -> None:
        nonlocal left
        if any("units" in s for s, _ in statements):
            left -= 1
            if left < 0:
                self._db.execute("PRAGMA max_page_count = 1")
        real(self, statements)

    monkeypatch.setattr(stores.Journal, "_commit", commit)
    with pytest.raises(
        stores.JournalError, match=r"cannot be written: database or disk is full; finished units are safe"
    ):
        project.run(jobs=1)
    monkeypatch.undo()
    os.chdir(project.root)
    (run,) = list_runs(project.root, finished=False)
    with Journal(run.journal) as journal:
        stored = journal.count()
    assert stored >= 4
    monkeypatch.setenv("PROBE_LOG", str(project.log))
    before = len(project.calls())
    result = project.run()
    assert result.run_id == run.run_id
    assert [c.verdict for c in result.cases] == ["PASS"] * 10
    assert len(project.calls()) - before == 2 * (10 - stored)


def test_two_runs_of_one_plan_at_once(project: Any, fork: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PROBE_DELAY", "0.02")
    project.many(fixed=10, simulated=3).write()
    first, second = fork("run", "--json", "one.json"), fork("run", "--json", "two.json")
    assert (first.exit_code(), second.exit_code()) == (0, 0)
    one, two = (json.loads((project.root / f"{n}.json").read_text(encoding="utf-8")) for n in ("one", "two"))
    assert one["run_id"] != two["run_id"]
    assert one["counts"] == two["counts"] == {"fixed": {"PASS": 10}, "simulated": {"OK": 3}}
    for run in list_runs(project.root):
        with sqlite3.connect(run.journal) as database:
            assert database.execute("SELECT COUNT(*) FROM units WHERE result IS NOT NULL").fetchone() == (13,)
        database.close()


def test_a_run_is_resumed_with_the_selection_it_has(project: Any) -> None:
    """Else the result of the whole would be replaced by that of a part."""
    project.many(fixed=4, simulated=1)
    first = project.run()
    stored = (project.root / ".adk-split-eval" / "runs" / first.run_id / "result.json").read_bytes()
    with pytest.raises(
        RunError, match=r"ASE917 run \S+ is of the whole plan, .* by that of --only fixed --case F-0002;"
    ):
        project.run(resume="latest", only="fixed", case_ids=["F-0002"])
    assert (project.root / ".adk-split-eval" / "runs" / first.run_id / "result.json").read_bytes() == stored
    project.run(case_ids=["F-0002"])
    notes = project.run(resume="latest", case_ids=["F-0002"]).notes
    assert [n for n in notes if n.startswith("resumed")] == [
        "resumed: 1 finished unit was taken over from the interrupted run"
    ]
    with pytest.raises(RunError, match=r"is of --case F-0002, .* by that of the whole plan;"):
        project.run(resume="latest")
    with pytest.raises(RunError, match=r"is of --case F-0002, .* by that of --case F-0001 --case F-0003;"):
        project.run(resume="latest", case_ids=["F-0003", "F-0001"])


def test_a_smaller_run_in_between_costs_the_interrupted_one_nothing(
    project: Any, fork: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PROBE_DELAY", "0.05")
    project.many(fixed=20).write()
    child = fork("run", "--jobs", "2")
    child.wait_for_calls(project, 20)
    child.kill(signal.SIGINT)
    assert child.exit_code() == 130
    assert fork("run", "--case", "F-0019").exit_code() == 0
    before = len(project.calls())
    assert fork("run", "--json", "out.json").exit_code() == 0
    assert len(project.calls()) - before < 40, "finished units were run again"
    notes = json.loads((project.root / "out.json").read_text(encoding="utf-8"))["notes"]
    assert any("taken over from the interrupted run" in n for n in notes)
