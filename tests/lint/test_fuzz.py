"""Mutated files never give a traceback, and nothing takes memory or time without bound.

CI mutates 500 files; ``LINT_FUZZ=10000`` (or the ``slow`` marker's run) goes on longer.
"""

from __future__ import annotations

import json
import os
import random
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from adk_split_eval.lint import lint_paths
from adk_split_eval.lint.output import github, json_format, sarif, text
from adk_split_eval.lint.settings import Options

DATA = Path(__file__).parent / "data" / "cases"
ROUNDS = int(os.environ.get("LINT_FUZZ", "500"))
SETS = sorted(DATA.glob("*/*evalset*.json"))
CONFIGS = sorted(DATA.glob("*/eval_config*.json"))
PLAN = """plan_id: desk
agent: desk
models: {simulator: m, judge: m}
fixed_set:
  criteria: {tool_trajectory_avg_score: {threshold: 1.0, match_type: EXACT}}
  cases:
    - case_id: F-01
      turns:
        - {user: Hold Dune., expect_tools: [{name: find_title, args: {title: {regex: D.*}}}], response: {contains: [x]}}
      forbidden_tools: [{name: pay, until: find_title}]
sim_set:
  cases:
    - {case_id: S-01, persona: hurried, starting_prompt: Hi, goal: a book, goal_evidence: [{says: held}]}
"""
ODD: list[Any] = [
    None,
    True,
    -1,
    0,
    1e400,
    10**400,
    "",
    "\ud800",
    "\u202e",
    "\x00",
    [],
    {},
    [[]],
    {"": None},
    {"type": []},
    "*",
    "NaN",
]


def check(paths: list[str], **options: Any) -> None:
    """Lints and renders in every format; a rule that broke is a failure."""
    result = lint_paths(paths, Options(adk_version="2.13", **options))
    broken = [f.message for f in result.findings if f.code == "ASE699"]
    assert broken == []
    for output in (text, json_format, sarif, github):
        output.render(result).encode("utf-8")


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    found = [path]
    if isinstance(value, dict):
        for key, item in value.items():
            found += places(item, (*path, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            found += places(item, (*path, index))
    return found


def mutate_data(data: Any, chance: random.Random) -> Any:
    """One to three values replaced, removed, doubled or put under another name."""
    data = json.loads(json.dumps(data))
    for _ in range(chance.randint(1, 3)):
        path = chance.choice(places(data))
        if not path:
            return chance.choice([*ODD, [data], {"criteria": data}])
        parent = data
        for step in path[:-1]:
            parent = parent[step]
        action = chance.randrange(4)
        if action == 0:
            parent[path[-1]] = chance.choice(ODD)
        elif action == 1:
            del parent[path[-1]]
        elif action == 2 and isinstance(parent, list):
            parent.append(parent[path[-1]])
        elif isinstance(parent, dict):
            parent[
                chance.choice(["conversation", "rubrics", "type", "args", "criteria", "x", "threshold", "user_persona"])
            ] = parent[path[-1]]
    return data


def mutate_bytes(raw: bytes, chance: random.Random) -> bytes:
    made = bytearray(raw)
    for _ in range(chance.randint(1, 8)):
        position = chance.randrange(len(made) + 1)
        action = chance.randrange(4)
        if action == 0:
            made[position:position] = bytes([chance.randrange(256)])
        elif action == 1:
            del made[position : position + chance.randint(1, 40)]
        elif action == 2:
            made[position : position + 1] = chance.choice(
                [b"{", b"}", b"[", b"]", b'"', b",", b":", b"\\", b"&a ", b"*a ", b"\xff", b"NaN", b"1" * 50]
            )
        else:
            made = made[:position] if chance.random() < 0.2 else made + made[position : position + 30]
    return bytes(made)


@pytest.mark.parametrize("batch", range(10))
def test_mutated_files(batch: int, tmp_path: Path) -> None:
    chance = random.Random(batch)
    for _ in range(ROUNDS // 20):
        eval_set, config = chance.choice(SETS), chance.choice(CONFIGS)
        data = mutate_data(json.loads(eval_set.read_text(encoding="utf-8-sig")), chance)
        settings_data = mutate_data(json.loads(config.read_text(encoding="utf-8")), chance)
        (tmp_path / "a.evalset.json").write_text(json.dumps(data), encoding="utf-8")
        (tmp_path / "test_config.json").write_text(json.dumps(settings_data), encoding="utf-8")
        check([str(tmp_path)])
        (tmp_path / "a.evalset.json").write_bytes(mutate_bytes(eval_set.read_bytes(), chance))
        (tmp_path / "test_config.json").write_bytes(mutate_bytes(config.read_bytes(), chance))
        (tmp_path / "desk.plan.yaml").write_bytes(mutate_bytes(PLAN.encode(), chance))
        check([str(tmp_path)])


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(
        ["eval_set_id", "eval_cases", "eval_id", "conversation", "conversation_scenario", "user_content", "parts", "text",
         "intermediate_data", "tool_uses", "name", "args", "rubrics", "rubric_id", "rubric_content", "text_property", "type",
         "criteria", "threshold", "match_type", "judge_model_options", "num_samples", "custom_metrics", "code_config",
         "user_simulator_config", "session_input", "state", "user_persona", "behaviors", "final_response",
         "tool_trajectory_avg_score", "response_match_score", "per_turn_user_simulator_quality_v1"]
    ), inner, max_size=4),
    max_leaves=25,
)  # fmt: skip


@settings(
    max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(json_values, json_values)
def test_any_json_of_our_words(tmp_path: Path, first: Any, second: Any) -> None:
    (tmp_path / "a.evalset.json").write_text(json.dumps(first), encoding="utf-8")
    (tmp_path / "test_config.json").write_text(json.dumps(second), encoding="utf-8")
    check([str(tmp_path)])


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=200))
def test_any_bytes(tmp_path: Path, raw: bytes) -> None:
    for name in ("a.evalset.json", "test_config.json", "a.plan.yaml"):
        (tmp_path / name).write_bytes(raw)
        check([str(tmp_path / name)])


