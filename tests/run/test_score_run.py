"""``score --run``: stored conversations judged anew, with the plan as it is now and without acting again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from adk_split_eval import api
from adk_split_eval.cli import main
from adk_split_eval.record import RunResult
from adk_split_eval.record.runs import load_result, resolve_run, run_folder
from adk_split_eval.run.asked import RunError, RunOptions
from adk_split_eval.run.journal import Journal


def score(project: Any, reference: str, *arguments: str) -> tuple[int, str, RunResult | None]:
    """Exit code, what was said, and the result of ``score --run``; no model may be asked."""
    project.write()
    out = project.root / "scored.json"
    out.unlink(missing_ok=True)
    before = project.calls()
    done = CliRunner().invoke(main, ["score", "--run", reference, "--json", str(out), *arguments])
    assert done.exception is None or isinstance(done.exception, SystemExit), done.output
    assert project.calls() == before, "nobody acts again"
    result = RunResult.from_json(json.loads(out.read_text(encoding="utf-8"))) if out.exists() else None
    return done.exit_code, " ".join(done.output.split()), result


def verdicts(result: RunResult | None) -> dict[str, str]:
    assert result is not None
    return {c.case_id: c.verdict for c in result.cases}


def test_a_criterion_more_and_a_threshold_less(project: Any) -> None:
    project.many(fixed=2, simulated=1)
    project.each_turn = {"expect_response": "done with it: F-0000"}
    project.fixed_set = {"criteria": {"response_match_score": 1.0}}
    first = project.run()
    assert [c.verdict for c in first.cases] == ["FAIL", "FAIL", "OK"]
    stored = resolve_run(first.run_id, project.root).result.read_bytes()
    project.fixed_set = {"criteria": {"response_match_score": 0.3}}
    code, _, result = score(project, first.run_id)
    assert (code, verdicts(result)) == (0, {"F-0000": "PASS", "F-0001": "PASS", "S-0000": "OK"})
    project.each_turn |= {"response": {"contains": ["done", "F-0000"]}}
    project.each_simulated = {"forbidden_tools": ["lookup"]}
    code, _, result = score(project, first.run_id, "--fail-on-hit")
    assert (code, verdicts(result)) == (1, {"F-0000": "PASS", "F-0001": "FAIL", "S-0000": "HIT"})
    assert result is not None
    assert result.run_id != first.run_id
    assert f"judged anew: the conversations of run {first.run_id}" in result.notes
    assert resolve_run(first.run_id, project.root).result.read_bytes() == stored, "the old result stands"
    assert [c.verdict for c in load_result(first.run_id, project.root).cases] == ["FAIL", "FAIL", "OK"]


def test_what_was_said_stays_the_same(project: Any) -> None:
    """Also what only the stored conversation knows: instructions and tools for judges, and numbers of the run."""
    project.many(fixed=1, simulated=1)
    first = load_result(project.run().run_id, project.root)
    _, _, result = score(project, first.run_id)
    assert result is not None
    for old, new in zip(first.cases, result.cases, strict=True):
        assert new.turns == old.turns
        assert new.trials[0].seed == old.trials[0].seed
        assert [(c.name, c.status, c.score) for c in new.criteria] == [
            (c.name, c.status, c.score) for c in old.criteria
        ]
    with (
        Journal(run_folder(first.run_id, project.root).journal) as one,
        Journal(run_folder(result.run_id, project.root).journal) as other,
    ):
        assert [u.invocations for u in one.units()] == [u.invocations for u in other.units()]
        assert one.units()[0].invocations[0]["app_details"]


def test_every_trial_is_judged_anew(project: Any) -> None:
    project.plan = {"trials": 3, "policy": {"gate": {"at_least": 2}}}
    project.fixed = {"F-0": "F-0 lookup"}
    first = project.run()
    assert [t.verdict for t in first.cases[0].trials] == ["PASS"] * 3
    code, _, result = score(project, first.run_id)
    assert code == 0
    assert result is not None
    assert [t.verdict for t in result.cases[0].trials] == ["PASS"] * 3
    project.plan["policy"] = {"gate": "all"}
    project.each_turn = {"response": {"excludes": ["done"]}}
    code, _, result = score(project, first.run_id)
    assert code == 1
    assert result is not None
    assert [t.verdict for t in result.cases[0].trials] == ["FAIL"] * 3


def test_an_error_of_acting_stays_one(project: Any) -> None:
    project.fixed = {"F-0": "F-0 broken", "F-1": "F-1 lookup"}
    first = project.run()
    code, _, result = score(project, first.run_id)
    assert code == 3
    assert verdicts(result) == {"F-0": "ERROR", "F-1": "PASS"}
    assert result is not None
    assert "ValueError: the database of F-0 is gone" in result.cases[0].reasons[0]


TURNS = ("F-0000 lookup", "and then?")
CHANGES: dict[str, Any] = {
    "other words": lambda p: p.fixed.update({"F-0000": "F-0000 please lookup"}),
    "a turn more": lambda p: p.fixed_set.update(
        {"cases": [{"case_id": "F-0000", "turns": [{"user": w, "response": {"excludes": ["x"]}} for w in TURNS]}]}
    ),
    "another state": lambda p: p.plan.update({"session_input": {"state": {"today": "2026-11-30"}}}),
    "another first prompt": lambda p: p.simulated.update({"S-0000": "S-0000 please lookup"}),
    "another goal": lambda p: p.each_simulated.update({"goal": "complain"}),
    "another persona": lambda p: p.each_simulated.update({"persona": "changes_mind"}),
}


@pytest.mark.parametrize("change", list(CHANGES))
def test_a_conversation_of_a_case_that_has_changed_since_says_nothing(change: str, project: Any) -> None:
    project.many(fixed=1, simulated=1)
    first = project.run()
    assert first.exit_code == 0
    CHANGES[change](project)
    code, said, result = score(project, first.run_id)
    assert code == 3, said
    assert result is not None
    changed = [c for c in result.cases if c.verdict == "ERROR"]
    assert changed
    assert "has changed since this conversation was held" in changed[0].reasons[0]


def test_a_case_that_was_not_there_is_an_error_and_one_that_is_gone_is_named(project: Any) -> None:
    project.many(fixed=2)
    first = project.run()
    project.fixed = {"F-0001": project.fixed["F-0001"], "F-new": "F-new lookup"}
    code, said, result = score(project, first.run_id)
    assert (code, verdicts(result)) == (3, {"F-0001": "PASS", "F-new": "ERROR"})
    assert "there is no recorded conversation for this case" in said
    assert "recorded conversations that belong to no case: F-0000" in said


def test_a_half_that_did_not_run_is_left_out_and_named(project: Any) -> None:
    project.many(fixed=1, simulated=1)
    first = project.run(only="fixed")
    code, said, result = score(project, first.run_id)
    assert (code, verdicts(result)) == (0, {"F-0000": "PASS"})
    assert f"run {first.run_id} has no conversation of the simulated set: it is not judged" in said
    code, _, result = score(project, first.run_id, "--case", "S-0000")
    assert (code, verdicts(result)) == (3, {"S-0000": "ERROR"})


def test_unknown_runs_and_runs_of_other_plans(project: Any, tmp_path: Path) -> None:
    project.many(fixed=1)
    first = project.run()
    code, said, result = score(project, first.run_id[:-1] + "z")
    assert (code, result) == (2, None)
    assert f"did you mean {first.run_id}?" in said
    other = tmp_path / "other" / "other.plan.yaml"
    other.parent.mkdir()
    other.write_text(project.path.read_text().replace('"plan_id": "probe"', '"plan_id": "other"'), encoding="utf-8")
    code, said, result = score(project, first.run_id, str(other))
    assert (code, result) == (2, None)
    assert f"ASE910 run {first.run_id} is of plan 'probe', not of 'other'" in said
    project.path.rename(tmp_path / "moved.yaml")
    done = CliRunner().invoke(main, ["score", "--run", first.run_id])
    assert done.exit_code == 2
    assert "probe.plan.yaml" in done.output
    assert "Traceback" not in done.output


def test_a_run_that_was_interrupted_can_be_judged_as_far_as_it_went(project: Any) -> None:
    project.many(fixed=3)
    first = project.run()
    folder = run_folder(first.run_id, project.root)
    folder.result.unlink()
    with Journal(folder.journal) as journal:
        journal._write("DELETE FROM units WHERE case_id = 'F-0001'", ())
    code, _, result = score(project, first.run_id)
    assert (code, verdicts(result)) == (3, {"F-0000": "PASS", "F-0001": "ERROR", "F-0002": "PASS"})


FLAT = {"tool_calls": [{"name": "look"}, {"name": "book"}], "final_text": "booked"}
TURN_BY_TURN = {
    "turns": [
        {"user": "hello", "tool_calls": [{"name": "look"}]},
        {"user": "take it", "tool_calls": [{"name": "book"}], "response": "booked"},
    ]
}


@pytest.mark.parametrize("trace", [FLAT, TURN_BY_TURN], ids=["flat", "turn by turn"])
def test_a_recording_is_judged_anew_as_a_recording(
    trace: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its calls may belong to no turn, nobody counted its model calls, and its words still have to be those of the case."""
    monkeypatch.chdir(tmp_path)
    turns = [{"user": "hello", "expect_tools": ["look"]}, {"user": "take it", "expect_tools": ["book"]}]
    plan = tmp_path / "p.plan.yaml"
    traces = tmp_path / "traces.json"
    traces.write_text(json.dumps({"F-1": trace}), encoding="utf-8")

    def scored(*source: str) -> RunResult:
        cases = [{"case_id": "F-1", "turns": turns}]
        plan.write_text(json.dumps({"plan_id": "p", "fixed_set": {"cases": cases}}), encoding="utf-8")
        done = CliRunner().invoke(main, ["score", *source, "--json", "out.json"])
        assert done.exit_code in (0, 3), done.output
        return RunResult.from_json(json.loads((tmp_path / "out.json").read_text(encoding="utf-8")))

    first = scored(str(plan), "--traces", str(traces))
    again = scored("--run", first.run_id)
    assert [c.verdict for c in (first.cases[0], again.cases[0])] == ["PASS", "PASS"]
    assert again.cases[0].criteria == first.cases[0].criteria
    turns[0]["user"] = "good morning"
    other = scored("--run", first.run_id).cases[0]
    assert other.verdict == "ERROR"
    assert "this is a recording of another conversation" in other.reasons[0]


