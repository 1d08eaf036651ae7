"""The interview coach from end to end: healthy, interrupted, contrasted, and the same under plain ``adk eval``."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("google.adk.evaluation.local_eval_service")
pytestmark = pytest.mark.adk

from adk_split_eval.api import compile_plan  # noqa: E402
from adk_split_eval.record import CaseResult, CompiledPlan, Conversation, RunResult, Turn  # noqa: E402
from adk_split_eval.run import adk as border  # noqa: E402
from adk_split_eval.run.agents import load_agent  # noqa: E402
from adk_split_eval.run.contrasts import apply_contrasts, judge_contrasts  # noqa: E402
from adk_split_eval.run.recovery import reloaded  # noqa: E402
from adk_split_eval.run.session import run_cases  # noqa: E402

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "evalsets" / "interview_coach"
PLAN = EXAMPLE / "interview_coach.plan.yaml"
PROCESS = ("stage_flow_v1", "repeated_questions_v1", "evidence_links_v1", "ending_v1", "report_review_v1")


def forget_agents() -> None:
    for name in [n for n in sys.modules if n == "agent" or n.startswith("agent.")]:
        del sys.modules[name]


def run(fault: str, *case_ids: str) -> dict[str, CaseResult]:
    border.load()
    forget_agents()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ADK_SPLIT_EVAL_ROOT", str(ROOT))
        patch.delenv("INTERVIEW_COACH_MODEL", raising=False)
        patch.setenv("INTERVIEW_COACH_FAULT", fault)
        compiled = compile_plan(PLAN)
        agent = load_agent(EXAMPLE / "coach_agent")
        chosen = [case for case in compiled.cases if not case_ids or case.case_id in case_ids]
        results = run_cases(compiled, chosen, trials=1, agent=agent)
    forget_agents()
    return {result.case_id: result for result in results}


@pytest.fixture(scope="module")
def healthy() -> dict[str, CaseResult]:
    return run("")


def statuses(result: CaseResult, names: tuple[str, ...] = PROCESS) -> dict[str, str]:
    return {criterion.name: criterion.status for criterion in result.criteria if criterion.name in names}


def test_the_healthy_coach_raises_nothing(healthy: dict[str, CaseResult]) -> None:
    assert {result.verdict for result in healthy.values()} == {"PASS", "OK"}
    for result in healthy.values():
        assert statuses(result) == dict.fromkeys(PROCESS, "passed"), result.case_id


def test_after_a_restart_between_turns(healthy: dict[str, CaseResult]) -> None:
    result = healthy["I-06"]
    found = next(c for c in result.criteria if c.name == "recovery_v1")
    assert (found.status, found.reasons) == ("passed", ["interrupted in turn 4"])
    assert [turn.user for turn in result.turns][3].startswith("I would use a transaction")
    assert len(result.turns) == 8


def test_a_death_inside_a_tool(healthy: dict[str, CaseResult]) -> None:
    turn = healthy["I-07"].turns[3]
    calls = [(call.name, call.answered) for call in turn.tool_calls]
    assert calls[:3] == [("save_evidence", True), ("read_cv", False), ("save_evidence", True)]
    kinds = [event.kind for event in turn.events if event.kind != "state"]
    assert kinds.index("interrupt") == 3  # call, response, call: its answer was never stored
    assert len(healthy["I-07"].turns) == 7


def test_asking_again_after_a_restart_is_noticed() -> None:
    found = run("resumes_and_asks_again", "I-06")["I-06"]
    assert found.verdict == "FAIL"
    assert any("asked again after the interruption: f2" in reason for reason in found.reasons)
    assert "before the answer goes out" in found.next_step


def test_the_cap_on_turns_is_no_ending() -> None:
    found = run("never_closes", "P-01")["P-01"]
    assert found.verdict == "INCONCLUSIVE"
    assert found.stop_reason == "max_turns"
    assert any("never entered: closed" in reason for reason in found.reasons)
    assert "guard, not an ending" in found.next_step


def test_a_new_process_knows_nothing_of_the_old_one() -> None:
    forget_agents()
    old = load_agent(EXAMPLE / "coach_agent")
    old.module._KNOWN_TO_THIS_PROCESS.add("x")
    kept = sys.modules["agent"]
    new = reloaded(old)
    assert new.module is not old.module
    assert not new.module._KNOWN_TO_THIS_PROCESS
    assert sys.modules["agent"] is kept
    forget_agents()


# --- contrasts -----------------------------------------------------------------------------------------------------------


def contrasts(results: dict[str, CaseResult], *, compiled: CompiledPlan | None = None) -> RunResult:
    result = RunResult("r", "p", "", "", "", cases=list(results.values()))
    apply_contrasts(compiled or compile_plan(PLAN), result, lambda case: Conversation(case.turns))
    return result


def test_contrasts_hold_for_the_healthy_coach(healthy: dict[str, CaseResult]) -> None:
    found = contrasts(healthy)
    assert [c["verdict"] for c in found.extra["contrasts"]] == ["PASS", "PASS"]
    assert found.exit_code == 0


def test_the_same_projects_for_both_cvs_fail_the_contrast(healthy: dict[str, CaseResult]) -> None:
    twisted = {**healthy, "I-02": CaseResult("fixed", "I-02", "PASS", turns=healthy["I-01"].turns)}
    found = contrasts(twisted)
    assert found.exit_code == 1
    contrast = found.extra["contrasts"][0]
    assert contrast["verdict"] == "FAIL"
    assert "must differ and is the same in both" in contrast["reasons"][0]
    assert contrast["owner"] == "agent" and "reading and passing" in contrast["next_step"]


def test_what_must_not_differ(healthy: dict[str, CaseResult]) -> None:
    shorter = CaseResult("fixed", "I-02", "PASS", turns=healthy["I-02"].turns[:5])
    contrast = contrasts({**healthy, "I-02": shorter}).extra["contrasts"][0]
    assert contrast["verdict"] == "FAIL"
    assert "must be the same; I-01:" in contrast["reasons"][0]


def test_a_pair_that_did_not_run_or_broke_off(healthy: dict[str, CaseResult]) -> None:
    part = {case_id: result for case_id, result in healthy.items() if case_id != "I-02"}
    found = contrasts(part)
    assert [c["verdict"] for c in found.extra["contrasts"]] == ["SKIPPED", "PASS"]
    assert found.exit_code == 0
    broken = contrasts({**healthy, "I-02": CaseResult("fixed", "I-02", "ERROR")})
    assert broken.extra["contrasts"][0]["verdict"] == "ERROR"
    assert broken.exit_code == 3


def test_nothing_to_compare_is_no_pass(healthy: dict[str, CaseResult]) -> None:
    silent = [Turn("hi", response="hello")]
    empty = {i: CaseResult("fixed", i, "PASS", turns=silent) for i in ("I-01", "I-02")}
    found = judge_contrasts(compile_plan(PLAN), list(empty.values()), lambda case: Conversation(case.turns))
    assert found[0].verdict == "ERROR"
    assert "neither case has any" in found[0].reasons[0]


def test_a_contrast_with_a_simulated_case_blocks_nothing() -> None:
    compiled = compile_plan(PLAN)
    compiled.extra["contrasts"] = [{**compiled.extra["contrasts"][0], "cases": ["P-01", "P-08"]}]
    same = [Turn("hi", response="hello")]
    results = {i: CaseResult("simulated", i, "OK", turns=same) for i in ("P-01", "P-08")}
    assert contrasts(results, compiled=compiled).exit_code == 3  # nothing to compare is an error all the same


# --- plain ADK -----------------------------------------------------------------------------------------------------------


def test_the_generated_sets_are_up_to_date() -> None:
    from adk_split_eval.api import build

    assert not build(PLAN, check=True).stale


def test_identical_verdicts_under_plain_adk_eval(healthy: dict[str, CaseResult], tmp_path: Path) -> None:
    """One fault, so that there is something to disagree about: both sets, by ADK's own command."""
    import shutil

    ours = run("quotes_what_is_not_there")
    copy = tmp_path / "coach_agent"
    shutil.copytree(EXAMPLE / "coach_agent", copy, ignore=shutil.ignore_patterns("__pycache__", ".adk"))
    environment = {
        **os.environ,
        "INTERVIEW_COACH_FAULT": "quotes_what_is_not_there",
        "PYTHONPATH": str(ROOT),
        "ADK_SPLIT_EVAL_ROOT": str(ROOT),
    }
    code = (
        "import sys\nfrom google.adk.cli.cli_tools_click import main\n"
        "for half in ('fixed', 'simulated'):\n"
        "    folder = f'{sys.argv[1]}/{half}'\n"
        "    try:\n        main(['eval', sys.argv[2], f'{folder}/interview_coach_{half}.evalset.json',\n"
        "              '--config_file_path', f'{folder}/test_config.json'])\n"
        "    except SystemExit:\n        pass\n"
    )
    finished = subprocess.run(
        [sys.executable, "-c", code, str(EXAMPLE), str(copy)],
        env=environment, cwd=tmp_path, capture_output=True, text=True, timeout=280, check=False,
    )  # fmt: skip
    theirs = _history(tmp_path)
    assert theirs, finished.stderr[-2000:]
    written = {i for i, result in ours.items() if i not in ("I-06", "I-07")}
    assert set(theirs) == written
    for case_id in written:
        assert theirs[case_id] == statuses(ours[case_id]), case_id
    assert {found["evidence_links_v1"] for i, found in theirs.items() if i not in ("I-03", "I-04", "P-07")} == {
        "failed"
    }


def _history(folder: Path) -> dict[str, dict[str, str]]:
    words = {1: "passed", 2: "failed", 3: "not_evaluated", 4: "informational"}
    found: dict[str, dict[str, str]] = {}
    for path in folder.rglob("*.evalset_result.json"):
        data: Any = json.loads(path.read_text("utf-8"))
        data = json.loads(data) if isinstance(data, str) else data
        for case in data["eval_case_results"]:
            metrics = case["overall_eval_metric_results"]
            found[case["eval_id"]] = {
                m["metric_name"]: words[m["eval_status"]] for m in metrics if m["metric_name"] in PROCESS
            }
    return found
