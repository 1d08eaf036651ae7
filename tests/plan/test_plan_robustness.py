"""No traceback, ever: plans mutated as text and as bytes, scalars of every kind, and an oracle for YAML's surprises."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st

from adk_split_eval.plan.checking import check_document, check_plan
from adk_split_eval.plan.loading import build_models
from adk_split_eval.plan.nodes import PlanError
from adk_split_eval.plan.reading import decode, parse_document
from adk_split_eval.plan.scalars import resolve
from adk_split_eval.record.text import safe_terminal

HERE = Path(__file__).parent
TEXTS = [path.read_text("utf-8") for path in sorted((HERE / "golden").glob("*.plan.yaml"))]
YAML_PIECES = [
    "\n",
    "\t",
    "  ",
    ": ",
    "- ",
    "{",
    "}",
    "[",
    "]",
    "'",
    '"',
    "#",
    "&a ",
    "*a",
    "!!int ",
    "? ",
    "| ",
    "<<: ",
    "---\n",
]
OUR_PIECES = [
    "\x00",
    "\u2028",
    "\ufeff",
    "你好",
    "turns",
    "cases:",
    "expect_tools: TODO",
    "{{",
    "2026-11-30",
    "no",
    "~",
    "9" * 400,
]
PIECES = st.sampled_from([*YAML_PIECES, *OUR_PIECES])


def check_everything(text: str) -> None:
    """Parse, check and build; only findings may come of it."""
    try:
        document = parse_document(text, "plan.yaml")
    except PlanError as error:
        assert error.findings
        assert all(finding.code and finding.message and finding.help for finding in error.findings)
        return
    checked = check_document(document, Path("nowhere/plan.yaml"))
    for finding in checked.findings:
        assert 1 <= finding.line <= text.count("\n") + 2
        assert finding.column >= 1 and safe_terminal(finding.message) == finding.message and finding.help
    if not checked.errors:
        build_models(checked)


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(TEXTS), st.lists(st.tuples(st.floats(0, 1), st.integers(0, 30), PIECES), min_size=1, max_size=4))
def test_mutated_text(text: str, edits: list[tuple[float, int, str]]) -> None:
    for where, length, piece in edits:
        at = int(where * len(text))
        text = text[:at] + piece + text[at + length :]
    check_everything(text)


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(TEXTS), st.lists(st.tuples(st.floats(0, 1), st.binary(max_size=4)), min_size=1, max_size=4))
def test_mutated_bytes(text: str, edits: list[tuple[float, bytes]]) -> None:
    raw = text.encode()
    for where, piece in edits:
        at = int(where * len(raw))
        raw = raw[:at] + piece + raw[at + 1 :]
    try:
        decoded = decode(raw, "plan.yaml")
    except PlanError as error:
        (finding,) = error.findings
        assert finding.code == "ASE002" and finding.line >= 1 and finding.column >= 1
        return
    check_everything(decoded)


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=60))
@example("plan_id: [")
@example("%YAML 1.2\n---\nplan_id: a")
@example("\ufeff")
@example("? ")
@example("plan_id: !!binary x")
@example("plan_id: &a\n*a : b")
def test_any_text(text: str) -> None:
    check_everything(text)


NUMBERLIKE = st.one_of(
    st.from_regex(r"\A[-+]?[0-9_.:eExob]{1,8}\Z"),
    st.from_regex(r"\A[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}\Z"),
    st.sampled_from(
        ["yes", "No", "ON", "off", "true", "False", "null", "~", "", "y", "n", ".inf", "-.INF", ".nan", "=", "<<", "1."]
    ),
    st.text(st.characters(codec="ascii", categories=["L", "N"]), min_size=1, max_size=8),
)


@settings(max_examples=500, deadline=None)
@given(NUMBERLIKE)
@example("1:30")
@example("+12")
@example("0")
@example("-0")
@example("1.0e+3")
@example("190:20:30.15")
def test_plain_scalars_mean_what_yaml_1_1_says_or_are_refused(text: str) -> None:
    """PyYAML is the oracle: where it makes something else than text, we make the same, or say so."""
    ours, surprise = resolve(text)
    if text.strip() != text or text in ("=", "<<", "-", "?", ":") or text.startswith(("- ", "? ", ": ")):
        return
    try:
        theirs: Any = yaml.safe_load(f"[{text}]")[0] if text else None
    except (yaml.YAMLError, ValueError, IndexError):
        return
    if isinstance(theirs, dict):
        return
    if surprise is None:
        assert type(ours) is type(theirs) and (ours == theirs or (math.isnan(ours) and math.isnan(theirs))), (
            ours,
            theirs,
        )
    else:
        assert ours == text


@pytest.mark.parametrize("depth", [10, 199, 201, 5_000])
def test_nesting(depth: int) -> None:
    check_everything("plan_id: demo\nagent: " + "[" * depth + "]" * depth)
    check_everything("plan_id: demo\nprocess: " + "{a: " * depth + "1" + "}" * depth)


def test_a_thousand_cases(tmp_path: Path) -> None:
    case = (
        "    - {{case_id: F-{n}, turns: [{{user: hello, expect_tools: [look, {{name: pay, args: {{id: A{n}}}}}]}}]}}\n"
    )
    text = "plan_id: demo\nfixed_set:\n  cases:\n" + "".join(case.format(n=n) for n in range(1000))
    path = tmp_path / "demo.plan.yaml"
    path.write_text(text, encoding="utf-8")
    checked = check_plan(path)
    assert not checked.findings and len(checked.entries) == 1000
