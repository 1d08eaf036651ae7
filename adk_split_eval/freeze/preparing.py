"""From an approved candidate to the frozen case: what a person left open, or copied from the failure, is refused here."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection
from typing import TYPE_CHECKING, Any

from adk_split_eval.freeze.naive import aligned, call_names, located, place_in, refuse_naive
from adk_split_eval.pool.candidate import HOLE, Candidate
from adk_split_eval.pool.draft import holes
from adk_split_eval.pool.emit import as_list, as_mapping, portable
from adk_split_eval.pool.reading import PoolError, refuse
from adk_split_eval.record import Finding
from adk_split_eval.record.text import visible_surrogates

if TYPE_CHECKING:
    from adk_split_eval.plan.models import FrozenCase, Plan

NO_DRAFT, HOLES, INVALID = "ASE955", "ASE956", "ASE958"
_KEY_ORDER = ("case_id", "scene", "goal", "turns", "match_type", "order_rules", "forbidden_tools", "grounded_numbers")
_BAD_ID = re.compile(r"[\s/\\,:\x00-\x1f]+")


def frozen_id(case_id: str, taken: Collection[str]) -> str:
    """``F-<case id>``, then ``F-<case id>-2`` and so on."""
    base = "F-" + (_BAD_ID.sub("_", visible_surrogates(case_id)).strip("_") or "case")
    name, number = base, 2
    while name in taken:
        name, number = f"{base}-{number}", number + 1
    return name


def prepare(candidate: Candidate, plan: Plan, *, replay_tools: bool = False) -> dict[str, Any]:
    """The frozen case in plan format, without provenance.

    Raises:
        PoolError: no draft, holes, a naive copy of the failure, or a draft that is no valid case.
    """
    path = str(candidate.path or "")
    if candidate.draft is None:
        because = candidate.no_draft_because or "the file holds none"
        raise refuse(NO_DRAFT, f"{candidate.id} has no draft: {because}", path=path)
    case = dict(candidate.draft)
    if open_places := holes(case):
        raise located(
            candidate,
            HOLES,
            f"{candidate.id} still has holes: {', '.join(open_places)}",
            "write what the agent should have done there ([] when it should call nothing), or remove `expect_tools` from"
            " every turn",
            _path_of(open_places[0]),
        )
    refuse_naive(candidate, case)
    _add_process(case, candidate, plan)
    if replay_tools:
        case["replay_tools"] = True
    if case.get("replay_tools"):
        _pin_tool_results(case, candidate)
        _require_results(case, candidate)
    case["case_id"] = frozen_id(candidate.case_id, taken_ids(plan))
    for key in ("scene", "goal"):
        if isinstance(case.get(key), str):
            case[key] = visible_surrogates(case[key])
    validated(case, candidate)
    ordered = {key: case[key] for key in _KEY_ORDER if key in case and case[key] not in ("", None)}
    return ordered | {key: value for key, value in case.items() if key not in _KEY_ORDER}


def taken_ids(plan: Plan) -> set[str]:
    """Every case id of the plan, frozen ones included."""
    fixed = plan.fixed_set.cases if plan.fixed_set else []
    simulated = plan.sim_set.cases if plan.sim_set else []
    return {case.case_id for case in [*fixed, *simulated]}


def validated(case: dict[str, Any], candidate: Candidate) -> FrozenCase:
    """The case as the plan's own model. Raises PoolError, with the place in the candidate."""
    from pydantic import ValidationError

    if not portable(case):
        bad = [key for key, value in case.items() if not portable(value)]
        message = (
            f"the draft holds what a plan cannot carry (invalid Unicode, no finite number, too deep): {', '.join(bad)}"
        )
        raise refuse(INVALID, message, path=str(candidate.path or ""), help="write a matcher, or leave it out")

    from adk_split_eval.plan.models import FrozenCase

    try:
        return FrozenCase.model_validate(case)
    except ValidationError as error:
        findings = [_finding(candidate, detail) for detail in error.errors()[:10]]
        raise PoolError(*findings) from error


