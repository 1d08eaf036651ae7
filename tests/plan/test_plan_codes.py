"""The table behind ``explain``: complete, and true where it shows examples."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import adk_split_eval.plan as room
from adk_split_eval.plan.checked import CASE_CODES
from adk_split_eval.plan.codes import CODES

SOURCES = Path(room.__file__).parent


def test_every_code_used_is_explained_and_every_one_explained_is_used() -> None:
    used = {
        code
        for source in SOURCES.glob("*.py")
        if source.name != "codes.py"
        for code in re.findall(r"ASE\d{3}", source.read_text("utf-8"))
    }
    assert used == set(CODES)


def test_which_codes_reject_a_case() -> None:
    assert {code for code, info in CODES.items() if info.rejects_case} == CASE_CODES


@pytest.mark.parametrize("code", sorted(CODES))
def test_explanation(code: str) -> None:
    info = CODES[code]
    text = info.render(code)
    assert text.startswith(f"{code}: {info.title}\n") and text.endswith("\n")
    assert "What it does" in text and "Why is this bad?" in text and "How to mend it" in text
    assert info.what.startswith("Reports ") and info.why and info.mend
    assert ("inside a case it rejects that case" in text) == info.rejects_case == (code in CASE_CODES)
    assert ("the plan cannot be used (exit code 2)" in text) != info.rejects_case
    assert ("\nExample\n" in text) == bool(info.bad) and info.bad in text
    assert ("\nUse instead\n" in text) == bool(info.good) and info.good in text
    assert bool(info.good) <= bool(info.bad)
