"""The whole loop on the refund desk, by commands only: hit, candidate, review, freeze, red gate, mended agent, green gate."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("google.adk")

ROOT = Path(__file__).parents[2]


@pytest.fixture
def desk(tmp_path: Path) -> Path:
    ignore = shutil.ignore_patterns(".adk", "__pycache__", "probe_pool", "*.frozen.yaml", ".adk-split-eval")
    shutil.copytree(ROOT / "evalsets" / "refund_desk", tmp_path / "evalsets" / "refund_desk", ignore=ignore)
    shutil.copytree(ROOT / "custom_metrics", tmp_path / "custom_metrics", ignore=ignore)
    (tmp_path / "pyproject.toml").write_text("[project]\nname = 'shop'\nversion = '0'\n", "utf-8")
    return tmp_path / "evalsets" / "refund_desk"


def command(desk: Path, *args: str, mended: bool = False, tool: str = "adk_split_eval.cli") -> tuple[int, str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUTF8": "1"}
    environment["REFUND_DESK_FIXED"] = "1" if mended else ""
    done = subprocess.run(
        [sys.executable, "-m", tool, *args],
        cwd=desk,
        env=environment,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


def verdict(path: Path, case_id: str) -> str:
    result = json.loads(path.read_text("utf-8"))
    return next(c["verdict"] for c in result["cases"] if c["case_id"] == case_id)


@pytest.mark.adk
def test_the_loop(desk: Path, tmp_path: Path) -> None:
    report = tmp_path / "result.json"
    code, said = command(desk, "probe", "--json", str(report))
    assert code == 0, said
    candidates = list((desk / "probe_pool").glob("*.yaml"))
    assert len(candidates) == 1 and candidates[0].name.startswith("S-02-")
    assert json.loads(report.read_text("utf-8"))["candidates"]

    code, said = command(desk, "pool", "approve", candidates[0].stem, "--why", "the payout was invented")
    assert code == 0, said
    text = candidates[0].read_text("utf-8")
    assert text.count("expect_tools: TODO") == 1
    candidates[0].write_text(
        text.replace("expect_tools: TODO", "expect_tools: [{name: insurance_quote, args: {order_id: L8823}}]"), "utf-8"
    )

    code, said = command(desk, "freeze")
    assert code == 0 and "F-S-02 (red 3/3)" in said, said

    code, said = command(desk, "gate", "--json", str(report))
    assert code == 1 and verdict(report, "F-S-02") == "FAIL", said
    code, said = command(desk, "gate", "--json", str(report), mended=True)
    assert code == 0 and verdict(report, "F-S-02") == "PASS", said
    code, said = command(desk, "probe", "--json", str(report), mended=True)
    assert code == 0 and verdict(report, "S-02") == "OK", said

    holder = next(p for p in desk.glob("fixed*/*.evalset.json") if "F-S-02" in p.read_text("utf-8"))
    for mended, outcome in ((False, "Tests failed: 1"), (True, "Tests failed: 0")):
        code, said = command(
            desk, "eval", "refund_agent", f"{holder.relative_to(desk)}:F-S-02", mended=mended, tool="google.adk.cli"
        )
        assert outcome in said, said[-3000:]
