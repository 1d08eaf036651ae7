"""What the installed google-adk really makes of a set and a config.

Every combination is played twice by scripted models: in the good world the agent does what is expected and the judge says
yes, in the bad world the agent does something else and the judge says no. ADK judges a combination *properly* when it loads,
drops nothing, shows no empty reference to a judge, and every criterion passes in the good and fails in the bad world.
"""

from __future__ import annotations

import asyncio
import json
import logging
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Json = dict[str, Any]
RUBRIC_METRICS = (
    "rubric_based_final_response_quality_v1",
    "rubric_based_tool_use_quality_v1",
    "rubric_based_multi_turn_trajectory_quality_v1",
)
INFORMATIONAL = ("tool_call_count_v1", "inference_call_count_v1", "token_usage_v1", "invocation_duration_v1")
METRICS_MODULE = """
from google.adk.evaluation.eval_metrics import EvalStatus
from google.adk.evaluation.evaluator import EvaluationResult, PerInvocationResult

WORLD = {"good": True}


def _result(good, actual):
    status = EvalStatus.PASSED if good else EvalStatus.FAILED
    rows = [PerInvocationResult(actual_invocation=a, score=float(good), eval_status=status) for a in actual]
    return EvaluationResult(overall_score=float(good), overall_eval_status=status, per_invocation_results=rows)


def always_ok(eval_metric, actual_invocations, expected_invocations, conversation_scenario=None):
    return _result(True, actual_invocations)


def follows(eval_metric, actual_invocations, expected_invocations, conversation_scenario=None):
    return _result(WORLD["good"], actual_invocations)


def two_arguments(eval_metric, actual_invocations):
    return _result(WORLD["good"], actual_invocations)


def reads_threshold(eval_metric, actual_invocations, expected_invocations, conversation_scenario=None):
    return _result(1.0 >= eval_metric.threshold and WORLD["good"], actual_invocations)


NOT_A_FUNCTION = 3
"""


@dataclass(frozen=True)
class Outcome:
    """What ADK made of a combination; ``proper`` when it judged everything, and could tell good from bad."""

    proper: bool
    why: str


