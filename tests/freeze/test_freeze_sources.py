"""``freeze --from``: recordings of other tools become candidates by the same rules."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))
import freeze_desk as desk

from adk_split_eval import pool
from adk_split_eval.build import compile_plan
from adk_split_eval.freeze import freeze_candidates
from adk_split_eval.freeze.known_rules import KnownRules
from adk_split_eval.freeze.recordings import case_conversation, session_conversation
from adk_split_eval.freeze.sources import candidates_of, read_source
from adk_split_eval.plan import load_plan
from adk_split_eval.record import Call, Turn

DATA = Path(__file__).parent / "data"


@pytest.fixture
def plan(tmp_path: Path) -> Path:
    return desk.make_plan(tmp_path)


def take(plan: Path, source: Path, **options: Any) -> list[pool.Candidate]:
    options.setdefault("rules", KnownRules(load_plan(plan)))
    return [pool.load(path) for path, _ in candidates_of(source, plan.parent, "desk", **options)]


def test_a_recorded_session_becomes_the_expected_frozen_case(plan: Path) -> None:
    """State before the chat starts the case, state after it is an expectation only."""
    candidate = take(plan, DATA / "recorded_session.json", agent="desk_agent")[0]
    assert candidate.hit.kind == "recorded" and candidate.no_draft_because is None
    assert candidate.personal_data == [
        "state key user:language: outlives the session, may be personal",
        "state key app:motd: outlives the session, may be personal",
    ]
    pool_file = candidate.path
    assert pool_file is not None
    pool_file.write_text(pool_file.read_text("utf-8").replace("status: open", "status: approved"), "utf-8")

    def answer(user: str, _trial: int) -> Turn:
        return Turn(user, [Call("set_branch", {"branch": "north"})], response="Saved.")

    real = desk.runner(answer)

    def run(compiled: Any, cases: list[Any], trials: int) -> list[Any]:
        for case in cases:
            case.criteria = [c for c in case.criteria if c.name != "final_state_v1"]
        return real(compiled, cases, trials)

    refused = freeze_candidates(plan, runner=run)
    assert "cannot be red first" in str(refused.outcomes[0].errors)
    assert freeze_candidates(plan, runner=run, already_fixed=True).outcomes[0].kind == "frozen"
    built = next(c for c in compile_plan(load_plan(plan)).cases if c.case_id == "F-recorded_session")
    expected = json.loads((DATA / "recorded_session.expected.evalset.json").read_text("utf-8"))["eval_cases"][0]
    turn, wanted = built.eval_case["conversation"][0], expected["conversation"][0]
    assert turn["user_content"] == wanted["user_content"]
    assert [t["name"] for t in turn["intermediate_data"]["tool_uses"]] == ["set_branch"]
    assert built.eval_case["session_input"] == expected["session_input"]
    assert built.runner["expect_state"] == expected["final_session_state"]
    args = next(c for c in built.criteria if c.name == "tool_args_v1").params["turns"][0]["expect"]
    assert args == [{"calls": [wanted["intermediate_data"]["tool_uses"][0]]}]


@pytest.mark.parametrize("name", ["unicode.evalset.json", "unicode.bom.evalset.json"])
def test_text_of_every_script_is_byte_identical(plan: Path, name: str) -> None:
    source = json.loads((DATA / name).read_bytes().decode("utf-8-sig"))
    for case, candidate in zip(source["eval_cases"], take(plan, DATA / name), strict=True):
        assert candidate.draft is not None and candidate.path is not None
        invocation = case["conversation"][0]
        use = invocation["intermediate_data"]["tool_uses"][0]
        turn = candidate.draft["turns"][0]
        assert turn["user"] == invocation["user_content"]["parts"][0]["text"]
        assert turn["expect_tools"] == [use]
        raw = candidate.path.read_bytes()
        assert raw.endswith(b"\n") and not raw.startswith(b"\xef\xbb\xbf")
        assert candidate.transcript[0]["response"] == invocation["final_response"]["parts"][0]["text"]
        if "\u2028" not in turn["user"]:
            assert turn["user"] in raw.decode("utf-8")


def part(**content: Any) -> dict[str, Any]:
    return {"parts": [content], "role": "model"}


SESSION = {
    "id": "abc", "appName": "desk_agent", "userId": "u1", "state": {"tier": "gold", "branch": "n", "temp:x": 1, "user:l": "en"},
    "events": [
        {"author": "user", "invocationId": "e1", "content": {"parts": [{"text": "set it"}]}},
        {"author": "desk", "invocationId": "e1", "partial": True, "content": part(text="Sa")},
        {"author": "desk", "invocationId": "e1", "content": part(functionCall={"id": "adk-1", "name": "set", "args": {"b": "n"}})},
        {"author": "desk", "invocationId": "e1", "content": part(functionResponse={"id": "adk-1", "name": "set", "response": {"ok": 1}}),
         "actions": {"stateDelta": {"branch": "n"}}},
        {"author": "desk", "invocationId": "e1", "content": part(text="Saved.")},
        {"author": "user", "invocationId": "e2", "content": {"parts": [{"text": "thanks"}]}},
        {"author": "desk", "invocationId": "e2", "content": part(text="Welcome.")},
    ],
}  # fmt: skip


def test_a_session_export_keeps_only_the_state_that_nothing_wrote(plan: Path, tmp_path: Path) -> None:
    source = tmp_path / "session.json"
    source.write_text(json.dumps(SESSION), "utf-8")
    candidate = take(plan, source, agent="other_agent")[0]
    assert candidate.draft == {
        "case_id": "F-abc",
        "scene": "from session.json: abc (recorded)",
        "turns": [
            {"user": "set it", "expect_tools": [{"name": "set", "args": {"b": "n"}}]},
            {"user": "thanks", "expect_tools": []},
        ],
        "session_input": {"user_id": "u1", "state": {"tier": "gold", "user:l": "en"}},
        "expect_state": {"tier": "gold", "branch": "n", "user:l": "en"},
    }
    assert candidate.transcript[0]["tool_calls"][0]["state"] == {"branch": "n"}
    assert "adk-1" not in str(candidate.path and candidate.path.read_text("utf-8"))


def invocation(text: str, answer: str, *calls: dict[str, Any]) -> dict[str, Any]:
    events = [{"author": "desk", "content": {"parts": [{"function_call": c} for c in calls]}}] if calls else []
    return {
        "invocation_id": "e",
        "user_content": {"parts": [{"text": text}], "role": "user"},
        "final_response": {"parts": [{"text": answer}], "role": "model"},
        "intermediate_data": {"invocation_events": events},
    }


def result_file(double: bool = False) -> str:
    rows = [
        {"actual_invocation": invocation("a", "x", {"name": "one", "args": {}}, {"name": "two", "args": {"k": 1}}),
         "eval_metric_results": [{"metric_name": "response_match_score", "eval_status": 1}]},
        {"actual_invocation": invocation("b", "It is 5."),
         "eval_metric_results": [{"metric_name": "response_match_score", "eval_status": 2}]},
    ]  # fmt: skip
    failed = {
        "eval_id": "case_a", "final_eval_status": 2, "user_id": "u",
        "overall_eval_metric_results": [{"metric_name": "response_match_score", "score": 0.2, "threshold": 0.8, "eval_status": 2}],
        "eval_metric_result_per_invocation": rows,
    }  # fmt: skip
    passed = {**failed, "eval_id": "case_b", "final_eval_status": 1, "overall_eval_metric_results": []}
    text = json.dumps({"eval_set_result_id": "r", "eval_set_id": "s", "eval_case_results": [failed, passed]})
    return json.dumps(text) if double else text


@pytest.mark.parametrize("double", [False, True])
def test_a_result_of_adk_eval_gives_its_failures(plan: Path, tmp_path: Path, double: bool) -> None:
    source = tmp_path / "x.evalset_result.json"
    source.write_text(result_file(double), "utf-8")
    found = take(plan, source)
    assert [c.case_id for c in found] == ["case_a"]
    assert (found[0].hit.criterion, found[0].hit.turn) == ("response_match_score", 2)
    assert found[0].draft is not None
    assert [t["expect_tools"] for t in found[0].draft["turns"]] == [
        [["one", {"name": "two", "args": {"k": 1}}]],
        "TODO",
    ]
    assert [c.case_id for c in take(plan, source, case_ids=("case_b",))] == ["case_b"]
    with pytest.raises(pool.PoolError, match="there are: case_a, case_b"):
        take(plan, source, case_ids=("nope",))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{", "1:2: ASE966 is no JSON"),
        ("[]", "no session export"),
        ('{"eval_cases": []}', "holds no case at all"),
        ('{"a": 1}', "no session export"),
        ('{"eval_cases": [{"eval_id": "s", "conversation_scenario": {}}]}', "holds no conversation"),
        ("[" * 100_000, "nested too deeply"),
    ],
)
def test_what_is_no_recording_is_said(plan: Path, tmp_path: Path, text: str, says: str) -> None:
    source = tmp_path / "bad.json"
    source.write_text(text, "utf-8")
    with pytest.raises(pool.PoolError, match=says):
        take(plan, source)


def test_odd_shapes_do_not_break_the_readers() -> None:
    for odd in (None, 1, "x", [], [1], {"parts": [None, {"text": 3}]}):
        case_conversation(
            {"conversation": [odd, {"user_content": odd, "intermediate_data": odd, "final_response": odd}]}
        )
        session_conversation(
            {"events": [odd, {"author": "user", "content": odd}, {"content": odd, "actions": odd}], "state": odd}
        )


@pytest.mark.adk
def test_what_adk_itself_writes_is_read() -> None:
    pytest.importorskip("google.adk")
    from google.adk.events.event import Event
    from google.adk.events.event_actions import EventActions
    from google.adk.sessions.session import Session
    from google.genai import types

    def content(*parts: types.Part, role: str = "model") -> types.Content:
        return types.Content(role=role, parts=list(parts))

    call = types.Part.from_function_call(name="set", args={"b": "北"})
    done = types.Part.from_function_response(name="set", response={"ok": True})
    session = Session(
        id="s", app_name="desk", user_id="u", state={"tier": "gold", "branch": "北"},
        events=[
            Event(author="user", invocation_id="e1", content=content(types.Part(text="设成北 📚"), role="user")),
            Event(author="desk", invocation_id="e1", content=content(types.Part(text="One moment."), call)),
            Event(author="desk", invocation_id="e1", content=content(done), actions=EventActions(state_delta={"branch": "北"})),
            Event(author="desk", invocation_id="e1", content=content(types.Part(text="hm", thought=True), types.Part(text="好"))),
        ],
    )  # fmt: skip
    for by_alias in (True, False):
        found = session_conversation(json.loads(session.model_dump_json(by_alias=by_alias, exclude_none=True)))
        turn = found.turns[0]
        assert (turn.user, turn.response) == ("设成北 📚", "好")
        assert [(c.name, c.args, c.response) for c in turn.tool_calls] == [("set", {"b": "北"}, {"ok": True})]
        assert [t.text for t in turn.intermediate] == ["One moment."]
        assert found.state_before == {"tier": "gold"}


def test_the_same_recording_twice_is_one_candidate_and_another_one_is_not(plan: Path, tmp_path: Path) -> None:
    for text in ("set it", "set it", "set this"):
        session = json.loads(json.dumps(SESSION).replace("set it", text))
        (tmp_path / "session.json").write_text(json.dumps(session), "utf-8")
        take(plan, tmp_path / "session.json")
    good, _ = pool.headers(plan.parent)
    assert sorted(c.seen.count for c in good) == [1, 1]
    (tmp_path / "session.json").write_text(json.dumps(SESSION, indent=1), "utf-8")
    take(plan, tmp_path / "session.json")
    assert sorted(c.seen.count for c in pool.headers(plan.parent)[0]) == [1, 2]
    assert len(list(read_source(tmp_path / "session.json"))) == 1


def test_a_bug_in_a_recording_is_seen_when_it_is_read(plan: Path, tmp_path: Path) -> None:
    """Nobody judged an export: the plan's own invariants do, so it cannot pass for what works."""
    session = json.loads(json.dumps(SESSION).replace("Welcome.", "It pays 25 yuan."))
    (tmp_path / "session.json").write_text(json.dumps(session), "utf-8")
    candidate = take(plan, tmp_path / "session.json")[0]
    assert (candidate.hit.criterion, candidate.hit.kind, candidate.hit.turn) == (
        "grounded_numbers_v1",
        "deterministic",
        2,
    )
    assert candidate.draft is not None and candidate.draft["turns"][1] == {
        "user": "thanks", "expect_tools": "TODO", "response": {"excludes": ["It pays 25 yuan."]},
    }  # fmt: skip
    assert candidate.draft["grounded_numbers"] is True
    assert "judged when it was read: grounded_numbers_v1 fails" in candidate.notes


