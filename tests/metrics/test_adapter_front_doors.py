"""The metrics at ADK's two front doors, with real agents and scripted models: both must say the same."""

from __future__ import annotations

import asyncio
import importlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("google.adk.evaluation.local_eval_service")
pytestmark = pytest.mark.adk

from google.adk.evaluation.agent_evaluator import AgentEvaluator  # noqa: E402
from google.adk.evaluation.eval_config import EvalConfig  # noqa: E402
from google.adk.evaluation.eval_metrics import EvalStatus  # noqa: E402
from google.adk.evaluation.eval_result import EvalCaseResult  # noqa: E402
from google.adk.evaluation.eval_set import EvalSet  # noqa: E402

AGENT = '''
import re

from google.adk.agents import Agent
from google.adk.models import BaseLlm, LlmResponse
from google.adk.models.registry import LLMRegistry
from google.genai import types


class Scripted(BaseLlm):
    @classmethod
    def supported_models(cls):
        return ["metrics-test-.*"]

    async def generate_content_async(self, llm_request, stream=False):
        yield LlmResponse(content=types.Content(role="model", parts=self.parts(llm_request)))

    def parts(self, request):
        last = request.contents[-1]
        said = "".join(p.text or "" for p in last.parts or [])
        if self.model.endswith("judge"):
            return [types.Part(text="no verdict at all")]
        if self.model.endswith("simulator"):
            done = "5 euros" in said
            return [types.Part(text="</finished>" if done else "it is L8823")]
        if any(p.function_response for p in last.parts):
            return [types.Part(text="Order L8823: the fee is 5 euros.")]
        order = re.search("L[0-9]+", said)
        if not order:
            return [types.Part(text="Which order?")]
        return [
            types.Part(text="Let me look."),
            types.Part(function_call=types.FunctionCall(name="quote", args={"order_id": order[0], "amount": 1})),
            types.Part(function_call=types.FunctionCall(name="lookup", args={"order_id": order[0]})),
        ]


LLMRegistry.register(Scripted)


def lookup(order_id: str) -> dict:
    """Look an order up."""
    return {"order": order_id}


def quote(order_id: str, amount: int) -> dict:
    """Quote the fee."""
    return {"fee": 5}


root_agent = Agent(name="metrics_desk", model="metrics-test-agent", instruction="Serve.", tools=[lookup, quote])
'''

TEAM = """
from pathlib import Path

from google.adk.evaluation.evaluator import EvalStatus, EvaluationResult, PerInvocationResult


def fine(metric, actual, expected, scenario):
    rows = [PerInvocationResult(actual_invocation=i, score=1.0, eval_status=EvalStatus.PASSED) for i in actual]
    return EvaluationResult(overall_score=1.0, overall_eval_status=EvalStatus.PASSED, per_invocation_results=rows)


def fails_later(metric, actual, expected, scenario):
    count = Path(__file__).with_name("count.txt")
    if count.exists():
        raise RuntimeError("the second time")
    count.write_text("1")
    return fine(metric, actual, expected, scenario)
"""

LOOKUP = {"name": "lookup", "args": {"order_id": "L8823"}}
QUOTE = {"name": "quote", "args": {"order_id": {"regex": "^L"}, "amount": 1.0}}
SAYS_FIVE = {"contains": ["5 euros"]}


def rubric(name: str, params: Any, turn: bool = False) -> dict[str, Any]:
    return {
        "rubric_id": name + ".turn" * turn,
        "type": f"ADK_SPLIT_EVAL.{name}",
        "rubric_content": {"text_property": json.dumps(params, sort_keys=True, separators=(",", ":"))},
    }


def calls(*steps: Any) -> dict[str, Any]:
    return {"expect": [{"calls": step if isinstance(step, list) else [step]} for step in steps]}


def fixed(name: str, rubrics: dict[str, Any], turn_rubrics: dict[str, Any]) -> dict[str, Any]:
    """A case of two turns, with turn rubrics on the second one only: the first declares nothing."""
    users = ("hello", "L8823 please")
    turns = [{"user_content": {"role": "user", "parts": [{"text": text}]}} for text in users]
    turns[1]["rubrics"] = [rubric(n, p, turn=True) for n, p in turn_rubrics.items()]  # type: ignore[assignment]
    return {"eval_id": name, "conversation": turns, "rubrics": [rubric(n, p) for n, p in rubrics.items()]}


def scenario(name: str, rubrics: dict[str, Any]) -> dict[str, Any]:
    prompts = {"starting_prompt": "hello", "conversation_plan": "Ask for order L8823."}
    return {"eval_id": name, "conversation_scenario": prompts, "rubrics": [rubric(n, p) for n, p in rubrics.items()]}


