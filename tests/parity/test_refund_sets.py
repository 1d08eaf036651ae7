"""The generated sets of the example under the real ``adk eval`` command, and our run of its plan: criterion by criterion."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("google.adk.evaluation.local_eval_service")
pytestmark = pytest.mark.adk

ROOT = Path(__file__).parents[2]
STATUS = {1: "passed", 2: "failed", 3: "not_evaluated", 4: "informational"}
# ADK's metric reports a case that asks nothing of it as INFORMATIONAL without a score.
NOTHING_ASKED = {("informational", "not_applicable")}


def command(arguments: list[str], cwd: Path) -> subprocess.CompletedProcess[str]:
    environment = {k: v for k, v in os.environ.items() if k not in ("REFUND_DESK_FIXED", "REFUND_DESK_MODEL")}
    return subprocess.run(
        [sys.executable, "-c", *arguments], cwd=cwd, env=environment, capture_output=True, text=True, check=False
    )


ADK = "import sys; from google.adk.cli import main; sys.argv[0] = 'adk'; main()"
OURS = "import sys; from adk_split_eval.cli import main; sys.argv[0] = 'adk-split-eval'; main()"


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example where it lies beside its metrics, in a folder of its own."""
    home = tmp_path_factory.mktemp("refund")
    shutil.copytree(
        ROOT / "evalsets" / "refund_desk",
        home / "evalsets" / "refund_desk",
        ignore=shutil.ignore_patterns("__pycache__", ".adk", "probe_pool"),
    )
    shutil.copytree(ROOT / "custom_metrics", home / "custom_metrics", ignore=shutil.ignore_patterns("__pycache__"))
    (home / "pyproject.toml").write_text("", "utf-8")
    return home


@pytest.fixture(scope="module")
def both(desk: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[list[Any], dict[str, Any]]:
    """What every ``adk eval`` left (exit code and cases of each set), and our result."""
    plan = desk / "evalsets" / "refund_desk" / "refund_desk.plan.yaml"
    report = desk / "ours.json"
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    sets = sorted(plan.parent.glob("*/*.evalset.json"))
    jobs: list[tuple[list[str], Path]] = [
        ([ADK, "eval", str(plan.parent / "refund_agent"), str(path)], elsewhere) for path in sets
    ]
    jobs.append(([OURS, "run", str(plan), "--fresh", "--json", str(report)], desk))
    with ThreadPoolExecutor(2) as pool:
        done = list(pool.map(lambda job: command(*job), jobs))
    assert done[-1].returncode == 0, done[-1].stdout + done[-1].stderr
    history = plan.parent / "refund_agent" / ".adk" / "eval_history"
    results = [json.loads(f.read_text("utf-8")) for f in history.glob("*.evalset_result.json")]
    results = [json.loads(r) if isinstance(r, str) else r for r in results]
    assert len(results) == len(sets) >= 2, "\n".join(d.stdout + d.stderr for d in done)
    codes = [(path.parent.name, job.returncode) for path, job in zip(sets, done, strict=False)]
    return [codes, results], json.loads(report.read_text("utf-8"))


def test_every_criterion_says_the_same(both: tuple[list[Any], dict[str, Any]]) -> None:
    (_, results), ours = both
    mine = {c["case_id"]: {k["name"]: k for k in c["criteria"]} for c in ours["cases"]}
    compared, differing = 0, []
    for case in (case for result in results for case in result["eval_case_results"]):
        for metric in case["overall_eval_metric_results"]:
            name, status = metric["metric_name"], STATUS[metric["eval_status"]]
            own = mine[case["eval_id"]].get(name)
            if name.startswith("invocation_duration") or (own is None and status == "informational"):
                continue
            compared += 1
            assert own is not None, (case["eval_id"], name, status)
            same = own["status"] == status or (status, own["status"]) in NOTHING_ASKED
            if not same or (metric["score"] or 0.0) != pytest.approx(own["score"] or 0.0):
                differing.append((case["eval_id"], name, status, metric["score"], own["status"], own["score"]))
    assert differing == []
    assert compared >= 60


def test_every_case_ran_at_both_places(both: tuple[list[Any], dict[str, Any]]) -> None:
    (_, results), ours = both
    assert sorted(c["eval_id"] for r in results for c in r["eval_case_results"]) == sorted(
        c["case_id"] for c in ours["cases"]
    )


def test_verdicts_agree_but_for_what_a_hit_means(both: tuple[list[Any], dict[str, Any]]) -> None:
    (codes, results), ours = both
    adk = {c["eval_id"]: STATUS[c["final_eval_status"]] for r in results for c in r["eval_case_results"]}
    said = {"PASS": "passed", "OK": "passed", "FAIL": "failed", "HIT": "failed"}
    assert {c["case_id"]: said.get(c["verdict"], c["verdict"]) for c in ours["cases"]} == adk
    # A hit fails ADK's own exit code (from 2.13 on); the probe's never blocks here.
    if adk and any(v == "failed" for v in adk.values()):
        assert ours["exit_code"] == 0
        assert all(code == 0 for name, code in codes if name.startswith("fixed"))
