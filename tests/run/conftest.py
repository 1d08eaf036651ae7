"""A project in a temporary folder with a generated plan, and the agent of ``probe_agent``."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
import traceback
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent


def forget_agents() -> None:
    """One process holds one agent folder; a test's folder is gone after it."""
    for name in [n for n in sys.modules if n == "agent" or n.startswith("agent.")]:
        del sys.modules[name]


@dataclass
class Project:
    """A plan with generated cases; ``fixed`` and ``simulated`` map case ids to what the user says."""

    root: Path
    fixed: dict[str, str] = field(default_factory=dict[str, str])
    simulated: dict[str, str] = field(default_factory=dict[str, str])
    plan: dict[str, Any] = field(default_factory=dict[str, Any])
    sim_set: dict[str, Any] = field(default_factory=dict[str, Any])
    fixed_set: dict[str, Any] = field(default_factory=dict[str, Any])
    scripts: dict[str, str] = field(default_factory=dict[str, str])
    each_turn: dict[str, Any] = field(default_factory=dict[str, Any])
    each_simulated: dict[str, Any] = field(default_factory=dict[str, Any])

    @property
    def path(self) -> Path:
        return self.root / "probe.plan.yaml"

    @property
    def log(self) -> Path:
        return self.root / "calls.log"

    def many(self, fixed: int = 0, simulated: int = 0, words: str = "lookup") -> Project:
        self.fixed |= {f"F-{n:04}": f"F-{n:04} {words}" for n in range(fixed)}
        self.simulated |= {f"S-{n:04}": f"S-{n:04} {words}" for n in range(simulated)}
        return self

    def write(self) -> Path:
        if not (self.root / "probe_agent").is_dir():
            shutil.copytree(
                HERE / "probe_agent", self.root / "probe_agent", ignore=shutil.ignore_patterns("__pycache__")
            )
            (self.root / ".adk-split-eval").mkdir()
        plan: dict[str, Any] = {"plan_id": "probe", "agent": "probe_agent", "models": {"simulator": "probe/user"}}
        plan |= self.plan
        if self.fixed:
            plan["fixed_set"] = {
                "cases": [fixed_case(i, said, self.each_turn) for i, said in self.fixed.items()]
            } | self.fixed_set
        if self.simulated:
            cases = [simulated_case(i, said) | self.each_simulated for i, said in self.simulated.items()]
            plan["sim_set"] = {"criteria": {"goal_reached_v1": 1.0}, "max_turns": 5, "cases": cases} | self.sim_set
        for name, text in self.scripts.items():
            file = self.root / "probe_agent" / "scripts" / f"{name}.yaml"
            file.parent.mkdir(exist_ok=True)
            file.write_text(text, encoding="utf-8")
        self.path.write_text(json.dumps(plan), encoding="utf-8")
        return self.path

    def run(self, **options: Any) -> Any:
        """Run in this process and return the result."""
        from adk_split_eval import api
        from adk_split_eval.run.asked import RunOptions
        from adk_split_eval.run.engine import EngineOptions
        from adk_split_eval.run.observe import CallPolicy

        engine = EngineOptions(policy=CallPolicy(first_delay=0.0), **options.pop("engine", {}))
        self.write()
        forget_agents()
        try:
            return api.run(self.path, options=RunOptions(root=self.root, engine=engine, **options))
        finally:
            forget_agents()

    def time_limit(self, least: float, cases: int) -> float:
        """A limit in seconds that only what hangs can miss, on this machine as busy as it is now.

        So many healthy cases run side by side first, which also brings in what a first conversation would wait for.
        """
        healthy = Project(self.root / "healthy").many(simulated=cases)
        healthy.root.mkdir()
        started = time.monotonic()
        result = healthy.run()
        assert {c.verdict for c in result.cases} == {"OK"}
        return max(least, 3.0 * (time.monotonic() - started))

    def start(self, *arguments: str, **environment: str) -> subprocess.Popen[str]:
        """Run in a process of its own."""
        self.write()
        return subprocess.Popen(
            [sys.executable, "-m", "adk_split_eval.cli", "run", str(self.path), "--json", "out.json", *arguments],
            cwd=self.root,
            env={**os.environ, "PROBE_LOG": str(self.log), **environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def calls(self) -> list[str]:
        return self.log.read_text(encoding="utf-8").splitlines() if self.log.exists() else []


def fixed_case(case_id: str, said: str, more: dict[str, Any]) -> dict[str, Any]:
    return {"case_id": case_id, "turns": [{"user": said, "response": {"contains": ["done"]}} | more]}


def simulated_case(case_id: str, said: str) -> dict[str, Any]:
    return {
        "case_id": case_id,
        "persona": "hurried",
        "starting_prompt": said,
        "goal": f"{said}: know where the order is",
        "goal_evidence": [{"tool": "lookup"}],
    }


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Project]:
    monkeypatch.setenv("PROBE_LOG", str(tmp_path / "calls.log"))
    monkeypatch.chdir(tmp_path)
    yield Project(tmp_path)
    forget_agents()


@dataclass
class Forked:
    """The command line in a fork of this process: ADK is there already, so a round costs a second, not six."""

    pid: int

    def wait_for_calls(self, project: Project, count: int, seconds: float = 30.0) -> None:
        """Until the model layer has seen so many calls (or the process has ended)."""
        end = time.monotonic() + seconds
        while len(project.calls()) < count and time.monotonic() < end and not self.ended():
            time.sleep(0.002)

    def ended(self) -> bool:
        return os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None

    def kill(self, number: int) -> None:
        os.kill(self.pid, number)

    def exit_code(self) -> int:
        _, status = os.waitpid(self.pid, 0)
        return os.waitstatus_to_exitcode(status)


@pytest.fixture
def fork(project: Project, tmp_path: Path) -> Iterator[Any]:
    """``fork("run", ...)`` starts the command line on the project's plan."""
    from adk_split_eval.run import adk

    adk.load()
    children: list[Forked] = []

    def start(*arguments: str) -> Forked:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            pid = os.fork()
        if pid == 0:
            _child([*arguments, str(project.path)], tmp_path)
        children.append(Forked(pid))
        return children[-1]

    yield start
    for child in children:
        with contextlib.suppress(ProcessLookupError, ChildProcessError):
            child.kill(9)
            child.exit_code()


def _child(arguments: list[str], folder: Path) -> None:
    code = 99
    try:
        out = os.open(folder / "out.txt", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        os.dup2(out, 1)
        os.dup2(out, 2)
        sys.stdout = os.fdopen(1, "w", closefd=False)
        sys.stderr = os.fdopen(2, "w", closefd=False)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        sys.argv = ["adk-split-eval", *arguments]
        forget_agents()
        from adk_split_eval.cli import main

        try:
            main.main(args=arguments, prog_name="adk-split-eval", standalone_mode=True)
            code = 0
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else 98
    except BaseException:  # noqa: BLE001 - the child ends here whatever happens
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
