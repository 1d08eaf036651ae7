"""Which half each criterion of an ADK config belongs to, and what becomes of the ones that fit nowhere."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, cast

from adk_split_eval.criteria.catalogue import CATALOGUE
from adk_split_eval.record import Half

HALVES: tuple[Half, ...] = ("fixed", "simulated")
CONFIG_KEYS = frozenset({"criteria", "custom_metrics", "user_simulator_config", "live_model_config"})


@dataclass(slots=True)
class Divided:
    """The criteria of a config by half, and sentences about what was left out and why."""

    criteria: dict[Half, dict[str, Any]] = field(default_factory=lambda: {"fixed": {}, "simulated": {}})
    metrics: dict[str, dict[str, Any]] = field(default_factory=dict[str, dict[str, Any]])
    notes: list[str] = field(default_factory=list[str])


def divide(config: dict[str, Any], halves: set[Half]) -> Divided:
    """Divide the criteria of ``config`` (snake_case) among the halves that have cases."""
    found = Divided()
    custom = cast("dict[str, Any]", config.get("custom_metrics") or {})
    for key in config.keys() - CONFIG_KEYS:
        found.notes.append(f"the config's key {key} is unknown to ADK and was dropped by it")
    for name in custom.keys() - config["criteria"].keys():
        found.notes.append(f"the metric {name} stands under custom_metrics but not under criteria: it never ran")
    for name, value in cast("dict[str, Any]", config["criteria"]).items():
        info = CATALOGUE.get(name)
        if name in custom:
            found.metrics[name] = custom[name]
        if info is None and name not in custom:
            found.notes.append(f"{name} is no criterion that ADK knows: it was never evaluated, and is left out")
            continue
        if info is not None and info.informational:
            found.notes.append(f"{name} takes no threshold: ADK reports it by itself, and it is left out")
            continue
        takers: list[Half] = [half for half in HALVES if half in halves and (info is None or half in info.sets)]
        for half in takers:
            found.criteria[half][name] = value
        if not takers and info is not None:
            other = " and ".join(sorted(info.sets))
            found.notes.append(f"{name} can judge only {other} cases, and there are none: it is left out ({info.why})")
        elif info is not None and len(halves) > len(takers):
            idle = next(half for half in HALVES if half in halves and half not in takers)
            found.notes.append(f"{name} never judged the {idle} cases: {info.why}")
    return found
