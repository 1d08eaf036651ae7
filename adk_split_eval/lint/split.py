"""Splits a mixed set: the two sets and the two configs, as new files in two folders."""
# os functions instead of pathlib: this room starts cold on every commit.
# ruff: noqa: PTH118

from __future__ import annotations

import os
import re
from typing import Any, cast

from adk_split_eval.lint.config_view import Config, CriterionView
from adk_split_eval.lint.pairing import Pair
from adk_split_eval.lint.views import EvalSet, Json
from adk_split_eval.record.finding import Fix
from adk_split_eval.record.jsonio import dumps

_LARGEST = 20_000_000
"""Characters of a set that a finding still carries whole, as new files."""

_PROBE: Json = {
    "hallucinations_v1": {
        "threshold": 0.8,
        "judge_model_options": {"judge_model": "gemini-2.5-flash", "num_samples": 3},
    }
}
"""What judges a simulated half for which nothing else is left; the judge is named, as ADK's default one may change."""


def split_fix(pair: Pair) -> Fix | None:
    """The fix of a mixed set; None when the set does not load as it is."""
    eval_set = pair.set
    if not eval_set.loads or not eval_set.eval_set_id or len(eval_set.document.text) > _LARGEST:
        return None
    files: list[tuple[str, str]] = []
    ending = ".test.json" if eval_set.document.name.endswith(".test.json") else ".evalset.json"  # AgentEvaluator's own
    for half in ("fixed", "simulated"):
        name = f"{re.sub(r'[^a-zA-Z0-9_]', '_', eval_set.eval_set_id)}_{half}"
        folder = os.path.join(eval_set.document.folder, half)
        files.append((os.path.join(folder, f"{name}{ending}"), render(_half_set(eval_set, half, name))))
        files.append((os.path.join(folder, "test_config.json"), render(half_config(pair.config, half))))
    return Fix("write a fixed and a simulated set with a config each", (), False, tuple(files))


def render(data: Any) -> str:
    return dumps(data) + "\n"


def _half_set(eval_set: EvalSet, half: str, name: str) -> Json:
    raw = cast("Json", eval_set.document.data)
    cases = cast("list[Any]", raw.get("eval_cases", raw.get("evalCases", [])))
    simulated = {index for index, _, _ in eval_set.simulated_cases()}
    kept = [case for index, case in enumerate(cases) if (index in simulated) == (half == "simulated")]
    further = {
        key: value for key, value in raw.items() if key not in ("eval_set_id", "name", "eval_cases", "evalCases")
    }
    return {"eval_set_id": name, "name": name, **further, "eval_cases": kept}


def half_config(config: Config, half: str) -> Json:
    """The criteria that can judge this half, with what they need; never empty."""
    raw = config.data
    criteria = {c.name: c.raw for c in config.criteria if _fits(c, half)}
    if not criteria:
        criteria = {"tool_trajectory_avg_score": 1.0} if half == "fixed" else _PROBE
    made: Json = {key: value for key, value in raw.items() if key.startswith("_")}  # remarks
    made["criteria"] = criteria
    custom = {k: v for k, v in config.custom.items() if k in criteria}
    if custom:
        made["custom_metrics"] = custom
    for key in ("user_simulator_config", "live_model_config"):
        if raw.get(key) is not None and (half == "simulated" or key == "live_model_config"):
            made[key] = raw[key]
    return made


def _fits(criterion: CriterionView, half: str) -> bool:
    metric = criterion.metric
    if metric is None:
        return True
    return not (metric.reference_based if half == "simulated" else metric.needs_scenario)