EXACT = {"match_type": "EXACT"}
REFERENCE = {"text": "Order L8823: the fee is 5 euros."}
CASES: dict[str, tuple[dict[str, Any], set[str]]] = {
    "all_good": (
        fixed(
            "all_good",
            {
                "tool_args_v1": EXACT,
                "expected_response_v1": {"method": "response_match_score"},
                "forbidden_tools_v1": {"forbidden": [{"name": "pay"}]},
                "tool_order_v1": {"rules": []},
            },
            {
                "tool_args_v1": calls(LOOKUP, QUOTE),
                "response_text_v1": SAYS_FIVE,
                "expected_response_v1": REFERENCE,
                "intermediate_responses_v1": {"expect": [{"author": "metrics_desk", "text": "Let me look."}]},
            },
        ),
        set(),
    ),
    "wrong_args": (
        fixed(
            "wrong_args",
            {"tool_args_v1": EXACT},
            {"tool_args_v1": calls({**LOOKUP, "args": {"order_id": "L1"}}, QUOTE)},
        ),
        {"tool_args_v1"},
    ),
    "wrong_text": (fixed("wrong_text", {}, {"response_text_v1": {"excludes": ["5 euros"]}}), {"response_text_v1"}),
    "parallel_is_not_earlier": (
        fixed("parallel_is_not_earlier", {"tool_order_v1": {"rules": [{"before": "quote", "after": "lookup"}]}}, {}),
        {"tool_order_v1"},
    ),
    "no_call_expected": (
        fixed("no_call_expected", {"tool_args_v1": {"match_type": "ANY_ORDER"}}, {"tool_args_v1": calls()}),
        {"tool_args_v1"},
    ),
    "bad_parameters": (fixed("bad_parameters", {"forbidden_tools_v1": {"forbiden": []}}, {}), {"forbidden_tools_v1"}),
    "judge_without_a_verdict": (
        fixed(
            "judge_without_a_verdict",
            {
                "expected_response_v1": {
                    "method": "final_response_match_v2",
                    "options": {"judge_model_options": {"judge_model": "metrics-test-judge", "num_samples": 1}},
                }
            },
            {"expected_response_v1": REFERENCE},
        ),
        {"expected_response_v1"},
    ),
    "simulated_good": (
        scenario(
            "simulated_good",
            {
                "goal_reached_v1": {
                    "goal": "a quote",
                    "evidence": [{"tool": "quote", "response": {"fee": 5}}, {"says": "5"}],
                },
                "forbidden_tools_v1": {"forbidden": [{"name": "quote", "args": {"amount": {"gt": 1}}}]},
            },
        ),
        set(),
    ),
    "simulated_hit": (
        scenario(
            "simulated_hit",
            {
                "goal_reached_v1": {"goal": "a human", "evidence": [{"says": "human"}]},
                "forbidden_tools_v1": {"forbidden": [{"name": "quote", "until": {"name": "lookup"}}]},
            },
        ),
        {"goal_reached_v1", "forbidden_tools_v1"},
    ),
}
METRICS = (
    "tool_args_v1",
    "tool_order_v1",
    "response_text_v1",
    "expected_response_v1",
    "intermediate_responses_v1",
    "forbidden_tools_v1",
    "goal_reached_v1",
)


def config(**team: str) -> dict[str, Any]:
    paths = {name: f"adk_split_eval.metrics.{name}" for name in METRICS}
    paths.update({name: f"adk_split_eval.metrics.team.{path}" for name, path in team.items()})
    return {
        "criteria": dict.fromkeys(paths, 1.0),
        "custom_metrics": {name: {"code_config": {"name": path}} for name, path in paths.items()},
        "user_simulator_config": {"model": "metrics-test-simulator", "max_allowed_invocations": 5},
    }


def eval_set(*names: str) -> dict[str, Any]:
    return {"eval_set_id": "desk", "eval_cases": [CASES[name][0] for name in names]}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A team's project: an agent folder and a metric of its own. Nothing of it is on the import path but the agent."""
    root = tmp_path_factory.mktemp("project")
    agent = root / "agents" / "metrics_desk"
    agent.mkdir(parents=True)
    (agent / "__init__.py").write_text("from . import agent\n")
    (agent / "agent.py").write_text(AGENT)
    (root / "desk_metrics").mkdir()
    (root / "desk_metrics" / "own.py").write_text(TEAM)
    sys.path.insert(0, str(root / "agents"))
    importlib.invalidate_caches()
    yield root
    sys.path.remove(str(root / "agents"))
    for name in [n for n in sys.modules if n.partition(".")[0] in ("metrics_desk", "desk_metrics")]:
        sys.modules.pop(name)


