"""The proof: over generated combinations the linter errs exactly where ADK does not judge properly."""

from __future__ import annotations

import importlib.util
import sys
from collections import Counter
from pathlib import Path
from types import ModuleType

import pytest

pytest.importorskip("google.adk")
pytestmark = pytest.mark.adk
DOCS = Path(__file__).parents[2] / "docs" / "lint.md"


@pytest.fixture(scope="module")
def table(corpus: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    path = Path(__file__).parents[2] / "tools" / "lint_confusion.py"
    spec = importlib.util.spec_from_file_location("lint_confusion", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["lint_confusion"] = module
    spec.loader.exec_module(module)
    return module


def helper_module(name: str) -> ModuleType:
    return sys.modules["lint_confusion"].load(Path(__file__).parent / f"{name}.py")


@pytest.fixture(scope="module")
def rows(table: ModuleType, corpus: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> list[object]:
    return table.compare(corpus, helper_module("differential_worlds"), tmp_path_factory.mktemp("differential"))


def test_corpus_is_large_and_named(corpus: ModuleType) -> None:
    names = [c.name for c in corpus.combinations()]
    assert len(names) >= 500
    assert len(set(names)) == len(names)


def test_nothing_unjudged_is_missed(rows: list[object]) -> None:
    missed = [f"{r.group} | {r.name} | {r.why}" for r in rows if not r.proper and not r.codes]
    assert missed == []


def test_nothing_sound_is_refused(rows: list[object]) -> None:
    alarms = [f"{r.group} | {r.name} | {r.codes}" for r in rows if r.proper and r.codes]
    assert alarms == []


def test_both_sides_are_well_represented(rows: list[object]) -> None:
    count = Counter(bool(r.proper) for r in rows)
    assert count[True] > 150 and count[False] > 300


def test_published_table_is_these_numbers(rows: list[object], table: ModuleType) -> None:
    import google.adk

    version = google.adk.__version__
    text = DOCS.read_text(encoding="utf-8")
    if f"google-adk {version}" not in text:
        pytest.skip(f"the table in docs/lint.md was made with another version than {version}")
    assert table.render(rows, version) in text
