"""How many units are in flight: what the models bear, found out quickly and given up quickly."""

from __future__ import annotations

import asyncio
import time
from typing import Any

from adk_split_eval.run.lanes import FIRST, MOST, Lanes
from adk_split_eval.run.pulse import Pulse


def test_one_more_for_every_answer_up_to_the_most() -> None:
    lanes = Lanes()
    for _ in range(5):
        lanes.answered(time.monotonic())
    assert lanes.limit == FIRST + 5
    for _ in range(500):
        lanes.answered(time.monotonic())
    assert lanes.limit == MOST


def test_calls_that_are_throttled_together_halve_once_and_growth_is_slow_from_then_on() -> None:
    lanes = Lanes()
    began = time.monotonic()
    for _ in range(48):
        lanes.answered(began)
    assert lanes.limit == 64
    for _ in range(64):
        lanes.throttled(began)
    assert lanes.limit == 32
    for _ in range(64):
        lanes.answered(began)
    assert lanes.limit == 32, "these were on their way when it was halved: they say nothing of now"
    later = time.monotonic()
    for _ in range(32):
        lanes.answered(later)
    assert lanes.limit == 33, "one more in the time of one call"


def test_a_process_that_is_the_limit_takes_no_more_at_once() -> None:
    busy = True
    lanes = Lanes(busy=lambda: busy)
    lanes.answered(time.monotonic())
    assert lanes.limit == FIRST
    busy = False
    lanes.answered(time.monotonic())
    assert lanes.limit == FIRST + 1


def test_never_below_one() -> None:
    lanes = Lanes()
    for _ in range(10):
        lanes.throttled(time.monotonic())
    assert lanes.limit == 1
    lanes.answered(time.monotonic())
    assert lanes.limit == 2


def test_a_number_that_was_asked_for_stays() -> None:
    lanes = Lanes(3)
    lanes.throttled(time.monotonic())
    lanes.answered(time.monotonic())
    lanes.widen()
    assert (lanes.limit, lanes.most) == (3, 3)


def test_no_more_are_inside_than_the_limit_says() -> None:
    inside = most = 0

    async def unit(lanes: Lanes) -> None:
        nonlocal inside, most
        async with lanes:
            inside += 1
            most = max(most, inside)
            await asyncio.sleep(0)
            inside -= 1

    async def main() -> None:
        lanes = Lanes(4)
        await asyncio.gather(*(unit(lanes) for _ in range(50)))

    asyncio.run(main())
    assert most == 4


def test_the_limit_grows_with_the_calls_not_with_the_conversations(project: Any, monkeypatch: Any) -> None:
    """Of 64 conversations of six calls, nearly all have begun when the first one ends: it doubles in the time of a call."""

    async def idle(_self: Pulse) -> None:
        """A processor that is never the limit, however busy the machine of this test is."""

    monkeypatch.setattr(Pulse, "beat", idle)
    monkeypatch.setenv("PROBE_DELAY", "0.05")
    project.many(simulated=64).write()
    calls: list[str] = []
    result = project.run(engine={"on_call": lambda unit, _call: calls.append(unit.case_id)})
    assert result.counts()["simulated"] == {"OK": 64}
    first_end = next(n for n in range(len(calls)) if calls[: n + 1].count(calls[n]) == 6)
    assert len(set(calls[:first_end])) >= 48
