"""What must stop before anything is judged: an agent that exits, one that is none, a recording of something else."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from adk_split_eval.run.agents import AgentLoadError, load_agent

PLAN = """\
plan_id: words
fixed_set:
  cases:
    - case_id: F-01
      turns: [{user: hello, expect_tools: []}]
"""


def folder(tmp_path: Path, code: str) -> Path:
    directory = tmp_path / "some_agent"
    directory.mkdir()
    (directory / "__init__.py").write_text("from . import agent\n", encoding="utf-8")
    (directory / "agent.py").write_text(code, encoding="utf-8")
    return directory


@pytest.mark.parametrize(
    ("code", "why"),
    [
        ("import sys\nsys.exit(0)\n", "SystemExit: 0"),
        ("raise RuntimeError('no key')\n", "RuntimeError: no key"),
        ("root_agent = 'hello'\n", "root_agent is a str, not an ADK agent"),
        ("x = 1\n", "neither `app`, `root_agent` nor `get_agent_async`"),
    ],
)
def test_an_agent_that_cannot_be_used_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: str, why: str
) -> None:
    for name in [n for n in sys.modules if n == "agent" or n.startswith("agent.")]:
        monkeypatch.delitem(sys.modules, name)
    with pytest.raises(AgentLoadError) as refused:
        load_agent(folder(tmp_path, code))
    assert why in str(refused.value)
    for name in [n for n in sys.modules if n == "agent" or n.startswith("agent.")]:
        del sys.modules[name]


@pytest.mark.parametrize(("said", "verdict"), [("hello", "PASS"), ("something else", "ERROR")])
def test_a_recording_of_another_conversation_is_not_judged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: str, verdict: str
) -> None:
    pytest.importorskip("google.adk.evaluation.eval_case")
    from adk_split_eval import api
    from adk_split_eval.run import RunOptions

    monkeypatch.chdir(tmp_path)
    (tmp_path / "words.plan.yaml").write_text(PLAN, encoding="utf-8")
    traces = {"F-01": {"turns": [{"user": said, "tool_calls": [], "response": "hi"}]}}
    (tmp_path / "traces.json").write_text(json.dumps(traces), encoding="utf-8")
    result = api.score("words.plan.yaml", "traces.json", options=RunOptions(root=tmp_path))
    (case,) = result.cases
    assert case.verdict == verdict
    assert result.exit_code == (0 if verdict == "PASS" else 3)
    if verdict == "ERROR":
        assert "recording of another conversation" in case.reasons[0]


def test_a_journal_that_cannot_be_opened_is_no_interruption(tmp_path: Path) -> None:
    from adk_split_eval.run.journal import Journal, JournalOpenError

    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(JournalOpenError):
        Journal(tmp_path / "file" / "journal.sqlite")
