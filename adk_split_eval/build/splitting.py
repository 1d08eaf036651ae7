"""One mixed ADK set into two: the scripted cases and the simulated ones, each with a config that can judge it."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from adk_split_eval.build.adkfiles import read_config, read_set, refused
from adk_split_eval.build.dividing import divide
from adk_split_eval.build.writing import CONFIG_NAME, SET_SUFFIX, render
from adk_split_eval.criteria.catalogue import CATALOGUE, function_path
from adk_split_eval.record import Half


@dataclass(slots=True)
class SplitResult:
    """Two sets and two configs, cases word for word as they stood; ``notes`` say what could not be carried over."""

    fixed_set: dict[str, Any]
    fixed_config: dict[str, Any]
    simulated_set: dict[str, Any]
    simulated_config: dict[str, Any]
    notes: list[str] = field(default_factory=list[str])

    def files(self) -> dict[str, str]:
        """Relative path → text, laid out so that ADK pairs each set with its own config."""
        found: dict[str, str] = {}
        for half, data, config in (
            ("fixed", self.fixed_set, self.fixed_config),
            ("simulated", self.simulated_set, self.simulated_config),
        ):
            found[f"{half}/{data['eval_set_id']}{SET_SUFFIX}"] = render(data)
            found[f"{half}/{CONFIG_NAME}"] = render(config)
        return found


def split_set(path: str | Path, config: str | Path | None = None) -> SplitResult:
    """Split a mixed ADK set. Without ``config``, the ``test_config.json`` beside it counts, else ADK's defaults.

    Raises:
        PlanError: a file cannot be used, or the set is not mixed.
    """
    location = Path(path)
    adk_set = read_set(location)
    present: set[Half] = {half for half in ("fixed", "simulated") if adk_set.of(half)}
    if len(present) != 2:
        only = "no case" if not present else f"only {next(iter(present))} cases"
        raise refused(location, "ASE614", f"there is nothing to split: the set holds {only}", "leave it as it is")
    file, settings = read_config(config, location)
    divided = divide(settings, present)
    if file is None:
        divided.notes.append("no config was found: ADK's defaults are written out for the fixed set")
    raw = {str(case["eval_id"]): entry for case, entry in zip(adk_set.cases, adk_set.data["eval_cases"], strict=True)}
    halves: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {}
    for half in ("fixed", "simulated"):
        eval_set_id = f"{adk_set.eval_set_id}_{half}"
        cases = [raw[str(case["eval_id"])] for case in adk_set.of(half)]
        data = {**adk_set.data, "eval_set_id": eval_set_id, "eval_cases": cases}
        if "name" in data:
            data["name"] = eval_set_id
        halves[half] = (data, _config(half, divided.criteria[half], divided.metrics, settings, divided.notes))
    return SplitResult(*halves["fixed"], *halves["simulated"], divided.notes)


def _config(
    half: str, criteria: dict[str, Any], metrics: dict[str, Any], settings: dict[str, Any], notes: list[str]
) -> dict[str, Any]:
    chosen = dict(criteria)
    custom = {name: metrics[name] for name in chosen if name in metrics}
    if not chosen:
        name = "grounded_numbers_v1" if half == "simulated" else "tool_args_v1"
        chosen[name] = 1.0
        custom[name] = {"code_config": {"name": function_path(name)}, "description": CATALOGUE[name].why}
        notes.append(f"nothing was left that could judge the {half} set: {name} stands in, so that it is judged at all")
    config: dict[str, Any] = {"criteria": chosen}
    if custom:
        config["custom_metrics"] = custom
    simulator = cast("dict[str, Any] | None", settings.get("user_simulator_config"))
    if half == "simulated" and simulator:
        config["user_simulator_config"] = simulator
    if settings.get("live_model_config"):
        config["live_model_config"] = settings["live_model_config"]
    return config
