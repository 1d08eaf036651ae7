"""The models by themselves: short forms, strictness, and the YAML form they give back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from adk_split_eval.plan import load_plan
from adk_split_eval.plan.checking import check_plan
from adk_split_eval.plan.models import (
    DraftCase,
    EventSelector,
    FixedCase,
    ForbiddenTool,
    NamedEvent,
    Persona,
    Plan,
    Policy,
    Process,
    StageFlow,
    Step,
    ToolPattern,
)

HERE = Path(__file__).parent


@pytest.mark.parametrize(
    ("written", "names", "parallel"),
    [
        ("look", ["look"], False),
        ({"name": "look"}, ["look"], False),
        (["look", {"name": "check", "args": {"sku": "A1"}}], ["look", "check"], True),
        (["look"], ["look"], True),
    ],
)
def test_step_forms(written: Any, names: list[str], parallel: bool) -> None:
    step = Step.model_validate(written)
    assert [call.name for call in step.calls] == names
    assert step.parallel is parallel
    assert Step.model_validate(step.model_dump()) == step


def test_steps_give_their_shortest_form_back() -> None:
    assert Step.model_validate({"name": "look", "args_exact": False}).model_dump() == "look"
    assert Step.model_validate({"name": "look", "args": {}}).model_dump() == {"name": "look", "args": {}}
    forbidden = ForbiddenTool.model_validate({"name": "pay", "until": {"name": "look"}})
    assert forbidden.model_dump() == {"name": "pay", "until": "look"}
    assert ToolPattern.model_validate("look").name == "look"


@pytest.mark.parametrize("written", [[], 3, None, {"args": {}}, {"calls": ["look"]}, [["look"]], "", " look"])
def test_no_step(written: Any) -> None:
    with pytest.raises(ValidationError):
        Step.model_validate(written)


def test_share_of_audit() -> None:
    assert Policy.model_validate({"audit": "10%"}).audit == pytest.approx(0.1)  # pyright: ignore[reportUnknownMemberType]
    for wrong in ("0%", "200%", "ten", 1.5, True):
        with pytest.raises(ValidationError):
            Policy.model_validate({"audit": wrong})


def test_events_by_name_and_in_place() -> None:
    process = Process.model_validate({"events": {"asked": {"tool": "ask", "where": {"args.kind": "main"}}}})
    asked = process.event("asked")
    assert (asked.kind, asked.subject, asked.runner_only) == ("tool", "ask", False)
    assert process.event(EventSelector(state="stage")).runner_only
    with pytest.raises(KeyError):
        process.event("nobody")


def test_named_event_forms() -> None:
    flat = NamedEvent.model_validate({"tool": "report", "pick": "args.text"})
    long = NamedEvent.model_validate({"event": {"tool": "report"}, "pick": "args.text"})
    assert flat == long and NamedEvent.model_validate("finished").event == "finished"


def test_stage_successors() -> None:
    flow = StageFlow.model_validate(
        {
            "event": "e",
            "order": [{"name": "a"}, {"name": "b", "next": ["c", "d"]}, {"name": "c"}, {"name": "d", "final": True}],
        }
    )
    assert [flow.successors(name) for name in "abcdx"] == [["b"], ["c", "d"], ["d"], [], []]
    assert flow.finals() == ["d"]
    assert StageFlow.model_validate({"event": "e", "order": [{"name": "a"}, {"name": "b"}]}).finals() == ["b"]
    marked = [{"name": "a", "final": True}, {"name": "b", "final": True}, {"name": "c"}]
    assert StageFlow.model_validate({"event": "e", "order": marked}).finals() == ["a", "b"]


def test_stages_are_found_by_name() -> None:
    flow = StageFlow.model_validate({"event": "e", "order": [{"name": "a"}, {"name": "b", "repeat": True}]})
    assert flow.stage_named("b") is flow.order[1]
    assert flow.stage_named("a") is flow.order[0]
    assert flow.stage_named("c") is None


def test_the_judge_a_plan_pins() -> None:
    assert Plan.model_validate({"plan_id": "p", "models": {"judge": "j"}}).judge == "j"
    assert Plan.model_validate({"plan_id": "p", "models": {"simulator": "s"}}).judge is None
    assert Plan.model_validate({"plan_id": "p"}).judge is None


def test_draft_keeps_its_holes() -> None:
    draft = DraftCase.model_validate(
        {"case_id": "F", "turns": [{"user": "a", "expect_tools": ["x"]}, {"user": "b", "expect_tools": "TODO"}]}
    )
    assert draft.holes() == [1]
    with pytest.raises(ValidationError, match="hole"):
        FixedCase.model_validate({"case_id": "F", "turns": [{"user": "b", "expect_tools": "TODO"}]})


def test_persona_as_adk_reads_it() -> None:
    behaviour = {"name": "n", "description": "d", "behavior_instructions": ["i"], "violation_rubrics": ["v"]}
    persona = Persona.model_validate({"description": "d", "behaviors": [behaviour], "exposes": "x"})
    assert persona.to_adk("mine") == {"id": "mine", "description": "d", "behaviors": [behaviour]}
    named = Persona.model_validate({"id": "own", "description": "d", "behaviors": [behaviour]})
    assert named.to_adk("mine")["id"] == "own"


@pytest.mark.parametrize("name", ["good"])
def test_dumped_plan_is_a_plan(tmp_path: Path, name: str) -> None:
    import yaml

    plan = load_plan(HERE / "golden" / f"{name}.plan.yaml").plan
    written = tmp_path / "again.plan.yaml"
    data = plan.model_dump(by_alias=True, exclude_defaults=True)
    written.write_text(yaml.safe_dump(data, allow_unicode=True, sort_keys=False), encoding="utf-8")
    assert not check_plan(written).findings
    assert load_plan(written).plan.model_dump(by_alias=True) == plan.model_dump(by_alias=True)


def test_models_refuse_what_the_checks_refuse() -> None:
    case = {"case_id": "F", "turns": [{"user": "a", "expect_tools": ["x"]}, {"user": "b"}]}
    with pytest.raises(ValidationError, match="some turns only"):
        FixedCase.model_validate(case)
    with pytest.raises(ValidationError, match="exactly one"):
        EventSelector.model_validate({"tool": "a", "says": "b"})
    with pytest.raises(ValidationError, match="tie"):
        Plan.model_validate({"plan_id": "p", "policy": {"votes": 2}})