def timed(paths: list[str]) -> float:
    start = time.process_time()
    check(paths)
    return time.process_time() - start


@pytest.mark.parametrize(
    "opening", ["[", '{"a":', '{"eval_set_id": "d", "eval_cases": [{"eval_id": "a", "conversation": [{"x": ']
)
def test_deep_nesting(opening: str, tmp_path: Path) -> None:
    path = tmp_path / "a.evalset.json"
    path.write_text(opening * 100_000, encoding="utf-8")
    assert timed([str(path)]) < 10


@pytest.mark.parametrize("depth", [50, 150, 400, 900, 960, 990])
def test_nesting_near_the_limit(depth: int, tmp_path: Path) -> None:
    inner = '{"a": ' * depth + "1" + "}" * depth
    path = tmp_path / "a.evalset.json"
    path.write_text('{"eval_set_id": "d", "eval_cases": [{"eval_id": "a", "conversation": [{"user_content": {"parts": [{"text": "x"}]}, '
                    '"intermediate_data": {"tool_uses": [{"name": "t", "args": ' + inner + '}]}}], "session_input": {"app_name": "a", '
                    '"user_id": "u", "state": ' + inner + "}}]}", encoding="utf-8")  # fmt: skip
    check([str(path)])


def test_huge_numbers(tmp_path: Path) -> None:
    path = tmp_path / "test_config.json"
    for number in ("9" * 10_000, "1e99999", "-1e99999", "9" * 400, "0." + "1" * 10_000):
        path.write_text('{"criteria": {"tool_trajectory_avg_score": ' + number + "}}", encoding="utf-8")
        check([str(path)])


def test_alias_bomb(tmp_path: Path) -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{i}: &a{i} [{', '.join(f'*a{i - 1}' for _ in range(9))}]" for i in range(1, 12)]
    path = tmp_path / "desk.plan.yaml"
    path.write_text("\n".join(lines), encoding="utf-8")
    assert timed([str(path)]) < 10
    path.write_text("a: &a [*a]\n", encoding="utf-8")
    check([str(path)])


@pytest.mark.parametrize("text_", ["[" * 20_000, "- " * 20_000, "{a: " * 20_000])
def test_deep_yaml(text_: str, tmp_path: Path) -> None:
    path = tmp_path / "desk.plan.yaml"
    path.write_text(text_, encoding="utf-8")
    assert timed([str(path)]) < 20


def test_fifty_megabytes(tmp_path: Path) -> None:
    """One set of 50 MB: read within a few times the cost of parsing it."""
    case = json.loads((DATA / "11-transfer-and-agenttool" / "evalset.json").read_text(encoding="utf-8"))["eval_cases"][
        1
    ]
    case["conversation"][0]["final_response"]["parts"][0]["text"] = "Yes, it is."
    one = json.dumps(case)
    count = 50_000_000 // len(one)
    body = ", ".join(one.replace("agent_as_tool_outer_only", f"c{i}", 1) for i in range(count))
    path = tmp_path / "a.evalset.json"
    path.write_text('{"eval_set_id": "big", "eval_cases": [' + body + "]}", encoding="utf-8")
    (tmp_path / "test_config.json").write_text('{"criteria": {"response_match_score": 0.8}}', encoding="utf-8")
    start = time.process_time()
    result = lint_paths([path], Options(adk_version="2.13"))
    assert time.process_time() - start < 30
    assert result.findings == []


def test_a_finding_in_each_of_many_cases(tmp_path: Path) -> None:
    """Places of thousands of findings in one file are found in a time that grows with the file, not with its square."""
    case = {
        "conversation": [
            {"user_content": {"parts": [{"text": "Hi"}]}, "final_response": {"parts": [{"text": "It is $40."}]}}
        ]
    }
    cases = [{"eval_id": f"c{i}", **case} for i in range(5000)]
    path = tmp_path / "a.evalset.json"
    path.write_text(json.dumps({"eval_set_id": "d", "eval_cases": cases}), encoding="utf-8")
    (tmp_path / "test_config.json").write_text('{"criteria": {"response_match_score": 0.8}}', encoding="utf-8")
    start = time.process_time()
    result = lint_paths([path], Options(adk_version="2.13"))
    assert time.process_time() - start < 10
    assert len(result.findings) == 5000 and len({f.column for f in result.findings}) == 5000
