"""The criteria and the simulator of a plan as the configs they become, so that rules about configs read plans as well.

A rule asks for it with ``in_plans``. Only what a plan leaves to ADK's own criteria is shown: its names, thresholds, options, and
custom metrics are the plan room's matter. Places lead back to the line of the plan that decides: an option, or the judge and the
votes of the whole plan.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from adk_split_eval.criteria.knowledge import Knowledge
from adk_split_eval.lint.config_view import config_of
from adk_split_eval.lint.json_source import Path
from adk_split_eval.lint.pairing import Pair
from adk_split_eval.lint.plan_view import PlanView
from adk_split_eval.lint.project import Project
from adk_split_eval.lint.rule import Checker, Report, Rule
from adk_split_eval.lint.shapes import Json, as_object
from adk_split_eval.lint.views import EvalSet, survey

_PROBE = ("hallucinations_v1", "per_turn_user_simulator_quality_v1")
_SECTIONS = ("fixed_set", "sim_set")


def plan_reports(rule: Rule, check: Checker, plan: PlanView, project: Project) -> Iterator[Report]:
    """What a rule about configs says of a plan, at the plan's own places."""
    if plan.has_errors:
        return
    for section in _SECTIONS:
        pair = _pair(plan, section, project.knowledge)
        if pair is None:
            continue
        pair.credentials = project.credentials(plan.document.folder)
        shown = replace(project, documents=[], sets=[pair.set], stand_ins=[], configs=[pair.config], pairs=[pair])
        target = {"config": pair.config, "pair": pair}.get(rule.scope, shown)
        told: set[Path] = set()
        for report in check(target):
            place = _place(report.path, section, plan.data)
            if place not in told:  # one judge for all criteria is one fault
                told.add(place)
                yield replace(report, path=place, fix=None, related=[])


def _pair(plan: PlanView, section: str, knowledge: Knowledge) -> Pair | None:
    cases = [
        (where, case) for document, where, case in plan.cases() if document is plan.document and where[0] == section
    ]
    declared = plan.criteria(section)
    if not cases and not declared:
        return None
    models = as_object(plan.data.get("models"))
    judge = models.get("judge")
    custom = as_object(plan.data.get("custom_metrics"))
    criteria: Json = {k: v for k, v in declared.items() if k not in custom and v is not None}
    raw: Json = {"criteria": criteria}
    if section == "sim_set":
        criteria |= {name: {} for name in _PROBE if judge and name not in declared}
        raw["user_simulator_config"] = {**as_object(as_object(plan.data.get(section)).get("simulator"))}
        if isinstance(models.get("simulator"), str):
            raw["user_simulator_config"].setdefault("model", models["simulator"])
    votes = as_object(plan.data.get("policy")).get("votes")
    raw["criteria"] = {name: _judged(value, judge, votes) for name, value in criteria.items()}
    config = config_of(plan.document, raw, knowledge)
    simulated = [(index, _scenario(case)) for index, (_, case) in enumerate(cases)] if section == "sim_set" else []
    return Pair(EvalSet(plan.document, {}, simulated, [], survey(simulated)), config, "beside", knowledge)


def _judged(value: object, judge: object, votes: object) -> Json:
    """A criterion with the judge and the votes that the plan gives to all."""
    options = dict(as_object(value)) if isinstance(value, dict) else {"threshold": value}
    stated = as_object(options.get("judge_model_options"))
    whole = {"judge_model": judge, "num_samples": votes}
    options["judge_model_options"] = {**{k: v for k, v in whole.items() if v is not None}, **stated}
    return options


def _scenario(case: Json) -> Json:
    return {"eval_id": case.get("case_id"), "conversation_scenario": {"user_persona": case.get("persona")}}


def _place(path: Path, section: str, data: Json) -> Path:
    """The place in the plan: of the option itself, else of what stands for it."""
    if path[:1] == ("user_simulator_config",):
        own: Path = ("sim_set", "simulator", *path[1:])
        return own if _stands(own, data) or path[1:] != ("model",) else ("models", "simulator")
    own = (section, *path)
    if _stands(own, data):
        return own
    for option, whole in (("judge_model", ("models", "judge")), ("num_samples", ("policy", "votes"))):
        if path[-1:] == (option,):
            return whole
    while own and not _stands(own, data):
        own = own[:-1]
    return own


def _stands(path: Path, data: object) -> bool:
    here = data
    for key in path:
        if isinstance(here, dict) and key in here:
            here = as_object(here)[str(key)]
        elif isinstance(here, list) and isinstance(key, int) and key < len(here):  # pyright: ignore[reportUnknownArgumentType]
            here = here[key]  # pyright: ignore[reportUnknownVariableType]
        else:
            return False
    return True
