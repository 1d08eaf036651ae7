"""From a checked plan to its sets: every case with what governs it, grouped so that ADK can judge all it is given."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

from adk_split_eval.build.declared import HalfCriteria, read_criteria
from adk_split_eval.build.fixed import JUDGED_MATCH, Draft, compile_fixed
from adk_split_eval.build.places import line_of_case, place, place_of_case
from adk_split_eval.build.sets import Item, assign_groups, compiled_sets, decisions, report_order
from adk_split_eval.build.simulated import compile_simulated, judged_defaults
from adk_split_eval.criteria.catalogue import CATALOGUE
from adk_split_eval.plan import LoadedPlan
from adk_split_eval.plan.models import FixedCase, FrozenCase, Plan, SimCase
from adk_split_eval.record import Case, CompiledPlan, Finding, Half

SECTION: dict[Half, str] = {"fixed": "fixed_set", "simulated": "sim_set"}
SIMULATOR_KEYS = ("type", "model", "model_configuration", "max_allowed_invocations")


def compile_plan(
    loaded: LoadedPlan, *, recorded: bool = False, goals_stated: Collection[str] = frozenset()
) -> CompiledPlan:
    """The sets and cases of a plan. Pure: nothing is read or written.

    Args:
        loaded: the checked plan.
        recorded: recorded conversations will be judged, so no model is asked to play the user.
        goals_stated: ids of cases whose recording says itself whether the goal was reached, so that the goal needs neither
            evidence nor a judge.

    An error finding without a ``case_id`` means that the plan as a whole must not be used; one with it rejects that case.
    """
    plan = loaded.plan
    root = loaded.path.parent
    policy = plan.policy
    result = CompiledPlan(
        plan.plan_id,
        str(root / plan.agent) if plan.agent else None,
        str(root),
        findings=list(loaded.findings),
        trials=plan.trials,
        votes=policy.votes,
        gate=policy.gate if isinstance(policy.gate, str) else policy.gate.model_dump(),
        models=plan.models.model_dump(exclude_none=True) if plan.models else {},
        simulator=simulator_config(plan),
        extra=_extra(plan, loaded.path),
    )
    halves: tuple[Half, ...] = ("fixed", "simulated")
    for half in halves:
        criteria = _read_criteria(loaded, half, result)
        _check_models(loaded, criteria, result, recorded=recorded)
        items = [
            _item(loaded, half, source, _draft(plan, criteria, source, source.case_id in goals_stated))
            for source in _sources(plan, half)
        ]
        assign_groups(plan, items)
        result.sets += compiled_sets(plan, half, items, loaded.path.name, result.simulator)
        result.decisions += decisions(items)
        result.cases += _in_order(loaded, half, items)
        _report_unused(loaded, criteria, items, result)
    return result


def _extra(plan: Plan, path: Path) -> dict[str, Any]:
    extra: dict[str, Any] = {"plan_path": str(path)}
    if plan.contrasts:
        extra["contrasts"] = [contrast.model_dump(by_alias=True, exclude_defaults=True) for contrast in plan.contrasts]
    if plan.policy.audit is not None:
        extra["audit"] = plan.policy.audit
    return extra


def simulator_config(plan: Plan) -> dict[str, Any]:
    """ADK's ``user_simulator_config`` for the plan's simulated half; empty when it has none."""
    if plan.sim_set is None:
        return {}
    given = plan.sim_set.simulator
    model = plan.models.simulator if plan.models else None
    config: dict[str, Any] = {"type": "llm_backed"}
    if model is not None:
        config["model"] = model
    config = {**config, "max_allowed_invocations": plan.sim_set.max_turns, **given}
    return {key: config[key] for key in [*SIMULATOR_KEYS, *config] if key in config}


def _sources(plan: Plan, half: Half) -> Sequence[FixedCase | SimCase]:
    if half == "fixed":
        return plan.fixed_set.cases if plan.fixed_set else ()
    return plan.sim_set.cases if plan.sim_set else ()


def _draft(plan: Plan, criteria: HalfCriteria, source: FixedCase | SimCase, goal_stated: bool) -> Draft:
    if isinstance(source, SimCase):
        return compile_simulated(plan, criteria, source, goal_stated=goal_stated)
    return compile_fixed(plan, criteria, source)


def _read_criteria(loaded: LoadedPlan, half: Half, result: CompiledPlan) -> HalfCriteria:
    def complain(code: str, criterion: str, message: str, mend: str) -> None:
        where = place(loaded, (SECTION[half], "criteria", criterion))
        result.findings.append(Finding(code, "error", message, **where, help=mend))

    return read_criteria(loaded.plan, half, complain)


def _check_models(loaded: LoadedPlan, criteria: HalfCriteria, result: CompiledPlan, *, recorded: bool) -> None:
    """No judge and no simulator may be ADK's default one without anybody having said so."""
    for name in criteria.thresholds:
        info = CATALOGUE.get(name)
        judged = info is not None and info.kind == "judged" and not info.google_cloud
        judged |= criteria.options[name].get("method") == JUDGED_MATCH
        if judged and criteria.judge_options(name) is None:
            where = place(loaded, (SECTION[criteria.half], "criteria", name))
            message = f"{name} needs a judge and the plan pins none; ADK would fall back to its default judge"
            result.findings.append(Finding("ASE401", "error", message, **where, help="pin models.judge"))
    sim_set = loaded.plan.sim_set
    if criteria.half == "fixed" or sim_set is None or not sim_set.cases:
        return
    where = place(loaded, ("sim_set",))
    if criteria.judge is None and not sim_set.criteria:
        message = f"the simulated defaults {' and '.join(judged_defaults())} need a judge and the plan pins none"
        mend = "pin models.judge, or list under sim_set.criteria what is wanted"
        result.findings.append(Finding("ASE401", "error", message, **where, help=mend))
    if "model" not in result.simulator and not recorded:
        message = "the plan pins no simulator model: its simulated cases can be scored from recordings, but not run"
        result.findings.append(Finding("ASE402", "warning", message, **where, help="pin models.simulator"))


