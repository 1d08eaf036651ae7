"""Hostile conversations end to end: a scripted agent says and calls them, ADK infers, every metric of ours judges."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest

pytest.importorskip("google.adk.evaluation.local_eval_service")
pytestmark = pytest.mark.adk

from google.adk.models.llm_response import LlmResponse  # noqa: E402
from google.genai import types  # noqa: E402
from proof_bench import Bench, fixed_case, forget_agent, user_turn  # noqa: E402
from proof_models import Script  # noqa: E402

from adk_split_eval.criteria import rubric_type  # noqa: E402

OURS = ("tool_args_v1", "tool_order_v1", "response_text_v1", "forbidden_tools_v1", "grounded_numbers_v1")
CONFIG = {
    "criteria": {"tool_trajectory_avg_score": 1.0, **dict.fromkeys(OURS, 1.0)},
    "custom_metrics": {name: {"code_config": {"name": f"adk_split_eval.metrics.{name}"}} for name in OURS},
}


def rubric(name: str, params: Any, turn: bool = False) -> dict[str, Any]:
    return {
        "rubric_id": name + ".turn" * turn,
        "type": rubric_type(name),
        "rubric_content": {"text_property": json.dumps(params)},
    }


def case(expect: list[Any], *, first: str = "find", grounded: bool = False, words: str = "go") -> dict[str, Any]:
    """One turn under every metric of ours, expecting these calls."""
    turn = user_turn(words, expect)
    calls = {"expect": [{"calls": [{"name": n}]} for n, _ in expect]}
    turn["rubrics"] = [
        rubric("tool_args_v1", calls, True),
        rubric("response_text_v1", {"excludes": ["\u0000never"]}, True),
    ]
    parameters: dict[str, Any] = {
        "tool_args_v1": {"match_type": "EXACT"},
        "tool_order_v1": {"rules": []},
        "forbidden_tools_v1": {"forbidden": [{"name": "pay", "until": {"name": first}}]},
        "grounded_numbers_v1": {"enabled": grounded, "sources": ["tools", "user"]},
    }
    return fixed_case("hostile", turn, rubrics=[rubric(n, p) for n, p in parameters.items()])


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Any:
    forget_agent()
    yield Bench(tmp_path_factory.mktemp("hostile"))
    forget_agent()


def run(
    bench: Bench, the_case: dict[str, Any], steps: list[Any], tools: dict[str, Any] | None = None, **agents: Any
) -> Any:
    """The only case's result; what was stored of it must be JSON that any reader takes."""
    script = Script(agent={"desk": {"*": steps}, **agents}, tools=tools or {})
    result = bench.ours(bench.write([the_case], CONFIG, name="hostile"), script)
    stored = bench.folder / ".adk-split-eval" / "runs" / result.run_id / "result.json"
    raw = stored.read_bytes()

    def refuse(constant: str) -> Any:
        raise AssertionError(f"{constant} is no JSON")

    again = json.loads(raw.decode("utf-8"), parse_constant=refuse)
    assert again["cases"][0]["verdict"] == result.cases[0].verdict
    return result.cases[0]


def deep(levels: int) -> Any:
    value: Any = "bottom"
    for level in range(levels):
        value = {"k": value} if level % 2 else [value]
    return value


FIND = ("find", {"item": "a"})
SCRIPTS = (
    "العربية עברית हिन्दी ไทย 한국어 日本語 中文 ελληνικά кириллица ქართული አማርኛ தமிழ் བོད་ ភាសាខ្មែរ 𐍈𐌰 𝒜𝓁𝓁 "
    "👩‍👩‍👧‍👦🏳️‍🌈 e\u0301 \u202eright to left\u202c \u2066isolated\u2069 \ufeff \u200b\u200d \u0000 \x1b[31m </script>"
)
GOOD: dict[str, tuple[dict[str, Any], list[Any]]] = {
    "a_megabyte": (case([FIND]), [[FIND], "blah blah blah, and so on. " * 40_000]),
    "a_megabyte_in_one_word": (case([FIND]), [[FIND], "x" * 1_000_000]),
    "every_script": (case([FIND]), [[FIND], SCRIPTS]),
    "hostile_arguments": (case([("find", {"item": SCRIPTS})]), [[("find", {"item": SCRIPTS})], "Found."]),
    "same_id_twice": (
        case([FIND, ("hold", {"item": "a", "branch": ""})]),
        [[("find", {"item": "a"}, "one"), ("hold", {"item": "a", "branch": ""}, "one")], "Found and held."],
    ),
    "the_same_id_in_every_step": (
        case([FIND, FIND]),
        [[("find", {"item": "a"}, "x")], [("find", {"item": "a"}, "x")], "ok"],
    ),
    "empty_parts": (case([FIND]), [[types.Part(text=""), FIND, types.Part(text="")], ["", "Found."]]),
    "text_before_a_call": (case([FIND]), [["I look.", FIND, "Wait."], "Found."]),
    "no_arguments": (case([("find", {})]), [[("find", {})], "Found."]),
    "hundred_parallel_calls": (
        case([("find", {"item": str(i)}) for i in range(100)]),
        [[("find", {"item": str(i)}) for i in range(100)], "Found all."],
    ),
    "agent_as_tool": (case([("clerk", {"request": "go"})], first="clerk"), [[("clerk", {"request": "go"})], "Found."]),
    "hand_over": (
        case([("transfer_to_agent", {"agent_name": "expert"})], first="transfer_to_agent"),
        [[("transfer_to_agent", {"agent_name": "expert"})]],
    ),
    "parallel_calls_with_a_hand_over": (
        case([FIND, ("transfer_to_agent", {"agent_name": "expert"})]),
        [[FIND, ("transfer_to_agent", {"agent_name": "expert"})]],
    ),
}


