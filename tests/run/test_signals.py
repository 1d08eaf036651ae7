"""Ctrl-C once and twice, SIGTERM, and two that want the same interrupted run: what is lost, what is said, how it goes on."""

from __future__ import annotations

import json
import re
import signal
import time
from collections import Counter
from typing import Any

import pytest

from adk_split_eval.record.runs import list_runs
from adk_split_eval.run.journal import Journal

CASES = 20
JOBS = 3


def stored(project: Any) -> set[str]:
    """The cases that the one unfinished run has a verdict of."""
    (run,) = [r for r in list_runs(project.root, finished=False) if not r.finished]
    with Journal(run.journal) as journal:
        assert journal._db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        return {s.unit.case_id for s in journal.units() if s.result is not None}


def said(project: Any) -> str:
    return " ".join((project.root / "out.txt").read_text(encoding="utf-8").split())


def ended_within(child: Any, seconds: float) -> bool:
    end = time.monotonic() + seconds
    while not child.ended():
        if time.monotonic() > end:
            return False
        time.sleep(0.005)
    return True


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_only_units_in_flight_are_lost(number: int, project: Any, fork: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PROBE_DELAY", "0.1")
    project.many(fixed=CASES).write()
    child = fork("run", "--jobs", str(JOBS))
    child.wait_for_calls(project, 16)
    child.kill(number)
    assert child.exit_code() == 130
    calls = Counter(line.split()[1] for line in project.calls())
    finished = stored(project)
    assert finished
    assert len(calls) - len(finished) <= JOBS, "begun and not finished: no more than were in flight"
    assert f"interrupted; {len(finished)} of {CASES} units are finished and stored, the same command resumes" in said(
        project
    )
    assert "Traceback" not in said(project)
    before = len(project.calls())
    assert fork("run", "--json", "out.json").exit_code() == 0
    result = json.loads((project.root / "out.json").read_text(encoding="utf-8"))
    assert result["counts"]["fixed"] == {"PASS": CASES}, "what was finished is in the report"
    again = {line.split()[1] for line in project.calls()[before:]}
    assert again == {f"F-{n:04}" for n in range(CASES)} - finished


def test_a_second_interruption_ends_what_does_not_listen_to_the_first(project: Any, fork: Any) -> None:
    """A tool that blocks the process: the first Ctrl-C cannot reach it, and nobody waits for its time limit."""
    project.fixed = {"F-good": "F-good lookup", "F-blocks": "F-blocks blocks"}
    project.write()
    child = fork("run", "--jobs", "1")
    child.wait_for_calls(project, 4)
    child.kill(signal.SIGINT)
    assert not ended_within(child, 0.3)
    child.kill(signal.SIGINT)
    assert ended_within(child, 60.0), "not only when the unit's time is up"
    assert child.exit_code() == 130
    assert "interrupted; 1 of 2 units are finished and stored, the same command resumes" in said(project)
    assert "Traceback" not in said(project)
    assert stored(project) == {"F-good"}


def test_of_two_that_resume_at_once_one_gets_the_run(project: Any, fork: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PROBE_DELAY", "0.05")
    project.many(fixed=10).write()
    child = fork("run", "--jobs", "1")
    child.wait_for_calls(project, 8)
    child.kill(signal.SIGKILL)
    child.exit_code()
    finished = stored(project)
    both = [fork("run", "--jobs", "2", "--json", f"{name}.json") for name in ("one", "two")]
    assert [b.exit_code() for b in both] == [0, 0]
    results = [json.loads((project.root / f"{n}.json").read_text(encoding="utf-8")) for n in ("one", "two")]
    assert {r["counts"]["fixed"]["PASS"] for r in results} == {10}
    assert results[0]["run_id"] != results[1]["run_id"]
    taken = [n for r in results for n in r["notes"] if re.match(r"resumed: \d+ finished unit", n)]
    assert len(finished) >= 2
    assert len(taken) == 1, "the other started anew"
    code = fork("run", "--resume", results[0]["run_id"]).exit_code()
    assert code == 0
