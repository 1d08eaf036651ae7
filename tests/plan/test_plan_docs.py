"""The plans shown in the documentation load."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from adk_split_eval.plan import load_plan

PAGE = Path(__file__).parents[2] / "docs" / "plan.md"
EXAMPLES = [text for text in re.findall(r"```yaml\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL) if "plan_id:" in text]


def test_there_are_examples() -> None:
    assert len(EXAMPLES) == 4


@pytest.mark.parametrize("text", EXAMPLES, ids=lambda text: text.split()[1])
def test_example_loads(tmp_path: Path, text: str) -> None:
    path = tmp_path / "example.plan.yaml"
    path.write_text(text, encoding="utf-8")
    assert not load_plan(path).rejected