METRIC = """
def leaves(eval_metric, actual, expected, scenario):
    raise SystemExit(0)
"""


def test_a_metric_that_ends_the_process_ends_nothing(project: Any, tmp_path: Path) -> None:
    project.many(fixed=1)
    first = project.run()
    (tmp_path / "metric_that_leaves.py").write_text(METRIC, encoding="utf-8")
    (tmp_path / "pyproject.toml").write_text("", encoding="utf-8")
    project.plan = {"custom_metrics": {"leaves": {"function": "metric_that_leaves.leaves", "sets": ["fixed"]}}}
    code, said, result = score(project, first.run_id)
    assert (code, verdicts(result)) == (3, {"F-0000": "ERROR"}), said


@pytest.mark.parametrize("recorded", [1, 3])
def test_a_recording_of_fewer_or_more_turns_is_one_of_another_conversation(recorded: int, tmp_path: Path) -> None:
    case = {"case_id": "F-1", "forbidden_tools": ["pay"], "turns": [{"user": "hello"}, {"user": "where is it?"}]}
    plan = tmp_path / "p.plan.yaml"
    plan.write_text(json.dumps({"plan_id": "p", "fixed_set": {"cases": [case]}}), encoding="utf-8")
    said = ["hello", "where is it?", "thanks"][:recorded]
    traces = tmp_path / "traces.json"
    traces.write_text(json.dumps({"F-1": {"turns": [{"user": u, "response": "soon"} for u in said]}}), encoding="utf-8")
    done = CliRunner().invoke(main, ["score", str(plan), "--traces", str(traces)])
    assert done.exit_code == 3
    assert f"the recording has {recorded} turn(s), the case has 2" in " ".join(done.output.split())


