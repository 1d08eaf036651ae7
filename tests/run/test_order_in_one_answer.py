"""Two calls in one model answer, in another order than the plan writes them as steps: judged alike through every door."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from adk_split_eval.cli import main

AGENT = """
from google.adk.agents import LlmAgent
from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_response import LlmResponse
from google.adk.models.registry import LLMRegistry
from google.genai import types


def look() -> dict:
    "Look."
    return {"ok": 1}


def check() -> dict:
    "Check."
    return {"ok": 1}


class Both(BaseLlm):
    @classmethod
    def supported_models(cls):
        return ["both/.*"]

    async def generate_content_async(self, llm_request, stream=False):
        parts = [types.Part(function_call=types.FunctionCall(name=name, args={})) for name in ("check", "look")]
        if any(part.function_response for part in llm_request.contents[-1].parts):
            parts = [types.Part(text="done")]
        yield LlmResponse(content=types.Content(role="model", parts=parts))


LLMRegistry.register(Both)
root_agent = LlmAgent(name="desk", model="both/one", tools=[look, check])
"""
SAID = (
    "tool_trajectory_avg_score: turn 1: ADK compares the calls of one model answer in their order too: expected look, "
    "check, called check, look; where that order means nothing, write these calls as one step, a list in the list"
)


@pytest.fixture
def desk(project: Any) -> Path:
    root: Path = project.root
    (root / "probe_agent").mkdir()
    (root / ".adk-split-eval").mkdir()
    (root / "probe_agent" / "__init__.py").write_text("from . import agent\n", encoding="utf-8")
    (root / "probe_agent" / "agent.py").write_text(AGENT, encoding="utf-8")
    return root


def plan(root: Path, expected: str, match_type: str = "EXACT") -> None:
    (root / "desk.plan.yaml").write_text(
        "plan_id: desk\nagent: probe_agent\nfixed_set:\n"
        f"  criteria: {{tool_trajectory_avg_score: {{threshold: 1.0, match_type: {match_type}}}}}\n"
        f"  cases: [{{case_id: F-01, turns: [{{user: hello, expect_tools: {expected}}}]}}]\n",
        encoding="utf-8",
    )


def case(*arguments: str) -> dict[str, Any]:
    CliRunner().invoke(main, [*arguments, "--json", "out.json"])
    (found,) = json.loads(Path("out.json").read_text("utf-8"))["cases"]
    return found


@pytest.mark.parametrize("match_type", ["EXACT", "IN_ORDER"])
def test_steps_in_sequence_are_judged_as_adk_judges_them_and_the_reason_says_how_to_write_it(
    desk: Path, match_type: str
) -> None:
    plan(desk, "[look, check]", match_type)
    ran = case("run")
    assert (ran["verdict"], ran["reasons"]) == ("FAIL", [SAID])
    (adks,) = [c for c in ran["criteria"] if c["name"] == "tool_trajectory_avg_score"]
    assert (adks["status"], adks["score"]) == ("failed", 0.0)
    (generated,) = (desk / "fixed").glob("*.evalset.json")
    raw = case("run", "--agent", "probe_agent", str(generated))
    assert raw["verdict"] == "FAIL"
    assert [(c["name"], c["status"]) for c in raw["criteria"]][:2] == [
        (c["name"], c["status"]) for c in ran["criteria"]
    ][:2]
    calls = [{"step": 0, "name": name, "args": {}, "response": {}} for name in ("check", "look")]
    traces = {"F-01": {"turns": [{"user": "hello", "response": "done", "tool_calls": calls}]}}
    (desk / "traces.json").write_text(json.dumps(traces), encoding="utf-8")
    assert case("score", "desk.plan.yaml", "--traces", "traces.json")["reasons"] == [SAID]


@pytest.mark.parametrize(
    ("expected", "match_type"),
    [("[[look, check]]", "EXACT"), ("[look, check]", "ANY_ORDER"), ("[check, look]", "EXACT")],
)
def test_one_step_any_order_and_the_order_that_came_are_green(desk: Path, expected: str, match_type: str) -> None:
    plan(desk, expected, match_type)
    assert case("run")["verdict"] == "PASS"
    shutil.rmtree(desk / ".adk-split-eval" / "runs")
    (generated,) = (desk / "fixed").parent.glob("fixed*/*.evalset.json")
    assert case("run", "--agent", "probe_agent", str(generated))["verdict"] == "PASS"


def test_plain_adk_says_the_same_of_the_generated_set(desk: Path) -> None:
    plan(desk, "[look, check]")
    assert CliRunner().invoke(main, ["build"]).exit_code == 0
    (generated,) = (desk / "fixed").glob("*.evalset.json")
    said = subprocess.run(
        [sys.executable, "-m", "google.adk.cli", "eval", str(desk / "probe_agent"), str(generated)],
        cwd=desk, capture_output=True, text=True, timeout=180, check=False,
    )  # fmt: skip
    assert "Tests failed: 1" in said.stdout, said.stdout + said.stderr
