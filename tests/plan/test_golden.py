"""Plans with mistakes beside what is said about them; set UPDATE_GOLDEN=1 to write the .out files anew."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
import yaml

from adk_split_eval.plan import reading
from adk_split_eval.plan.checking import check_plan
from adk_split_eval.plan.codes import CODES
from adk_split_eval.record import Finding

GOLDEN = Path(__file__).parent / "golden"
PLANS = sorted(GOLDEN.glob("*.plan.yaml"))


def rendered(path: Path) -> str:
    checked = check_plan(path, path.name)
    lines: list[str] = []
    for finding in checked.findings:
        effect = f"rejects {finding.case_id}" if finding.case_id else "plan"
        lines.append(f"[{effect}] {finding.render()}")
    return "\n".join(lines) + "\n" if lines else ""


@pytest.mark.parametrize("plan", PLANS, ids=lambda path: path.name.removesuffix(".plan.yaml"))
def test_golden(plan: Path) -> None:
    expected = plan.with_name(plan.name.replace(".plan.yaml", ".out"))
    actual = rendered(plan)
    if os.environ.get("UPDATE_GOLDEN"):
        expected.write_text(actual, encoding="utf-8")
    assert actual == expected.read_text(encoding="utf-8")


@pytest.mark.parametrize("plan", PLANS, ids=lambda path: path.name.removesuffix(".plan.yaml"))
def test_every_finding_is_complete(plan: Path) -> None:
    for finding in check_plan(plan, plan.name).findings:
        assert finding.code in CODES
        assert finding.help, finding
        assert finding.level == "error"
        assert finding.line >= 1 and finding.column >= 1, finding
        assert finding.message.isprintable()
        assert (finding.end_line, finding.end_column) >= (finding.line, finding.column)
        if finding.case_id:
            assert CODES[finding.code].rejects_case, finding


@pytest.mark.parametrize("plan", PLANS, ids=lambda path: path.name.removesuffix(".plan.yaml"))
def test_the_same_without_the_c_parser(plan: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Same first finding from the pure Python parser; its column inside a bad escape is one further."""
    monkeypatch.setattr(reading, "_LOADER", yaml.Loader)
    first = rendered(plan).split("\n  help")[0]
    expected = plan.with_name(plan.name.replace(".plan.yaml", ".out")).read_text(encoding="utf-8").split("\n  help")[0]
    assert first == expected.replace("2:9:", "2:10:" if plan.name == "yaml_escape.plan.yaml" else "2:9:")


def test_no_golden_is_quietly_clean() -> None:
    clean = [plan.name for plan in PLANS if not plan.with_name(plan.name.replace(".plan.yaml", ".out")).read_text()]
    assert clean == ["good.plan.yaml"]


def test_every_code_has_a_golden_or_is_about_files(tmp_path: Path) -> None:
    seen = {finding.code for plan in PLANS for finding in check_plan(plan).findings}
    assert set(CODES) - seen == {"ASE001", "ASE002", "ASE040", "ASE041", "ASE042", "ASE045"}


def test_the_same_place_from_another_folder(tmp_path: Path) -> None:
    moved = tmp_path / "unknown_keys.plan.yaml"
    shutil.copy(GOLDEN / "unknown_keys.plan.yaml", moved)
    places: list[tuple[int, int]] = [(f.line, f.column) for f in check_plan(moved).findings]
    here: list[Finding] = check_plan(GOLDEN / "unknown_keys.plan.yaml").findings
    assert places == [(f.line, f.column) for f in here]
    assert all(f.path == str(moved) for f in check_plan(moved).findings)
