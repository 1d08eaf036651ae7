"""Faults of the outside: each is one case's ERROR with its cause, and the rest goes on."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

FAULTS = {
    "broken": "ValueError: the database of F-broken is gone",
    "leaves": "tried to end the whole process (SystemExit: 3)",
    "unfit": "Unfit: nobody catches me",
    "cancels": "cancels was called and never came back",
    "hangs": "the conversation did not finish within",
    "recurses": "RecursionError: maximum recursion depth exceeded",
    "mute": "the agent produced no event",
    "raises": "RuntimeError: the model is on fire",
    "code": "answered with an error: SAFETY: blocked",
    "forever": "the conversation did not finish within",
}


def test_every_fault_is_one_cases_error(project: Any) -> None:
    project.fixed = {f"F-{word}": f"F-{word} {word}" for word in FAULTS}
    project.fixed |= {f"F-{word}": f"F-{word} {word}" for word in ("lookup", "huge", "nothing")}
    project.simulated = {
        "S-good": "S-good lookup",
        "S-fire": "S-fire user-raises lookup",
        "S-mute": "S-mute user-mute lookup",
    }
    limit = project.time_limit(6.0, cases=len(FAULTS) + 6)
    result = project.run(engine={"unit_timeout": limit})
    assert [c.case_id for c in result.cases] == [*project.fixed, *project.simulated], (
        "all are there, in the plan's order"
    )
    cases = {c.case_id: c for c in result.cases}
    for word, cause in FAULTS.items():
        case = cases[f"F-{word}"]
        assert case.verdict == "ERROR", (word, case.reasons)
        assert cause in case.reasons[0], (word, case.reasons)
    assert {w: cases[f"F-{w}"].verdict for w in ("lookup", "huge", "nothing")} == {
        "lookup": "PASS",
        "huge": "PASS",
        "nothing": "PASS",
    }
    assert cases["S-good"].verdict == "OK"
    assert cases["S-fire"].verdict == "ERROR"
    assert "the simulator is on fire" in cases["S-fire"].reasons[0]
    assert cases["S-mute"].verdict == "SIMULATOR"
    assert result.exit_code == 3


def test_code_that_blocks_everything_is_interrupted(project: Any) -> None:
    limit = project.time_limit(3.0, cases=1)
    project.fixed = {"F-blocks": "F-blocks blocks", "F-good": "F-good lookup", "F-late": "F-late lookup"}
    cases = {c.case_id: c for c in project.run(jobs=1, engine={"unit_timeout": limit}).cases}
    assert cases["F-blocks"].verdict == "ERROR"
    assert "kept everything else from running" in cases["F-blocks"].reasons[0]
    assert cases["F-good"].verdict == cases["F-late"].verdict == "PASS"


def test_code_that_goes_on_blocking_is_named_as_the_cause_of_the_time_limit(project: Any) -> None:
    limit = project.time_limit(2.0, cases=1)
    project.fixed = {"F-stubborn": "F-stubborn stubborn"}
    (case,) = project.run(engine={"unit_timeout": limit}).cases
    assert case.verdict == "ERROR"
    assert case.reasons[0].startswith(
        f"the conversation did not finish within {limit:g} s: the code of this case kept everything else from running"
    )


METRICS = """
import asyncio, time
from google.adk.evaluation.evaluator import EvalStatus, EvaluationResult, PerInvocationResult

def answer(actual, rows, status=EvalStatus.PASSED, score=1.0):
    results = [PerInvocationResult(actual_invocation=actual[0], score=score, eval_status=status) for _ in range(rows)]
    return EvaluationResult(overall_score=score, overall_eval_status=status, per_invocation_results=results)

def good(eval_metric, actual, expected, scenario):
    return answer(actual, len(actual))

def raises(eval_metric, actual, expected, scenario):
    raise LookupError("no such thing")

def leaves(eval_metric, actual, expected, scenario):
    raise SystemExit(1)

async def hangs(eval_metric, actual, expected, scenario):
    await asyncio.sleep(3600)

def wrong_rows(eval_metric, actual, expected, scenario):
    return answer(actual, len(actual) + 2)

def none(eval_metric, actual, expected, scenario):
    return None

def no_number(eval_metric, actual, expected, scenario):
    return answer(actual, len(actual), score=float("nan"))
