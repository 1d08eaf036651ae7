"""What the benchmarks share: a generated project, and a command with its time and peak memory."""

from __future__ import annotations

import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

AGENT = Path(__file__).resolve().parents[2] / "tests" / "run" / "probe_agent"
BIN = Path(sys.executable).parent


@dataclass
class Spent:
    """One command: wall-clock and CPU seconds, peak memory in MB, exit code.

    ``cpu`` is that of all its processes. ``peak`` is the largest process's; with ``whole_tree`` what all of them held
    together (proportional set size, looked up every 50 ms), where the system tells.
    """

    wall: float
    cpu: float
    peak: float
    code: int


def project(fixed: int = 0, simulated: int = 0, turns: int = 1) -> Path:
    """A folder with a plan of generated cases, its sets built."""
    root = Path(tempfile.mkdtemp(prefix="bench-"))
    shutil.copytree(AGENT, root / "probe_agent", ignore=shutil.ignore_patterns("__pycache__"))
    (root / ".adk-split-eval").mkdir()
    plan: dict[str, Any] = {"plan_id": "probe", "agent": "probe_agent", "models": {"simulator": "probe/user"}}
    if fixed:
        cases = [
            {"case_id": f"F-{n}", "turns": [{"user": f"F-{n} lookup", "response": {"contains": ["done"]}}] * turns}
            for n in range(fixed)
        ]
        plan["fixed_set"] = {"cases": cases}
    if simulated:
        cases = [
            {
                "case_id": f"S-{n}",
                "persona": "hurried",
                "starting_prompt": f"S-{n} lookup",
                "goal": "know where the order is",
                "goal_evidence": [{"tool": "lookup"}],
            }
            for n in range(simulated)
        ]
        plan["sim_set"] = {"criteria": {"goal_reached_v1": 1.0}, "cases": cases}
    (root / "probe.plan.yaml").write_text(json.dumps(plan), encoding="utf-8")
    done = spend(root, ours("build", "probe.plan.yaml"))
    assert done.code == 0, "the plan cannot be built"
    return root


def ours(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "adk_split_eval.cli", *arguments]


def plain(half: str) -> list[str]:
    """Plain ``adk eval`` of the generated set of one half."""
    return [
        str(BIN / "adk"),
        "eval",
        "probe_agent",
        f"{half}/probe_{half}.evalset.json",
        "--config_file_path",
        f"{half}/test_config.json",
    ]


def spend(root: Path, command: list[str], *, whole_tree: bool = False, **environment: str) -> Spent:
    """Run a command in ``root`` and measure it. Bytecode is kept, as in an installation."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    started = time.perf_counter()
    with (root / "out.txt").open("w") as out:
        process = subprocess.Popen(
            command,
            cwd=root,
            stdout=out,
            stderr=subprocess.STDOUT,
            env={**kept, "PROBE_TOOLS": "lookup broken nothing", **environment},
        )
        held = _watch(process.pid) if whole_tree else 0.0
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    largest = used.ru_maxrss / (1 if sys.platform != "darwin" else 1024) / 1024
    return Spent(
        time.perf_counter() - started, used.ru_utime + used.ru_stime, max(held, 0.0) or largest, process.returncode
    )


def _watch(pid: int) -> float:
    """The most that a process and its children hold together, in MB, until it ends; 0 where the system does not tell."""
    most = 0.0
    while os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
        most = max(most, sum(map(_held, [pid, *_children(pid)])))
        time.sleep(0.05)
    return most


def _children(pid: int) -> list[int]:
    try:
        found = list(map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()))
    except (OSError, ValueError):
        return []
    return [*found, *(deeper for child in found for deeper in _children(child))]


def _held(pid: int) -> float:
    try:
        text = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii")
        return next(int(line.split()[1]) for line in text.splitlines() if line.startswith("Pss:")) / 1024
    except (OSError, StopIteration, ValueError):
        return 0.0


def machine() -> str:
    """One line about where this was measured."""
    load = os.getloadavg()[0]
    total = resource.getpagesize() * os.sysconf("SC_PHYS_PAGES") / 2**30
    day = time.strftime("%Y-%m-%d")
    return f"{day} · {os.cpu_count()} cores, {total:.0f} GB · Python {sys.version.split()[0]} · load {load:.1f} at the start"
