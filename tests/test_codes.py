"""Every code the product can print is explained."""

from __future__ import annotations

import re
from pathlib import Path

import adk_split_eval
from adk_split_eval.lint.explain import explanation

PACKAGE = Path(adk_split_eval.__file__).parent


def test_every_code_is_explained() -> None:
    used: dict[str, str] = {}
    for path in PACKAGE.rglob("*.py"):
        for code in re.findall(r"\bASE\d{3}\b", path.read_text(encoding="utf-8")):
            used.setdefault(code, path.name)
    assert len(used) > 100
    unexplained = {code: where for code, where in used.items() if not explanation(code)}
    assert unexplained == {}
