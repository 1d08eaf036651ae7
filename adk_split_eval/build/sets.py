"""Putting compiled cases into sets: which group each belongs to, and ADK's set and config of each group."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from adk_split_eval.build import evalcase
from adk_split_eval.build.declared import JUDGED_GOAL
from adk_split_eval.build.fixed import Draft, conversation
from adk_split_eval.build.groups import RUNNER_ONLY, Placement, name_groups, signature
from adk_split_eval.build.rubrics import case_rubrics, compact, rubric
from adk_split_eval.build.simulated import generated, scenario
from adk_split_eval.build.writing import MARKER
from adk_split_eval.criteria.catalogue import CATALOGUE, function_path, rubric_type
from adk_split_eval.plan.models import FixedCase, Plan, SimCase
from adk_split_eval.record import Case, CompiledSet, Criterion, Half

_QUIET: dict[str, dict[str, Any]] = {
    "grounded_numbers_v1": {"enabled": False},
    "tool_args_v1": {"match_type": "EXACT"},
}
"""Parameters by which a case says that a metric of its set finds nothing to judge in it: without any, these two would
fall back to judging what ADK hands them."""

_POSITION = {name: index for index, name in enumerate(CATALOGUE)}


@dataclass(slots=True)
class Item:
    """A case while it is compiled: the record that will leave, what the plan says of it, and what was decided."""

    case: Case
    source: FixedCase | SimCase
    draft: Draft


def report_order(criterion: Criterion) -> tuple[bool, int]:
    """Deterministic criteria first, each kind in the order of the catalogue, a team's own last."""
    return criterion.kind == "judged", _POSITION.get(criterion.name, len(_POSITION))


def assign_groups(plan: Plan, items: list[Item]) -> None:
    """Give every usable case its group and its form as ADK's EvalCase."""
    usable = [item for item in items if not item.case.rejected]
    written: list[Item] = []
    for item in usable:
        why = _why_runner_only(item)
        if why:
            item.case.group = RUNNER_ONLY
            item.draft.decisions.append(f"it stands in no generated set: only our runner can {why}")
        else:
            written.append(item)
    placements = {item.case.case_id: _placement(item) for item in written}
    names = name_groups(placements.values())
    for item in written:
        item.case.group = names[placements[item.case.case_id].signature]
    shared = _shared_metrics(written)
    for item in usable:
        item.case.eval_case = _eval_case(plan, item, shared.get(item.case.group, frozenset()))


def _placement(item: Item) -> Placement:
    return Placement(signature(item.case.criteria), frozenset(item.draft.traits))


def _why_runner_only(item: Item) -> str:
    if "interrupt" in item.case.runner:
        return "interrupt it"
    if "replay_tools" in item.case.runner:
        return "replay its tool results"
    if not generated(item.case.criteria):
        return "judge what it expects"
    return ""


def _shared_metrics(written: list[Item]) -> dict[str, frozenset[str]]:
    """Group → names of the criteria its config will hold."""
    found: dict[str, frozenset[str]] = {}
    for item in written:
        names = frozenset(criterion.name for criterion in generated(item.case.criteria))
        found[item.case.group] = found.get(item.case.group, frozenset()) | names
    return found


def _eval_case(plan: Plan, item: Item, shared: frozenset[str]) -> dict[str, Any]:
    criteria = generated(item.case.criteria)
    rubrics = [c.params["rubric"] for c in criteria if c.name == JUDGED_GOAL and "rubric" in c.params]
    rubrics += case_rubrics(criteria)
    own = {criterion.name for criterion in criteria}
    for name in sorted(shared - own, key=lambda name: _POSITION.get(name, len(_POSITION))):
        if name in _QUIET:
            rubrics.append(rubric(name, compact(_QUIET[name]), rubric_type(name)))
    session = _session(plan, item.source)
    if isinstance(item.source, SimCase):
        return evalcase.simulated_case(item.case.case_id, scenario(plan, item.source), session, rubrics)
    return evalcase.fixed_case(item.case.case_id, conversation(item.source, criteria), session, rubrics)


def _session(plan: Plan, source: FixedCase | SimCase) -> dict[str, Any]:
    base, own = plan.session_input, source.session_input
    user_id = (own.user_id if own else None) or (base.user_id if base else None) or "user"
    session_id = (own.session_id if own else None) or (base.session_id if base else None)
    state = {**(base.state if base else {}), **(own.state if own else {})}
    app_name = PurePath(plan.agent).name if plan.agent else plan.plan_id
    return evalcase.session_input(app_name, user_id, session_id, state)


def compiled_sets(
    plan: Plan, half: Half, items: list[Item], plan_file: str, simulator: dict[str, Any]
) -> list[CompiledSet]:
    """The sets of one half that are written to disk; the group of the defaults first, then as they first appear."""
    groups: dict[str, list[Item]] = {}
    for item in items:
        if not item.case.rejected and item.case.group != RUNNER_ONLY:
            groups.setdefault(item.case.group, []).append(item)
    found: list[CompiledSet] = []
    for group in sorted(groups, key=bool):
        members = groups[group]
        directory = f"{half}_{group}" if group else half
        eval_set_id = f"{plan.plan_id}_{directory}"
        cases = [item.case.eval_case for item in members]
        eval_set = evalcase.eval_set(eval_set_id, f"{MARKER}{plan_file}; edit the plan and build again.", cases)
        config = config_json(plan, members, simulator if half == "simulated" else {})
        case_ids = [item.case.case_id for item in members]
        found.append(CompiledSet(half, group, eval_set_id, directory, eval_set, config, case_ids))
    return found


def config_json(plan: Plan, members: list[Item], simulator: dict[str, Any]) -> dict[str, Any]:
    """ADK's EvalConfig of a group: every criterion that governs one of its cases."""
    criteria: dict[str, Criterion] = {}
    for item in members:
        for criterion in generated(item.case.criteria):
            criteria.setdefault(criterion.name, criterion)
    ordered = sorted(criteria.values(), key=report_order)
    config: dict[str, Any] = {"criteria": {criterion.name: _criterion_json(criterion) for criterion in ordered}}
    custom = {c.name: _metric_json(plan, c) for c in ordered if c.source != "adk"}
    if custom:
        config["custom_metrics"] = custom
    if simulator:
        config["user_simulator_config"] = simulator
    return config


def _criterion_json(criterion: Criterion) -> Any:
    return criterion.threshold if criterion.options.keys() == {"threshold"} else criterion.options


def _metric_json(plan: Plan, criterion: Criterion) -> dict[str, Any]:
    if criterion.source == "team":
        data: dict[str, Any] = {"code_config": {"name": criterion.function}}
        description = plan.custom_metrics[criterion.name].description
        return {**data, "description": description} if description else data
    return {"code_config": {"name": function_path(criterion.name)}, "description": CATALOGUE[criterion.name].why}


def decisions(items: list[Item]) -> list[str]:
    """What was decided for each case, in sentences for people."""
    found: list[str] = []
    for item in items:
        if item.case.rejected:
            found.append(f"{item.case.case_id}: rejected, it stands in no set")
        else:
            found += [f"{item.case.case_id}: {text}" for text in item.draft.decisions]
    return found
