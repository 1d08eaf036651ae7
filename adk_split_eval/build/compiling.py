"""From a checked plan to its sets: every case with what governs it, grouped so that ADK can judge all it is given."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

from adk_split_eval.build.declared import HalfCriteria, read_criteria
from adk_split_eval.build.fixed import Draft, compile_fixed
from adk_split_eval.build.process import contrasts_json
from adk_split_eval.build.sets import Item, assign_groups, compiled_sets, decisions, report_order
from adk_split_eval.build.simulated import compile_simulated
from adk_split_eval.criteria.catalogue import CATALOGUE
from adk_split_eval.plan import LoadedPlan
from adk_split_eval.plan.models import FixedCase, FrozenCase, Plan, SimCase
from adk_split_eval.record import Case, CompiledPlan, Half

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
    root = loaded.root
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
    if not recorded:
        _check_simulator(loaded, result)
    halves: tuple[Half, ...] = ("fixed", "simulated")
    for half in halves:
        criteria = read_criteria(plan, half)
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
        extra["contrasts"] = contrasts_json(plan)
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


def _check_simulator(loaded: LoadedPlan, result: CompiledPlan) -> None:
    sim_set = loaded.plan.sim_set
    if sim_set and sim_set.cases and "model" not in result.simulator:
        message = "the plan pins no simulator model: its simulated cases can be scored from recordings, but not run"
        found = loaded.place(None, "sim_set", key=True).finding(
            "ASE402", message, "pin models.simulator", level="warning"
        )
        result.findings.append(found)


def _item(loaded: LoadedPlan, half: Half, source: FixedCase | SimCase, draft: Draft) -> Item:
    draft.criteria.sort(key=report_order)
    case = Case(half, source.case_id, {}, draft.criteria, scene=source.scene)
    if not draft.criteria and not draft.problems:
        draft.problems.append(("ASE038", "error", "nothing judges this case", "expect something of it, or remove it"))
    if isinstance(source, SimCase):
        case.goal_required = source.goal_required
        case.max_turns = loaded.plan.sim_set.max_turns if loaded.plan.sim_set else None
    if isinstance(source, FrozenCase):
        case.provenance = _provenance(source)
    case.runner = _runner(source)
    place = loaded.place(source)
    for code, level, message, mend in draft.problems:
        text = f"{source.case_id}: {message}"
        severity = "error" if level == "error" else "warning"
        case.findings.append(place.finding(code, text, mend, level=severity, case_id=source.case_id))
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
    """All cases of a half as they are written, rejected ones included; frozen ones, from their own file, last."""
    main = str(loaded.path)
    placed: list[tuple[tuple[bool, int], Case]] = []
    for item in items:
        place = loaded.place(item.source)
        placed.append(((place.path != main, place.line), item.case))
    for rejected in loaded.rejected:
        if rejected.set == half:
            first = min(rejected.findings, key=lambda finding: finding.line)
            placed.append(
                ((first.path != main, first.line), Case(half, rejected.case_id, {}, findings=rejected.findings))
            )
    return [case for _, case in sorted(placed, key=lambda entry: entry[0])]


def _report_unused(loaded: LoadedPlan, criteria: HalfCriteria, items: list[Item], result: CompiledPlan) -> None:
    """What is declared and governs no case would be silently unjudged."""
    level = "error" if any(not item.case.rejected for item in items) else "warning"
    section = SECTION[criteria.half]
    for name in [name for name in criteria.thresholds if name not in criteria.used]:
        message = f"{name} is declared for the {criteria.half} set and never judged: {_why_unused(name)}"
        mend = "give a case what it needs, or remove it from criteria"
        place = loaded.place(None, section, "criteria", name, key=True)
        result.findings.append(place.finding("ASE203", message, mend, level=level))
    for name in sorted(criteria.off):
        if name in criteria.used:
            message = f"{name}: null switches it off, but a case asks for it, and the case wins"
            place = loaded.place(None, section, "criteria", name, key=True)
            result.findings.append(place.finding("ASE203", message, "remove one of the two", level="warning"))
        else:
            result.decisions.append(f"{name} is switched off for the {criteria.half} set, as the plan says")


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
