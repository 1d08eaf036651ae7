"""One fixed case: the criteria its own keys switch on, and what ADK's own criteria can compare in it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from adk_split_eval.build import evalcase, tools
from adk_split_eval.build.declared import DEFAULT_ROUGE, HalfCriteria
from adk_split_eval.build.process import add_process
from adk_split_eval.build.rubrics import turn_rubrics
from adk_split_eval.plan.models import FixedCase, FixedTurn, ForbiddenTool, GroundedNumbers, Plan
from adk_split_eval.record import Criterion

TRAJECTORY = "tool_trajectory_avg_score"
ROUGE = "response_match_score"
JUDGED_MATCH = "final_response_match_v2"
_TRAIT_OF_MATCH = {"EXACT": "exact", "IN_ORDER": "in_order", "ANY_ORDER": "any_order"}


@dataclass(slots=True)
class Draft:
    """A case on its way: criteria so far, what sets its group apart, what was decided, what is wrong with it.

    Attributes:
        problems: (code, level, message, mend) of findings about this case.
    """

    criteria: list[Criterion] = field(default_factory=list[Criterion])
    traits: set[str] = field(default_factory=set[str])
    decisions: list[str] = field(default_factory=list[str])
    problems: list[tuple[str, str, str, str]] = field(default_factory=list[tuple[str, str, str, str]])


def compile_fixed(plan: Plan, half: HalfCriteria, case: FixedCase) -> Draft:
    """The criteria of one fixed case."""
    draft = Draft()
    _expected_tools(half, case, draft)
    _references(half, case, draft)
    if case.order_rules:
        draft.criteria.append(half.ours("tool_order_v1", {"rules": [tools.rule_params(r) for r in case.order_rules]}))
    if any(turn.response for turn in case.turns):
        draft.criteria.append(half.ours("response_text_v1", {"turns": [_text_params(turn) for turn in case.turns]}))
    if any(turn.expect_intermediate_responses for turn in case.turns):
        params = {"turns": [_intermediate_params(turn) for turn in case.turns]}
        draft.criteria.append(half.ours("intermediate_responses_v1", params))
    if case.expect_state is not None:
        draft.criteria.append(half.ours("final_state_v1", {"expect": case.expect_state}))
        draft.decisions.append("the end state is checked by our runner only: plain adk eval does not see it")
    add_invariants(
        half, case.forbidden_tools, case.grounded_numbers, draft, default_on=half.declares("grounded_numbers_v1")
    )
    draft.criteria += half.general() + half.team()
    add_process(plan, half, case, draft)
    return draft


def add_invariants(
    half: HalfCriteria,
    forbidden: list[ForbiddenTool],
    grounded: bool | GroundedNumbers | None,
    draft: Draft,
    *,
    default_on: bool,
) -> None:
    """Forbidden tools and grounded numbers, which both halves may judge."""
    banned = [tools.forbidden_params(tool) for tool in forbidden]
    if banned:
        draft.criteria.append(half.ours("forbidden_tools_v1", {"forbidden": banned}))
    if default_on if grounded is None else (grounded.enabled if isinstance(grounded, GroundedNumbers) else grounded):
        draft.criteria.append(half.ours("grounded_numbers_v1", _grounded_params(half, grounded)))


def _grounded_params(half: HalfCriteria, grounded: bool | GroundedNumbers | None) -> dict[str, Any]:
    set_wide = half.options.get("grounded_numbers_v1", {})
    own = grounded if isinstance(grounded, GroundedNumbers) else GroundedNumbers()
    sources = own.sources if "sources" in own.model_fields_set else set_wide.get("sources", own.sources)
    params: dict[str, Any] = {
        "enabled": True,
        "sources": list(sources),
        "ignore": [*set_wide.get("ignore", []), *own.ignore],
    }
    for name in ("rounding", "tolerance", "derived"):
        value = getattr(own, name) if name in own.model_fields_set else set_wide.get(name, getattr(own, name))
        if value:
            params[name] = value
    return params


def _expected_tools(half: HalfCriteria, case: FixedCase, draft: Draft) -> None:
    if not case.annotated:
        draft.traits.add("no_tools")
        return
    declared = half.options.get(TRAJECTORY, {})
    default_match = str(declared.get("match_type", "EXACT")).upper()
    match_type = case.match_type or default_match
    half.used.add(TRAJECTORY)
    turns = [{"expect": [tools.step_params(step) for step in turn.expect_tools or []]} for turn in case.turns]
    params = {"match_type": match_type, "turns": turns}
    draft.criteria.append(half.ours("tool_args_v1", params, default=half.thresholds.get(TRAJECTORY, 1.0)))
    lenient = match_type != "EXACT"
    if tools.has_parallel(case.turns):
        draft.traits.add("parallel")
        draft.decisions.append(
            f"{TRAJECTORY} is left out: the order of parallel calls means nothing and ADK cannot say so; "
            "tool_args_v1 compares them as a set"
        )
    elif lenient and not any(turn.expect_tools for turn in case.turns):
        draft.traits.add("calls_nothing")
        draft.decisions.append(
            f"{TRAJECTORY} is left out: no call is expected, and under {match_type} it could not fail; "
            "tool_args_v1 sees to it that nothing is called"
        )
    else:
        _trajectory(half, case, draft, match_type, default_match)


def _trajectory(half: HalfCriteria, case: FixedCase, draft: Draft, match_type: str, default_match: str) -> None:
    wants_args = half.options.get(TRAJECTORY, {}).get("ignore_args") is False
    exact = wants_args and tools.exact_for_adk(list(case.turns))
    if wants_args and not exact:
        draft.traits.add("names_only")
        draft.decisions.append(
            f"{TRAJECTORY} compares names only here, though ignore_args is false: not every call states all its arguments "
            "literally (args_exact: true); tool_args_v1 compares the arguments given"
        )
    if match_type != default_match:
        draft.traits.add(_TRAIT_OF_MATCH.get(match_type, match_type.lower()))
    draft.criteria.append(half.adk(TRAJECTORY, match_type=match_type, ignore_args=not exact))
    if match_type != "EXACT" and any(turn.expect_tools == [] for turn in case.turns):
        draft.decisions.append(
            f"a turn that expects no call cannot fail ADK's {TRAJECTORY} under {match_type}; tool_args_v1 guards it"
        )


def _references(half: HalfCriteria, case: FixedCase, draft: Draft) -> None:
    given = [turn.expect_response for turn in case.turns]
    if not any(given):
        return
    complete = all(given)
    declared = [name for name in (ROUGE, JUDGED_MATCH) if half.declares(name)]
    if complete:
        extra = ["response_evaluation_score"] if half.declares("response_evaluation_score") else []
        draft.criteria += [half.adk(name) for name in declared + extra]
        if declared or extra:
            draft.traits.add("references")
    elif len(declared) > 1:
        draft.problems.append(
            (
                "ASE205",
                "error",
                f"references stand on some turns only, and both {ROUGE} and {JUDGED_MATCH} are declared: "
                "only one of them could be applied to single turns",
                "give every turn its expect_response, or declare one of the two",
            )
        )
        return
    if not complete or not declared or half.declares("expected_response_v1"):
        _partial(half, declared, given, draft)


def _partial(half: HalfCriteria, declared: list[str], given: list[str | None], draft: Draft) -> None:
    own = dict(half.options.get("expected_response_v1", {}))
    method = str(own.pop("method", declared[0] if declared else ROUGE))
    options: dict[str, Any] = {**half.options.get(method, {}), **own}
    default = half.thresholds.get(method, DEFAULT_ROUGE)
    if method == JUDGED_MATCH:
        judge = half.judge_options(method) or {}
        options["judge_model_options"] = {**judge, **own.get("judge_model_options", {})}
    turns = [{"text": text} if text else None for text in given]
    half.used.add(method)
    criterion = half.ours(
        "expected_response_v1", {"method": method, "options": options, "turns": turns}, default=default
    )
    if method == JUDGED_MATCH:
        criterion.kind = "judged"
    draft.criteria.append(criterion)
    where = "every turn, though no response criterion is declared" if all(given) else "some turns only"
    draft.decisions.append(
        f"references stand on {where}: expected_response_v1 applies {method} to just those turns "
        f"(threshold {criterion.threshold:g})"
    )


def _text_params(turn: FixedTurn) -> dict[str, Any] | None:
    if turn.response is None:
        return None
    return {
        "contains": list(turn.response.contains),
        "excludes": list(turn.response.excludes),
        "matches": turn.response.matches,
    }


def _intermediate_params(turn: FixedTurn) -> dict[str, Any] | None:
    if not turn.expect_intermediate_responses:
        return None
    return {"expect": [r.model_dump(exclude_none=True) for r in turn.expect_intermediate_responses]}


def conversation(case: FixedCase, criteria: list[Criterion]) -> list[dict[str, Any]]:
    """ADK's invocations of the case, with the turn-level parameters of our metrics as rubrics."""
    criteria = [criterion for criterion in criteria if not criterion.runner_only]
    turns: list[dict[str, Any]] = []
    for number, turn in enumerate(case.turns):
        intermediate = [
            (response.author, text)
            for response in turn.expect_intermediate_responses or []
            if response.author is not None and (text := tools.literal_text(response.text)) is not None
        ]
        turns.append(
            evalcase.invocation(
                turn.user,
                reference=turn.expect_response,
                tool_uses=tools.tool_uses(turn),
                intermediate=intermediate,
                rubrics=turn_rubrics(criteria, number),
            )
        )
    return turns
