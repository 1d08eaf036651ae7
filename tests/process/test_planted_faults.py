"""Every planted fault is noticed by the criterion made for it, in the case chosen for it; healthy agents and traps raise nothing.

The whole matrix, over all cases, is ``benchmarks/faults/bench.py``; ``docs/planted-faults.md`` shows it.
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

pytest.importorskip("google.adk.evaluation.local_eval_service")
pytestmark = pytest.mark.adk

FOLDER = Path(__file__).parents[2] / "benchmarks" / "faults"


def _load(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, FOLDER / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


faults = _load("faults")
bench = _load("bench")


@pytest.mark.parametrize("planted", faults.PLANTED, ids=lambda planted: f"{planted.plan.parent.name}/{planted.name}")
def test_the_criterion_made_for_it_speaks(planted: object) -> None:
    outcome = bench.measure(planted, (planted.case,))  # type: ignore[attr-defined]
    assert outcome.caught, (outcome.verdicts, outcome.raised, outcome.unjudged)


def test_every_fault_of_the_coach_is_planted() -> None:
    scripts = (faults.ROOT / "evalsets" / "interview_coach" / "coach_agent" / "scripts").glob("coach_*.yaml")
    planted = {p.name for p in faults.PLANTED if p.plan == faults.COACH}
    assert {path.stem.removeprefix("coach_") for path in scripts} == planted - {"healthy"}


def test_the_published_matrix_names_every_variant() -> None:
    text = bench.PAGE.read_text("utf-8")
    for planted in faults.PLANTED:
        assert f"| {planted.name} | {planted.what} |" in text
    count = sum(p.criterion != faults.NOTHING for p in faults.PLANTED)
    assert f"**{count} of {count}**" in text
    quiet = len(faults.PLANTED) - count
    assert f"**{quiet} of {quiet}**" in text
