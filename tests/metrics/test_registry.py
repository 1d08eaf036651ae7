"""The table of metrics."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

import adk_split_eval.metrics as metrics
from adk_split_eval.criteria import catalogue
from adk_split_eval.metrics.registry import METRICS, isolated
from adk_split_eval.record import Conversation, Judgement, Turn

OURS = {
    "tool_args_v1",
    "tool_order_v1",
    "response_text_v1",
    "intermediate_responses_v1",
    "forbidden_tools_v1",
    "goal_reached_v1",
    "final_state_v1",
}


def test_every_metric_is_in_the_catalogue() -> None:
    assert set(METRICS) >= OURS
    for name in METRICS:
        info = catalogue.get(name)
        assert info is not None and info.source == "ours"


@pytest.mark.parametrize("name", sorted(OURS))
@pytest.mark.parametrize(
    "params", [{"turns": 5}, {"rules": 5}, {"forbidden": None, "x": 1}, {"evidence": 5}, {"expect": []}, {"unknown": 1}]
)
def test_no_parameters_make_a_metric_raise(name: str, params: dict[str, Any]) -> None:
    found = METRICS[name](Conversation([Turn("hi")]), params, 1.0)
    assert found.status == "not_evaluated"
    assert found.reasons


@pytest.mark.parametrize("name", sorted(OURS))
def test_nothing_declared_and_no_turns(name: str) -> None:
    assert METRICS[name](Conversation(), {}, 1.0).status == "not_applicable"


def test_a_metric_that_raises_answers_with_what_it_raised() -> None:
    def broken(conversation: Conversation, params: dict[str, Any], threshold: float) -> Judgement:
        raise KeyError("\x1b[2Jboom")

    found = isolated(broken)(Conversation(), {}, 1.0)
    assert found.status == "not_evaluated"
    assert found.reasons[0].startswith("KeyError: ")
    assert "boom" in found.reasons[0] and "\x1b" not in found.reasons[0]


def test_a_threshold_that_is_no_number_cannot_be_met() -> None:
    params = {"rules": [{"before": "a", "after": "b"}]}
    assert METRICS["tool_order_v1"](Conversation(), params, float("nan")).status == "not_evaluated"


def test_pure_metrics_do_not_import_adk() -> None:
    code = (
        "import sys, adk_split_eval.metrics.registry, adk_split_eval.metrics.team, adk_split_eval.metrics as m;"
        "hasattr(m, 'no_such_metric_v1');"
        "bad=[n for n in sys.modules if n.startswith(('google.adk', 'google.genai'))]; sys.exit(repr(bad) if bad else 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_unknown_names_are_attribute_errors() -> None:
    for name in ("tool_trajectory_avg_score", "no_such_metric_v1", "__path_of_nothing__"):
        with pytest.raises(AttributeError):
            getattr(metrics, name)