class Worlds:
    """ADK with scripted models, ready to play combinations; used as a context, it hides credentials and log noise."""

    def __init__(self, folder: Path, texts: tuple[str, ...]) -> None:
        self.folder = folder
        self.texts = texts
        self.good = True
        self.blind = False
        (folder / "difftest_metrics.py").write_text(METRICS_MODULE, encoding="utf-8")
        logging.disable(logging.CRITICAL)
        warnings.simplefilter("ignore")
        self._register()

    def _register(self) -> None:
        from google.adk.models.base_llm import BaseLlm
        from google.adk.models.llm_response import LlmResponse
        from google.adk.models.registry import LLMRegistry
        from google.genai import types

        worlds = self

        class Scripted(BaseLlm):
            @classmethod
            def supported_models(cls) -> list[str]:
                return [r"difftest/.*"]

            async def generate_content_async(self, llm_request: Any, stream: bool = False) -> Any:
                part = worlds.answer(self.model, llm_request)
                yield LlmResponse(content=types.Content(role="model", parts=[types.Part.model_validate(part)]))

        LLMRegistry.register(Scripted)

    def answer(self, model: str, request: Any) -> Json:
        if model == "difftest/judge":
            return {"text": self._judge(str(request.contents[-1].parts[0].text))}
        if model == "difftest/sim":
            prompt = str(request.contents)
            return {"text": "</finished>" if "Hold it again" in prompt else "Hold it again."}
        last = request.contents[-1].parts[-1]
        if last.function_response:
            return {"text": "Held." if self.good else "Nothing of the sort was ever agreed upon by anyone"}
        if last.text and "browsing" in last.text:
            return {"text": "Held."} if self.good else {"function_call": {"name": "place_hold", "args": {}}}
        call = {"name": "find_title", "args": {"title": "Dune"}} if self.good else {"name": "place_hold", "args": {}}
        return {"function_call": call}

    def _judge(self, prompt: str) -> str:
        word = "yes" if self.good else "no"
        if "Sentence Segmentation Output" in prompt:
            return "<sentence>Held.</sentence>"
        if "supporting_excerpt" in prompt:
            return f"sentence: Held.\nlabel: {'supported' if self.good else 'unsupported'}\nrationale: r\nsupporting_excerpt: e\ncontradicting_excerpt: null"
        if "is_the_agent_response_valid" in prompt:
            self.blind = self.blind or '"Reference response": ,' in prompt
            return json.dumps(
                {"reasoning": "r", "is_the_agent_response_valid": "valid" if self.good else "invalid"}, indent=1
            )
        if '"is_valid"' in prompt:
            return f'{{"reasoning": "r", "is_valid": {"true" if self.good else "false"}\n}}'
        known = [t for t in self.texts if t.splitlines()[0] in prompt]
        return "\n\n".join(f"Property: {t.splitlines()[0]}\nRationale: r\nVerdict: {word}" for t in known)

    def agent(self) -> Any:
        from google.adk.agents.llm_agent import LlmAgent

        def find_title(title: str) -> dict[str, str]:
            """Finds a title."""
            return {"item": "B-17"}

        def place_hold() -> dict[str, str]:
            """Places a hold."""
            return {"hold": "H-9"}

        return LlmAgent(
            name="desk", model="difftest/agent", instruction="Help at the desk.", tools=[find_title, place_hold]
        )

    def outcome(self, set_path: Path, config_path: Path) -> Outcome:
        """What ADK makes of the two files, in both worlds."""
        import difftest_metrics

        self.blind = False
        results: list[dict[tuple[str, str], str]] = []
        for good in (True, False):
            self.good = difftest_metrics.WORLD["good"] = good
            try:
                statuses, dropped = asyncio.run(self._play(set_path, config_path))
            except Exception as error:  # noqa: BLE001 - that ADK gives up is the outcome
                return Outcome(False, f"aborts: {type(error).__name__}")
            if dropped:
                return Outcome(False, f"drops {dropped[0]}")
            results.append(statuses)
        return self._weigh(*results)

    def _weigh(self, good: dict[tuple[str, str], str], bad: dict[tuple[str, str], str]) -> Outcome:
        judged = [key for key in good if key[1] not in ("always_ok", *INFORMATIONAL) or good[key] == "NOT_EVALUATED"]
        if not judged:
            return Outcome(False, "nothing judged")
        for key in judged:
            if "NOT_EVALUATED" in (good[key], bad.get(key)):
                return Outcome(False, f"{key[1]} NOT_EVALUATED")
            if good[key] == bad.get(key):
                return Outcome(False, f"{key[1]} cannot {'fail' if good[key] == 'PASSED' else 'pass'}")
        return Outcome(False, "empty reference shown to the judge") if self.blind else Outcome(True, "")

    async def _play(self, set_path: Path, config_path: Path) -> tuple[dict[tuple[str, str], str], list[str]]:
        """Statuses by case and metric, and what was dropped on the way."""
        from google.adk.evaluation.base_eval_service import (
            EvaluateConfig,
            EvaluateRequest,
            InferenceConfig,
            InferenceRequest,
        )
        from google.adk.evaluation.eval_config import get_eval_metrics_from_config, get_evaluation_criteria_or_default
        from google.adk.evaluation.in_memory_eval_sets_manager import InMemoryEvalSetsManager
        from google.adk.evaluation.local_eval_service import LocalEvalService
        from google.adk.evaluation.local_eval_sets_manager import load_eval_set_from_file
        from google.adk.evaluation.metric_evaluator_registry import (
            DEFAULT_METRIC_EVALUATOR_REGISTRY,
            register_custom_metrics_from_config,
        )
        from google.adk.evaluation.simulation.user_simulator_provider import UserSimulatorProvider

        settings = get_evaluation_criteria_or_default(str(config_path))
        metrics = get_eval_metrics_from_config(settings)
        loaded = load_eval_set_from_file(str(set_path), str(set_path))
        registry = register_custom_metrics_from_config(settings, DEFAULT_METRIC_EVALUATOR_REGISTRY.fork())
        dropped = dropped_keys(loaded, json.loads(set_path.read_text(encoding="utf-8")), "set")
        dropped += dropped_keys(settings, json.loads(config_path.read_text(encoding="utf-8")), "config")
        dropped += _dropped_criteria(settings, registry)
        manager = InMemoryEvalSetsManager()
        manager.create_eval_set("desk", loaded.eval_set_id)
        for case in loaded.eval_cases:
            manager.add_eval_case("desk", loaded.eval_set_id, case)
        service = LocalEvalService(
            root_agent=self.agent(), eval_sets_manager=manager, metric_evaluator_registry=registry,
            user_simulator_provider=UserSimulatorProvider(settings.user_simulator_config),
        )  # fmt: skip
        request = InferenceRequest(app_name="desk", eval_set_id=loaded.eval_set_id, inference_config=InferenceConfig())
        inferences = [i async for i in service.perform_inference(request)]
        found: dict[tuple[str, str], str] = {}
        asked = {case.eval_id: rubrics_asked(case, settings) for case in loaded.eval_cases}
        evaluation = EvaluateRequest(inference_results=inferences, evaluate_config=EvaluateConfig(eval_metrics=metrics))
        async for result in service.evaluate(evaluation):
            if not result.overall_eval_metric_results:
                raise RuntimeError("the case failed without any metric")
            for metric in result.overall_eval_metric_results:
                found[(result.eval_id, metric.metric_name)] = metric.eval_status.name
            answered = {
                (metric.metric_name, score.rubric_id)
                for row in result.eval_metric_result_per_invocation
                for metric in row.eval_metric_results
                for score in metric.details.rubric_scores or []
                if score.score is not None
            }
            lost = [r for r in asked[result.eval_id] if not any(r[1] == i and r[0] in ("", m) for m, i in answered)]
            dropped += [
                f"the verdict on rubric {rubric_id}"
                for _, rubric_id in lost
                if all(s != "NOT_EVALUATED" for s in found.values())
            ]
        if len(found) < len(loaded.eval_cases):
            raise RuntimeError("cases vanished")
        return {k: v for k, v in found.items() if v != "INFORMATIONAL"}, dropped


