"""The refund desk under google-adk alone: fixed cases go as written, simulated users react, one bug shows."""

from __future__ import annotations

import re
from typing import Any

_NUMBER = re.compile(r"\d+(?:\.\d+)?")


def _name(call: Any) -> str:
    return call if isinstance(call, str) else call["name"]


def _expected_steps(turn: dict[str, Any]) -> list[list[str]]:
    return [
        sorted(_name(call) for call in step) if isinstance(step, list) else [_name(step)]
        for step in turn["expect_tools"]
    ]


def _actual_steps(talk: Any, turn: int) -> list[list[str]]:
    steps: dict[int, list[str]] = {}
    for step, (name, _) in zip(talk.steps[turn], talk.calls[turn], strict=True):
        steps.setdefault(step, []).append(name)
    return [sorted(names) for _, names in sorted(steps.items())]


def _unfounded(talk: Any) -> list[str]:
    """Numbers the agent states that neither the user said nor a tool returned: a naive oracle, enough for this shop."""
    said = {float(number) for text in [*talk.users, *map(str, talk.responses)] for number in _NUMBER.findall(text)}
    return [number for text in talk.answers for number in _NUMBER.findall(text) if float(number) not in said]


def test_enough_cases_in_both_sets_and_both_languages(plan: dict[str, Any]) -> None:
    fixed, simulated = plan["fixed_set"]["cases"], plan["sim_set"]["cases"]
    assert len(fixed) >= 6
    assert len(simulated) >= 6
    assert {case["persona"] for case in simulated} >= {
        "hurried",
        "changes_mind",
        "mistypes_identifiers",
        "complaining",
        "drifts_off_topic",
        "embeds_instructions",
    }
    for texts in (
        [turn["user"] for case in fixed for turn in case["turns"]],
        [case["starting_prompt"] for case in simulated],
    ):
        chinese = [bool(re.search("[一-鿿]", text)) for text in texts]
        assert any(chinese)
        assert not all(chinese)


def test_fixed_cases_call_what_the_plan_expects(plan: dict[str, Any], talks: dict[str, Any]) -> None:
    for case in plan["fixed_set"]["cases"]:
        talk = talks[case["case_id"]]
        for number, turn in enumerate(case["turns"]):
            assert _actual_steps(talk, number) == _expected_steps(turn), (case["case_id"], number)
            response = turn.get("response", {})
            assert all(text in talk.answers[number] for text in response.get("contains", []))
            assert not any(text in talk.answers[number] for text in response.get("excludes", []))
            assert re.search(response.get("matches", ""), talk.answers[number])


def test_expected_end_states_hold(plan: dict[str, Any], talks: dict[str, Any]) -> None:
    checked = 0
    for case in plan["fixed_set"]["cases"]:
        for key, value in case.get("expect_state", {}).items():
            assert talks[case["case_id"]].state[key] == value
            checked += 1
    assert checked >= 3


def test_simulated_users_end_by_themselves(plan: dict[str, Any], talks: dict[str, Any]) -> None:
    for case in plan["sim_set"]["cases"]:
        assert len(talks[case["case_id"]].users) < plan["sim_set"]["max_turns"]
        assert talks[case["case_id"]].users[0] == case["starting_prompt"]


def test_nobody_calls_what_the_simulated_cases_forbid_outright(plan: dict[str, Any], talks: dict[str, Any]) -> None:
    for case in plan["sim_set"]["cases"]:
        called = {name for turn in talks[case["case_id"]].calls for name, _ in turn}
        assert not called & {tool for tool in case["forbidden_tools"] if isinstance(tool, str)}


def test_the_one_bug_is_an_invented_payout_in_the_third_turn(talks: dict[str, Any]) -> None:
    unfounded = {case_id: numbers for case_id, talk in talks.items() if (numbers := _unfounded(talk))}
    assert unfounded == {"S-02": ["25"]}
    talk = talks["S-02"]
    assert "25" in talk.answers[2]
    assert talk.calls[2] == []
    assert talk.calls[1] == [("refund_cancel", {"order_id": "L8823"})]


def test_mended_agent_looks_the_payout_up(mended_talks: dict[str, Any]) -> None:
    talk = mended_talks["S-02"]
    assert talk.calls[2] == [("insurance_quote", {"order_id": "L8823"})]
    assert "赔付 12 元" in talk.answers[2]
    assert not any(_unfounded(other) for other in mended_talks.values())


def test_no_other_case_can_tell_the_mended_agent_apart(talks: dict[str, Any], mended_talks: dict[str, Any]) -> None:
    told_apart = [case_id for case_id in talks if talks[case_id].answers != mended_talks[case_id].answers]
    assert told_apart == ["S-02"]


def test_every_session_has_its_own_shop(talks: dict[str, Any]) -> None:
    submitted = {case_id for case_id, talk in talks.items() if talk.state.get("refund_status")}
    assert submitted == {"F-01", "F-06", "S-01", "S-02", "S-03", "S-06"}
    assert "L8823" in talks["S-01"].state["refunds"]
    assert list(talks["S-06"].state["refunds"]) == ["P2206"]
    assert talks["S-04"].responses[0]["ticket"] == talks["F-05"].responses[0]["ticket"] == "T-101"


def test_a_real_model_can_be_chosen(load_refund_agent: Any, monkeypatch: Any) -> None:
    monkeypatch.setenv("REFUND_DESK_MODEL", "gemini-2.5-flash")
    assert load_refund_agent("refund_agent_real").root_agent.model == "gemini-2.5-flash"
