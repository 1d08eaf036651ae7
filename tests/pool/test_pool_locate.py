"""Which turn a failure is placed in, by the words of each criterion's own reasons."""

from __future__ import annotations

import pytest

from adk_split_eval.pool.locate import failing_turn
from adk_split_eval.record import Call, Turn

STAGES = 'stages: warm_up (turn 1, "the interview starts") → project (turn 4, "answered") → warm_up (turn 5, "forgot")'


@pytest.mark.parametrize(
    ("reasons", "turn"),
    [
        (["turn 5: project → warm_up is not allowed: it goes back", STAGES], 5),
        (["turn 4: the id \"f1\" asked a second time after turn 2 as main: f1"], 4),
        (['turn 7: claim 1: "we cut it" was not said in turn 2: "Services"'], 7),
        (["turn 6: search: {} after the end in turn 3: call"], 6),
        (["turn 6: x", "turn 5: y"], 5),
        (["repeated_questions_v1: turn 4: asked a second time after turn 2"], 4),
        (["pay must come before look: turn 3: look {} comes before turn 4: pay {}"], 3),
        (["never entered: project; the conversation ends in closed after 5 turns", STAGES], None),
        (["turn 40: there is no such turn", "it says `quote`"], 2),
        (["the rationale blames turn 3 of them"], 3),
        (["nothing to place"], None),
    ],
)  # fmt: skip
def test_the_turn_that_is_blamed_not_one_that_is_mentioned(reasons: list[str], turn: int | None) -> None:
    turns = [Turn(str(n), response="the interview starts" if n == 1 else "ok") for n in range(8)]
    turns[1].tool_calls.append(Call("quote"))
    assert failing_turn(reasons, turns) == turn
