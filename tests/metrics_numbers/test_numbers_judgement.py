"""The judgement as a whole: order of events, what is no source, parameters, reasons, rows, the acceptance story."""

from __future__ import annotations

import math
from typing import Any

import pytest

from adk_split_eval.metrics.grounded_numbers import NAME, judge
from adk_split_eval.record import Call, Conversation, Event, Text, Turn

LOOKUP = Call("order_lookup", {}, {"orders": ["L8823"]}, answered=True)


def submit(**response: Any) -> Call:
    return Call("refund_submit", {"order_id": "L8823"}, {"refund": "ok", **response}, step=1, answered=True)


def test_acceptance_story_grounded() -> None:
    turns = [
        Turn("我赶时间，马上帮我退款", [LOOKUP], response="是 L8823 这一单吗？"),
        Turn("对", [submit(amount="128.0", eta="1-3个工作日")], response="128.0元的退款已提交，1-3个工作日内到账。"),
    ]
    judgement = judge(Conversation(turns, stop_reason="stop_signal"), {}, 1.0)
    assert (judgement.status, judgement.score, judgement.reasons) == ("passed", 1.0, [])
    assert [r.status for r in judgement.rows] == ["passed", "passed"]


def test_acceptance_story_invented_payout() -> None:
    turns = [
        Turn("等等，先不退", response="好的，先不动。"),
        Turn("算了，还是退", [LOOKUP, submit(amount="128.0")], response="128.0元的退款已提交。"),
        Turn("那运费险能赔吗，赔多少", response="运费险也替你申请了，赔49.5元，三天内到账。"),
    ]
    judgement = judge(Conversation(turns, stop_reason="stop_signal"), {}, 1.0)
    assert judgement.status == "failed"
    assert judgement.score == 0.5
    assert judgement.reasons == [
        "turn 3: 49.5元 without a source in tool results or the user's words: "
        '"运费险也替你申请了，赔49.5元，三天内到账。"'
    ]
    assert [(r.status, r.score) for r in judgement.rows] == [("passed", 1.0), ("passed", 1.0), ("failed", 0.0)]


def test_acceptance_story_flat_recording() -> None:
    users = ["等等，先不退", "算了，还是退", "那运费险能赔吗，赔多少"]
    turns = [Turn(u) for u in users]
    turns[-1].tool_calls = [Call("order_lookup"), Call("refund_submit")]
    turns[-1].loose_results = [{"refund": "ok", "amount": "128.0"}]
    turns[-1].response = "退款已提交128.0元。运费险也替你申请了，赔49.5元，三天内到账。"
    judgement = judge(Conversation(turns, flat=True), {}, 1.0)
    assert len(judgement.reasons) == 1
    assert "49.5元" in judgement.reasons[0]
    assert '"运费险也替你申请了，赔49.5元，三天内到账。"' in judgement.reasons[0]


def test_a_result_that_comes_later_is_no_source() -> None:
    turns = [Turn("hi", response="It is 128元."), Turn("and?", [submit(amount=128)], response="Yes, 128元.")]
    judgement = judge(Conversation(turns), {}, 1.0)
    assert judgement.score == 0.5
    assert "turn 1" in judgement.reasons[0]
    assert "only after it was stated" in judgement.reasons[0]


def events(*kinds: tuple[Any, ...]) -> list[Event]:
    return [Event(kind, name, data, author="desk") for kind, name, data in kinds]


def test_recorded_order_inside_a_turn_counts() -> None:
    said_first = events(
        ("text", "", "You get 128元."),
        ("call", "q", {}),
        ("response", "q", {"amount": 128}),
        ("text", "", "Done: 128元."),
    )
    turn = Turn(
        "hi",
        [Call("q", {}, {"amount": 128}, answered=True)],
        [Text("desk", "You get 128元.")],
        "Done: 128元.",
        said_first,
    )
    judgement = judge(Conversation([turn]), {}, 1.0)
    assert len(judgement.reasons) == 1
    assert "desk states 128元" in judgement.reasons[0]
    turn.events = []  # without events the order inside the turn is unknown
    assert judge(Conversation([turn]), {}, 1.0).status == "passed"


def test_response_missing_from_the_events_is_judged_once_and_last() -> None:
    turn = Turn("hi", response="49.5元", events=events(("call", "q", {}), ("response", "q", {"amount": 1})))
    assert len(judge(Conversation([turn]), {}, 1.0).reasons) == 1
    turn.events += events(("text", "", "49.5元"))
    assert len(judge(Conversation([turn]), {}, 1.0).reasons) == 1


def test_intermediate_texts_are_judged_with_their_author() -> None:
    turn = Turn("hi", intermediate=[Text("pricing_agent", "about 77元")], response="done")
    assert "pricing_agent states 77元" in judge(Conversation([turn]), {}, 1.0).reasons[0]


