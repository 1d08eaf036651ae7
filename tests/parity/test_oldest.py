"""The proving suites on the oldest ADK we support, where a Python that has it is named in ADK_SPLIT_EVAL_OLDEST_PYTHON."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PYTHON = os.environ.get("ADK_SPLIT_EVAL_OLDEST_PYTHON", "")
SUITES = ("tests/parity/test_parity.py", "tests/silent_greens", "tests/adversarial", "tests/cases")


@pytest.mark.skipif(not PYTHON, reason="no Python with the oldest ADK is named (see `make test-oldest`)")
@pytest.mark.parametrize("suite", SUITES)
def test_the_suites_hold_on_the_oldest_adk(suite: str) -> None:
    environment = {k: v for k, v in os.environ.items() if k != "ADK_SPLIT_EVAL_OLDEST_PYTHON"}
    version = "from importlib.metadata import version; print(version('google-adk'))"
    found = subprocess.run([PYTHON, "-c", version], capture_output=True, text=True, check=True).stdout
    assert found.startswith("2.10."), f"{PYTHON} has google-adk {found}"
    command = [PYTHON, "-m", "pytest", "-q", "-p", "no:cacheprovider", suite]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
