"""Units in several processes: the same result, nothing lost, and nobody left behind."""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from adk_split_eval.run import helpers
from adk_split_eval.run.helpers import wanted
from adk_split_eval.run.journal import Journal

pytestmark = pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="helper processes are forked on Linux only"
)


def comparable(path: Path) -> dict[str, Any]:
    result: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    for key in ("run_id", "started_at", "notes", "plan_path"):
        result.pop(key)
    for case in result["cases"]:
        for part in (case, *case["trials"]):
            part["criteria"] = [c for c in part["criteria"] if c["name"] != "invocation_duration_v1"]
    return result


@pytest.fixture
def seen(project: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The processes in which a model was asked something."""
    file = project.root / "processes.log"
    monkeypatch.setenv("PROBE_PROCESSES", str(file))
    return lambda: set(map(int, file.read_text(encoding="utf-8").split())) if file.exists() else set[int]()


def gone(pid: int, seconds: float = 10.0) -> bool:
    """Whether a process has ended, or does within a while."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            state = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()[0]
        except (FileNotFoundError, ProcessLookupError):
            return True
        if state == "Z":
            return True
        time.sleep(0.01)
    return False


def wait_for_both(run: Any, project: Any, seen: Any, seconds: float = 30.0) -> None:
    """Until two processes are at work and something is finished."""
    end = time.monotonic() + seconds
    while len(seen()) < 2 and time.monotonic() < end and not run.ended():
        time.sleep(0.002)
    run.wait_for_calls(project, len(project.calls()) + 12)


def output(project: Any) -> str:
    return (project.root / "out.txt").read_text(encoding="utf-8")


def test_the_same_result_in_any_number_of_processes(
    project: Any, fork: Any, seen: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PROBE_DELAY", "0.1")
    project.many(fixed=60, simulated=30)
    project.simulated["S-0003"] = "S-0003 broken"
    project.write()
    results: list[dict[str, Any]] = []
    for number in ("1", "3"):
        run = fork("run", "--json", "out.json", "--fresh", "--trials", "2", "--processes", number)
        assert run.exit_code() == 3, output(project)
        results.append(comparable(project.root / "out.json"))
        assert len(seen()) == {"1": 1, "3": 4}[number], "with the one of the first run"
    assert results[0] == results[1]
    assert all(gone(pid) for pid in seen())


def test_killed_with_helpers_nothing_is_lost_and_nobody_goes_on(
    project: Any, fork: Any, seen: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PROBE_DELAY", "0.05")
    project.many(fixed=80).write()
    run = fork("run", "--processes", "2", "--jobs", "6")
    wait_for_both(run, project, seen)
    run.kill(signal.SIGKILL)
    run.exit_code()
    assert len(seen()) == 2
    assert all(gone(pid) for pid in seen())
    before = len(project.calls())
    (folder,) = (project.root / ".adk-split-eval" / "runs").iterdir()
    with Journal(folder / "journal.sqlite") as journal:
        finished = {s.unit.case_id for s in journal.units() if s.result is not None}
    assert finished
    assert fork("run", "--processes", "2", "--jobs", "6", "--json", "out.json").exit_code() == 0, output(project)
    again = {line.split()[1] for line in project.calls()[before:]}
    assert not finished & again, "a finished unit acted again"
    assert finished | again == {f"F-{n:04}" for n in range(80)}


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interrupted_with_helpers(
    number: int, project: Any, fork: Any, seen: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PROBE_DELAY", "0.05")
    project.many(fixed=80).write()
    run = fork("run", "--processes", "2", "--jobs", "4")
    wait_for_both(run, project, seen)
    run.kill(number)
    assert run.exit_code() == 130
    assert "the same command resumes" in output(project)
    assert "Traceback" not in output(project)
    assert len(seen()) == 2
    assert all(gone(pid) for pid in seen())


def test_a_helper_that_is_killed_costs_what_it_had(
    project: Any, fork: Any, seen: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PROBE_DELAY", "0.05")
    project.many(fixed=30).write()
    run = fork("run", "--processes", "2", "--jobs", "6", "--json", "out.json")
    end = time.monotonic() + 30
    while not (others := seen() - {run.pid}) and time.monotonic() < end:
        time.sleep(0.005)
    (helper,) = others
    os.kill(helper, signal.SIGKILL)
    assert run.exit_code() == 3, output(project)
    cases = json.loads((project.root / "out.json").read_text(encoding="utf-8"))["cases"]
    lost = [c for c in cases if c["verdict"] != "PASS"]
    assert 1 <= len(lost) <= 6
    assert {c["verdict"] for c in lost} == {"ERROR"}
    assert all(f"process {helper}, which ran this case, ended by signal 9" in c["error"] for c in lost)
    assert fork("run", "--resume", "latest", "--processes", "1", "--json", "out.json").exit_code() == 0


def test_an_agent_that_loads_once_only_is_run_by_one_process(project: Any, fork: Any, seen: Any) -> None:
    project.many(fixed=30).write()
    source = project.root / "probe_agent" / "agent.py"
    once = "import os\nos.close(os.open(os.path.dirname(__file__) + '/lock', os.O_CREAT | os.O_EXCL))\n"
    text = source.read_text(encoding="utf-8")
    source.write_text(text.replace("import asyncio\n", once + "import asyncio\n", 1), encoding="utf-8")
    run = fork("run", "--processes", "2", "--json", "out.json")
    assert run.exit_code() == 0, output(project)
    assert seen() == {run.pid}
    notes = json.loads((project.root / "out.json").read_text(encoding="utf-8"))["notes"]
    assert any("a process that was to help did not" in note and "FileExistsError" in note for note in notes)


FORKS = '''
def lookup(order: str) -> dict[str, Any]:
    """Has a process of its own look the order up, and ends it; another one is left behind."""
    import multiprocessing
    import warnings
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        one, other = (multiprocessing.get_context("fork").Process(target=time.sleep, args=(600,)) for _ in "12")
        one.daemon = other.daemon = True
        one.start()
        if order == "F-0003":
            other.start()
    with Path(os.environ["PROBE_PROCESSES"]).open("a", encoding="utf-8") as file:
        file.write(f"{one.pid}\\n{other.pid or one.pid}\\n")
    one.terminate()
    one.join()
    return {"order": order, "status": "sent"}


def broken('''


@pytest.mark.parametrize("number", ["1", "2"])
def test_processes_of_the_agent_end_alone_and_with_the_run(number: str, project: Any, seen: Any) -> None:
    """A child inherits what the run is told of signals by, and the connections of helpers: neither may stay its own."""
    project.many(fixed=8).write()
    source = project.root / "probe_agent" / "agent.py"
    text = source.read_text(encoding="utf-8")
    source.write_text(text.replace("def broken(", FORKS, 1), encoding="utf-8")
    # A process of its own: what multiprocessing does at the end of a program is part of what is asked here.
    run = project.start("--processes", number)
    said, _ = run.communicate(timeout=120)
    assert run.returncode == 0, said
    assert len(seen()) >= 10
    assert all(gone(pid) for pid in seen())


def test_an_agent_that_has_the_system_forget_its_children(project: Any, fork: Any, seen: Any) -> None:
    """Then nobody can wait for a helper either."""
    project.many(fixed=16).write()
    source = project.root / "probe_agent" / "agent.py"
    text = source.read_text(encoding="utf-8").replace(
        "import asyncio\n", "import asyncio\nimport signal\nsignal.signal(signal.SIGCHLD, signal.SIG_IGN)\n", 1
    )
    source.write_text(text, encoding="utf-8")
    run = fork("run", "--processes", "2", "--json", "out.json")
    assert run.exit_code() == 0, output(project)
    assert all(gone(pid) for pid in seen())


def test_a_helper_ends_as_a_program_does(project: Any, fork: Any, seen: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PROBE_DELAY", "0.1")
    project.many(fixed=60).write()
    source = project.root / "probe_agent" / "agent.py"
    text = source.read_text(encoding="utf-8").replace(
        "import asyncio\n",
        "import asyncio\nimport atexit\nimport os\n"
        "atexit.register(lambda: open(os.environ['PROBE_LOG'] + f'.{os.getpid()}', 'w').close())\n",
        1,
    )
    source.write_text(text, encoding="utf-8")
    run = fork("run", "--processes", "2")
    assert run.exit_code() == 0, output(project)
    (helper,) = seen() - {run.pid}
    assert Path(f"{project.log}.{helper}").exists()


@pytest.mark.skipif(
    len(os.sched_getaffinity(0)) < 2 if sys.platform.startswith("linux") else True, reason="one processor"
)
def test_one_process_that_is_the_limit_gets_help(
    project: Any, fork: Any, seen: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Models that answer at once leave nothing to wait for: computing is all there is to do."""
    project.many(simulated=120).write()
    run = fork("run", "--json", "out.json")
    assert run.exit_code() == 0, output(project)
    assert len(seen()) >= 2
    assert run.pid in seen()


def test_how_many_are_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(helpers, "forkable", lambda: True)
    monkeypatch.setattr(helpers, "_processors", lambda: 8)
    assert wanted(None, 1000, bound=False) == 3
    assert wanted(None, 10, bound=False) == 0, "nothing to share"
    assert wanted(6, 1000, bound=False) == 5
    assert wanted(6, 3, bound=False) == 2
    assert wanted(1, 1000, bound=False) == 0
    assert wanted(None, 1000, bound=True) == 0
    assert wanted(6, 1000, bound=True) == 0
    monkeypatch.setattr(helpers, "_processors", lambda: 1)
    assert wanted(None, 1000, bound=False) == 0
    monkeypatch.setattr(helpers, "forkable", lambda: False)
    assert wanted(6, 1000, bound=False) == 0
