"""The page about process rules: its plan fragments compile, its sentences are those the criteria give."""

from __future__ import annotations

import re
from pathlib import Path

import yaml

from adk_split_eval.api import compile_plan
from adk_split_eval.criteria import catalogue

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "process.md").read_text("utf-8")
FRAGMENTS = [yaml.safe_load(text) for text in re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)]


def test_the_fragments_are_a_plan(tmp_path: Path) -> None:
    turns = [{"user": "hi"}, {"user": "bye"}]
    plan = {
        "plan_id": "page",
        "models": {"judge": "scripted/j"},
        "fixed_set": {
            "cases": [
                {"case_id": "I-01", "turns": turns},
                {"case_id": "I-02", "turns": turns, "interrupt": {"after_turn": 1}},
            ]
        },
    }
    for fragment in FRAGMENTS:
        plan.update(fragment)
    path = tmp_path / "page.plan.yaml"
    path.write_text(yaml.safe_dump(plan), "utf-8")
    compiled = compile_plan(path)
    assert not any(case.rejected for case in compiled.cases)
    named = {criterion.name for case in compiled.cases for criterion in case.criteria}
    assert named == set(re.findall(r"^### `(\w+)`", PAGE, re.MULTILINE))
    assert len(compiled.extra["contrasts"]) == 1


def test_every_process_criterion_is_on_the_page() -> None:
    process = [row.name for row in catalogue.CATALOGUE.values() if (row.plan_key or "").startswith("process")]
    assert len(process) >= 7
    assert all(f"`{name}`" in PAGE for name in [*process, "recovery_v1"])
