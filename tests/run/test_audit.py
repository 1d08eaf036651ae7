"""Judged verdicts for people to check: drawn alike every time, blind, and answered with consequences."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner

from adk_split_eval.cli import main
from adk_split_eval.record.runs import latest_run
from adk_split_eval.run.audit import Agreement, AuditError, draw_sample, take_answers

RUBRIC = {"rubric_id": "polite", "rubric_content": {"text_property": "The answer is polite."}}
JUDGED = "rubric_based_final_response_quality_v1"
JUDGE = """
rules:
  - name: the sevens are rude
    when: {prompt: 'F-000[37]'}
    judge: {verdict: no, why: rude}
  - name: the others are not
    judge: yes
"""


@pytest.fixture
def judged(project: Any) -> Any:
    project.many(fixed=10)
    project.plan = {
        "models": {"simulator": "probe/user", "judge": "scripted/judge"},
        "policy": {"votes": 3, "audit": "40%"},
    }
    project.fixed_set = {"criteria": {JUDGED: {"threshold": 0.5, "rubrics": [RUBRIC]}}}
    project.scripts = {"judge": JUDGE}
    return project


def answered(path: Path, answer: Any, name: str, to: Path) -> Path:
    sample = yaml.safe_load(path.read_text(encoding="utf-8"))
    sample["reviewer"] = name
    for item in sample["verdicts"]:
        item["answer"] = answer(item["id"])
    to.write_text(yaml.safe_dump(sample), encoding="utf-8")
    return to


def rude(name: str) -> bool:
    return "F-0003" in name or "F-0007" in name


def test_from_the_run_to_the_report(judged: Any, tmp_path: Path) -> None:
    result = judged.run()
    case = next(c for c in result.cases if c.case_id == "F-0003")
    criterion = next(c for c in case.criteria if c.name == JUDGED)
    assert criterion.votes == ["failed"] * 3
    path = latest_run(tmp_path).path / "audit.yaml"
    assert any(str(path) in note for note in result.notes)
    sample = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert len(sample["verdicts"]) == 4
    assert "failed" not in path.read_text(encoding="utf-8"), "nobody is led by the judge's own verdict"
    before = path.read_text(encoding="utf-8")
    assert draw_sample(latest_run(tmp_path), 0.4) == path
    assert path.read_text(encoding="utf-8") == before, "the same verdicts are drawn"

    draw_sample(latest_run(tmp_path), 1.0)
    same = answered(path, lambda i: "no" if rude(i) else "yes", "one", tmp_path / "one.yaml")
    outcome = CliRunner().invoke(main, ["audit", "--agree", str(same)])
    assert outcome.exit_code == 0, outcome.output
    assert "10 of 10 answers agree, alpha 1.00" in outcome.output
    assert "only 10 verdicts were checked" in outcome.output
    assert not any("do not rely" in n for n in judged.run(fresh=True).notes)

    other = answered(path, lambda i: "yes" if rude(i) else "no", "two", tmp_path / "two.yaml")
    outcome = CliRunner().invoke(main, ["audit", "--agree", str(other)])
    assert outcome.exit_code == 1
    assert "DOUBTFUL" in outcome.output
    notes = judged.run(fresh=True).notes
    assert any(f"do not rely on this judge: scripted/judge under {JUDGED}: 10 of 20 answers agree" in n for n in notes)


def test_an_answered_sample_is_not_drawn_over(judged: Any, tmp_path: Path) -> None:
    judged.run()
    path = latest_run(tmp_path).path / "audit.yaml"
    text = path.read_text(encoding="utf-8").replace("answer: null", "answer: yes", 1)
    path.write_text(text, encoding="utf-8")
    assert draw_sample(latest_run(tmp_path), 1.0) == path
    assert path.read_text(encoding="utf-8") == text


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("- a\n- [", r"2:4: ASE912 not YAML"),
        ("just words", "ASE912 not a sample"),
        ("run_id: x\nverdicts: []\n", "ASE913 nobody has answered yet"),
        ("run_id: x\nverdicts: [{id: a, answer: perhaps}]\n", "'perhaps' is neither yes nor no"),
    ],
)
def test_what_cannot_be_used_is_refused(text: str, said: str, tmp_path: Path) -> None:
    file = tmp_path / "answers.yaml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(AuditError, match=said):
        take_answers([file], tmp_path)


def test_without_variation_one_other_answer_makes_a_judge_doubtful() -> None:
    assert not Agreement("m", 5, 5, 5, None).doubtful
    assert Agreement("m", 5, 4, 5, None).doubtful
    assert Agreement("m", 50, 49, 50, 0.79).doubtful