def _finding(candidate: Candidate, detail: Any) -> Finding:
    steps: tuple[str | int, ...] = tuple(detail["loc"])
    line, column = place_in(candidate, ("draft", *steps))
    where = ".".join(str(step) for step in steps)
    mend = str(as_mapping(detail.get("ctx")).get("help") or "mend the draft in the candidate's file")
    message = f"the draft is no valid case: {where}: {detail['msg']}" if where else f"the draft: {detail['msg']}"
    return Finding(INVALID, "error", message, str(candidate.path or ""), line, column, help=mend)


def _path_of(place: str) -> tuple[str | int, ...]:
    return tuple(int(p) if p.isdigit() else p for p in re.findall(r"[^.\[\]]+", place))


def _add_process(case: dict[str, Any], candidate: Candidate, plan: Plan) -> None:
    """The simulated case's own process rules go along; the plan's govern every case anyway."""
    if "process" in case or plan.sim_set is None:
        return
    source = next((c for c in plan.sim_set.cases if c.case_id == candidate.case_id), None)
    if source is not None and source.process:
        case["process"] = source.process.model_dump(by_alias=True, exclude_defaults=True)


def _pin_tool_results(case: dict[str, Any], candidate: Candidate) -> None:
    """Give each turn the recorded results of its calls, for our runner to replay; those written by hand come after them."""
    turns: list[dict[str, Any]] = []
    origins = aligned(candidate, case)
    for number, turn in enumerate(as_mapping(t) for t in as_list(case.get("turns"))):
        origin = origins[number]
        source = candidate.transcript[origin] if origin is not None else None
        calls = (as_mapping(c) for c in as_list(source.get("tool_calls"))) if source else ()
        results = [_result(call) for call in calls if call.get("name") != "transfer_to_agent"]
        by_hand = [r for r in as_list(turn.get("tool_results")) if r not in results]
        turns.append(turn | {"tool_results": [*results, *by_hand]})
    case["turns"] = turns


def _require_results(case: dict[str, Any], candidate: Candidate) -> None:
    """A call that the mended agent is expected to make needs a result too, or the case could never be green."""
    turns = [as_mapping(turn) for turn in as_list(case.get("turns"))]
    recorded = Counter(str(as_mapping(r).get("name")) for turn in turns for r in as_list(turn.get("tool_results")))
    for number, turn in enumerate(turns):
        for name in call_names(as_list(turn.get("expect_tools"))):
            recorded[name] -= 1
            if recorded[name] < 0 and name != "transfer_to_agent":
                message = f"turn {number + 1} expects {name}, and the recording has no (further) result of it to replay"
                mend = (
                    f"add one to the turn: tool_results: [{{name: {name}, args: ..., response: ...}}], or do not replay"
                )
                raise located(candidate, INVALID, message, mend, ("turns", number))


def _result(call: dict[str, Any]) -> dict[str, Any]:
    kept = {key: call[key] for key in ("name", "args", "response", "state") if key in call}
    return kept if kept.get("args") else {key: value for key, value in kept.items() if key != "args"}


def refuse_unknown_tools(candidate: Candidate, case: dict[str, Any], tools: Collection[str] | None) -> None:
    """Refuse an expected call that the agent has no tool for, or with a hole in its arguments: never green. PoolError."""
    for number, turn in enumerate(as_mapping(t) for t in as_list(case.get("turns"))):
        steps = as_list(turn.get("expect_tools"))
        unknown = [n for n in call_names(steps) if tools is not None and n not in tools and n != "transfer_to_agent"]
        if unknown:
            message = f"turn {number + 1} expects {unknown[0]}, and the agent has no such tool: it could never be green"
            mend = f"the agent's tools: {', '.join(sorted(tools or ()))}"
            raise located(candidate, INVALID, message, mend, ("turns", number, "expect_tools"))
        if _open_argument(steps):
            message = f"turn {number + 1}: an expected argument is still {HOLE}"
            mend = "write the value, a matcher such as {any: true}, or leave the argument out"
            raise located(candidate, HOLES, message, mend, ("turns", number, "expect_tools"))


def _open_argument(value: Any) -> bool:
    if isinstance(value, list):
        return any(_open_argument(entry) for entry in as_list(value))
    if isinstance(value, dict):
        return any(_open_argument(entry) for entry in as_mapping(value).values())
    return value == HOLE
