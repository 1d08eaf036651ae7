"""``doctor`` says what a run here would meet, and is red when a run would be."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from adk_split_eval.cli import main


def doctor(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["doctor", *arguments])


def test_a_project_in_order(project: Any) -> None:
    project.many(fixed=1).write()
    seen = doctor()
    assert seen.exit_code == 0, seen.output
    assert "ok    plan probe.plan.yaml" in seen.output
    assert "ok    the agent can be imported" in seen.output
    assert "ok    models.simulator: probe/user" in seen.output
    assert "FAIL" not in seen.output


def test_an_agent_that_cannot_be_imported(project: Any) -> None:
    project.many(fixed=1).write()
    (project.root / "probe_agent" / "agent.py").write_text("import no_such_library\n", encoding="utf-8")
    seen = doctor()
    assert seen.exit_code == 1
    assert "FAIL  ASE904" in seen.output
    assert "No module named 'no_such_library'" in seen.output


def test_what_is_not_looked_at_is_said(project: Any) -> None:
    project.many(fixed=1).write()
    (project.root / "probe_agent" / "agent.py").write_text("raise RuntimeError\n", encoding="utf-8")
    seen = doctor("--no-import")
    assert seen.exit_code == 0
    assert "not imported: whether it can be, and whether its models are known, is not checked" in seen.output
    assert "can be imported and offers" not in seen.output


def test_a_model_that_nothing_answers_to(project: Any) -> None:
    project.plan["models"] = {"simulator": "probe/user", "judge": "no-such-provider-model"}
    project.many(fixed=1).write()
    seen = doctor()
    assert seen.exit_code == 1
    assert "FAIL  models.judge: no-such-provider-model: no installed model answers to that name" in seen.output


@pytest.mark.parametrize(
    ("text", "code", "said"), [(None, 0, "info  "), ("plan_id: shop\nagnet: shop\n", 1, "shop.plan.yaml:2:1: ASE")]
)
def test_no_plan_is_no_fault_and_a_broken_one_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str | None, code: int, said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    if text is not None:
        (tmp_path / "shop.plan.yaml").write_text(text, encoding="utf-8")
    seen = doctor()
    assert seen.exit_code == code, seen.output
    assert said in seen.output
    assert ("FAIL" in seen.output) == (code == 1)
