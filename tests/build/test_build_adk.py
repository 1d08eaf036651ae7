"""What is generated, as the real google-adk reads and runs it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from adk_split_eval.build import compile_plan, outputs, write_scaffold, write_sets
from adk_split_eval.build.writing import render
from adk_split_eval.plan import load_plan
from adk_split_eval.plan.loading import LoadedPlan
from adk_split_eval.plan.models import Plan

pytestmark = pytest.mark.adk
DATA = Path(__file__).parent / "data"
PLANS = sorted(DATA.glob("*/*.plan.yaml"))


@pytest.fixture(scope="module")
def adk() -> Any:
    pytest.importorskip("google.adk")
    from google.adk.evaluation import eval_config, eval_set

    return {
        "set": eval_set.EvalSet,
        "config": eval_config.EvalConfig,
        "metrics": eval_config.get_eval_metrics_from_config,
    }


@pytest.mark.parametrize("plan", PLANS, ids=lambda path: path.parent.name)
def test_adk_reads_every_set_and_would_write_the_same_bytes(adk: Any, plan: Path) -> None:
    for path, text in outputs(compile_plan(load_plan(plan))).items():
        if path.name.endswith(".evalset.json"):
            found = adk["set"].model_validate_json(text)
            assert found.model_dump_json(indent=2, exclude_unset=True) + "\n" == text
        else:
            config = adk["config"].model_validate_json(text)
            # Keys that ADK drops silently would be missing here.
            kept = json.loads(config.model_dump_json(exclude_unset=True))
            assert kept == json.loads(text)
            judged = {metric.metric_name for metric in adk["metrics"](config)}
            assert set(json.loads(text)["criteria"]) <= judged


@pytest.mark.parametrize("plan", PLANS, ids=lambda path: path.parent.name)
def test_adks_own_evaluators_accept_every_criterion(adk: Any, plan: Path) -> None:
    """Criteria that are wrong only at run time leave plain ADK silently green."""
    from google.adk.evaluation.metric_evaluator_registry import DEFAULT_METRIC_EVALUATOR_REGISTRY as registry

    checked: set[str] = set()
    for path, text in outputs(compile_plan(load_plan(plan))).items():
        if path.name != "test_config.json":
            continue
        for metric in adk["metrics"](adk["config"].model_validate_json(text)):
            evaluator = registry._registry.get(metric.metric_name)
            criterion_type = getattr(evaluator[0], "criterion_type", None) if evaluator else None
            if criterion_type is not None and metric.criterion is not None:
                read = criterion_type.model_validate(metric.criterion.model_dump())
                assert not (read.model_extra or {})
                checked.add(metric.metric_name)
    assert "tool_trajectory_avg_score" in checked


texts = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), min_size=1, max_size=12).filter(str.strip)
names = st.from_regex(r"[a-z_]{1,8}", fullmatch=True)
scalars = (
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False) | texts
)
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3), max_leaves=6
)
calls = st.builds(
    lambda name, args: (
        name if args is None else {"name": name, "args": {key: {"equals": v} for key, v in args.items()}}
    ),
    names,
    st.none() | st.dictionaries(names, values, max_size=3),
)
turns = st.fixed_dictionaries(
    {"user": texts, "expect_tools": st.lists(calls, max_size=3)}, optional={"expect_response": texts}
)
fixed_cases = st.fixed_dictionaries(
    {"turns": st.lists(turns, min_size=1, max_size=3)},
    optional={
        "match_type": st.sampled_from(["EXACT", "IN_ORDER", "ANY_ORDER"]),
        "session_input": st.fixed_dictionaries({"state": st.dictionaries(names, values, max_size=3)}),
        "forbidden_tools": st.lists(names, max_size=2),
    },
)
sim_cases = st.fixed_dictionaries(
    {"starting_prompt": texts, "goal": texts},
    optional={"conversation_plan": texts, "persona": st.sampled_from(["hurried", "complaining"])},
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(fixed_cases, min_size=1, max_size=4), st.lists(sim_cases, max_size=3))
def test_any_plan_reaches_adk_as_it_was_written(adk: Any, fixed: list[Any], sim: list[Any]) -> None:
    plan: dict[str, Any] = {
        "plan_id": "any",
        "agent": "desk",
        "models": {"simulator": "m", "judge": "j"},
        "fixed_set": {"cases": [{"case_id": f"F{number}", **case} for number, case in enumerate(fixed)]},
        "sim_set": {"cases": [{"case_id": f"S{number}", **case} for number, case in enumerate(sim)]},
    }
    compiled = compile_plan(LoadedPlan(Path("any.plan.yaml"), Plan.model_validate(plan)))
    assert not [finding for finding in compiled.findings if finding.level == "error"]
    loaded: dict[str, Any] = {}
    for made in compiled.sets:
        for case in adk["set"].model_validate_json(render(made.eval_set)).eval_cases:
            loaded[case.eval_id] = case
        adk["config"].model_validate_json(render(made.config))
    assert sorted(loaded) == sorted([f"F{n}" for n in range(len(fixed))] + [f"S{n}" for n in range(len(sim))])
    for number, case in enumerate(fixed):
        read = loaded[f"F{number}"]
        assert [turn.user_content.parts[0].text for turn in read.conversation] == [
            turn["user"] for turn in case["turns"]
        ]
        assert read.session_input.state == case.get("session_input", {}).get("state", {})
        for turn, written in zip(read.conversation, case["turns"], strict=True):
            wanted = [call if isinstance(call, dict) else {"name": call} for call in written["expect_tools"]]
            assert [call.name for call in turn.intermediate_data.tool_uses] == [call["name"] for call in wanted]
            for call, expected in zip(turn.intermediate_data.tool_uses, wanted, strict=True):
                args = {key: value["equals"] for key, value in expected.get("args", {}).items()}
                assert (call.args or {}) == args
            reference = turn.final_response.parts[0].text if turn.final_response else None
            assert reference == written.get("expect_response")
    for number, case in enumerate(sim):
        scenario = loaded[f"S{number}"].conversation_scenario
        assert scenario.starting_prompt == case["starting_prompt"]
        assert case["goal"] in scenario.conversation_plan or scenario.conversation_plan == case["conversation_plan"]
        assert (scenario.user_persona.id if scenario.user_persona else None) == case.get("persona")


def test_the_scaffold_runs_green_under_plain_adk_eval(tmp_path: Path) -> None:
    """Both generated sets, from another working directory, with nothing but the file names: ADK finds the configs itself."""
    pytest.importorskip("google.adk")
    write_scaffold(tmp_path / "desk")
    report = write_sets(compile_plan(load_plan(tmp_path / "desk" / "desk.plan.yaml")))
    sets = [name for name in report.written if name.endswith(".evalset.json")]
    assert sets == ["fixed/desk_fixed.evalset.json", "simulated/desk_simulated.evalset.json"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "PYTHONIOENCODING": "utf-8"}
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    # One process for both: ADK alone takes seconds to import.
    program = """
import sys
from google.adk.cli import main
for path in sys.argv[2:]:
    try:
        main(["eval", sys.argv[1], path, "--print_detailed_results"])
    except SystemExit as ended:
        print("EXIT", path, ended.code)
"""
    command = [sys.executable, "-c", program, str(tmp_path / "desk" / "shop_agent")]
    command += [str(tmp_path / "desk" / name) for name in sets]
    done = subprocess.run(command, cwd=elsewhere, env=environment, capture_output=True, text=True)
    for name in sets:
        assert f"EXIT {tmp_path / 'desk' / name} 0" in done.stdout, done.stdout + done.stderr
    for criterion in (
        "tool_trajectory_avg_score",
        "tool_args_v1",
        "response_text_v1",
        "goal_reached_v1",
        "forbidden_tools_v1",
        "hallucinations_v1",
        "per_turn_user_simulator_quality_v1",
    ):
        assert done.stdout.count(f"Metric: {criterion}, Status: PASSED, Score: 1.0") == 1
    assert done.stdout.count("Metric: grounded_numbers_v1, Status: PASSED, Score: 1.0") == 2
