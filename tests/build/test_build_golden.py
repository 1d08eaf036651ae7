"""Golden builds: each plan under ``data/`` beside everything it compiles to. ``UPDATE_GOLDEN=1`` writes them anew."""

from __future__ import annotations

import dataclasses
import hashlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

from adk_split_eval.build import compile_plan, outputs
from adk_split_eval.plan import load_plan
from adk_split_eval.record.jsonio import dumps

DATA = Path(__file__).parent / "data"
PLANS = sorted(path for path in DATA.glob("*/*.plan.yaml"))


def everything(plan: Path) -> dict[str, str]:
    """Relative path → text: the generated files, and what is compiled beside them."""
    compiled = compile_plan(load_plan(plan))
    found = {path.relative_to(plan.parent).as_posix(): text for path, text in outputs(compiled).items()}
    cases = [
        {
            "case_id": case.case_id,
            "group": case.group,
            "criteria": [dataclasses.asdict(criterion) for criterion in case.criteria],
            "findings": [f"{finding.code} {finding.level}" for finding in case.findings],
            "runner": case.runner,
        }
        for case in compiled.cases
    ]
    notes = [finding.render().replace(str(plan), plan.name) for finding in compiled.findings]
    found["compiled.json"] = dumps({"cases": cases, "decisions": compiled.decisions, "findings": notes}) + "\n"
    return found


@pytest.mark.parametrize("plan", PLANS, ids=lambda path: path.parent.name)
def test_a_plan_compiles_to_its_golden_files(plan: Path) -> None:
    expected_root = plan.parent / "expected"
    found = everything(plan)
    if os.environ.get("UPDATE_GOLDEN"):
        for name, text in found.items():
            (expected_root / name).parent.mkdir(parents=True, exist_ok=True)
            (expected_root / name).write_text(text, encoding="utf-8", newline="\n")
    expected = {
        path.relative_to(expected_root).as_posix(): path.read_text(encoding="utf-8")
        for path in sorted(expected_root.rglob("*.json"))
    }
    assert found == expected


def test_the_same_plan_gives_the_same_bytes_under_every_hash_seed() -> None:
    program = (
        "import hashlib, sys\n"
        "from pathlib import Path\n"
        "from adk_split_eval.build import compile_plan, outputs\n"
        "from adk_split_eval.plan import load_plan\n"
        "for plan in sys.argv[1:]:\n"
        "    for path, text in outputs(compile_plan(load_plan(plan))).items():\n"
        "        print(path.name, hashlib.sha256(text.encode()).hexdigest())\n"
        "assert not any(name.startswith('google.adk') for name in sys.modules)\n"
    )
    printed = set()
    for seed in ("0", "1", "4242"):
        done = subprocess.run(
            [sys.executable, "-c", program, *map(str, PLANS)],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)},
            capture_output=True,
            text=True,
            check=True,
        )
        printed.add(done.stdout)
    assert len(printed) == 1
    here = {
        hashlib.sha256(text.encode()).hexdigest()
        for plan in PLANS
        for text in outputs(compile_plan(load_plan(plan))).values()
    }
    assert {line.split()[1] for line in printed.pop().splitlines()} == here