RULES = """\
    - case_id: case_a
      turns: [{user: a, expect_tools: []}]
      forbidden_tools: [{name: two, until: three}]
      order_rules: [{before: two, after: one}]
"""


@pytest.mark.parametrize(
    ("metric", "key"), [("forbidden_tools_v1", "forbidden_tools"), ("tool_order_v1", "order_rules")]
)
@pytest.mark.parametrize("known", [True, False])
def test_the_rules_of_the_case_go_along_with_its_result(
    plan: Path, tmp_path: Path, metric: str, key: str, known: bool
) -> None:
    if known:
        plan.write_text(desk.PLAN.replace("sim_set:\n", RULES + "sim_set:\n"), "utf-8")
    source = tmp_path / "x.evalset_result.json"
    source.write_text(result_file().replace("response_match_score", metric), "utf-8")
    candidate = take(plan, source)[0]
    assert candidate.hit.criterion == metric and candidate.draft is not None
    if known:
        rules = {
            "forbidden_tools": [{"name": "two", "until": "three"}],
            "order_rules": [{"before": "two", "after": "one"}],
        }
        assert candidate.draft[key] == rules[key]
    else:
        assert any(f"write them into the draft under {key}" in note for note in candidate.notes)


def test_one_scenario_in_a_set_does_not_cost_the_others(plan: Path, tmp_path: Path) -> None:
    good = {"eval_id": "good", "conversation": [invocation("a", "x")]}
    source = tmp_path / "mixed.evalset.json"
    source.write_text(json.dumps({"eval_cases": [{"eval_id": "s", "conversation_scenario": {}}, good]}), "utf-8")
    told: list[str] = []
    assert [c.case_id for c in take(plan, source, tell=told.append)] == ["good"]
    assert "left out: case 's' holds no conversation" in told[0]
    assert [c.case_id for c in take(plan, source, case_ids=("good",))] == ["good"]
    with pytest.raises(pool.PoolError, match="'s' holds no conversation"):
        take(plan, source, case_ids=("s",))
