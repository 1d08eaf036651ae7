"""Existing ADK sets, mixed ones too, as a plan to go on from; what a plan cannot hold is said in comments."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from adk_split_eval.build.adkfiles import AdkSet, read_config, read_set, refused
from adk_split_eval.build.dividing import Divided, divide
from adk_split_eval.build.import_cases import ImportedCase, fixed_case, scenario_case
from adk_split_eval.build.scaffold import usable_id
from adk_split_eval.criteria.catalogue import CATALOGUE
from adk_split_eval.pool.emit import emit, emit_item
from adk_split_eval.record import Half

_SCHEMA_LINE = "# yaml-language-server: $schema=adk-split-eval.plan.schema.json"
_TRAJECTORY = "tool_trajectory_avg_score"
_REFERENCES = ("response_match_score", "final_response_match_v2", "response_evaluation_score")


@dataclass(slots=True)
class _Import:
    """A plan in the making."""

    head: dict[str, Any]
    notes: list[str] = field(default_factory=list[str])
    fixed: list[ImportedCase] = field(default_factory=list[ImportedCase])
    simulated: list[ImportedCase] = field(default_factory=list[ImportedCase])


def import_sets(paths: Sequence[str | Path], config: str | Path | None = None, plan_id: str | None = None) -> str:
    """The text of a plan that says what these ADK sets say.

    Args:
        paths: eval sets that one config governs.
        config: that config; without it the ``test_config.json`` beside the first set counts, else ADK's defaults.
        plan_id: id of the plan; by default the first set's id without a ``_fixed`` or ``_simulated``.

    Raises:
        PlanError: a file cannot be used; with place and mend.
    """
    sets = [read_set(path) for path in paths]
    file, settings = read_config(config, Path(paths[0]))
    halves: set[Half] = {half for half in ("fixed", "simulated") if any(adk_set.of(half) for adk_set in sets)}
    if not halves:
        raise refused(Path(paths[0]), "ASE614", "there is no case to import", "name a set that has cases")
    divided = divide(settings, halves)
    made = _Import(_head(sets, settings, plan_id))
    if file is None:
        made.notes.append("no config was found: ADK's defaults are written out under criteria")
    made.notes += divided.notes
    _read_cases(made, sets, divided)
    return _text(made, settings, divided)


def _head(sets: list[AdkSet], settings: dict[str, Any], plan_id: str | None) -> dict[str, Any]:
    first = re.sub(r"_(fixed|simulated)(_[a-z0-9_]+)?$", "", sets[0].eval_set_id)
    derived = re.sub(r"[^a-zA-Z0-9_]+", "_", first).strip("_") or "imported"
    head: dict[str, Any] = {"plan_id": derived if plan_id is None else usable_id(plan_id)}
    apps = [
        case["session_input"].get("app_name") for found in sets for case in found.cases if case.get("session_input")
    ]
    if any(apps):
        head["agent"] = next(app for app in apps if app)
    models: dict[str, Any] = {}
    simulator = cast("dict[str, Any]", settings.get("user_simulator_config") or {}).get("model")
    if simulator:
        models["simulator"] = simulator
    judge = next((found for value in settings["criteria"].values() if (found := _judge_of(value))), None)
    if judge:
        models["judge"] = judge
    return {**head, "models": models} if models else head


def _judge_of(value: Any) -> str | None:
    if not isinstance(value, dict):
        return None
    options: Any = cast("dict[str, Any]", value).get("judge_model_options")
    return cast("dict[str, Any]", options).get("judge_model") if isinstance(options, dict) else None


def _read_cases(made: _Import, sets: list[AdkSet], divided: Divided) -> None:
    trajectory = divided.criteria["fixed"].get(_TRAJECTORY)
    ignores = isinstance(trajectory, dict) and cast("dict[str, Any]", trajectory).get("ignore_args") is True
    seen: set[str] = set()
    for adk_set in sets:
        for number, case in enumerate(adk_set.cases):
            try:
                if case.get("conversation") is not None:
                    imported = fixed_case(case, judged=trajectory is not None, with_args=not ignores)
                    made.fixed.append(imported)
                else:
                    imported = scenario_case(case)
                    made.simulated.append(imported)
            except (KeyError, TypeError, AttributeError, ValueError) as error:
                message = (
                    f"the case {case['eval_id']!r} has not the shape of ADK's EvalCase: {type(error).__name__} {error}"
                )
                adk_set.file.refuse(
                    "ASE602", message, ("eval_cases", number), "let ADK load it and see its own complaint"
                )
            case_id = str(imported.data["case_id"])
            if case_id in seen:
                raise refused(
                    adk_set.file.path,
                    "ASE020",
                    f"the case {case_id!r} stands in two of the sets",
                    "rename one of the two",
                )
            seen.add(case_id)
    if trajectory is not None and not ignores and made.fixed:
        # ADK's own default compares all arguments; a plan says so.
        value = dict(cast("dict[str, Any]", trajectory)) if isinstance(trajectory, dict) else {"threshold": trajectory}
        divided.criteria["fixed"][_TRAJECTORY] = {**value, "ignore_args": False}


def _text(made: _Import, settings: dict[str, Any], divided: Divided) -> str:
    parts = [_SCHEMA_LINE, "# Imported from ADK eval sets. Read the comments: they say what was not carried over."]
    parts += [_comment(note, 0) for note in made.notes]
    parts.append(emit(made.head).rstrip("\n"))
    metrics = {name: _metric(entry, name, divided) for name, entry in divided.metrics.items()}
    if metrics:
        parts.append("# Paths are taken as they stood; write them from the project's root if they are not.")
        parts.append(emit({"custom_metrics": metrics}).rstrip("\n"))
    if made.fixed:
        parts.append("\nfixed_set:")
        parts += _criteria(divided.criteria["fixed"], made.fixed)
        parts += _cases(made.fixed)
    if made.simulated:
        parts.append("\nsim_set:")
        parts += _criteria(divided.criteria["simulated"], made.simulated)
        parts += _simulator(settings)
        parts += _cases(made.simulated)
    return "\n".join(parts) + "\n"


def _metric(entry: dict[str, Any], name: str, divided: Divided) -> dict[str, Any]:
    sets = [half for half in ("fixed", "simulated") if name in divided.criteria[half]]
    metric: dict[str, Any] = {
        "function": str(cast("dict[str, Any]", entry.get("code_config") or {}).get("name", "")),
        "sets": sets,
    }
    return {**metric, "description": entry["description"]} if entry.get("description") else metric


def _criteria(criteria: dict[str, Any], cases: list[ImportedCase]) -> list[str]:
    kept: dict[str, Any] = {}
    lines: list[str] = []
    for name, value in criteria.items():
        why = _cannot_judge(name, value, cases)
        if why:
            lines.append(_comment(f"{name} is left out: {why}", 4))
        else:
            kept[name] = _usable_threshold(name, value, lines)
    if kept:
        body = emit(kept).rstrip("\n").splitlines()
        return ["  criteria:", *lines, *(f"    {line}" for line in body)]
    return ["  # No criterion of the config is left.", *lines]


def _cannot_judge(name: str, value: Any, cases: list[ImportedCase]) -> str:
    """Why a criterion would judge no case; a plan does not declare what is never judged."""
    info = CATALOGUE.get(name)
    if name == _TRAJECTORY and not any(case.annotated for case in cases):
        return "no turn states its tool calls (intermediate_data)"
    if name in _REFERENCES and not any(case.referenced for case in cases):
        return "no turn has a reference (final_response)"
    rubrics: Any = cast("dict[str, Any]", value).get("rubrics") if isinstance(value, dict) else None
    if info is not None and info.adk_rubric_type is not None and not rubrics:
        return "it has no rubrics of its own, and a plan holds no rubrics on cases"
    return ""


def _usable_threshold(name: str, value: Any, lines: list[str]) -> Any:
    options = cast("dict[str, Any]", value) if isinstance(value, dict) else {"threshold": value}
    stated = options.get("threshold")
    info = CATALOGUE.get(name)
    highest = info.max_score if info else 1.0
    if not isinstance(stated, bool) and isinstance(stated, int | float) and 0 < stated <= highest:
        return cast("Any", value)
    lines.append(_comment(f"{name}: the threshold {stated!r} could not decide anything; 1.0 is written instead", 4))
    return {**options, "threshold": 1.0} if len(options) > 1 else 1.0


def _simulator(settings: dict[str, Any]) -> list[str]:
    config = dict(cast("dict[str, Any]", settings.get("user_simulator_config") or {}))
    config.pop("model", None)
    if config.get("type") == "llm_backed":
        del config["type"]
    limit = config.pop("max_allowed_invocations", 20)
    lines: list[str] = []
    if isinstance(limit, bool) or not isinstance(limit, int) or limit < 1:
        lines.append(_comment(f"max_allowed_invocations was {limit!r}, which limits nothing or everything", 2))
        limit = 20
    if config:
        lines += [f"  {line}" for line in emit({"simulator": config}).rstrip("\n").splitlines()]
    return [*lines, f"  max_turns: {limit}"]


def _cases(cases: list[ImportedCase]) -> list[str]:
    lines = ["  cases:"]
    for case in cases:
        lines += [_comment(note, 4) for note in case.notes]
        lines.append(emit_item(case.data, 4).rstrip("\n"))
    return lines


def _comment(text: str, indent: int) -> str:
    # A note may quote a file: it must stay one comment whatever it holds.
    return " " * indent + "# " + re.sub(r"[^\x20-\x7e\xa0-\u2027\u202f-\ud7ff\ue000-\ufefe\uff00-\uffef]+", " ", text)
