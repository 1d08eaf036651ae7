"""Scripts nobody would write: loading answers with a script or with located complaints, and filling keeps plain text."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from adk_split_eval.models import NoRuleMatches, ScriptError
from adk_split_eval.models.loading import _ANSWER_KEYS, _CONDITIONS, load_script
from adk_split_eval.models.values import MISSING, fill, follow, placeholders
from adk_split_eval.models.view import View

_WORDS = ["x", "(?P<x>a)", "{x}", "look", "yes", "2..3", "user", "", "(", "%p%", "tool", "any", "judge"]
_SCALARS = st.one_of(st.sampled_from(_WORDS), st.integers(-3, 3), st.booleans(), st.none(), st.floats(0, 1))
_KEYS = st.sampled_from(
    [*_CONDITIONS, *_ANSWER_KEYS, "name", "when", "args", "result", "verdict", "except", "item", "fault", "equals"]
)
_VALUES = st.recursive(
    _SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(_KEYS, inner, max_size=4)),
    max_leaves=12,
)
_RULES = st.lists(st.one_of(st.dictionaries(_KEYS, _VALUES, max_size=4), _VALUES), max_size=4)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("fuzz")


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(_RULES, st.dictionaries(st.sampled_from(["x", "turn", "1"]), _VALUES, max_size=2))
def test_loading_answers_with_a_script_or_with_places(folder: Path, rules: list[Any], remember: dict[str, Any]) -> None:
    path = folder / "fuzz.yaml"
    path.write_text(yaml.safe_dump({"rules": rules, "remember": remember}), "utf-8")
    try:
        script = load_script(path)
    except ScriptError as problem:
        assert problem.findings
        assert all(finding.line >= 1 and finding.path == str(path) for finding in problem.findings)
        return
    try:
        rule, captures = script.decide(View(user=["a"]))
    except NoRuleMatches:
        return
    assert rule in script.rules
    assert {"user", "said", "opening", "turn"} <= set(captures)


@given(st.text().filter(lambda text: "{" not in text and "}" not in text))
def test_plain_text_stays(text: str) -> None:
    assert fill(text, {}) == text
    assert placeholders(text) == []


@given(
    st.recursive(
        st.integers(), lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("ab"), inner)
    )
)
def test_following_finds_what_is_there_and_nothing_else(value: Any) -> None:
    assert follow(value, "") is value
    assert follow(value, "no.such") is MISSING
    if isinstance(value, dict):
        assert all(follow(value, key) is inner for key, inner in value.items())
    if isinstance(value, list):
        assert all(follow(value, str(index)) is inner for index, inner in enumerate(value))