def rubrics_asked(case: Any, settings: Any) -> list[tuple[str, str]]:
    """(metric or nothing, id) of every rubric somebody wrote for this case."""
    asked: list[tuple[str, str]] = []
    for name, value in settings.criteria.items():
        if name in RUBRIC_METRICS:
            given = (getattr(value, "model_extra", None) or {}).get("rubrics") or []
            asked += [(name, r["rubric_id"]) for r in given if isinstance(r, dict) and "rubric_id" in r]
    asked += [("", r.rubric_id) for r in case.rubrics or []]
    for turn in case.conversation or []:
        asked += [("", r.rubric_id) for r in turn.rubrics or []]
    return asked


REMARKS = {"_comment", "description", "notes", "name"}


def dropped_keys(model: Any, raw: Any, where: str) -> list[str]:
    """Keys of ``raw`` that no field of ``model`` took, remarks apart."""
    from pydantic import BaseModel

    if isinstance(model, list) and isinstance(raw, list):
        return [d for m, r in zip(model, raw, strict=False) for d in dropped_keys(m, r, where)]
    if isinstance(model, dict) and isinstance(raw, dict):
        return [d for k, r in raw.items() if k in model for d in dropped_keys(model[k], r, f"{where}.{k}")]
    if not isinstance(model, BaseModel) or not isinstance(raw, dict) or type(model).__name__ == "BaseCriterion":
        return []
    fields = type(model).model_fields
    names = {name: name for name in fields} | {f.alias: name for name, f in fields.items() if f.alias}
    found: list[str] = []
    for key, value in raw.items():
        if key not in names:
            found += [] if key in REMARKS else [f"{where}.{key}"]
        else:
            found += dropped_keys(getattr(model, names[key]), value, f"{where}.{key}")
    return found


def _dropped_criteria(settings: Any, registry: Any) -> list[str]:
    """Keys of criteria that the metric's own criterion model does not know, and declared metrics nothing names."""
    found: list[str] = []
    for name, value in settings.criteria.items():
        extra = getattr(value, "model_extra", None) or {}
        if not extra or (settings.custom_metrics and name in settings.custom_metrics) or name not in registry._registry:
            continue
        model = getattr(registry._registry[name][0], "criterion_type", None)
        known = set(model.model_fields) | {f.alias for f in model.model_fields.values()} if model else set()
        found += [f"criteria.{name}.{key}" for key in extra if key not in known]
    for name in settings.custom_metrics or {}:
        if name not in settings.criteria:
            found.append(f"custom_metrics.{name}")
        elif name in registry._registry and name in ("tool_trajectory_avg_score", "response_match_score"):
            found.append(f"built-in {name}")
    return found
