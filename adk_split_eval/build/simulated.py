"""One simulated case: its scenario, the user's goal, and the criteria that need no script."""

from __future__ import annotations

from typing import Any

from adk_split_eval.build.declared import JUDGED_GOAL, HalfCriteria
from adk_split_eval.build.fixed import Draft, add_invariants
from adk_split_eval.build.personas import persona_json
from adk_split_eval.build.process import add_process
from adk_split_eval.build.rubrics import rubric
from adk_split_eval.build.tools import evidence_params
from adk_split_eval.criteria.catalogue import CATALOGUE, simulated_defaults
from adk_split_eval.plan.models import Plan, SimCase
from adk_split_eval.record import Criterion

GOAL = "goal_reached_v1"


def compile_simulated(plan: Plan, half: HalfCriteria, case: SimCase, *, goal_stated: bool) -> Draft:
    """The criteria of one simulated case. ``goal_stated``: a recording says whether its goal was reached."""
    draft = Draft()
    _goal(half, case, draft, goal_stated=goal_stated)
    default_on = "grounded_numbers_v1" not in half.off
    add_invariants(half, case.forbidden_tools, case.grounded_numbers, draft, default_on=default_on)
    goal_judged = any(criterion.name == JUDGED_GOAL for criterion in draft.criteria)
    draft.criteria += [criterion for criterion in half.general() if not (goal_judged and criterion.name == JUDGED_GOAL)]
    draft.criteria += _judged_defaults(half) + half.team()
    add_process(plan, half, case, draft)
    return draft


def judged_defaults() -> tuple[str, ...]:
    """The simulated defaults that need a judge."""
    return tuple(name for name in simulated_defaults() if CATALOGUE[name].kind == "judged")


def _judged_defaults(half: HalfCriteria) -> list[Criterion]:
    if half.judge is None:
        return []
    return [half.adk(name) for name in judged_defaults() if name not in half.off and not half.declares(name)]


def _goal(half: HalfCriteria, case: SimCase, draft: Draft, *, goal_stated: bool) -> None:
    if case.goal_evidence or goal_stated:
        _goal_by_evidence(half, case, draft)
    elif not {GOAL, JUDGED_GOAL} & half.off:
        _goal_by_judge(half, case, draft)
    else:
        draft.decisions.append("its goal has no evidence and its judging is switched off: the goal is not judged")


def _goal_by_evidence(half: HalfCriteria, case: SimCase, draft: Draft) -> None:
    evidence = [evidence_params(piece) for piece in case.goal_evidence]
    criterion = half.ours(GOAL, {"goal": case.goal, "evidence": evidence, "required": case.goal_required})
    if not case.goal_required:
        criterion.runner_only = True
        draft.decisions.append("its goal is judged but missing it is no hit, so plain adk eval does not get it")
    elif any("state" in piece for piece in evidence):
        criterion.runner_only = all("state" in piece for piece in evidence)
        draft.decisions.append(
            "evidence in the session state is checked by our runner only: plain adk eval does not see it"
        )
    draft.criteria.append(criterion)


def _goal_by_judge(half: HalfCriteria, case: SimCase, draft: Draft) -> None:
    half.used.add(GOAL)
    if half.judge_options(JUDGED_GOAL) is None:
        draft.problems.append(
            (
                "ASE035",
                "error" if case.goal_required else "warning",
                "its goal names no evidence and the plan no judge: nobody could say whether it was reached",
                "write goal_evidence, or pin models.judge",
            )
        )
        return
    shared = bool(half.options.get(JUDGED_GOAL, {}).get("rubrics"))
    if case.goal_required:
        criterion = half.adk(JUDGED_GOAL)
        if not shared:
            draft.traits.add("judged_goal")
        draft.decisions.append(f"its goal names no evidence: {JUDGED_GOAL} judges it")
    elif shared:
        draft.decisions.append(
            "its goal is not judged: it need not be reached, and the judge has rubrics of the set already"
        )
        return
    else:
        criterion = half.adk(JUDGED_GOAL, rubrics=[goal_rubric(case.goal)])
        criterion.runner_only = True
        draft.decisions.append(
            f"its goal names no evidence: {JUDGED_GOAL} judges it under our runner only, because missing it is no hit"
        )
    criterion.params = {"rubric": goal_rubric(case.goal)}
    if not shared:
        # With rubrics of the set beside it, a failure need not mean the goal: it then counts as any judged criterion.
        criterion.params |= {"goal": case.goal, "required": case.goal_required}
    draft.criteria.append(criterion)


def goal_rubric(goal: str) -> dict[str, Any]:
    """The goal as a rubric of ADK's; on one line, because ADK loses verdicts on rubrics of several lines."""
    text = "By the end of the conversation the user has what they wanted: " + " ".join(goal.split())
    return rubric("goal_reached", text, "TRAJECTORY_QUALITY")


def generated(criteria: list[Criterion]) -> list[Criterion]:
    """What plain ADK is given: without what only our runner can judge, evidence in the state left out."""
    kept: list[Criterion] = []
    for criterion in criteria:
        if criterion.runner_only:
            continue
        if criterion.name == GOAL:
            evidence = [piece for piece in criterion.params["evidence"] if "state" not in piece]
            params = {**criterion.params, "evidence": evidence}
            criterion = Criterion(
                GOAL, criterion.kind, criterion.source, criterion.threshold, criterion.options, params
            )
        kept.append(criterion)
    return [criterion for criterion in kept if criterion.name != GOAL or criterion.params["evidence"]]


def scenario(plan: Plan, case: SimCase) -> dict[str, Any]:
    """ADK's ConversationScenario, the persona written out in full."""
    data: dict[str, Any] = {
        "starting_prompt": case.starting_prompt,
        "conversation_plan": case.conversation_plan or derived_plan(case.goal),
    }
    persona = persona_json(plan, case)
    return data if persona is None else {**data, "user_persona": persona}


def derived_plan(goal: str) -> str:
    """What the simulated user is told to pursue when a case states only its goal."""
    # With a persona, ADK's prompt says nothing of how to stop; so the plan says it.
    return (
        f"What you want in the end: {goal}\n"
        "Pursue it in your own words, one message at a time, and answer what the agent needs to know.\n"
        "As soon as you have what you want, or the agent has made clear that you will not get it, the conversation is over: "
        "answer with </finished> and nothing else. Do not start a new topic."
    )
