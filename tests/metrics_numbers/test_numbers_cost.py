"""Time grows with the text, not faster, on ordinary and on hostile input; deep and huge values are survived."""

from __future__ import annotations

import gc
import json
import time
from typing import Any

import pytest

from adk_split_eval.metrics.grounded_numbers import judge
from adk_split_eval.metrics.numbers import extract
from adk_split_eval.record import Call, Conversation, Turn

PATTERNS = {
    "amounts": "item 12.5 元, ",
    "digits": "7",
    "letters then digit": "a",
    "alternating": "a1",
    "hyphens": "1-",
    "dots": "1.",
    "commas": "1,",
    "groups": " 123",
    "grouped run": ",123",
    "dates": "2026-11-30T14:30:00Z ",
    "han": "一百万亿",
    "han mixed": "3万",
    "list numbers": "1. x\n",
    "brackets": "((1)",
    "pipes": "| 1 |\n",
    "spaces": " ",
    "links": "http://x/1 ",
    "mail": "a.b-1@",
    "open tags": "<a1 ",
    "months": "Nov 30 ",
    "mask": "x*",
    "hidden": "1\u200b",
    "entities": "&#1",
    "underscores": "_1_",
    "durations": "1 hour 2 minutes ",
    "exponents": "1e5",
    "minus": "--1",
    "units in a chain": "1d-",
    "words in a chain": "a-b-",
    "mixed separators": "1.1,",
    "letters": "x" * 999 + "1",
    "signs": "$",
    "spaced": "1  ",
    "plus": "+(1",
    "pounds": "-$1",
    "clock": "1:11",
    "slashes": "1/1/",
    "years": "2026年",
    "percent": "百分之",
    "bold": "**1**",
    "sentences": "1. ",
    "and": "1 and ",
}


def seconds(text: str) -> float:
    turn = Turn(text[:0], [Call("t", {}, {"r": text}, answered=True)], response=text)
    gc.collect()
    start = time.process_time()
    judge(Conversation([turn]), {}, 1.0)
    return time.process_time() - start


@pytest.mark.parametrize("name", PATTERNS)
def test_linear(name: str) -> None:
    pattern = PATTERNS[name]
    small = pattern * (3_000 // len(pattern))
    large = pattern * (24_000 // len(pattern))
    once = max(min(seconds(small) for _ in range(2)), 0.002)
    eightfold = seconds(large)
    if eightfold > 24 * once:  # quadratic would be 64 times; measure again before complaining, the machine may be busy
        eightfold = min(eightfold, seconds(large))
    assert eightfold < 24 * once, (name, once, eightfold)


def test_a_megabyte_and_the_one_invented_number() -> None:
    text = " ".join(f"item {n % 5000}.25 元 is on its way;" for n in range(20_000))
    text += " plus 777777.77元. " + "plain words without a number. " * 15_000
    assert len(text) > 1_000_000
    turn = Turn("hi", [Call("t", {}, {"prices": [n + 0.25 for n in range(5000)]}, answered=True)], response=text)
    (reason,) = judge(Conversation([turn]), {}, 1.0).reasons
    assert "777777.77元" in reason


def test_many_turns_cost_their_sum() -> None:
    def cost(count: int) -> float:
        turns = [
            Turn(f"order {n}", [Call("t", {}, {"n": n * 7}, answered=True)], response=f"{n * 7}元")
            for n in range(count)
        ]
        gc.collect()
        start = time.process_time()
        assert judge(Conversation(turns), {"tolerance": 0.001}, 1.0).status == "passed"
        return time.process_time() - start

    cost(100)
    assert cost(4000) < 24 * max(cost(500), 0.002)


def nested(depth: int) -> Any:
    value: Any = {"amount": 128}
    for level in range(depth):
        value = [value] if level % 2 else {"v": value}
    return value


def test_deep_results() -> None:
    turn = Turn("hi", [Call("t", {}, nested(50_000), answered=True)], response="128元")
    assert judge(Conversation([turn]), {}, 1.0).status == "passed"
    text = "[" * 100_000 + "]" * 100_000
    turn = Turn(
        "hi", [Call("t", {}, text, answered=True), Call("t", {}, '{"a": 128}', answered=True)], response="128元"
    )
    assert judge(Conversation([turn]), {}, 1.0).status == "passed"


ODD: list[Any] = [
    10**5000, -(10**300), 1e308, 5e-324, float("nan"), float("-inf"), b"\x00128", {1: 2}, {"a": {3, 4}}, (1, 2), object(), True,
    "9" * 5000, "1e999999", "1E+99", "0" * 5000, "١" * 500, "\ud83d", json.dumps({"x": "\ud800"}),
]  # fmt: skip


@pytest.mark.parametrize("value", ODD, ids=[f"{type(v).__name__}{i}" for i, v in enumerate(ODD)])
def test_odd_results(value: Any) -> None:
    turn = Turn(
        "hi",
        [Call("t", {"a": value}, {"r": value}, answered=True)],
        response=f"128元 {str(value)[:6000] if not isinstance(value, int) else ''}",
    )
    judgement = judge(Conversation([turn]), {"tolerance": 0.1, "rounding": True, "derived": True}, 1.0)
    assert judgement.status == "failed"
    assert extract(str(value)[:100] if not isinstance(value, int) else "") is not None