def both_doors(name: str, configuration: dict[str, Any], runs: int = 1) -> tuple[list[EvalCaseResult], str]:
    """One case through LocalEvalService as ``adk eval`` uses it, and what AgentEvaluator makes of the same results.

    AgentEvaluator asks LocalEvalService itself; its answer is caught on the way, so both doors see one run.
    """
    caught: list[EvalCaseResult] = []
    original = AgentEvaluator._get_eval_results_by_eval_id

    async def catching(*args: Any, **kwargs: Any) -> Any:
        results = await original(*args, **kwargs)
        caught.extend(result for found in results.values() for result in found)
        return results

    complaint = ""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(AgentEvaluator, "_get_eval_results_by_eval_id", staticmethod(catching))
        try:
            asyncio.run(
                AgentEvaluator.evaluate_eval_set(
                    agent_module="metrics_desk",
                    eval_set=EvalSet.model_validate(eval_set(name)),
                    eval_config=EvalConfig.model_validate(configuration),
                    num_runs=runs,
                    print_detailed_results=False,
                )
            )
        except AssertionError as error:
            complaint = str(error)
    return caught, complaint


def failed(result: EvalCaseResult) -> set[str]:
    return {r.metric_name for r in result.overall_eval_metric_results if r.eval_status == EvalStatus.FAILED}


@pytest.mark.usefixtures("project")
@pytest.mark.parametrize("name", sorted(CASES))
def test_both_doors_agree(name: str) -> None:
    wanted = CASES[name][1]
    [result], complaint = both_doors(name, config(own="desk_metrics.own.fine"))
    assert failed(result) == wanted
    assert {metric for metric in METRICS if f"{metric} for " in complaint} == wanted
    assert result.final_eval_status == (EvalStatus.FAILED if wanted else EvalStatus.PASSED)
    for metric_result in result.overall_eval_metric_results:
        if metric_result.metric_name in wanted:
            assert metric_result.details is not None
            assert metric_result.details.rubric_scores


@pytest.mark.usefixtures("project")
def test_a_metric_that_fails_in_one_of_two_runs_is_red_at_both_doors(project: Path) -> None:
    (project / "desk_metrics" / "count.txt").unlink(missing_ok=True)
    results, complaint = both_doors("all_good", config(own="desk_metrics.own.fails_later"), runs=2)
    assert sorted(len(failed(result)) for result in results) == [0, 1]
    assert "own for " in complaint


@pytest.mark.usefixtures("project")
def test_a_missing_metric_of_the_team_is_red_at_both_doors() -> None:
    [result], complaint = both_doors("all_good", config(own="desk_metrics.own.gone"))
    assert failed(result) == {"own"}
    assert "own for " in complaint


def test_adk_eval_from_another_directory(project: Path, tmp_path: Path) -> None:
    """The command itself, in a directory that has nothing to do with the project."""
    adk = shutil.which("adk", path=str(Path(sys.executable).parent)) or shutil.which("adk")
    if adk is None:
        pytest.skip("the adk command is not installed")
    place = project / "sets"
    place.mkdir()
    sets = {"good": ["all_good"], "bad": ["wrong_args", "bad_parameters"]}
    for folder, names in sets.items():
        (place / folder).mkdir()
        (place / folder / "desk.evalset.json").write_text(json.dumps({**eval_set(*names), "eval_set_id": folder}))
    (place / "config.json").write_text(json.dumps(config(own="desk_metrics.own.fine", gone="desk_metrics.own.gone")))
    source = str(Path(__file__).resolve().parents[2])
    done = subprocess.run(
        [
            *(adk, "eval", str(project / "agents" / "metrics_desk")),
            *(str(place / folder / "desk.evalset.json") for folder in sets),
            *("--config_file_path", str(place / "config.json"), "--print_detailed_results"),
        ],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": source, "PYTHONWARNINGS": "ignore"},
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    # Up to ADK 2.12 the command exits 0 whatever failed; its summary says it in every version.
    assert "good:\n  Tests passed: 0\n  Tests failed: 1\n" in done.stdout, done.stderr
    assert "bad:\n  Tests passed: 0\n  Tests failed: 2\n" in done.stdout
    assert "Metric: tool_args_v1, Status: PASSED, Score: 1.0" in done.stdout
    assert 'args.order_id: "L1" ≠ "L8823"' in done.stdout
    assert "bad parameters" in done.stdout
    assert "has no function gone" in done.stdout
    assert "Metric: own, Status: PASSED" in done.stdout
    assert "NOT_EVALUATED" not in [line for line in done.stdout.splitlines() if line.startswith("Metric: ")]
