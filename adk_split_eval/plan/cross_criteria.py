"""Criteria of a half: names, sets, thresholds, options, and whether anybody is there to judge."""

from __future__ import annotations

from typing import Any

from adk_split_eval.criteria.catalogue import CATALOGUE, CriterionInfo, simulated_defaults
from adk_split_eval.plan.checked import SECTIONS, CheckedPlan
from adk_split_eval.plan.checks import mapping_in, shown
from adk_split_eval.plan.nodes import DocumentPath, Node, describe
from adk_split_eval.plan.structure import nearest
from adk_split_eval.record import Half

JUDGED_GOAL = "rubric_based_multi_turn_trajectory_quality_v1"
"""ADK's criterion that judges a goal without evidence."""

_JUDGE = frozenset({"judge_model_options"})
_ADK = frozenset({"include_intermediate_responses_in_final"})
_RUBRICS = _JUDGE | _ADK | {"rubrics"}
OPTIONS: dict[str, frozenset[str]] = {
    "tool_trajectory_avg_score": frozenset({"match_type", "ignore_args"}),
    "response_match_score": _ADK,
    "final_response_match_v2": _JUDGE | _ADK,
    "hallucinations_v1": _JUDGE | _ADK | {"evaluate_intermediate_nl_responses"},
    "rubric_based_final_response_quality_v1": _RUBRICS,
    "rubric_based_tool_use_quality_v1": _RUBRICS,
    JUDGED_GOAL: _RUBRICS,
    "per_turn_user_simulator_quality_v1": _JUDGE | _ADK | {"stop_signal"},
    "expected_response_v1": _JUDGE | _ADK | {"method"},
    "grounded_numbers_v1": frozenset({"sources", "ignore", "rounding", "tolerance", "derived"}),
    "report_review_v1": _JUDGE,
    "repeated_questions_v1": _JUDGE,
    "evidence_links_v1": _JUDGE,
}
"""Options besides ``threshold`` that a criterion takes; those not listed take none (ADK 2.10 to 2.13)."""

JUDGE_OPTIONS = frozenset({"judge_model", "judge_model_config", "num_samples", "parallelism_limit"})
MATCH_TYPES = ("EXACT", "IN_ORDER", "ANY_ORDER")
METHODS = ("response_match_score", "final_response_match_v2")


def check_criteria(checked: CheckedPlan) -> None:
    """All criteria of both halves."""
    custom = checked.root.child("custom_metrics")
    for name in custom.fields if custom else ():
        if name in CATALOGUE:
            checked.complain(
                ("custom_metrics", name),
                "ASE026",
                f"the custom metric {shown(name)} has the name of a criterion that exists: ADK would replace the one by the other",
                "rename it",
                key=True,
            )
    for half, section in SECTIONS.items():
        node = checked.document.node((section, "criteria")) if checked.document else None
        present = checked.value(section, "criteria")
        if node is not None and isinstance(present, dict):
            for name, (_, value) in node.fields.items():
                _Criterion(checked, half, name, value).check()
    _check_defaults(checked)


def judge_named(checked: CheckedPlan) -> bool:
    """Whether the plan pins a judge model."""
    return bool(checked.value("models", "judge"))


def goal_has_judge(checked: CheckedPlan) -> bool:
    """Whether a goal without evidence can be judged at all."""
    stated = checked.value("sim_set", "criteria", JUDGED_GOAL, "judge_model_options", "judge_model")
    return judge_named(checked) or bool(stated)


def _check_defaults(checked: CheckedPlan) -> None:
    simulated = checked.value("sim_set")
    if simulated is None or judge_named(checked) or simulated.get("criteria"):
        return
    judged = " and ".join(name for name in simulated_defaults() if CATALOGUE[name].kind == "judged")
    checked.complain(
        ("sim_set",),
        "ASE036",
        f"the simulated set is judged by {judged} unless it lists its criteria, and the plan names no judge",
        "pin models.judge, or list under sim_set.criteria what is wanted",
        key=True,
    )