def _item(loaded: LoadedPlan, half: Half, source: FixedCase | SimCase, draft: Draft) -> Item:
    draft.criteria.sort(key=report_order)
    case = Case(half, source.case_id, {}, draft.criteria, scene=source.scene)
    if not draft.criteria and not draft.problems:
        draft.problems.append(("ASE204", "error", "nothing judges this case", "expect something of it, or remove it"))
    if isinstance(source, SimCase):
        case.goal_required = source.goal_required
        case.max_turns = loaded.plan.sim_set.max_turns if loaded.plan.sim_set else None
    if isinstance(source, FrozenCase):
        case.provenance = _provenance(source)
    case.runner = _runner(source)
    where = place_of_case(loaded, source)
    for code, level, message, mend in draft.problems:
        severity = "error" if level == "error" else "warning"
        text = f"{source.case_id}: {message}"
        case.findings.append(Finding(code, severity, text, **where, help=mend, case_id=source.case_id))
    return Item(case, source, draft)


def _provenance(source: FrozenCase) -> dict[str, Any]:
    data = source.provenance.model_dump(exclude_none=True) if source.provenance else {}
    if source.pending:
        data["pending"] = source.pending.model_dump()
    if source.goal:
        data["goal"] = source.goal
    return data


def _runner(source: FixedCase | SimCase) -> dict[str, Any]:
    runner: dict[str, Any] = {}
    if source.interrupt:
        runner["interrupt"] = source.interrupt.model_dump(exclude_none=True)
    if isinstance(source, FixedCase) and source.expect_state is not None:
        runner["expect_state"] = source.expect_state
    if isinstance(source, FrozenCase) and source.replay_tools:
        runner["replay_tools"] = True
        runner["tool_results"] = [
            [result.model_dump(exclude_unset=True) for result in turn.tool_results or []] for turn in source.turns
        ]
    return runner


def _in_order(loaded: LoadedPlan, half: Half, items: list[Item]) -> list[Case]:
    """All cases of a half as they stand in the plan, rejected ones included."""
    placed = [(line_of_case(loaded, item.source), item.case) for item in items]
    for rejected in loaded.rejected:
        if rejected.set == half:
            line = min((finding.line for finding in rejected.findings), default=0)
            placed.append((line, Case(half, rejected.case_id, {}, findings=list(rejected.findings))))
    return [case for _, case in sorted(placed, key=lambda entry: entry[0])]


def _report_unused(loaded: LoadedPlan, criteria: HalfCriteria, items: list[Item], result: CompiledPlan) -> None:
    """What is declared and governs no case would be silently unjudged."""
    level = "error" if any(not item.case.rejected for item in items) else "warning"
    for name in [name for name in criteria.thresholds if name not in criteria.used]:
        where = place(loaded, (SECTION[criteria.half], "criteria", name))
        message = f"{name} is declared for the {criteria.half} set and never judged: {_why_unused(name)}"
        mend = "give a case what it needs, or remove it from criteria"
        result.findings.append(Finding("ASE203", level, message, **where, help=mend))
    if criteria.half == "simulated":
        for name in criteria.off & criteria.used:
            message = f"{name}: null switches it off, but a case asks for it, and the case wins"
            where = place(loaded, ("sim_set", "criteria", name))
            result.findings.append(Finding("ASE203", "warning", message, **where, help="remove one of the two"))


def _why_unused(name: str) -> str:
    info = CATALOGUE.get(name)
    if info is None:
        return "no case is left for it"
    if info.adk_rubric_type is not None:
        return "it has no rubrics"
    if info.plan_key is not None:
        return f"no case has {info.plan_key}"
    if info.reference_based:
        return "no case has references on every turn"
    return "no case is left for it"
