"""Reading ADK's own eval sets and configs as ADK would, and refusing with an explanation where ADK would stumble."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from adk_split_eval.build.jsonfile import JsonFile, JsonPath, read_json
from adk_split_eval.criteria.old_formats import old_format
from adk_split_eval.plan import PlanError
from adk_split_eval.record import Finding

ADK_DEFAULTS: dict[str, Any] = {"tool_trajectory_avg_score": 1.0, "response_match_score": 0.8}
"""What plain ADK judges by when it finds no config."""

_FIELDS = """
eval_id conversation conversation_scenario session_input creation_timestamp rubrics final_session_state
invocation_id user_content final_response intermediate_data tool_uses tool_responses intermediate_responses
invocation_events starting_prompt conversation_plan user_persona app_name user_id session_id state rubric_id
rubric_content text_property code_config custom_metrics user_simulator_config judge_model_options judge_model
num_samples match_type ignore_args metric_info max_allowed_invocations model_configuration custom_instructions
include_function_calls function_call function_response live_model_config evaluate_intermediate_nl_responses
include_intermediate_responses_in_final stop_signal parallelism_limit judge_model_config
"""
_MODEL_KEYS = frozenset(_FIELDS.split())
_OPAQUE = frozenset({"args", "state", "final_session_state", "response", "model_configuration", "judge_model_config"})
"""Keys whose values are a team's own data: never renamed."""


@dataclass(slots=True)
class AdkSet:
    """An eval set as read: its cases in snake_case, each with its place in the file."""

    file: JsonFile
    data: dict[str, Any]
    cases: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])

    @property
    def eval_set_id(self) -> str:
        return str(self.data["eval_set_id"])

    def of(self, half: str) -> list[dict[str, Any]]:
        """The cases of one half: with a script (fixed) or with a scenario (simulated)."""
        key = "conversation" if half == "fixed" else "conversation_scenario"
        return [case for case in self.cases if case.get(key) is not None]


def read_set(path: str | Path) -> AdkSet:
    """Read one eval set.

    Raises:
        PlanError: not readable, in an old list format, or not of ADK's shape; with place and mend.
    """
    file = read_json(path)
    old = old_format(file.data)
    if old is not None:
        file.refuse("ASE603", f"{old.message}; the importer does not guess at its keys", (), old.mend)
    data = file.mapping(file.data, (), "the eval set")
    if "eval_set_id" not in data and "evalSetId" in data:
        file.refuse(
            "ASE604", "ADK does not read camelCase at the top of a set", ("evalSetId",), "write eval_set_id, eval_cases"
        )
    for key in ("eval_set_id", "eval_cases"):
        if key not in data:
            mend = "name the file that holds eval_set_id and eval_cases"
            file.refuse("ASE602", f"this is no ADK eval set: it has no {key}", (), mend)
    found = AdkSet(file, data)
    seen: set[str] = set()
    for number, entry in enumerate(file.sequence(data["eval_cases"], ("eval_cases",), "eval_cases")):
        at: JsonPath = ("eval_cases", number)
        case = cast("dict[str, Any]", snake(file.mapping(entry, at, "the case")))
        eval_id = file.string(case.get("eval_id"), (*at, "eval_id"), "eval_id")
        if eval_id in seen:
            file.refuse("ASE502", f"the eval_id {eval_id!r} stands twice", (*at, "eval_id"), "rename one of the two")
        seen.add(eval_id)
        if (case.get("conversation") is None) == (case.get("conversation_scenario") is None):
            file.refuse(
                "ASE605", f"{eval_id} has not exactly one of conversation, conversation_scenario", at, "keep one"
            )
        found.cases.append(case)
    return found


def read_config(path: str | Path | None, beside: Path) -> tuple[JsonFile | None, dict[str, Any]]:
    """A config in snake_case: the given one, else ``test_config.json`` beside the set, else (None, ADK's defaults)."""
    chosen = Path(path) if path is not None else beside.parent / "test_config.json"
    if path is None and not chosen.is_file():
        return None, {"criteria": dict(ADK_DEFAULTS)}
    file = read_json(chosen)
    config = file.mapping(file.data, (), "the config")
    if "eval_cases" in config or "evalCases" in config:
        file.refuse("ASE607", "this is an eval set, not a config", (), "name the config")
    renamed = cast("dict[str, Any]", snake({key: value for key, value in config.items() if key != "criteria"}))
    criteria = file.mapping(config.get("criteria") or {}, ("criteria",), "criteria")
    # Criterion names are names, not keys of a model: only what stands below them is renamed.
    return file, {"criteria": {name: snake(value) for name, value in criteria.items()}, **renamed}


def snake(value: Any) -> Any:
    """``value`` with ADK's camelCase keys as snake_case; keys that are no field of ADK's models stay as they are."""
    if isinstance(value, list):
        return [snake(entry) for entry in cast("list[Any]", value)]
    if not isinstance(value, dict):
        return value
    renamed: dict[str, Any] = {}
    for key, inner in cast("dict[str, Any]", value).items():
        name = re.sub(r"(?<=[a-z0-9])([A-Z])", lambda found: "_" + found[1].lower(), key)
        name = name if name in _MODEL_KEYS else key
        if name == "custom_metrics" and isinstance(inner, dict):
            renamed[name] = {metric: snake(entry) for metric, entry in cast("dict[str, Any]", inner).items()}
        else:
            renamed[name] = inner if name in _OPAQUE else snake(inner)
    return renamed


def refused(path: Path, code: str, message: str, mend: str) -> PlanError:
    """An error about a whole file."""
    return PlanError([Finding(code, "error", message, str(path), help=mend)])