"""


def test_a_metrics_fault_is_not_evaluated(project: Any, tmp_path: Path) -> None:
    (tmp_path / "metrics_of_team.py").write_text(METRICS, encoding="utf-8")
    (tmp_path / "pyproject.toml").write_text("", encoding="utf-8")
    names = ["good", "raises", "leaves", "hangs", "wrong_rows", "none", "no_number"]
    project.plan = {
        "custom_metrics": {f"team_{n}": {"function": f"metrics_of_team.{n}", "sets": ["fixed"]} for n in names}
    }
    limit = project.time_limit(3.0, cases=1)
    result = project.many(fixed=1).run(engine={"unit_timeout": limit})
    criteria = {c.name: c for c in result.cases[0].criteria}
    assert criteria["team_good"].status == "passed"
    assert criteria["response_text_v1"].status == "passed"
    for name in names[1:]:
        assert criteria[f"team_{name}"].status == "not_evaluated", name
        assert criteria[f"team_{name}"].reasons, name
    assert result.cases[0].verdict == "ERROR"


TOOLSET = """
from google.adk.tools.base_toolset import BaseToolset


class Dead(BaseToolset):
    opened = 0

    async def get_tools(self, readonly_context=None):
        raise ConnectionError("the server is gone")

    async def close(self):
        pass


root_agent.tools.append(Dead())
"""


QUIET = {
    "as it is": "",
    "nothing logged": "\nimport logging\nlogging.disable(logging.CRITICAL)\n",
    "own settings": "\nimport logging.config\nlogging.config.dictConfig({'version': 1})\n",
}


@pytest.fixture
def logging_as_before() -> Iterator[None]:
    known = {name: logging.getLogger(name) for name in list(logging.root.manager.loggerDict)}
    disabled = {name: logger.disabled for name, logger in known.items()}
    yield
    logging.disable(logging.NOTSET)
    for name, logger in known.items():
        logger.disabled = disabled[name]


@pytest.mark.usefixtures("logging_as_before")
@pytest.mark.parametrize("quiet", list(QUIET))
def test_a_toolset_that_died_is_an_error(quiet: str, project: Any, tmp_path: Path) -> None:
    """ADK goes on without its tools; what the agent does then says nothing about the agent. Its log alone knows."""
    project.many(fixed=1).write()
    source = tmp_path / "probe_agent" / "agent.py"
    source.write_text(source.read_text(encoding="utf-8") + TOOLSET + QUIET[quiet], encoding="utf-8")
    case = project.run().cases[0]
    assert case.verdict == "ERROR"
    assert "a toolset could not be loaded: ConnectionError: the server is gone" in case.reasons[0]


def test_duplicate_rubric_ids_are_one_cases_trouble(project: Any, tmp_path: Path) -> None:
    """ADK ends the whole evaluation for them."""
    from adk_split_eval import api
    from adk_split_eval.run.asked import RunOptions

    project.many(fixed=2).write()
    rubric = {"rubric_id": "same", "rubric_content": {"text_property": "polite"}, "type": "FINAL_RESPONSE_QUALITY"}
    cases = [
        {
            "eval_id": name,
            "conversation": [
                {
                    "user_content": {"role": "user", "parts": [{"text": f"{name} lookup"}]},
                    "final_response": {"role": "model", "parts": [{"text": f"done: {name}"}]},
                    "intermediate_data": {"tool_uses": [{"name": "lookup", "args": {"order": name}}]},
                }
            ],
            "rubrics": rubrics,
        }
        for name, rubrics in (("good", []), ("bad", [rubric, rubric]))
    ]
    (tmp_path / "raw.evalset.json").write_text(
        json.dumps({"eval_set_id": "raw", "eval_cases": cases}), encoding="utf-8"
    )
    config = {"criteria": {"tool_trajectory_avg_score": 1.0, "response_match_score": 0.5}}
    (tmp_path / "config.json").write_text(json.dumps(config), encoding="utf-8")
    result = api.run_sets(
        [str(tmp_path / "raw.evalset.json")],
        tmp_path / "probe_agent",
        tmp_path / "config.json",
        RunOptions(root=tmp_path),
    )
    verdicts = {c.case_id: c.verdict for c in result.cases}
    assert verdicts["good"] == "PASS"
    assert verdicts["bad"] in ("ERROR", "REJECTED")
    assert "same" in " ".join(next(c for c in result.cases if c.case_id == "bad").reasons)
