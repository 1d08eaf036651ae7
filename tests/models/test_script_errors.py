"""Mistakes in scripts: every file in bad/ beside the exact complaint (ADK_SPLIT_EVAL_UPDATE_GOLDEN=1 rewrites them)."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from adk_split_eval.models import NotRecordedError, ScriptError, register_recorded, register_scripted
from adk_split_eval.models.loading import load_script

BAD = Path(__file__).parent / "bad"


@pytest.mark.parametrize("name", sorted(path.stem for path in BAD.glob("*.yaml")))
def test_mistakes_are_reported_with_their_places(name: str) -> None:
    with pytest.raises(ScriptError) as problem:
        load_script(BAD / f"{name}.yaml")
    said = str(problem.value).replace(str(BAD) + os.sep, "") + "\n"
    golden = BAD / f"{name}.out"
    if os.environ.get("ADK_SPLIT_EVAL_UPDATE_GOLDEN"):
        golden.write_text(said, "utf-8")
    assert said == golden.read_text("utf-8")


def test_a_folder_reports_the_mistakes_of_all_its_scripts() -> None:
    with pytest.raises(ScriptError) as problem:
        register_scripted(BAD)
    assert len({finding.path for finding in problem.value.findings}) == len(list(BAD.glob("*.yaml")))


def test_a_folder_without_scripts_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ScriptError, match="holds no script"):
        register_scripted(tmp_path)
    with pytest.raises(NotRecordedError, match="holds no recording"):
        register_recorded(tmp_path)


def test_no_yaml_at_all(tmp_path: Path) -> None:
    (tmp_path / "broken.yaml").write_text("rules:\n  - say: [one\n", "utf-8")
    with pytest.raises(ScriptError, match=r"broken.yaml:3:1: ASE661 is no valid YAML: .*'\]'"):
        load_script(tmp_path / "broken.yaml")


def test_not_utf8_and_missing(tmp_path: Path) -> None:
    (tmp_path / "latin.yaml").write_bytes(b"about: caf\xe9\n")
    with pytest.raises(ScriptError, match=r"latin.yaml:1:1: ASE661 is not UTF-8"):
        load_script(tmp_path / "latin.yaml")
    with pytest.raises(ScriptError, match=r"gone.yaml:1:1: ASE661 cannot be read: No such file"):
        load_script(tmp_path / "gone.yaml")
