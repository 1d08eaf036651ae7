"""What the ``criteria`` of one half declare: thresholds and options, and whether anything comes of each of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, cast

from adk_split_eval.criteria.catalogue import CATALOGUE, CriterionInfo
from adk_split_eval.plan.models import CustomMetric, Plan
from adk_split_eval.record import Criterion, Half

TEAM_PREFIX = "adk_split_eval.metrics.team."
DEFAULT_ROUGE = 0.8
"""ADK's own default threshold of ``response_match_score``, used for references when the plan names no criterion."""

JUDGED_GOAL = "rubric_based_multi_turn_trajectory_quality_v1"
"""ADK's criterion that judges a goal for which a case names no evidence."""


@dataclass(slots=True)
class HalfCriteria:
    """The criteria of one half of a plan.

    Attributes:
        thresholds, options: by criterion name, of what the plan declares.
        off: defaults that the plan switches off with ``null``.
        used: names that came to govern at least one case.
    """

    half: Half
    judge: str | None
    votes: int
    metrics: dict[str, CustomMetric]
    thresholds: dict[str, float] = field(default_factory=dict[str, float])
    options: dict[str, dict[str, Any]] = field(default_factory=dict[str, dict[str, Any]])
    off: set[str] = field(default_factory=set[str])
    used: set[str] = field(default_factory=set[str])

    def declares(self, name: str) -> bool:
        return name in self.thresholds

    def judge_options(self, name: str) -> dict[str, Any] | None:
        """``judge_model_options`` of a criterion: the plan's own words, completed; None when no judge is named."""
        stated = cast("dict[str, Any]", self.options.get(name, {}).get("judge_model_options") or {})
        if "judge_model" in stated or self.judge is not None:
            completed = {"judge_model": self.judge, "num_samples": self.votes}
            return {**completed, **stated}
        return None

    def adk(self, name: str, **more: Any) -> Criterion:
        """ADK's own criterion ``name``, with its judge named so that ADK never falls back to its default judge."""
        info = CATALOGUE[name]
        self.used.add(name)
        threshold = self.thresholds.get(name, 1.0)
        options: dict[str, Any] = {"threshold": threshold, **self.options.get(name, {}), **more}
        if info.kind == "judged" and not info.google_cloud:
            judge = self.judge_options(name)
            if judge is not None:
                options["judge_model_options"] = judge
        return Criterion(name, info.kind, "adk", threshold, options)

    def ours(self, name: str, params: dict[str, Any], *, default: float = 1.0, runner_only: bool = False) -> Criterion:
        """A criterion of this package; options of the half are in ``params`` already, so the config states a threshold."""
        self.used.add(name)
        threshold = self.thresholds.get(name, default)
        info = CATALOGUE[name]
        options = {"threshold": threshold}
        return Criterion(name, info.kind, "ours", threshold, options, params, None, runner_only or info.runner_only)

    def team(self) -> list[Criterion]:
        """The team's own metrics, which judge every case of the sets they name."""
        found: list[Criterion] = []
        for name, metric in self.metrics.items():
            if self.half in metric.sets and name not in self.off:
                self.used.add(name)
                threshold = self.thresholds.get(name, metric.threshold)
                options = {"threshold": threshold, **self.options.get(name, {})}
                function = TEAM_PREFIX + metric.function
                found.append(Criterion(name, metric.kind, "team", threshold, options, function=function))
        return found

    def general(self) -> list[Criterion]:
        """ADK's criteria that govern every case of the half: they need neither references nor rubrics of a case."""
        return [self.adk(name) for name in self.thresholds if name in CATALOGUE and self._is_general(CATALOGUE[name])]

    def _is_general(self, info: CriterionInfo) -> bool:
        if info.source != "adk" or info.reference_based or info.informational or self.half not in info.sets:
            return False
        return info.adk_rubric_type is None or bool(self.options.get(info.name, {}).get("rubrics"))


def read_criteria(plan: Plan, half: Half) -> HalfCriteria:
    """The declared criteria of a half. The plan has been checked: names, thresholds and options are sound."""
    found = HalfCriteria(half, plan.judge, plan.policy.votes, plan.custom_metrics)
    section = plan.fixed_set if half == "fixed" else plan.sim_set
    for name, value in ((section.criteria if section else None) or {}).items():
        if value is None:
            found.off.add(name)
            continue
        options = dict(cast("dict[str, Any]", value)) if isinstance(value, dict) else {"threshold": value}
        found.thresholds[name] = float(options.pop("threshold", _default_threshold(found, name)))
        found.options[name] = options
    return found


def _default_threshold(found: HalfCriteria, name: str) -> float:
    if name in found.metrics:
        return found.metrics[name].threshold
    return DEFAULT_ROUGE if name in ("response_match_score", "expected_response_v1") else 1.0
