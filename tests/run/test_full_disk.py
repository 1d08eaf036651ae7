"""A disk that is really full: what was finished is there, the message says what to do, and the same command goes on."""

from __future__ import annotations

import errno
import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from adk_split_eval import pool
from adk_split_eval.record.runs import list_runs
from adk_split_eval.run import closing
from adk_split_eval.run.journal import Journal, JournalError

resource: Any = pytest.importorskip("resource")

CASES = 30
COMMAND = "-m adk_split_eval.cli run probe.plan.yaml --jobs 2 --json out.json"
SCENE = f"""
mount -t tmpfs -o size=200k none .adk-split-eval || exit 77
"$PYTHON" {COMMAND} >first.txt 2>&1; echo $? >first.code
mkdir was && cp -r .adk-split-eval was
mount -o remount,size=50m .adk-split-eval || exit 78
"$PYTHON" {COMMAND} >second.txt 2>&1; echo $? >second.code
"""


def own_mounts() -> str | None:
    """Why this machine does not let us mount anything; None when it does."""
    if shutil.which("unshare") is None:
        return "there is no unshare"
    tried = subprocess.run(
        ["unshare", "-rm", "sh", "-c", "mount -t tmpfs none /mnt"], capture_output=True, text=True, check=False
    )
    return tried.stderr.strip() or "a namespace of its own is refused" if tried.returncode else None


def finished(root: Path) -> dict[str, str]:
    """What the only run below ``root`` has stored: verdict by case."""
    (run,) = list_runs(root, finished=False)
    assert not run.finished
    with Journal(run.journal) as journal:
        return {s.unit.case_id: s.result.verdict for s in journal.units() if s.result is not None}


def check_resumed(project: Any, stored: dict[str, str], before: int) -> None:
    result = json.loads((project.root / "out.json").read_text(encoding="utf-8"))
    assert result["counts"]["fixed"] == {"PASS": CASES}
    (note,) = [n for n in result["notes"] if n.startswith("resumed")]
    assert note == f"resumed: {len(stored)} finished units were taken over from the interrupted run"
    acted = {line.split()[1] for line in project.calls()[before:]}
    assert not acted & set(stored), "a finished unit acted again"


def test_the_disk_fills_in_the_middle(project: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file system of 200 kB, in a mount namespace of its own."""
    refused = own_mounts()
    if refused is not None:
        pytest.skip(refused)
    monkeypatch.setenv("PYTHON", sys.executable)
    project.many(fixed=CASES).write()
    scene = subprocess.run(
        ["unshare", "-rm", "sh", "-c", SCENE], cwd=project.root, capture_output=True, text=True, check=False
    )
    assert scene.returncode == 0, scene.stderr
    said = (project.root / "first.txt").read_text(encoding="utf-8")
    assert (project.root / "first.code").read_text().strip() == "130", said
    assert "database or disk is full; finished units are safe; make room on that disk; the same command resumes" in said
    assert "Traceback" not in said
    stored = finished(project.root / "was")
    assert 0 < len(stored) < CASES
    assert set(stored.values()) == {"PASS"}
    assert (project.root / "second.code").read_text().strip() == "0"
    check_resumed(project, stored, len(project.calls()) - 2 * (CASES - len(stored)))


def test_files_may_not_grow(project: Any, fork: Any) -> None:
    """The same with a limit on the size of files, where nobody may mount anything."""
    project.many(fixed=CASES).write()
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (150_000, before[1]))
    try:
        child = fork("run", "--jobs", "2")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    code = child.exit_code()
    said = (project.root / "out.txt").read_text(encoding="utf-8")
    assert code == 130, said
    assert "cannot be written: disk I/O error; finished units are safe; the same command resumes" in said
    assert "Traceback" not in said
    stored = finished(project.root)
    assert 0 < len(stored) < CASES
    calls = len(project.calls())
    assert fork("run", "--json", "out.json").exit_code() == 0
    check_resumed(project, stored, calls)


def no_space(*_: Any, **__: Any) -> Any:
    raise OSError(errno.ENOSPC, "No space left on device")


@pytest.mark.parametrize("what", ["closing.write_atomically", "pool.store"])
def test_no_room_for_what_comes_after_the_units(what: str, project: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The run is unfinished then, so that the same command brings what is missing without acting again."""
    room, name = what.split(".")
    project.many(simulated=2).each_simulated = {"forbidden_tools": ["lookup"]}
    monkeypatch.setattr(closing if room == "closing" else pool, name, no_space)
    with pytest.raises(JournalError, match="No space left on device; finished units are safe; make room on that disk"):
        project.run()
    monkeypatch.undo()
    monkeypatch.chdir(project.root)
    monkeypatch.setenv("PROBE_LOG", str(project.log))
    assert finished(project.root) == {"S-0000": "HIT", "S-0001": "HIT"}
    calls = len(project.calls())
    result = project.run()
    assert [c.verdict for c in result.cases] == ["HIT", "HIT"]
    assert len(result.candidates) == 2
    assert len(project.calls()) == calls


def test_no_room_for_another_result_leaves_the_one_there_was(project: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    project.many(fixed=2)
    first = project.run()
    stored = project.root / ".adk-split-eval" / "runs" / first.run_id / "result.json"
    before = stored.read_bytes()
    monkeypatch.setattr(closing, "write_atomically", no_space)
    with pytest.raises(JournalError, match="make room on that disk"):
        project.run(resume="latest")
    assert stored.read_bytes() == before
