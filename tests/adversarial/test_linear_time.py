"""No metric takes more than linear time: eight times the conversation, at most a little over eight times the work."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest

from adk_split_eval.metrics.registry import METRICS
from adk_split_eval.record import Call, Conversation, Turn

SMALL, TIMES = 60, 8
Made = tuple[Conversation, dict[str, Any]]


def talk(turns: int, calls: int = 2, text: str = "I found order L8823, it costs 40 euros.") -> Conversation:
    def of(number: int) -> list[Call]:
        return [
            Call("find", {"item": f"i{number}-{c}"}, {"price": 40, "id": "L8823"}, c, answered=True)
            for c in range(calls)
        ]

    return Conversation([Turn(f"turn {n}", of(n), response=text) for n in range(turns)])


def expected(conversation: Conversation) -> list[Any]:
    return [
        {"expect": [{"calls": [{"name": c.name, "args": c.args}]} for c in turn.tool_calls]}
        for turn in conversation.turns
    ]


def args(match_type: str) -> Callable[[int], Made]:
    def make(size: int) -> Made:
        conversation = talk(size)
        return conversation, {"match_type": match_type, "turns": expected(conversation)}

    return make


def one_long_turn(size: int) -> Made:
    conversation = talk(1, size * 4)
    return conversation, {"match_type": "IN_ORDER", "turns": expected(conversation)}


def with_params(**params: Any) -> Callable[[int], Made]:
    return lambda size: (talk(size), params)


def per_turn(params: dict[str, Any]) -> Callable[[int], Made]:
    return lambda size: (talk(size), {"turns": [params] * size})


SHAPES: dict[str, Callable[[int], Made]] = {
    "tool_args_v1 EXACT": args("EXACT"),
    "tool_args_v1 IN_ORDER": args("IN_ORDER"),
    "tool_args_v1 ANY_ORDER": args("ANY_ORDER"),
    "tool_args_v1 one turn": one_long_turn,
    "tool_order_v1": with_params(rules=[{"before": {"name": "find"}, "after": {"name": "pay"}}]),
    "forbidden_tools_v1": with_params(forbidden=[{"name": "find", "until": {"name": "pay"}}, {"name": "pay"}]),
    "grounded_numbers_v1": with_params(enabled=True, sources=["tools", "user"]),
    "response_text_v1": per_turn({"contains": ["order"], "excludes": ["never"], "matches": "L[0-9]+"}),
    "goal_reached_v1": with_params(goal="g", evidence=[{"tool": "pay"}, {"says": "never said"}], required=True),
}


def seconds(metric: str, made: Made) -> float:
    best = float("inf")
    for _ in range(3):
        started = time.process_time()
        METRICS[metric](*made, 1.0)
        best = min(best, time.process_time() - started)
    return best


@pytest.mark.parametrize("shape", SHAPES)
def test_more_turns(shape: str) -> None:
    metric = shape.split()[0]
    small, large = (seconds(metric, SHAPES[shape](size)) for size in (SMALL, SMALL * TIMES))
    # What is over in a few milliseconds cannot be told from noise.
    assert large < 0.02 or large < small * TIMES * 3, (small, large)


TEXTS = {
    "words": "blah blah, and so on. ",
    "numbers": "It costs 40 euros or 12% of 1,280. ",
    "one_word": "x",
    "digits": "7",
    "openers": "((((",
    "commas": "1,",
    "spaces": "\u3000",
    "han": "一二三四元",
}


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("metric", ["grounded_numbers_v1", "response_text_v1", "goal_reached_v1"])
def test_longer_texts(metric: str, text: str) -> None:
    def made(length: int) -> Made:
        conversation = Conversation([Turn("hi", response=(TEXTS[text] * length)[:length])])
        params = {
            "grounded_numbers_v1": {"enabled": True, "sources": ["tools", "user"]},
            "response_text_v1": {"turns": [{"contains": ["nowhere"], "excludes": ["never"]}]},
            "goal_reached_v1": {"goal": "g", "evidence": [{"says": "never said"}], "required": True},
        }[metric]
        return conversation, params

    small, large = (seconds(metric, made(length)) for length in (4_000, 4_000 * TIMES))
    assert large < 0.02 or large < small * TIMES * 3, (small, large)