class _Criterion:
    """One entry of ``criteria``."""

    def __init__(self, checked: CheckedPlan, half: Half, name: str, node: Node) -> None:
        self.checked, self.half, self.name, self.node = checked, half, name, node
        self.path: DocumentPath = (SECTIONS[half], "criteria", name)
        self.info: CriterionInfo | None = CATALOGUE.get(name)

    def complain(self, code: str, message: str, help: str, *path: str | int, key: bool = False) -> None:
        self.checked.complain((*self.path, *path), code, message, help, key=key)

    def check(self) -> None:
        """Name and set first; what it asks for only when it may stand here."""
        if self._may_stand():
            self._check_value()
            self._check_judge()

    def _may_stand(self) -> bool:
        if self.info is None:
            return self._known_metric()
        if self.half not in self.info.sets:
            self._wrong_set(self.info)
            return False
        if self.info.informational:
            help = "remove it; efficiency is always reported"
            self.complain(
                "ASE044", f"{self.name} reports a number and decides nothing; ADK refuses it here", help, key=True
            )
            return False
        return True

    def _known_metric(self) -> bool:
        sets = self.checked.value("custom_metrics", self.name, "sets")
        if self.checked.value("custom_metrics", self.name) is None:
            custom = self.checked.mapping("custom_metrics")
            known = [row.name for row in CATALOGUE.values() if self.half in row.sets and not row.informational]
            close = nearest(self.name, [*known, *custom])
            help = close if close.startswith("did you") else "correct the name, or declare it under custom_metrics"
            message = (
                f"{shown(self.name)} is no criterion that ADK, this package or the plan knows: it would never be judged"
            )
            self.complain("ASE024", message, help, key=True)
            return False
        if sets is not None and self.half not in sets:
            message = f"the custom metric {shown(self.name)} does not judge the {self.half} set"
            self.complain(
                "ASE044", message, f"add {self.half} to its sets under custom_metrics, or remove it", key=True
            )
            return False
        return True

    def _wrong_set(self, info: CriterionInfo) -> None:
        if self.half == "simulated" and info.reference_based:
            documented = "ADK's documentation lists it among the criteria that do not work with user simulation; ADK leaves it unevaluated and can still say PASSED"
            ours = "nothing could be compared"
            self.complain(
                "ASE102",
                f"{self.name} compares with something expected of a scripted conversation, and simulated cases have no script: "
                + (documented if info.source == "adk" else ours),
                "move it to fixed_set.criteria, or state an invariant: forbidden_tools with `until`, goal_evidence",
                key=True,
            )
        elif info.needs_scenario:
            message = (
                f"{self.name} judges the simulated user, and fixed cases have none: ADK would leave it unevaluated"
            )
            self.complain("ASE043", message, "move it to sim_set.criteria", key=True)
        else:
            other = "sim_set" if self.half == "fixed" else "fixed_set"
            message = f"{self.name} cannot judge the {self.half} set: it judges {info.why}"
            self.complain("ASE044", message, f"move it to {other}.criteria", key=True)

    def _check_value(self) -> None:
        node = self.node
        if node.kind == "scalar" and node.value is None:
            if self.half != "simulated" or self.name not in (*simulated_defaults(), JUDGED_GOAL):
                self.complain("ASE014", f"{self.name} is empty", "write a threshold, or remove the line")
        elif node.kind == "mapping":
            if "threshold" in node.fields:
                self._check_threshold(node.fields["threshold"][1], "threshold")
            self._check_options(node)
        else:
            self._check_threshold(node)

    def _check_threshold(self, node: Node, *path: str) -> None:
        highest = self.info.max_score if self.info else 1.0
        value = node.value
        number = isinstance(value, int | float) and not isinstance(value, bool) and node.kind == "scalar"
        if not number or not 0 < value <= highest:
            why = (
                "it could not decide anything" if number and value <= 0 else "nothing could reach it" if number else ""
            )
            message = f"the threshold of {self.name} is {describe(node)}" + (f": {why}" if why else "")
            self.complain("ASE014", message, f"write a number above 0 and at most {highest:g}", *path)

    def _check_options(self, node: Node) -> None:
        if self.info is None:
            return
        known = OPTIONS.get(self.name, frozenset())
        for key in node.fields:
            if key != "threshold" and key not in known:
                hint = (
                    "put it under judge_model_options"
                    if key in JUDGE_OPTIONS and "judge_model_options" in known
                    else ""
                )
                message = f"{self.name} has no option `{shown(key)[1:-1]}`: it would be dropped silently"
                self.complain("ASE025", message, hint or nearest(key, ["threshold", *known]), key, key=True)
        self._check_judge_options(node.child("judge_model_options"))
        for key, allowed in (("match_type", MATCH_TYPES), ("method", METHODS)):
            chosen = node.child(key)
            if chosen is not None and key in known and chosen.value not in allowed:
                message = f"`{key}` of {self.name} is {describe(chosen)}; it takes {', '.join(allowed)}"
                self.complain("ASE013", message, nearest(str(chosen.value), list(allowed)), key)

    def _check_judge_options(self, node: Node | None) -> None:
        if node is None:
            return
        at = "judge_model_options"
        if node.kind != "mapping":
            self.complain(
                "ASE011", f"`{at}` of {self.name} takes a mapping, not {describe(node)}", "write a mapping", at
            )
            return
        for key in node.fields:
            if key not in JUDGE_OPTIONS:
                message = f"judge_model_options of {self.name} has no `{shown(key)[1:-1]}`: ADK refuses it only when it judges"
                self.complain("ASE025", message, nearest(key, sorted(JUDGE_OPTIONS)), at, key, key=True)
        samples = node.child("num_samples")
        if samples is not None:
            value: Any = samples.value
            whole = isinstance(value, int) and not isinstance(value, bool)
            if not whole or value < 1 or value % 2 == 0:
                message = f"num_samples of {self.name} is {describe(samples)}; a majority needs an odd whole number"
                self.complain("ASE037", message, "write 3 or 5, or leave it to policy.votes", at, "num_samples")

    def _check_judge(self) -> None:
        info = self.info
        switched_off = self.node.kind == "scalar" and self.node.value is None
        if info is None or switched_off or info.google_cloud or judge_named(self.checked):
            return
        options = mapping_in({"own": self.node.data()}, "own")
        judged = info.kind == "judged" or options.get("method") == "final_response_match_v2"
        if judged and not mapping_in(options, "judge_model_options").get("judge_model"):
            message = f"{self.name} needs a judge and the plan names none: ADK would fall back to its default model"
            self.complain("ASE036", message, "pin models.judge", key=True)
