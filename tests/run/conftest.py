"""A project in a temporary folder with a generated plan, and the agent of ``probe_agent``."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
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
            plan["fixed_set"] = {"cases": [fixed_case(i, said) for i, said in self.fixed.items()]}
        if self.simulated:
            cases = [simulated_case(i, said) for i, said in self.simulated.items()]
            plan["sim_set"] = {"criteria": {"goal_reached_v1": 1.0}, "max_turns": 5, "cases": cases} | self.sim_set
        self.path.write_text(json.dumps(plan), encoding="utf-8")
        return self.path

    def run(self, **options: Any) -> Any:
        """Run in this process and return the result."""
        from adk_split_eval import api
        from adk_split_eval.run.engine import EngineOptions
        from adk_split_eval.run.observe import CallPolicy
        from adk_split_eval.run.session import RunOptions

        engine = EngineOptions(policy=CallPolicy(first_delay=0.0), **options.pop("engine", {}))
        self.write()
        forget_agents()
        try:
            return api.run(self.path, options=RunOptions(root=self.root, engine=engine, **options))
        finally:
            forget_agents()

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


def fixed_case(case_id: str, said: str) -> dict[str, Any]:
    return {"case_id": case_id, "turns": [{"user": said, "response": {"contains": ["done"]}}]}


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
