"""Small inputs that grew out of public reports, run as raw ADK sets: our verdicts where plain ADK stays green."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("google.adk.evaluation.eval_case")

from adk_split_eval import api
from adk_split_eval.record import CaseResult, RunResult
from adk_split_eval.run import RunOptions

HERE = Path(__file__).parent
DATA = HERE / "data"


@pytest.fixture(autouse=True)
def desk(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    monkeypatch.syspath_prepend(str(HERE / "desk" / "lib"))
    monkeypatch.chdir(tmp_path)
    for name in [n for n in sys.modules if n == "agent" or n.startswith("agent.")]:
        monkeypatch.delitem(sys.modules, name)
    yield


def run(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    case: str,
    config: str = "eval_config.json",
    *,
    sets: str = "evalset.json",
    sim: str | None = None,
    judge: str | None = None,
) -> tuple[RunResult, dict[str, CaseResult]]:
    folder = DATA / case
    monkeypatch.setenv("DESK_SCRIPT", str(folder / "agent_script.json"))
    if sim:
        monkeypatch.setenv("DESK_SIM", str(folder / sim))
    if judge:
        monkeypatch.setenv("DESK_JUDGE", str(folder / judge))
    result = api.run_sets(
        [str(folder / sets)], HERE / "desk" / "desk_agent", folder / config, RunOptions(root=tmp_path, fresh=True)
    )
    stored = json.loads((tmp_path / ".adk-split-eval" / "runs" / result.run_id / "result.json").read_text("utf-8"))
    assert {c["case_id"]: c["verdict"] for c in stored["cases"]} == {c.case_id: c.verdict for c in result.cases}
    return result, {c.case_id: c for c in result.cases}


def criterion(case: CaseResult, name: str) -> Any:
    return next(c for c in case.criteria if c.name == name)


def test_reference_metric_on_a_scenario_is_not_green(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    result, cases = run(monkeypatch, tmp_path, "01-scenario-plus-trajectory", sim="sim_replies.json")
    assert cases["fixed_hold"].verdict == "PASS"
    assert cases["sim_hold"].verdict in ("ERROR", "REJECTED")
    assert "tool_trajectory_avg_score" in " ".join(cases["sim_hold"].reasons)
    assert result.exit_code == 3


@pytest.mark.parametrize(
    ("config", "cause"),
    [("eval_config.raises.json", "the metric itself is broken"), ("eval_config.short_rows.json", "0 results")],
)
def test_a_broken_metric_is_an_error_and_erases_nothing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, config: str, cause: str
) -> None:
    result, cases = run(monkeypatch, tmp_path, "02-broken-metric", config)
    for case in cases.values():
        assert case.verdict == "ERROR"
        assert cause in " ".join(case.reasons)
        assert criterion(case, "tool_trajectory_avg_score").status == "passed"
    assert result.exit_code == 3


@pytest.mark.parametrize("match", ["in_order", "any_order", "exact"])
def test_an_empty_expectation_is_told_from_an_absent_one(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, match: str
) -> None:
    _, cases = run(monkeypatch, tmp_path, "03-empty-expectation", f"eval_config.{match}.json")
    assert cases["explicit_empty"].verdict == "FAIL"
    assert "place_hold" in " ".join(cases["explicit_empty"].reasons)
    assert criterion(cases["absent"], "tool_trajectory_avg_score").status == "not_evaluated"
    assert cases["absent"].verdict in ("ERROR", "REJECTED")


@pytest.mark.parametrize("match", ["in_order", "any_order", "exact"])
def test_parallel_calls_form_a_set(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, match: str) -> None:
    _, cases = run(monkeypatch, tmp_path, "06-parallel-calls-reordered", f"eval_config.{match}.json")
    assert cases["two_branches"].verdict == "PASS"
    assert cases["one_missing"].verdict == "FAIL"
    reason = " ".join(cases["one_missing"].reasons)
    assert "north" in reason
    assert "missing" in reason
    assert "matcher in place of ADK's" in reason


def test_a_turn_limit_is_not_a_pass(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    result, cases = run(monkeypatch, tmp_path, "08-turn-limit-cutoff", sim="sim_replies.json")
    case = cases["three_goals"]
    assert case.verdict == "INCONCLUSIVE"
    assert case.stop_reason == "max_turns"
    assert len(case.turns) == 2
    assert result.exit_code == 0


@pytest.mark.parametrize(
    ("replies", "verdict"), [("empty", "SIMULATOR"), ("reopens", "SIMULATOR"), ("role_swap", "OK")]
)
def test_simulator_faults_are_told_from_the_agents(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, replies: str, verdict: str
) -> None:
    _, cases = run(monkeypatch, tmp_path, "09-simulator-fault", sim=f"sim_replies.{replies}.json")
    case = cases["hold_once"]
    assert case.verdict == verdict
    assert bool(case.warnings) == (replies == "role_swap")


def test_transfers_are_calls_and_inner_calls_of_an_agent_tool_are_not_recorded(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    _, cases = run(monkeypatch, tmp_path, "11-transfer-and-agenttool")
    assert cases["transfer"].verdict == "PASS"
    assert cases["agent_as_tool_outer_only"].verdict == "PASS"
    assert cases["agent_as_tool_inner_expected"].verdict == "FAIL"
    assert "not recorded" in " ".join(cases["agent_as_tool_inner_expected"].reasons)


@pytest.mark.parametrize("sets", ["evalset.json", "evalset.bom.json"])
def test_unicode_survives(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, sets: str) -> None:
    _, cases = run(monkeypatch, tmp_path, "13-unicode-roundtrip", sets=sets)
    verdicts = {k: v.verdict for k, v in cases.items()}
    expected = json.loads((DATA / "13-unicode-roundtrip" / "expected.json").read_text("utf-8"))["run"]
    for case_id, outcome in expected.items():
        if case_id in verdicts:
            assert verdicts[case_id] == ("PASS" if outcome == "pass" else "FAIL"), case_id
    if "nfc_expected" in cases:
        assert "normalis" in " ".join(cases["nfc_expected"].reasons)


def test_a_reworded_judge_verdict_is_not_averaged_away(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    _, cases = run(monkeypatch, tmp_path, "15-rubric-verdict-lost", judge="judge_reply.txt")
    case = cases["polite_and_safe"]
    assert case.verdict in ("ERROR", "REJECTED")
    if case.verdict == "ERROR":
        assert "1 of 2" in " ".join(case.reasons)