@pytest.mark.parametrize("name", GOOD)
def test_judged_as_any_other_conversation(bench: Bench, name: str) -> None:
    the_case, steps = GOOD[name]
    found = run(bench, the_case, steps, clerk={"*": ["It is here."]}, expert={"*": ["I am the expert."]})
    assert (found.verdict, found.reasons) == ("PASS", [])
    assert {c.status for c in found.criteria if c.name in OURS} <= {"passed", "not_applicable"}


def test_arguments_two_hundred_deep(bench: Bench) -> None:
    call = ("find", {"item": "a", "extra": deep(200)})
    found = run(bench, case([call]), [[call], "Found."])
    assert found.verdict == "PASS", found.reasons
    other = run(bench, case([("find", {"item": "a", "extra": deep(199)})]), [[call], "Found."])
    assert other.verdict == "FAIL"
    assert max(map(len, other.reasons)) < 4000


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf, 1e308, -0.0, 10**400])
def test_numbers_that_are_none(bench: Bench, number: float) -> None:
    found = run(bench, case([("pay", {"amount": 1.0})], first="find"), [[("pay", {"amount": number})], "Paid."])
    assert found.verdict == "FAIL"
    assert any(r.startswith("tool_trajectory_avg_score: turn 1: pay(amount=1") for r in found.reasons), found.reasons


@pytest.mark.parametrize("number", [math.nan, math.inf])
def test_tool_results_that_are_no_numbers(bench: Bench, number: float) -> None:
    found = run(bench, case([FIND], grounded=True), [[FIND], "It costs 12 euros."], {"find": {"price": number}})
    assert found.verdict == "FAIL"
    assert "12" in " ".join(found.reasons)


def test_lone_surrogates_in_a_tool_result_stay_with_their_case(bench: Bench) -> None:
    found = run(bench, case([FIND]), [[FIND], "Found."], {"find": {"text": "broken \ud800 half"}})
    assert found.verdict in ("PASS", "ERROR")
    if found.verdict == "ERROR":
        assert "surrogate" in " ".join(found.reasons).lower(), found.reasons


def test_lone_surrogates_in_json_escapes_go_through(bench: Bench) -> None:
    words = "go \ud800"
    found = run(bench, case([FIND], words=words), [[FIND], "Found \udfff."])
    assert (found.verdict, found.turns[0].user) == ("PASS", words)


@pytest.mark.parametrize(
    ("steps", "says"),
    [
        ([""], "answered nothing"),
        ([LlmResponse(content=types.Content(role="model", parts=[]))], "answered nothing"),
        ([LlmResponse(content=None)], ""),
        ([LlmResponse(error_code="MAX_TOKENS", error_message="too long")], "MAX_TOKENS"),
    ],
)
def test_an_agent_that_gives_nothing_is_an_error(bench: Bench, steps: list[Any], says: str) -> None:
    found = run(bench, case([]), steps)
    assert found.verdict == "ERROR"
    assert says in " ".join(found.reasons), found.reasons


def test_a_call_and_no_word(bench: Bench) -> None:
    found = run(bench, case([FIND]), [[FIND], ""])
    assert found.verdict == "PASS"
    assert any("no final response" in w for w in found.warnings)


def test_a_tool_that_answers_nothing(bench: Bench) -> None:
    found = run(
        bench, case([FIND, ("pay", {"amount": 1.0})]), [[FIND], [("pay", {"amount": 1.0})], "Paid."], {"find": None}
    )
    assert found.verdict == "PASS", found.reasons


def test_a_tool_that_does_not_exist(bench: Bench) -> None:
    found = run(bench, case([]), [[("no_such_tool", {})], "Sorry."])
    # ADK tells the model, or gives up: either way it is no pass, and the tool is named.
    assert found.verdict in ("FAIL", "ERROR")
    assert "no_such_tool" in " ".join(found.reasons)