PASSES = """
from google.adk.evaluation.evaluator import EvalStatus, EvaluationResult, PerInvocationResult

def passes(eval_metric, actual, expected, scenario):
    rows = [PerInvocationResult(actual_invocation=a, score=1.0, eval_status=EvalStatus.PASSED) for a in actual]
    return EvaluationResult(overall_score=1.0, overall_eval_status=EvalStatus.PASSED, per_invocation_results=rows)
"""


def test_a_teams_metric_is_found_beside_the_plan_from_anywhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project, elsewhere = tmp_path / "project", tmp_path / "elsewhere"
    for folder in (project, elsewhere):
        folder.mkdir()
    monkeypatch.chdir(elsewhere)
    monkeypatch.setenv("ADK_SPLIT_EVAL_ROOT", str(elsewhere))
    (project / "own_metrics_of_a_score.py").write_text(PASSES, encoding="utf-8")
    plan = {
        "plan_id": "p",
        "custom_metrics": {"own": {"function": "own_metrics_of_a_score.passes", "sets": ["fixed"]}},
        "fixed_set": {"cases": [{"case_id": "F-1", "turns": [{"user": "hello"}]}]},
    }
    (project / "p.plan.yaml").write_text(json.dumps(plan), encoding="utf-8")
    trace = {"turns": [{"user": "hello", "response": "hi"}]}
    (project / "traces.json").write_text(json.dumps({"F-1": trace}), encoding="utf-8")
    result = api.score(project / "p.plan.yaml", project / "traces.json", options=RunOptions(root=elsewhere))
    assert [(c.verdict, c.reasons) for c in result.cases] == [("PASS", [])]


def test_a_scored_run_is_not_resumed(project: Any) -> None:
    """Its verdicts would stand as those of the agent as it is now."""
    project.many(fixed=1)
    code, _, scored = score(project, project.run().run_id)
    assert (code, scored is None) == (0, False)
    assert scored is not None
    with pytest.raises(RunError, match=rf"ASE909 run {scored.run_id} was scored: nobody acted in it"):
        project.run(resume=scored.run_id)


def test_two_sources_of_conversations_are_refused(project: Any) -> None:
    project.many(fixed=1).write()
    done = CliRunner().invoke(main, ["score", str(project.path), "--run", "latest", "--traces", "traces.json"])
    assert done.exit_code == 2
    assert "--traces and --run are two sources of conversations" in done.output


def test_an_interrupted_score_is_not_said_to_be_resumed(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("adk_split_eval.api.score_run", interrupted)
    done = CliRunner().invoke(main, ["score", "--run", "latest"])
    assert done.exit_code == 130
    assert "interrupted; the same command starts anew" in done.stderr
