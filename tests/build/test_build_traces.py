"""Recorded conversations from files: turn by turn, flat, and everything that must be refused with its place."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adk_split_eval.build import is_flat, read_flat, read_traces, scripted_users
from adk_split_eval.build.jsonplaces import line_and_column, locate
from adk_split_eval.metrics.registry import METRICS
from adk_split_eval.plan import PlanError
from adk_split_eval.record import Conversation

DATA = Path(__file__).parent / "data"


def written(folder: Path, data: Any) -> Path:
    path = folder / "traces.json"
    path.write_text(data if isinstance(data, str) else json.dumps(data, ensure_ascii=False, indent=1), encoding="utf-8")
    return path


def test_a_trace_turn_by_turn(tmp_path: Path) -> None:
    trace = {
        "stop_reason": "stop_signal",
        "state_after": {"a": 1},
        "turns": [
            {
                "user": "你好",
                "tool_calls": [
                    {"name": "f", "args": {"x": 1}, "response": None},
                    {"name": "g", "step": 4},
                    {"name": "h", "step": 4, "response": {"ok": True}},
                    {"name": "i"},
                ],
                "intermediate": [{"author": "helper", "text": "wait"}],
                "response": "done",
            },
            {"user": "bye"},
        ],
    }
    found = read_traces(written(tmp_path, {"A": trace}))["A"]
    calls = found.turns[0].tool_calls
    assert [(call.name, call.step, call.answered) for call in calls] == [
        ("f", 0, True),
        ("g", 4, False),
        ("h", 4, True),
        ("i", 5, False),
    ]
    assert (found.stop_reason, found.state_after, found.flat) == ("stop_signal", {"a": 1}, False)
    assert found.turns[0].intermediate[0].text == "wait"
    assert Conversation.from_json(found.to_json()) == found


def test_what_a_run_stores_reads_back(tmp_path: Path) -> None:
    first = read_traces(written(tmp_path, {"A": {"turns": [{"user": "u", "tool_calls": [{"name": "f"}]}]}}))["A"]
    assert read_traces(written(tmp_path, {"A": first.to_json()}))["A"] == first


def test_a_flat_trace_puts_its_calls_on_the_last_turn(tmp_path: Path) -> None:
    trace = {"tool_calls": [{"name": "f"}, {"name": "g"}], "tool_results": [{"n": 1}], "final_text": "done"}
    path = written(tmp_path, {"A": trace, "B": {"turns": [], "tool_calls": []}})
    found = read_traces(path, {"A": ["one", "two"]})
    assert [turn.user for turn in found["A"].turns] == ["one", "two"]
    last = found["A"].turns[-1]
    assert [(call.name, call.step) for call in last.tool_calls] == [("f", 0), ("g", 1)]
    assert (last.loose_results, last.response, found["A"].flat) == ([{"n": 1}], "done", True)
    assert found["A"].turns[0].tool_calls == []
    assert [turn.user for turn in read_traces(path)["A"].turns] == [""]
    assert found["B"].turns == [] and found["B"].flat


@pytest.mark.parametrize(
    ("text", "code", "place", "says"),
    [
        ("[]", "ASE611", "1:1", "is a list, not an object"),
        ('{"A": []}', "ASE611", "1:7", "the trace A is a list"),
        ('{"A": {\n "turn": []}}', "ASE611", "2:10", "unknown key 'turn'"),
        ('{"A": {"turns": [{"text": "x"}]}}', "ASE611", "1:27", "unknown key 'text'"),
        ('{"A": {"turns": [{}]}}', "ASE611", "1:18", "lacks the user's words"),
        ('{"A": {"turns": [{"user": 1}]}}', "ASE611", "1:27", "user is a number"),
        ('{"A": {"turns": [{"user": "x", "tool_calls": [{}]}]}}', "ASE611", "1:47", "the tool's name is null"),
        (
            '{"A": {"turns": [{"user": "x", "tool_calls": [{"name": "f", "args": []}]}]}}',
            "ASE611",
            "1:69",
            "args is a list",
        ),
        ('{"A": {"turns": [{"user": "x", "tool_calls": [{"name": "f", "step": -1}]}]}}', "ASE611", "1:69", "step"),
        ('{"A": {"stop_reason": "bored"}}', "ASE611", "1:23", "stop reason 'bored' is unknown"),
        ('{"A": {"goal_reached": "yes"}}', "ASE611", "1:24", "goal_reached"),
        ('{"A": {"turns": [{"user": "x", "response": "y"}], "final_text": "z"}}', "ASE611", "1:18", "both on turns"),
        ('{"A": {}, "A": {}}', "ASE631", "1:11", "'A' stands twice"),
        ('{"A": {},}', "ASE601", "1:", "not JSON"),
        ("", "ASE601", "1:1", "not JSON"),
        ("[" * 100_000, "ASE601", "1:1", "nested too deeply"),
    ],
)
def test_what_makes_no_sense_is_refused_where_it_stands(
    tmp_path: Path, text: str, code: str, place: str, says: str
) -> None:
    path = written(tmp_path, text)
    with pytest.raises(PlanError) as refused:
        read_traces(path)
    (finding,) = refused.value.findings
    assert finding.code == code and says in finding.message
    assert finding.place().startswith(f"{path}:{place}")


def test_unreadable_files_are_refused(tmp_path: Path) -> None:
    binary = tmp_path / "traces.json"
    binary.write_bytes(b"\xff\xfe\x00")
    for path, code in ((tmp_path / "absent.json", "ASE634"), (tmp_path, "ASE634"), (binary, "ASE633")):
        with pytest.raises(PlanError) as refused:
            read_traces(path)
        assert [finding.code for finding in refused.value.findings] == [code]


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=12,
)


@given(json_values, st.sampled_from([None, 1, "\t"]), st.data())
def test_a_place_points_at_its_value(value: Any, indent: Any, data: st.DataObject) -> None:
    text = json.dumps(value, ensure_ascii=False, indent=indent)
    path: list[str | int] = []
    current = value
    while isinstance(current, dict | list) and current and data.draw(st.booleans()):
        if isinstance(current, dict):
            step: Any = data.draw(st.sampled_from(sorted(current)))
        else:
            step = data.draw(st.integers(0, len(current) - 1))
        path.append(step)
        current = current[step]
    line, column = locate(text, path)
    offset = sum(len(one) + 1 for one in text.split("\n")[: line - 1]) + column - 1
    assert json.JSONDecoder().raw_decode(text, offset)[0] == current
    assert line_and_column(text, offset) == (line, column)


class TestFlatForm:
    def test_the_circulated_file_gives_its_verdict_material(self) -> None:
        flat = read_flat(DATA / "flat.json")
        compiled, said = flat.compiled, flat.conversations
        judged = {
            case.case_id: {
                c.name: METRICS[c.name](said[case.case_id], c.params, c.threshold or 1.0) for c in case.criteria
            }
            for case in compiled.cases
            if not case.rejected
        }
        failed = {
            key: [name for name, one in answers.items() if one.status != "passed"] for key, answers in judged.items()
        }
        assert failed == {
            "F-01": [],
            "F-02": ["tool_args_v1", "tool_order_v1"],
            "S-01": [],
            "S-02": ["grounded_numbers_v1"],
        }
        assert any("49.5" in reason for reason in judged["S-02"]["grounded_numbers_v1"].reasons)
        (rejected,) = [case for case in compiled.cases if case.rejected]
        assert rejected.case_id == "S-03"
        assert rejected.findings[0].code == "ASE101" and "expect_trajectory" in rejected.findings[0].message
        assert rejected.findings[0].line == 14
        assert not [finding for finding in compiled.findings if finding.level == "error" and not finding.case_id]

    def test_the_first_recorded_message_opens_and_free_text_is_a_persona(self) -> None:
        compiled = read_flat(DATA / "flat.json").compiled
        scenario = next(case for case in compiled.cases if case.case_id == "S-02").eval_case["conversation_scenario"]
        assert scenario["starting_prompt"] == "等等，先不退"
        assert scenario["user_persona"]["description"] == "总改主意的用户"

    def test_scripted_turns_stand_in_for_recorded_ones(self) -> None:
        flat = read_flat(DATA / "flat.json")
        assert [turn.user for turn in flat.conversations["F-01"].turns] == scripted_users(flat.compiled)["F-01"]

    def test_a_goal_nobody_decides_rejects_its_case(self, tmp_path: Path) -> None:
        case = {"case_id": "S", "persona": "hurried", "goal": "g"}
        trace = {"turns": [{"user": "hi"}], "tool_calls": []}
        flat = read_flat(written(tmp_path, {"sim_set": [case], "traces": {"S": trace}}))
        assert [finding.code for finding in flat.compiled.cases[0].findings] == ["ASE035"]
        stated = {**trace, "goal_reached": False}
        flat = read_flat(written(tmp_path, {"sim_set": [case], "traces": {"S": stated}}))
        assert not flat.compiled.cases[0].rejected
        assert flat.compiled.cases[0].eval_case["conversation_scenario"]["user_persona"]["id"] == "hurried"

    @pytest.mark.parametrize(
        ("data", "code", "says"),
        [
            ({"fixed_set": [{"turns": []}], "traces": {}}, "ASE611", "case_id"),
            ({"fixed_set": {}, "traces": {}}, "ASE611", "fixed_set is an object"),
            ({"fixed": [], "traces": {}}, "ASE611", "unknown key 'fixed'"),
            ({"fixed_set": [{"case_id": "A"}, {"case_id": "A"}], "traces": {}}, "ASE020", "stands twice"),
        ],
    )
    def test_other_shapes_are_refused(self, tmp_path: Path, data: Any, code: str, says: str) -> None:
        with pytest.raises(PlanError) as refused:
            read_flat(written(tmp_path, data))
        assert refused.value.findings[0].code == code and says in refused.value.findings[0].message

    def test_a_fault_of_one_case_rejects_only_that_case(self, tmp_path: Path) -> None:
        data = {
            "fixed_set": [
                {"case_id": "A", "turns": [{"user": "hi", "expect_tool": []}]},
                {"case_id": "B", "turns": [{"user": "hi", "expect_tools": []}]},
            ],
            "sim_set": [{"case_id": "S", "goal": "g"}],
            "traces": {},
        }
        compiled = read_flat(written(tmp_path, data)).compiled
        assert {case.case_id: case.rejected for case in compiled.cases} == {"A": True, "B": False, "S": True}

    def test_it_is_recognised(self, tmp_path: Path) -> None:
        assert is_flat(DATA / "flat.json")
        assert not is_flat(written(tmp_path, {"eval_cases": []})) and not is_flat(tmp_path / "absent")
