"""Every code that the pool and the freeze raise is explained, and no other."""

from __future__ import annotations

import re
from pathlib import Path

import adk_split_eval
from adk_split_eval.pool.codes import CODES

ROOMS = ("pool", "freeze")


def test_codes_and_explanations_agree() -> None:
    root = Path(adk_split_eval.__file__).parent
    sources = [p for room in ROOMS for p in (root / room).glob("*.py") if p.name != "codes.py"]
    used = {code for path in sources for code in re.findall(r'"(ASE\d{3})"', path.read_text("utf-8"))}
    assert used == set(CODES)
    assert all(CODES[c].render(c).startswith(f"{c} ") for c in CODES)
