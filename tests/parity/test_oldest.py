"""What is proved here holds on another ADK and another Python too, wherever such an environment is at hand."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("google.adk")

from other_environments import NAMED, NONE_AT_HAND, ROOT, THIS, Environment, at_hand, look, named

pytestmark = pytest.mark.adk

OTHERS = at_hand()
each_other = pytest.mark.parametrize(
    "other", OTHERS or [pytest.param(None, marks=pytest.mark.skip(reason=NONE_AT_HAND))], ids=str
)
SUITES = ("tests/parity", "tests/silent_greens")
# Where an environment is named, it is because somebody wants to know.
IF_NAMED = ("tests/adversarial", "tests/cases")
PLANS = ("evalsets/refund_desk/refund_desk.plan.yaml", "evalsets/interview_coach/interview_coach.plan.yaml")


@pytest.mark.skipif(not named(), reason=f"{NAMED} is not set")
def test_the_named_python_has_the_oldest_adk() -> None:
    python = named()
    assert python is not None
    environment = look(python)
    assert environment is not None, f"{python} has no google-adk"
    assert environment.adk.startswith("2.10."), f"{python} has google-adk {environment.adk}"


@each_other
@pytest.mark.parametrize("suite", [*SUITES, *(IF_NAMED if named() else ())])
def test_the_suites_hold_there(other: Environment, suite: str) -> None:
    options = ("-q", "-p", "no:cacheprovider", "--ignore", "tests/parity/test_oldest.py")
    done = other.run("-m", "pytest", *options, suite, cwd=ROOT)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
    assert " passed" in done.stdout


def outcome(environment: Environment, home: Path, plan: str) -> tuple[int, dict[str, Any]]:
    """Exit code and result of ``run --fresh`` in a copy of the examples."""
    for name in ("evalsets", "custom_metrics"):
        leave_out = shutil.ignore_patterns("__pycache__", ".adk", "probe_pool")
        shutil.copytree(ROOT / name, home / name, ignore=leave_out)
    (home / "pyproject.toml").write_text("", "utf-8")
    command = "import sys; from adk_split_eval.cli import main; sys.argv[0] = 'adk-split-eval'; main()"
    done = environment.run("-c", command, "run", plan, "--fresh", "--json", "out.json", cwd=home, PYTHONPATH=str(ROOT))
    assert (home / "out.json").is_file(), done.stdout + done.stderr
    return done.returncode, json.loads((home / "out.json").read_text("utf-8"))


def said(result: dict[str, Any]) -> dict[str, Any]:
    """The result without what differs from run to run: names, clocks, versions, places."""
    kept = {k: v for k, v in result.items() if k not in ("run_id", "started_at", "adk_version", "plan_path")}
    kept["candidates"] = [Path(path).name for path in result["candidates"]]
    for trial in (t for case in kept["cases"] for t in [case, *case["trials"]]):
        trial["criteria"] = [c for c in trial["criteria"] if c["name"] != "invocation_duration_v1"]
    return kept


@each_other
@pytest.mark.parametrize("plan", PLANS, ids=lambda p: Path(p).name.split(".")[0])
def test_an_example_ends_the_same_there(other: Environment, plan: str, tmp_path: Path) -> None:
    code, here = outcome(THIS, tmp_path / "here", plan)
    other_code, there = outcome(other, tmp_path / "there", plan)
    assert (here["adk_version"], there["adk_version"]) == (THIS.adk, other.adk)
    assert (other_code, there["counts"]) == (code, here["counts"])
    assert code == 0
    told, expected = said(there), said(here)
    for case, same in zip(told["cases"], expected["cases"], strict=True):
        assert case == same
    assert told == expected
