"""A plan's ``process`` compiled: events written out, sections merged, the document in place, the runner's part left out."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from adk_split_eval.api import compile_plan
from adk_split_eval.metrics.registry import METRICS
from adk_split_eval.record import Case, CompiledPlan, Conversation, Criterion, Turn

CV = {"id": "cv", "version": "1", "fragments": {"p1": "a job queue"}}
BASE: dict[str, Any] = {
    "plan_id": "p",
    "models": {"judge": "scripted/j", "simulator": "scripted/s"},
    "process": {
        "events": {"change": {"tool": "enter", "ok": True}, "asked": {"tool": "ask"}},
        "stages": {"event": "change", "order": [{"name": "a"}, {"name": "b"}]},
        "questions": {"event": "asked", "id": "args.id", "text": "args.text"},
        "ending": {"event": {"tool": "end"}, "report": {"event": {"tool": "report"}, "not_before": "b"}},
    },
    "fixed_set": {"cases": [{"case_id": "F", "turns": [{"user": "hi"}, {"user": "bye"}]}]},
}


def compiled(tmp_path: Path, case: dict[str, Any] | None = None, **process: Any) -> CompiledPlan:
    data = json.loads(json.dumps(BASE))
    data["process"].update(process)
    data["fixed_set"]["cases"][0].update(case or {})
    path = tmp_path / "p.plan.yaml"
    path.write_text(yaml.safe_dump(data), "utf-8")
    return compile_plan(path)


def only_case(plan: CompiledPlan) -> Case:
    (case,) = plan.cases
    assert not case.rejected, case.findings
    return case


def criterion(plan: CompiledPlan, name: str) -> Criterion:
    return next(c for c in only_case(plan).criteria if c.name == name)


def names(plan: CompiledPlan) -> list[str]:
    return [c.name for c in only_case(plan).criteria]


def test_events_are_written_out_and_sections_lean_on_each_other(tmp_path: Path) -> None:
    plan = compiled(tmp_path)
    assert names(plan) == ["stage_flow_v1", "repeated_questions_v1", "ending_v1"]
    assert criterion(plan, "stage_flow_v1").params == {
        "event": {"tool": "enter", "ok": True},
        "order": [{"name": "a"}, {"name": "b"}],
    }
    assert criterion(plan, "ending_v1").params == {
        "event": {"tool": "end"},
        "report": {"event": {"tool": "report"}, "not_before": "b"},
        "stages": ["b"],
        "entering": {"event": {"tool": "enter", "ok": True}, "stage": "args.stage"},
        "nothing_after": [{"tool": "ask"}],
    }


def test_what_is_compiled_is_what_the_metrics_read(tmp_path: Path) -> None:
    plan = compiled(
        tmp_path,
        {"interrupt": {"after_turn": 1}},
        stages={
            "event": {"state": "stage"},
            "stage": "value",
            "initial": "a",
            "order": [
                {"name": "a", "next": ["b"], "skip": {"reason": "x"}, "back": ["b"], "max_turns": 3, "repeat": True},
                {"name": "b", "final": True, "required": False},
            ],
            "early_end": {"event": {"tool": "stop"}, "leads_to": ["b"], "within_turns": 2},
        },
        questions={
            "event": "asked",
            "id": "args.id",
            "kind": "args.kind",
            "text": "args.text",
            "kinds": {"more": {"per_question": None, "total": 3, "after_user": "why", "compare_text": True}},
            "similarity": {"same": 0.95, "grey": 0.8},
        },
        evidence={
            "event": "asked",
            "cites": "args.c",
            "document": "args.d",
            "text": "args.text",
            "claims_where": {"args.about": {"one_of": ["cv"]}},
            "claims_pattern": "CV",
            "source": {"inline": CV},
        },
        recovery={"side_effects": ["pay", {"name": "book", "args": {"n": 1}}], "retries": "asked"},
    )
    found = Conversation([Turn("hi", response="x")], state_before={}, state_after={})
    for one in only_case(plan).criteria:
        judgement = METRICS[one.name](found, one.params, 1.0)
        assert "bad parameters" not in " ".join(judgement.reasons), (one.name, judgement.reasons)


def test_a_cases_own_sections_replace_the_plans(tmp_path: Path) -> None:
    own = {
        "process": {
            "stages": {"event": "change", "order": [{"name": "b"}]},
            "events": {"asked": {"says": r"\?"}},
            "questions": {"event": "asked", "text": "text"},
            "ending": {"event": {"tool": "end"}},
        }
    }
    plan = compiled(tmp_path, own)
    assert criterion(plan, "stage_flow_v1").params["order"] == [{"name": "b"}]
    assert criterion(plan, "repeated_questions_v1").params["event"] == {"says": r"\?"}
    assert "report" not in criterion(plan, "ending_v1").params


def test_a_case_may_leave_the_process_out(tmp_path: Path) -> None:
    case = {"process": False, "turns": [{"user": "hi", "response": {"contains": ["x"]}}]}
    assert names(compiled(tmp_path, case)) == ["response_text_v1"]


@pytest.mark.parametrize(
    ("source", "case", "found"),
    [
        ({"inline": CV}, {}, CV),
        ({"file": "cv.yaml"}, {}, CV),
        ({"state": "cv"}, {"session_input": {"state": {"cv": CV}}}, CV),
        ({"state": "cv"}, {}, None),
        ({"state": "cv"}, {"session_input": {"state": {"cv": None}}}, None),
        (None, {}, None),
    ],
)
def test_where_the_document_is(tmp_path: Path, source: Any, case: dict[str, Any], found: Any) -> None:
    (tmp_path / "cv.yaml").write_text(yaml.safe_dump(CV), "utf-8")
    evidence = {"event": "asked", "cites": "args.c", **({"source": source} if source else {})}
    plan = compiled(tmp_path, case, evidence=evidence)
    assert criterion(plan, "evidence_links_v1").params.get("source") == found


def test_state_events_stay_out_of_the_generated_sets_and_it_is_said(tmp_path: Path) -> None:
    plan = compiled(
        tmp_path, stages={"event": {"state": "stage"}, "stage": "value", "order": [{"name": "a"}, {"name": "b"}]}
    )
    assert criterion(plan, "stage_flow_v1").runner_only
    assert criterion(plan, "ending_v1").runner_only
    assert not criterion(plan, "repeated_questions_v1").runner_only
    assert list(plan.sets[0].config["criteria"]) == ["repeated_questions_v1"]
    assert any("stage_flow_v1 reads session-state changes" in decision for decision in plan.decisions)


def test_an_interrupted_case_stands_in_no_set(tmp_path: Path) -> None:
    plan = compiled(tmp_path, {"interrupt": {"after_turn": 1}}, recovery={"side_effects": ["pay"]})
    assert plan.sets == []
    found = criterion(plan, "recovery_v1").params
    assert found["interrupt"] == {"after_turn": 1}
    assert found["side_effects"] == [{"name": "pay"}]
    assert set(found) == {"interrupt", "side_effects", "stages", "questions"}
    assert any("only our runner can interrupt it" in decision for decision in plan.decisions)


def test_judged_parts_are_criteria_of_their_own(tmp_path: Path) -> None:
    plan = compiled(
        tmp_path,
        questions={"event": "asked", "text": "args.text", "judge": True},
        evidence={"event": "asked", "cites": "args.c", "judge": True, "source": {"inline": CV}},
        report={
            "from": {"tool": "report", "pick": "args.text"},
            "requirements": ["be useful"],
            "claims": {"items": "x"},
        },
        redact=["secret"],
    )
    judged = [c for c in only_case(plan).criteria if c.kind == "judged"]
    assert [c.name for c in judged] == ["repeated_meaning_v1", "evidence_meaning_v1", "report_review_v1"]
    for one in judged:
        assert one.params["judge"] == {"judge_model": "scripted/j", "num_samples": 3}
    report = judged[2].params
    assert report["from"] == {"event": {"tool": "report"}, "pick": "args.text"}
    assert (report["requirements"], report["claims"], report["redact"]) == (["be useful"], {"items": "x"}, ["secret"])
    assert "judge" not in criterion(plan, "repeated_questions_v1").params


def test_contrasts_reach_the_runner_with_their_events(tmp_path: Path) -> None:
    data = json.loads(json.dumps(BASE))
    data["fixed_set"]["cases"].append({"case_id": "G", "turns": [{"user": "hi"}]})
    data["contrasts"] = [
        {"name": "n", "cases": ["F", "G"], "must_differ": [{"event": "asked", "pick": "args.id", "unordered": True}]}
    ]
    path = tmp_path / "p.plan.yaml"
    path.write_text(yaml.safe_dump(data), "utf-8")
    (contrast,) = compile_plan(path).extra["contrasts"]
    assert contrast["must_differ"] == [{"event": {"tool": "ask"}, "pick": "args.id", "unordered": True}]


def test_a_spread_of_personas_has_the_process_of_its_case(tmp_path: Path) -> None:
    data = json.loads(json.dumps(BASE))
    case = {"case_id": "S", "personas": "all", "starting_prompt": "hi", "goal": "g", "goal_evidence": [{"tool": "end"}]}
    data["sim_set"] = {"cases": [case]}
    path = tmp_path / "p.plan.yaml"
    path.write_text(yaml.safe_dump(data), "utf-8")
    simulated = [c for c in compile_plan(path).cases if c.set == "simulated"]
    assert len(simulated) == 11
    assert {"S-answers_fully", "S-embeds_instructions"} <= {c.case_id for c in simulated}
    assert all({"stage_flow_v1", "ending_v1"} <= {x.name for x in c.criteria} for c in simulated)
