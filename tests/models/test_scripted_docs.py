"""The documentation of the scripted model is executed: its scripts load, its test passes, its tables are complete."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from adk_split_eval.models import loading
from adk_split_eval.models.judge import FAULTS
from adk_split_eval.models.loading import load_script

PAGE = (Path(__file__).parents[2] / "docs" / "scripted-model.md").read_text("utf-8")
BLOCKS = re.findall(r"```(\w+)\n(.*?)```", PAGE, re.DOTALL)


def _scripts(folder: Path) -> list[Path]:
    files: list[Path] = []
    for kind, text in BLOCKS:
        if kind == "yaml":
            name = re.match(r"# file: (\S+)\n", text)
            assert name is not None, text
            (folder / name[1]).write_text(text, "utf-8")
            files.append(folder / name[1])
    return files


def test_every_script_of_the_page_loads(tmp_path: Path) -> None:
    files = _scripts(tmp_path)
    assert len(files) == 4
    for file in files:
        assert load_script(file).rules


def test_the_hermetic_test_of_the_page_passes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _scripts(tmp_path)
    monkeypatch.chdir(tmp_path)
    (code,) = [text for kind, text in BLOCKS if kind == "python" and text.startswith("# test:")]
    exec(compile(code, "scripted-model.md", "exec"), {"__name__": "page"})


@pytest.mark.parametrize("name", [*loading._CONDITIONS, *loading._ANSWER_KEYS, *FAULTS])
def test_every_word_of_the_vocabulary_is_explained(name: str) -> None:
    assert re.search(rf"\b{name}\b", PAGE)
