"""From an approved candidate to the frozen case: what a person left open, or copied from the failure, is refused here."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Collection
from typing import TYPE_CHECKING, Any

from adk_split_eval.pool.candidate import Candidate
from adk_split_eval.pool.collect import ABOUT_CALLS, keeps_criterion
from adk_split_eval.pool.draft import holes
from adk_split_eval.pool.emit import as_list, as_mapping, portable
from adk_split_eval.pool.reading import PoolError, place_of, read_text, refuse
from adk_split_eval.record import Finding
from adk_split_eval.record.text import visible_surrogates

if TYPE_CHECKING:
    from adk_split_eval.plan.models import FrozenCase, Plan

NO_DRAFT, HOLES, NAIVE, INVALID = "ASE955", "ASE956", "ASE957", "ASE958"
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
        raise _at(
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
    line, column = _place(candidate, ("draft", *steps))
    where = ".".join(str(step) for step in steps)
    mend = str(as_mapping(detail.get("ctx")).get("help") or "mend the draft in the candidate's file")
    message = f"the draft is no valid case: {where}: {detail['msg']}" if where else f"the draft: {detail['msg']}"
    return Finding(INVALID, "error", message, str(candidate.path or ""), line, column, help=mend)


def _place(candidate: Candidate, steps: tuple[str | int, ...]) -> tuple[int, int]:
    return place_of(read_text(candidate.path), steps) if candidate.path and candidate.path.is_file() else (0, 0)


def _path_of(place: str) -> tuple[str | int, ...]:
    return tuple(int(p) if p.isdigit() else p for p in re.findall(r"[^.\[\]]+", place))


def _at(candidate: Candidate, code: str, message: str, mend: str, steps: tuple[str | int, ...]) -> PoolError:
    line, column = _place(candidate, ("draft", *steps))
    return refuse(code, message, path=str(candidate.path or ""), help=mend, line=line, column=column)


def refuse_naive(candidate: Candidate, case: dict[str, Any]) -> None:
    """Refuse a case that takes the failing answer, or the failing calls, for what is right. Raises PoolError."""
    hit = candidate.hit
    if hit.turn is None or hit.kind == "recorded" or not 1 <= hit.turn <= len(candidate.transcript):
        return
    failing = candidate.transcript[hit.turn - 1]
    turns = [as_mapping(turn) for turn in as_list(case.get("turns"))]
    number = next((n for n, turn in enumerate(turns) if turn.get("user") == failing.get("user")), None)
    if number is None:
        return
    for later in range(number, len(turns)):
        _refuse_failing_words(candidate, turns[later], later)
    _refuse_failing_calls(candidate, turns[number], failing, number)
    kept = keeps_criterion(hit.criterion, case)
    if not kept and keeps_criterion(hit.criterion, as_mapping(candidate.provenance.get("carries"))):
        raise _at(
            candidate,
            NAIVE,
            f"{hit.criterion} hit, and the draft no longer carries it: the case would pass with the bug still there",
            "put back the key that switches it on",
            (),
        )


def _refuse_failing_words(candidate: Candidate, turn: dict[str, Any], number: int) -> None:
    recorded = next((t for t in candidate.transcript if t.get("user") == turn.get("user")), None)
    said = _folded(str(recorded.get("response") or "")) if recorded else ""
    sentence = _folded(candidate.hit.sentence or "")
    reference = _folded(str(turn.get("expect_response") or ""))
    mend = "write what the agent should have said, or leave the reference out and keep the counter-example"
    if reference and (reference == said or (sentence and sentence in reference)):
        message = (
            f"turn {number + 1}: expect_response is the answer of the conversation that failed: it would guard the bug"
        )
        raise _at(candidate, NAIVE, message, mend, ("turns", number, "expect_response"))
    for text in as_list(as_mapping(turn.get("response")).get("contains")):
        wanted = _folded(str(text))
        if wanted and sentence and (sentence in wanted or wanted == sentence):
            message = f"turn {number + 1}: response.contains asks for the very sentence that failed"
            raise _at(candidate, NAIVE, message, mend, ("turns", number, "response"))


def _refuse_failing_calls(candidate: Candidate, turn: dict[str, Any], failing: dict[str, Any], number: int) -> None:
    """Only where the fault is in the calls: an agent that says something wrong may well have called the right tools."""
    expected = turn.get("expect_tools")
    if candidate.hit.criterion not in ABOUT_CALLS or not isinstance(expected, list):
        return
    observed = [str(as_mapping(call).get("name")) for call in as_list(failing.get("tool_calls"))]
    if call_names(as_list(expected)) == observed:
        message = f"turn {number + 1}: expect_tools are the calls of the turn that failed: it would guard the bug"
        mend = f"write the calls the agent should have made ({candidate.hit.criterion} says what was wrong)"
        raise _at(candidate, NAIVE, message, mend, ("turns", number, "expect_tools"))


def call_names(steps: list[Any]) -> list[str]:
    """The tool names of expected steps, parallel ones in the order written."""
    names: list[str] = []
    for step in steps:
        if isinstance(step, list):
            names += call_names(as_list(step))
        else:
            names.append(str(as_mapping(step).get("name")) if isinstance(step, dict) else str(step))
    return names


def _folded(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def _add_process(case: dict[str, Any], candidate: Candidate, plan: Plan) -> None:
    """The simulated case's own process rules go along; the plan's govern every case anyway."""
    if "process" in case or plan.sim_set is None:
        return
    source = next((c for c in plan.sim_set.cases if c.case_id == candidate.case_id), None)
    if source is not None and source.process:
        case["process"] = source.process.model_dump(by_alias=True, exclude_defaults=True)


def _pin_tool_results(case: dict[str, Any], candidate: Candidate) -> None:
    """Give each turn the recorded results of its calls, for our runner to replay; those written by hand come after them."""
    recorded = iter(candidate.transcript)
    turns: list[dict[str, Any]] = []
    for turn in (as_mapping(t) for t in as_list(case.get("turns"))):
        source = next((t for t in recorded if t.get("user") == turn.get("user")), None)
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
                raise _at(candidate, INVALID, message, mend, ("turns", number))


def _result(call: dict[str, Any]) -> dict[str, Any]:
    kept = {key: call[key] for key in ("name", "args", "response", "state") if key in call}
    return kept if kept.get("args") else {key: value for key, value in kept.items() if key != "args"}
