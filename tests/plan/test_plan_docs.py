"""The plans shown in the documentation load."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from adk_split_eval.plan import load_plan
from adk_split_eval.plan.checked import CASE_CODES
from adk_split_eval.plan.codes import CODES

PAGE = Path(__file__).parents[2] / "docs" / "plan.md"
EXAMPLES = [text for text in re.findall(r"```yaml\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL) if "plan_id:" in text]


def test_there_are_examples() -> None:
    assert len(EXAMPLES) == 4


@pytest.mark.parametrize("text", EXAMPLES, ids=lambda text: text.split()[1])
def test_example_loads(tmp_path: Path, text: str) -> None:
    path = tmp_path / "example.plan.yaml"
    path.write_text(text, encoding="utf-8")
    assert not load_plan(path).rejected


def codes_in(table: str) -> set[str]:
    """The codes of a table of the page, ranges written out."""
    text = PAGE.read_text("utf-8").split(table, 1)[1].split("\n\n", 1)[0]
    found = set(re.findall(r"ASE\d{3}", text))
    for first, last in re.findall(r"ASE(\d{3}) to ASE(\d{3})", text):
        found |= {code for code in CODES if int(first) <= int(code[3:]) <= int(last)}
    return found


def test_which_mistakes_reject_a_case_and_which_the_plan() -> None:
    of_cases, of_plans = codes_in("| what is wrong inside a case |"), codes_in("| the whole plan is refused |")
    assert of_cases == CASE_CODES
    assert not (of_plans & CASE_CODES) - {"ASE036"}
    assert set(CODES) - of_cases - of_plans == {"ASE001", "ASE040"}
