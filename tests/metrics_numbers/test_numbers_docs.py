"""The table of docs/grounded-numbers.md, executed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from adk_split_eval.metrics.grounded_numbers import _PARAMETERS, SOURCES, judge
from adk_split_eval.record import Call, Conversation, Turn

DOCUMENT = Path(__file__).parents[2] / "docs" / "grounded-numbers.md"
TEXT = DOCUMENT.read_text(encoding="utf-8")
ROWS = re.findall(r"^\| `(.+?)` \| `(.+?)` \| (grounded|\*\*no source\*\*) \|$", TEXT, re.MULTILINE)


def test_the_table_is_found() -> None:
    assert len(ROWS) >= 20


@pytest.mark.parametrize(("statement", "source", "verdict"), ROWS)
def test_row(statement: str, source: str, verdict: str) -> None:
    turn = Turn("hi", [Call("t", {}, {"value": source}, answered=True)], response=f"It is {statement}.")
    status = judge(Conversation([turn]), {}, 1.0).status
    assert status == ("passed" if verdict == "grounded" else "failed")


def test_parameters_and_sources_are_all_documented() -> None:
    documented = re.findall(r"^\| `([a-z]+)` \| ", TEXT, re.MULTILINE)
    assert set(documented) == set(_PARAMETERS) - {"turns"}
    assert all(f"* **{name}**" in TEXT for name in SOURCES)
