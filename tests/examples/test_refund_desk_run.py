"""The refund desk through this project's own command: gate green, one hit, exit 0; mended, nothing is left."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of what the example needs, so that a run writes nothing into this checkout."""
    copy = tmp_path_factory.mktemp("project")
    for name in ("evalsets", "custom_metrics"):
        shutil.copytree(ROOT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__", "probe_pool"))
    shutil.copy(ROOT / "pyproject.toml", copy)
    return copy


def _run(project: Path, **environment: str) -> tuple[int, dict[str, Any], str]:
    out = project / "result.json"
    plan = project / "evalsets" / "refund_desk" / "refund_desk.plan.yaml"
    unset = ("REFUND_DESK_FIXED", "REFUND_DESK_MODEL")
    clean = {name: value for name, value in os.environ.items() if name not in unset}
    done = subprocess.run(
        [sys.executable, "-m", "adk_split_eval.cli", "run", str(plan), "--json", str(out)],
        cwd=project,
        env={**clean, "PYTHONPATH": str(ROOT), **environment},
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=240,
        check=False,
    )
    assert out.is_file(), done.stdout + done.stderr
    return done.returncode, json.loads(out.read_text("utf-8")), done.stdout


def test_gate_green_and_exactly_one_hit(project: Path) -> None:
    code, result, shown = _run(project)
    assert code == 0, shown
    verdicts = {case["case_id"]: case["verdict"] for case in result["cases"]}
    assert {verdict for case_id, verdict in verdicts.items() if case_id.startswith("F-")} == {"PASS"}
    assert {case_id for case_id, verdict in verdicts.items() if verdict == "HIT"} == {"S-02"}
    assert {verdict for case_id, verdict in verdicts.items() if case_id.startswith("S-")} == {"HIT", "OK"}
    (hit,) = [case for case in result["cases"] if case["verdict"] == "HIT"]
    failed = {row["name"] for row in hit["criteria"] if row["status"] == "failed"}
    assert failed == {"grounded_numbers_v1", "hallucinations_v1"}
    assert any("25 元" in reason for reason in hit["reasons"])
    assert len(result["candidates"]) == 1


def test_mended_agent_leaves_nothing(project: Path) -> None:
    code, result, shown = _run(project, REFUND_DESK_FIXED="1")
    assert code == 0, shown
    assert {case["verdict"] for case in result["cases"]} == {"PASS", "OK"}
    assert result["candidates"] == []
