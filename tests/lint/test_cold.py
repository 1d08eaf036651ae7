"""A hook pays for a cold start on every commit: nothing heavy is imported, and it costs a few bare interpreters at most."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CASE = ROOT / "tests" / "lint" / "data" / "cases" / "11-transfer-and-agenttool"
PLAN = """plan_id: desk
agent: desk
fixed_set:
  criteria: {tool_trajectory_avg_score: {threshold: 1.0, match_type: EXACT}}
  cases:
    - {case_id: F-01, turns: [{user: Hold Dune., expect_tools: [find_title], response: {contains: [Held]}}]}
"""
LINT = "from adk_split_eval.cli import main; main()"
HEAVY = ("google.adk", "google.genai", "pydantic", "rich", "jinja2", "asyncio", "importlib.metadata")


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    plan = tmp_path_factory.mktemp("cold") / "desk.plan.yaml"
    plan.write_text(PLAN, encoding="utf-8")
    return {"set": [str(CASE / "evalset.json"), "--config", str(CASE / "eval_config.json")], "plan": [str(plan)]}


@pytest.mark.parametrize("kind", ["set", "plan"])
def test_nothing_heavy_is_imported(kind: str, inputs: dict[str, list[str]]) -> None:
    code = (
        "import sys\nfrom adk_split_eval.cli import main\ntry:\n    main()\nexcept SystemExit as end:\n    code = end.code\n"
        f"heavy = [m for m in {HEAVY!r} if m in sys.modules]\n"
        "assert code == 0, code\nassert not heavy, heavy\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, "lint", *inputs[kind]],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert done.returncode == 0, done.stderr[-2000:]


def processor_seconds(code: str, arguments: list[str], bytecode: Path) -> float:
    """The least processor time of some runs: waiting for a busy machine does not count."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONPYCACHEPREFIX": str(bytecode)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    found: list[float] = []
    for _ in range(6):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(
            [sys.executable, "-c", code, *arguments], cwd=ROOT, capture_output=True, check=False, env=environment
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        found.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(found)


@pytest.mark.parametrize("kind", ["set", "plan"])
def test_cold_start_is_under_four_bare_interpreters(kind: str, inputs: dict[str, list[str]], tmp_path: Path) -> None:
    bare = processor_seconds("import json, yaml", [], tmp_path)
    lint = processor_seconds(LINT, ["lint", *inputs[kind]], tmp_path)
    assert lint < 4 * bare, f"{lint * 1000:.0f} ms against {bare * 1000:.0f} ms"
