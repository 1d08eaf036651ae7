"""A team's metric that says PASSED below its threshold is believed and pointed out in every report."""

from __future__ import annotations

import json
from typing import Any

import pytest
from click.testing import CliRunner

from adk_split_eval.cli import main

METRIC = """
from google.adk.evaluation.eval_metrics import EvalStatus
from google.adk.evaluation.evaluator import EvaluationResult, PerInvocationResult

def waits(eval_metric, actual, expected, scenario):
    rows = [PerInvocationResult(actual_invocation=i, score=ROW, eval_status=EvalStatus.PASSED) for i in actual]
    return EvaluationResult(overall_score=ALL, overall_eval_status=EvalStatus.PASSED, per_invocation_results=rows)
"""


@pytest.mark.parametrize(
    ("overall", "row", "reason"),
    [
        ("0.2", "0.2", "says PASSED with the score 0.2, below its threshold 0.5"),
        ("0.9", "0.2", "turn 1: says PASSED with the score 0.2, below its threshold 0.5"),
        ("0.5", "0.5", None),
    ],
)
def test_it_is_believed_and_pointed_out(project: Any, overall: str, row: str, reason: str | None) -> None:
    name = f"low_scores_{overall[-1]}{row[-1]}"
    source = METRIC.replace("ROW", row).replace("ALL", overall)
    (project.root / f"{name}.py").write_text(source, encoding="utf-8")
    project.plan = {"custom_metrics": {"waits": {"function": f"{name}.waits", "sets": ["fixed"]}}}
    project.fixed_set = {"criteria": {"waits": {"threshold": 0.5}}}
    project.many(fixed=7).write()
    ran = CliRunner().invoke(main, ["run", "--json", "out.json", "--html", "out.html"])
    assert ran.exit_code == 0, ran.output
    result = json.loads((project.root / "out.json").read_text("utf-8"))
    (found,) = [c for c in result["cases"][0]["criteria"] if c["name"] == "waits"]
    assert found["status"] == "passed"
    assert found["reasons"] == ([reason] if reason else [])
    said = (
        "waits says PASSED with a score below its threshold (F-0000, F-0001, F-0002, F-0003, F-0004 and 2 more): it is "
        "believed, for less may be better; if it is not, its function compares wrongly"
    )
    page = (project.root / "out.html").read_text("utf-8")
    for shown in (" ".join(ran.stdout.split()), " ".join(result["notes"]), page):
        assert (said in shown) == (reason is not None)
    assert ("below its threshold 0.5" in page) == (reason is not None)
