"""The schema that editors read from the repository is the one the package prints."""

from __future__ import annotations

import json
from pathlib import Path

from adk_split_eval.plan.schema import plan_json_schema

ROOT = Path(__file__).parent.parent.parent


def test_the_schema_file_is_fresh() -> None:
    stored = json.loads((ROOT / "docs" / "plan.schema.json").read_text(encoding="utf-8"))
    assert stored == plan_json_schema(), "run: adk-split-eval schema > docs/plan.schema.json"


def test_example_plans_name_it() -> None:
    for plan in ROOT.glob("evalsets/*/*.plan.yaml"):
        first = plan.read_text(encoding="utf-8").splitlines()[0]
        assert first.startswith("# yaml-language-server: $schema="), plan
        assert (plan.parent / first.partition("=")[2].strip()).resolve() == ROOT / "docs" / "plan.schema.json", plan