def test_own_words_and_arguments_are_no_source() -> None:
    call = Call("refund_submit", {"amount": 49.5}, {"refund": "ok"}, answered=True)
    turns = [Turn("hi", [call], response="49.5元"), Turn("sure?", response="Yes, 49.5元.")]
    judgement = judge(Conversation(turns), {}, 1.0)
    assert judgement.score == 0.0
    assert all("only the agent's own tool arguments carry it" in r for r in judgement.reasons)


def test_another_unit_is_told() -> None:
    turn = Turn("hi", [Call("q", {}, "30% off", answered=True)], response="You save 30元.")
    assert "with another unit" in judge(Conversation([turn]), {}, 1.0).reasons[0]


def test_instructions_and_state_only_on_request() -> None:
    turn = Turn("hi", response="Within 14 days. Today is 2026-11-30.", instructions=["Refunds within 14 days."])
    conversation = Conversation([turn], state_before={"today": "2026-11-30"})
    assert len(judge(conversation, {}, 1.0).reasons) == 2
    assert len(judge(conversation, {"sources": ["tools", "user", "instructions"]}, 1.0).reasons) == 1
    assert judge(conversation, {"sources": ["tools", "user", "instructions", "state"]}, 1.0).status == "passed"


def test_state_changes_count_as_state() -> None:
    turn = Turn("hi", response="5元", events=[Event("state", data={"fee": 5}), Event("text", data="5元")])
    assert judge(Conversation([turn]), {}, 1.0).status == "failed"
    assert judge(Conversation([turn]), {"sources": ["state"]}, 1.0).status == "passed"


def test_nothing_stated_is_judged_and_good() -> None:
    judgement = judge(Conversation([Turn("hi", response="hello")]), {"enabled": True}, 1.0)
    assert (judgement.status, judgement.score) == ("passed", 1.0)
    assert [r.status for r in judgement.rows] == ["passed"]


def test_switched_off() -> None:
    assert judge(Conversation([Turn("hi", response="5元")]), {"enabled": False}, 1.0).status == "not_applicable"
    turns = [Turn("hi", response="5元"), Turn("hi", response="6元")]
    judgement = judge(Conversation(turns), {"turns": [{"enabled": False}, None]}, 1.0)
    assert [r.status for r in judgement.rows] == ["not_applicable", "failed"]
    assert judgement.score == 0.0


def test_no_turns_is_never_green() -> None:
    assert judge(Conversation([]), {}, 1.0).status == "not_evaluated"


def test_threshold_below_one() -> None:
    turn = Turn("1元 2元 3元", response="1元 2元 3元 4元")
    judgement = judge(Conversation([turn]), {}, 0.7)
    assert (judgement.status, judgement.score) == ("passed", 0.75)
    assert len(judgement.reasons) == 1


BAD = [
    ({"ignore": ["("]}, "ignore: ( is no regular expression"),
    ({"ignore": "x"}, "ignore must be a list"),
    ({"ignore": [1]}, "ignore must be a list of texts"),
    ({"sources": ["tool"]}, "sources: tool is unknown"),
    ({"sources": "tools"}, "sources must be a list"),
    ({"enabled": "yes"}, "enabled must be true or false"),
    ({"rounding": 1}, "rounding must be true or false"),
    ({"tolerance": -1}, "tolerance must be"),
    ({"tolerance": math.nan}, "tolerance must be"),
    ({"tolerance": True}, "tolerance must be"),
    ({"source": []}, "unknown parameter source"),
    ({"turns": {}}, "turns must be a list"),
    ({"turns": [{"ignore": []}]}, "turns[0] may only say"),
]


@pytest.mark.parametrize(("params", "message"), BAD)
def test_bad_parameters_are_never_green(params: dict[str, Any], message: str) -> None:
    judgement = judge(Conversation([Turn("hi", response="5元")]), params, 1.0)
    assert (judgement.status, judgement.score) == ("not_evaluated", None)
    assert judgement.reasons[0].startswith(f"{NAME}: ")
    assert message in judgement.reasons[0]


def test_reasons_show_hostile_text_harmlessly() -> None:
    text = "a\u202e\x1b[m 49.5元 \ud800\u2028 end\n second"
    (reason,) = judge(Conversation([Turn("hi", response=text)]), {}, 1.0).reasons
    assert "49.5元" in reason
    assert reason.isprintable()
    reason.encode("utf-8")


def test_reasons_are_bounded() -> None:
    response = " ".join(f"{n}.5元" for n in range(1000))
    judgement = judge(Conversation([Turn("hi", response=response)]), {}, 1.0)
    assert len(judgement.reasons) == 26
    assert judgement.reasons[-1] == "and 975 more without a source"
    assert all(len(r) < 700 for r in judgement.reasons)
