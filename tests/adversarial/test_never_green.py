"""What cannot be judged is never green at the command line: exit code, verdict, and a reason instead of a traceback."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("google.adk.evaluation.local_eval_service")
pytestmark = pytest.mark.adk

import proof_models  # noqa: E402
from click.testing import CliRunner  # noqa: E402
from google.adk.models.llm_response import LlmResponse  # noqa: E402
from proof_bench import Bench, at_home, fixed_case, forget_agent, judged, scenario, user_turn  # noqa: E402
from proof_models import Script  # noqa: E402

GOOD = fixed_case("good", user_turn("find", [("find", {"item": "a"})]))
DESK = {
    "desk": {"find": [[("find", {"item": "a"})], "Found."], "hello": ["Hi."], "raise": [RuntimeError("shelf fell")]}
}
TRAJECTORY = {"tool_trajectory_avg_score": 1.0}
TEAM = """
from google.adk.evaluation.eval_metrics import EvalStatus
from google.adk.evaluation.evaluator import EvaluationResult


def short_rows(metric, actual, expected=None, scenario=None):
    return EvaluationResult(overall_score=1.0, overall_eval_status=EvalStatus.PASSED, per_invocation_results=[])
"""


def dead(request: Any, times: int) -> Any:
    return LlmResponse(error_code="UNAVAILABLE", error_message="try later")


def team(function: str) -> dict[str, Any]:
    metric = {"team_says": {"code_config": {"name": function}}}
    return {"criteria": {**TRAJECTORY, "team_says": 1.0}, "custom_metrics": metric}


@dataclass
class Trouble:
    """One thing that goes wrong, and how it must show."""

    name: str
    exit_code: int
    verdict: str | None
    says: str
    cases: list[dict[str, Any]] = field(default_factory=lambda: [GOOD])
    config: Any = field(default_factory=lambda: dict(TRAJECTORY))
    script: Script = field(default_factory=lambda: Script(agent=DESK))
    more: tuple[str, ...] = ()
    selector: str = ""


TROUBLES = [
    Trouble("judge_down", 3, "ERROR", "UNAVAILABLE", config={**TRAJECTORY, "hallucinations_v1": judged()}, script=Script(agent=DESK, judge=dead)),
    Trouble("agent_raises", 3, "ERROR", "shelf fell", cases=[fixed_case("bad", user_turn("raise", []))]),
    Trouble("unknown_metric", 3, "ERROR", "no_such_metric", config={**TRAJECTORY, "no_such_metric": 1.0}),
    Trouble("unimportable_metric", 3, "ERROR", "nowhere", config=team("nowhere.metric")),
    Trouble("too_few_rows", 3, "ERROR", "0 results", config=team("agent.rows.short_rows")),
    Trouble("turn_limit", 0, "INCONCLUSIVE", "max_turns", cases=[scenario("talk")], config={"hallucinations_v1": judged()}, script=Script(agent=DESK, user=["find"])),
    Trouble("simulator_down", 3, "ERROR", "no quota", cases=[scenario("talk")], config={"hallucinations_v1": judged()}, script=Script(agent=DESK, user=[RuntimeError("no quota")])),
    Trouble("id_matches_nothing", 2, None, "no case 'godo'", more=("--case", "godo")),
    Trouble("selector_matches_nothing", 2, None, "no case 'godo'", selector=":godo"),
    Trouble("half_matches_nothing", 2, None, "no simulated cases", more=("--only", "simulated")),
    Trouble("nothing_to_judge", 2, None, "ASE219", config={"criteria": {}}),
    Trouble("no_such_agent", 2, None, "no such agent folder", more=("--agent", "elsewhere")),
    Trouble("no_such_config", 2, None, "no such file", more=("--config", "elsewhere.json")),
]  # fmt: skip


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Any:
    forget_agent()
    made = Bench(tmp_path_factory.mktemp("troubles"))
    (made.agent / "rows.py").write_text(TEAM, "utf-8")
    yield made
    forget_agent()


@pytest.mark.parametrize("trouble", TROUBLES, ids=lambda t: t.name)
def test_never_green(bench: Bench, trouble: Trouble, tmp_path: Path) -> None:
    from adk_split_eval.cli import main

    sets = bench.write(trouble.cases, trouble.config, name=trouble.name)
    report = tmp_path / "report.json"
    proof_models.use(trouble.script)
    arguments = [
        "run",
        "--agent",
        str(bench.agent),
        sets[0] + trouble.selector,
        "--fresh",
        "--json",
        str(report),
        *trouble.more,
    ]
    with at_home(bench.folder):
        done = CliRunner().invoke(main, arguments)
    assert done.exit_code == trouble.exit_code, done.output
    assert done.exception is None or isinstance(done.exception, SystemExit)
    assert "Traceback" not in done.output
    if trouble.verdict is None:
        assert trouble.says in done.output.replace("\n", " ")
        return
    told = json.loads(report.read_text("utf-8"))
    assert told["exit_code"] == trouble.exit_code
    assert [c["verdict"] for c in told["cases"]] == [trouble.verdict]
    assert trouble.says in " ".join(told["cases"][0]["reasons"])
    assert told["cases"][0]["owner"] and told["cases"][0]["next_step"]
    assert trouble.verdict in done.output
