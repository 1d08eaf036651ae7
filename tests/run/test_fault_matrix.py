"""Everybody a run depends on, failing in every way: one case's trouble with its cause, and the others are judged."""

from __future__ import annotations

from pathlib import Path
from typing import Any

RUBRIC = {"rubric_id": "polite", "rubric_content": {"text_property": "The answer is polite."}}
JUDGED = "rubric_based_final_response_quality_v1"
HEALTHY = 3

SOURCE = """
import re


async def fault(role, text):
    for word in re.findall(role + r"-(\\w+)", text)[:1]:
        if word == "raises":
            raise ConnectionRefusedError(f"the {role} is on fire")
        if word == "hangs":
            await asyncio.sleep(3600)
        if word == "recurses":
            return await fault(role, text)
        if word == "megabytes":
            return [_answer(types.Part(text="blah " * 240_000))]
        if word == "nothing":
            return []
    return None


class Faulty:
    async def generate_content_async(self, llm_request, stream=False):
        text = " ".join(p.text for c in llm_request.contents for p in c.parts or [] if p.text)
        text += str(llm_request.config.system_instruction or "")
        answers = await fault(self.role, text)
        if answers is None:
            async for response in super().generate_content_async(llm_request, stream):
                yield response
        for answer in answers or []:
            yield answer


class FaultyAgent(Faulty, ProbeLlm):
    role: str = "agent"

    @classmethod
    def supported_models(cls):
        return ["faulty/agent"]


class FaultyUser(Faulty, UserLlm):
    role: str = "user"

    @classmethod
    def supported_models(cls):
        return ["faulty/user"]


class KindJudge(BaseLlm):
    async def generate_content_async(self, llm_request, stream=False):
        async for response in LLMRegistry.new_llm("scripted/judge").generate_content_async(llm_request, stream):
            yield response


class FaultyJudge(Faulty, KindJudge):
    role: str = "judge"

    @classmethod
    def supported_models(cls):
        return ["faulty/judge"]


for kind in (FaultyAgent, FaultyUser, FaultyJudge):
    LLMRegistry.register(kind)
root_agent.model = "faulty/agent"
"""

METRIC = """
import asyncio, re
from google.adk.evaluation.eval_metrics import EvalStatus
from google.adk.evaluation.eval_rubrics import RubricScore
from google.adk.evaluation.evaluator import EvaluationResult, PerInvocationResult


async def metric(eval_metric, actual, expected, scenario):
    rows, reason = len(actual), "good"
    for word in re.findall(r"metric-(\\w+)", actual[0].user_content.parts[0].text):
        if word == "raises":
            raise ConnectionRefusedError("the metric is on fire")
        if word == "hangs":
            await asyncio.sleep(3600)
        if word == "recurses":
            return await metric(eval_metric, actual, expected, scenario)
        if word == "nothing":
            return None
        if word == "megabytes":
            reason = "blah " * 240_000
        if word == "rows":
            rows += 1
    row = PerInvocationResult(actual_invocation=actual[0], score=1.0, eval_status=EvalStatus.PASSED)
    return EvaluationResult(
        overall_score=1.0,
        overall_eval_status=EvalStatus.PASSED,
        per_invocation_results=[row] * rows,
        overall_rubric_scores=[RubricScore(rubric_id="r", score=1.0, rationale=reason)],
    )
"""

ERRORS = {
    "agent-raises": "ConnectionRefusedError: the agent is on fire",
    "agent-hangs": "the conversation did not finish within",
    "agent-nothing": "the agent produced no event on 1 of 1 turns",
    "agent-recurses": "RecursionError: maximum recursion depth exceeded",
    "judge-raises": "ConnectionRefusedError: the judge is on fire",
    "judge-hangs": "it did not finish within",
    "judge-nothing": "votes could not be counted",
    "judge-megabytes": "votes could not be counted",
    "judge-recurses": "RecursionError: maximum recursion depth exceeded",
    "metric-raises": 'ConnectionRefusedError: "the metric is on fire"',
    "metric-hangs": "it did not finish within",
    "metric-nothing": "returned",
    "metric-recurses": 'RecursionError: "maximum recursion depth exceeded',
    "metric-rows": "it returned 2 per_invocation_results for 1 invocations",
    "user-raises": "ConnectionRefusedError: the user is on fire",
    "user-hangs": "the conversation did not finish within",
    "user-recurses": "RecursionError: maximum recursion depth exceeded",
}
OTHERWISE = {"agent-megabytes": "FAIL", "metric-megabytes": "PASS", "user-nothing": "SIMULATOR"}
"""Answers that are only bad, and can be judged."""


def test_one_cases_trouble(project: Any, tmp_path: Path) -> None:
    words = [*ERRORS, *OTHERWISE, "user-megabytes", *(f"healthy-{n}" for n in range(HEALTHY))]
    project.fixed = {w: f"{w} lookup" for w in words if not w.startswith("user-")}
    project.simulated = {w: f"{w} lookup" for w in words if w.startswith("user-")} | {"S-healthy": "S-healthy lookup"}
    project.scripts = {"judge": "rules: [{judge: yes}]\n"}
    project.plan = {
        "models": {"simulator": "faulty/user", "judge": "faulty/judge"},
        "custom_metrics": {"team": {"function": "metrics_of_team.metric", "sets": ["fixed"]}},
    }
    project.fixed_set = {"criteria": {JUDGED: {"threshold": 0.5, "rubrics": [RUBRIC]}, "team": 1.0}}
    (tmp_path / "metrics_of_team.py").write_text(METRIC, encoding="utf-8")
    (tmp_path / "pyproject.toml").write_text("", encoding="utf-8")
    project.write()
    source = tmp_path / "probe_agent" / "agent.py"
    text = source.read_text(encoding="utf-8").replace("from __future__ import annotations\n", "")
    source.write_text(text + SOURCE, encoding="utf-8")
    limit = project.time_limit(6.0, cases=len(words))
    result = project.run(engine={"unit_timeout": limit})
    assert [c.case_id for c in result.cases] == [*project.fixed, *project.simulated]
    cases = {c.case_id: c for c in result.cases}
    for name, cause in ERRORS.items():
        assert cases[name].verdict == "ERROR", (name, cases[name].reasons)
        assert cause in " ".join(cases[name].reasons), (name, cases[name].reasons)
    assert {name: cases[name].verdict for name in OTHERWISE} == OTHERWISE
    for name in (f"healthy-{n}" for n in range(HEALTHY)):
        assert cases[name].verdict == "PASS", cases[name].reasons
        assert {c.name for c in cases[name].criteria if c.status == "passed"} >= {JUDGED, "team", "response_text_v1"}
    assert cases["S-healthy"].verdict == "OK"
    assert cases["user-megabytes"].verdict in ("ERROR", "OK"), "as the judges get through megabytes in time, or do not"
    assert result.exit_code == 1
