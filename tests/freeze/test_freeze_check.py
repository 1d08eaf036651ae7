"""``freeze --check``: what is approved is frozen, what is frozen was not changed without a word."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
import freeze_desk as desk

from adk_split_eval import pool
from adk_split_eval.freeze import check, freeze_candidates


@pytest.fixture
def plan(tmp_path: Path) -> Path:
    path = desk.make_plan(tmp_path)
    desk.approved(tmp_path)
    freeze_candidates(path, runner=desk.runner(desk.broken))
    return path


def codes(plan: Path) -> list[str]:
    return [f.code for f in check(plan.parent, frozen_file(plan))]


def frozen_file(plan: Path) -> Path:
    return plan.parent / "desk.frozen.yaml"


def test_all_is_well(plan: Path) -> None:
    assert codes(plan) == []


def test_an_approved_candidate_is_waiting(plan: Path) -> None:
    path = desk.approved(plan.parent, case_id="S-09")
    findings = check(plan.parent, frozen_file(plan))
    assert [(f.code, f.path) for f in findings] == [("ASE963", str(path))]
    assert f"freeze {path.stem}" in findings[0].help


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("grounded_numbers: true", "grounded_numbers: false"),
        ("user: never mind", "user: never mind!"),
        ('excludes: ["It pays 25', 'excludes: ["It pays 26'),
        ("name: quote", "name: quotes"),
    ],
)
def test_an_edit_without_a_word_is_found_with_its_line(plan: Path, old: str, new: str) -> None:
    text = frozen_file(plan).read_text("utf-8")
    assert old in text
    frozen_file(plan).write_text(text.replace(old, new), "utf-8")
    finding = check(plan.parent, frozen_file(plan))[0]
    assert finding.code == "ASE965" and "edited" in finding.message
    assert "- case_id: F-S-02" in text.splitlines()[finding.line - 1]


def test_layout_comments_and_order_of_keys_are_no_edits(plan: Path) -> None:
    text = frozen_file(plan).read_text("utf-8")
    text = text.replace("    grounded_numbers: true\n", "")
    text = text.replace(
        "    turns:\n",
        "    grounded_numbers: true   # first\n    turns:\n",
    )
    frozen_file(plan).write_text(text, "utf-8")
    assert codes(plan) == []


@pytest.mark.parametrize(("until", "code"), [('"2099-01-01"', "ASE965"), ("soon", "ASE962"), ('"20990101"', "ASE962")])
def test_a_time_of_grace_that_nobody_agreed_to_is_found(plan: Path, until: str, code: str) -> None:
    text = frozen_file(plan).read_text("utf-8")
    text = text.replace("    turns:\n", f"    pending: {{owner: me, until: {until}}}\n    turns:\n")
    frozen_file(plan).write_text(text, "utf-8")
    assert codes(plan) == [code]


def test_an_edit_of_what_a_case_guards_against_is_found(plan: Path) -> None:
    text = frozen_file(plan).read_text("utf-8")
    frozen_file(plan).write_text(text.replace("criterion: grounded_numbers_v1", "criterion: tool_args_v1"), "utf-8")
    assert codes(plan) == ["ASE965"]


def test_a_case_without_provenance_is_found(plan: Path) -> None:
    text = frozen_file(plan).read_text("utf-8")
    frozen_file(plan).write_text(text[: text.index("    provenance:")], "utf-8")
    assert codes(plan) == ["ASE964", "ASE965"]


def test_a_lost_case_is_found(plan: Path) -> None:
    frozen_file(plan).unlink()
    assert codes(plan) == ["ASE964"]


def test_cases_left_behind_by_a_renamed_plan_are_found(plan: Path) -> None:
    plan.write_text(plan.read_text("utf-8").replace("plan_id: desk", "plan_id: shop"), "utf-8")
    findings = check(plan.parent, plan.parent / "shop.frozen.yaml")
    assert [f.code for f in findings] == ["ASE045", "ASE964"]
    assert findings[0].path == str(frozen_file(plan))


def test_unreadable_files_are_findings(plan: Path) -> None:
    frozen_file(plan).write_text("cases: [\n", "utf-8")
    (plan.parent / "probe_pool" / "x.yaml").write_text("a: [\n", "utf-8")
    assert codes(plan) == ["ASE950", "ASE950"]


def test_a_thousand_candidates_and_frozen_cases_are_checked_quickly(plan: Path) -> None:
    path = pool.find(plan.parent, "S-02").path
    assert path is not None
    text = path.read_text("utf-8")
    for number in range(1000):
        (path.parent / f"S-{number}-{number:08x}.yaml").write_text(text, "utf-8")
    head, case = frozen_file(plan).read_text("utf-8").split("cases:\n")
    frozen_file(plan).write_text(f"{head}cases:\n" + case * 200, "utf-8")
    start = time.process_time()
    assert codes(plan) == []
    assert time.process_time() - start < 2.0
