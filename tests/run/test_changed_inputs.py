"""What has changed since a run: noticed by the command line, and only what it touches runs again, on request."""

from __future__ import annotations

import json
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from adk_split_eval.run import adk
from adk_split_eval.run.dependencies import code_root, project_imports

ALL = {"F-0000", "F-0001", "F-0002"}
METRIC = """
from google.adk.evaluation.evaluator import EvalStatus, EvaluationResult, PerInvocationResult

from team.limits import LIMIT

def short(eval_metric, actual, expected, scenario):
    good = all(len(i.final_response.parts[0].text) < LIMIT for i in actual)
    status = EvalStatus.PASSED if good else EvalStatus.FAILED
    rows = [PerInvocationResult(actual_invocation=i, score=float(good), eval_status=status) for i in actual]
    return EvaluationResult(overall_score=float(good), overall_eval_status=status, per_invocation_results=rows)
"""


@pytest.fixture
def team(project: Any, tmp_path: Path) -> Any:
    """A project as teams have it: helpers in the agent's folder and beside it, a prompt in a file, a metric with an import."""
    project.many(fixed=3)
    project.plan = {"custom_metrics": {"short": {"function": "team.metrics.short", "sets": ["fixed"]}}}
    project.write()
    source = tmp_path / "probe_agent" / "agent.py"
    more = "\nfrom pathlib import Path\nfrom .inner import WORD\nfrom team import words\nroot_agent.instruction = "
    more += "(Path(__file__).parent / 'prompt.txt').read_text() + WORD + words.WORD\n"
    source.write_text(
        f"import sys\nsys.path.append({str(tmp_path)!r})\n"
        + source.read_text("utf-8").replace("from __future__ import annotations\n", "")
        + more,
        encoding="utf-8",
    )
    write(tmp_path / "probe_agent" / "inner.py", "WORD = 'one'\n")
    write(tmp_path / "probe_agent" / "prompt.txt", "Be kind. ")
    write(tmp_path / "team" / "__init__.py", "")
    write(tmp_path / "team" / "words.py", "from team.deeper import WORD\n")
    write(tmp_path / "team" / "deeper.py", "WORD = 'two'\n")
    write(tmp_path / "team" / "limits.py", "LIMIT = 100\n")
    write(tmp_path / "team" / "metrics.py", METRIC)
    write(tmp_path / "pyproject.toml", "")
    return project


def write(file: Path, text: str) -> None:
    file.parent.mkdir(exist_ok=True)
    file.write_text(text, encoding="utf-8")


def other_words(team: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    team.fixed["F-0001"] = "F-0001 please lookup"


def another_version(team: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(adk, "adk_version", lambda: "2.99.0")


def file(name: str, text: str) -> Callable[[Any, pytest.MonkeyPatch], None]:
    return lambda team, monkeypatch: write(team.root / name, text)


CHANGES: dict[str, tuple[Any, set[str], str]] = {
    "nothing": (lambda *_: None, set(), ""),
    "a file nobody uses": (file("team/unused.py", "x = 1\n"), set(), ""),
    "a case": (other_words, {"F-0001"}, "1 unit(s) acted again"),
    "a module of the agent": (file("probe_agent/inner.py", "WORD = 'three'\n"), ALL, "3 unit(s) acted again"),
    "a module it imports from elsewhere": (file("team/deeper.py", "WORD = 'four'\n"), ALL, "3 unit(s) acted again"),
    "a prompt in a text file": (file("probe_agent/prompt.txt", "Be rude. "), ALL, "3 unit(s) acted again"),
    "google-adk": (another_version, ALL, "3 unit(s) acted again"),
    "a metric": (file("team/metrics.py", METRIC + "\n"), set(), "3 unit(s) judged again"),
    "what a metric imports": (file("team/limits.py", "LIMIT = 3\n"), set(), "3 unit(s) judged again"),
}


def test_what_a_change_touches_runs_again_on_request(team: Any, fork: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """One change after the other on the same run."""
    assert fork("run").exit_code() == 0, (team.root / "out.txt").read_text(encoding="utf-8")
    for name, (change, touched, note) in CHANGES.items():
        before = len(team.calls())
        change(team, monkeypatch)
        team.write()
        code = fork("run", "--resume", "latest", "--json", "out.json").exit_code()
        assert code == (1 if name == "what a metric imports" else 0), name
        assert {line.split()[1] for line in team.calls()[before:]} == touched, name
        notes = json.loads((team.root / "out.json").read_text(encoding="utf-8"))["notes"]
        assert [n.split(" again: ")[0] + " again" for n in notes if " again: " in n] == [n for n in [note] if n], name


@pytest.mark.parametrize(
    "name", ["nothing", "a module it imports from elsewhere", pytest.param("google-adk", marks=pytest.mark.slow)]
)
def test_an_interrupted_run_of_other_inputs_is_not_taken_up_by_itself(
    name: str, team: Any, fork: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PROBE_DELAY", "0.05")
    child = fork("run", "--jobs", "1")
    child.wait_for_calls(team, 3)
    child.kill(signal.SIGTERM)
    assert child.exit_code() == 130
    before = len(team.calls())
    CHANGES[name][0](team, monkeypatch)
    fork("run", "--json", "out.json").exit_code()
    acted = {line.split()[1] for line in team.calls()[before:]}
    notes = " ".join(json.loads((team.root / "out.json").read_text(encoding="utf-8"))["notes"])
    assert ("F-0000" in acted) == (name != "nothing")
    assert ("taken over from the interrupted run" in notes) == (name == "nothing")
    assert ("was interrupted, and its inputs have changed since" in notes) == (name != "nothing")


def test_imports_are_found_without_running_anything(tmp_path: Path) -> None:
    write(tmp_path / "pyproject.toml", "")
    tree = {
        "agents/shop/agent.py": "import json, shop.prices\nfrom . import near\nfrom ..common import far\nimport broken\n",
        "agents/shop/near.py": "def f():\n    from lib.tools import late\n",
        "agents/common/far.py": "raise SystemExit('nobody runs me')\n",
        "src/shop/__init__.py": "",
        "src/shop/prices.py": "import shop.prices, shop.missing\n",
        "lib/tools.py": "late = 1\n",
        "broken.py": "this is no Python",
        ".venv/lib/json.py": "",
        "unused.py": "",
    }
    for name, text in tree.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    agent = tmp_path / "agents" / "shop"
    assert code_root(agent) == tmp_path
    found = project_imports([agent / "agent.py", agent / "near.py"], tmp_path)
    assert [str(f.relative_to(tmp_path)) for f in found] == [
        "agents/common/far.py",
        "broken.py",
        "lib/tools.py",
        "src/shop/__init__.py",
        "src/shop/prices.py",
    ]
