"""Frozen cases over time: a legitimate change of behaviour is taken over with a reason, what guards nothing is listed."""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from adk_split_eval.freeze.frozen_file import frozen_path, hash_of, read_cases, replace_case
from adk_split_eval.freeze.preparing import call_names
from adk_split_eval.freeze.procedure import rebuild
from adk_split_eval.freeze.proving import NoAgentError, Runner, compile_with, real_runner
from adk_split_eval.pool import files
from adk_split_eval.pool.draft import observed_steps
from adk_split_eval.pool.emit import as_list, as_mapping, emit
from adk_split_eval.pool.reading import PoolError, refuse
from adk_split_eval.pool.review import now
from adk_split_eval.record import CaseResult

if TYPE_CHECKING:
    from adk_split_eval.plan import LoadedPlan

NOT_FROZEN, OWN_REASON = "ASE967", "ASE968"


@dataclass(slots=True)
class Update:
    """A change of one frozen case.

    Attributes:
        diff: old and new expectation, as a unified diff; empty when nothing changed.
        done: whether it was written (a reason was given).
        by_hand: the file was edited by hand, and that edit is what is taken over.
    """

    case_id: str
    diff: list[str] = field(default_factory=list[str])
    done: bool = False
    by_hand: bool = False


def update(plan: str | Path, case_id: str, *, why: str | None, by: str, runner: Runner = real_runner) -> Update:
    """Take over what the agent does now as the expectation of a frozen case, or an edit made by hand.

    Raises:
        PoolError: no such frozen case; it is red for its own reason (then it is the bug, not a change); it could not be
            judged.
        NoAgentError: no agent to observe.
    """
    from adk_split_eval.plan import load_plan

    path = Path(plan)
    loaded = load_plan(path)
    target = frozen_path(path, loaded.plan.plan_id)
    old = _find(target, case_id)
    by_hand = as_mapping(old.get("provenance")).get("content_hash") != hash_of(old)
    new = dict(old) if by_hand else _observed(loaded, old, runner, str(target))
    before = _as_frozen(path.parent, old) if by_hand else old
    changed = Update(case_id, _diff(before, new), by_hand=by_hand)
    if not why or (not changed.diff and not by_hand):
        return changed
    provenance = dict(as_mapping(new.get("provenance")))
    provenance["updates"] = [*as_list(provenance.get("updates")), {"at": now(), "by": by, "why": why}]
    provenance["content_hash"] = hash_of(new)
    with files.locked(path.parent):
        replace_case(target, loaded.plan.plan_id, new | {"provenance": provenance})
    rebuild(load_plan(path))
    changed.done = True
    return changed


def promote(plan: str | Path, case_id: str) -> None:
    """End the time of grace of a frozen case that has turned green. Raises PoolError."""
    from adk_split_eval.plan import load_plan

    path = Path(plan)
    loaded = load_plan(path)
    target = frozen_path(path, loaded.plan.plan_id)
    case = _find(target, case_id)
    if "pending" not in case:
        raise refuse(NOT_FROZEN, f"{case_id} is not pending", path=str(target))
    provenance = dict(as_mapping(case.get("provenance"))) | {"promoted_at": now()}
    grown = {key: value for key, value in case.items() if key != "pending"}
    with files.locked(path.parent):
        replace_case(target, loaded.plan.plan_id, grown | {"provenance": provenance})
    rebuild(load_plan(path))


def _find(target: Path, case_id: str) -> dict[str, Any]:
    cases = read_cases(target)
    found = next((c for c in cases if c.get("case_id") == case_id), None)
    if found is None:
        known = ", ".join(str(c.get("case_id")) for c in cases) or "none"
        raise refuse(NOT_FROZEN, f"there is no frozen case {case_id!r}; there are: {known}", path=str(target))
    return found


def _observed(loaded: LoadedPlan, case: dict[str, Any], runner: Runner, where: str) -> dict[str, Any]:
    """The case with what the agent does now in the places where it states an expectation about it."""
    compiled, found = compile_with(loaded, case, where)
    result: CaseResult = runner(compiled, [found], 1)[0]
    if result.verdict in ("ERROR", "REJECTED"):
        message = f"{case['case_id']} could not be judged: {result.error or '; '.join(result.reasons)}"
        raise refuse(OWN_REASON, message, path=where)
    own = as_mapping(case.get("provenance")).get("criterion")
    if any(c.name == own and c.status == "failed" for c in result.criteria):
        message = f"{case['case_id']} is red for its own reason ({own}): that is the bug it guards against, not a new behaviour"
        raise refuse(
            OWN_REASON,
            message,
            path=where,
            help="mend the agent, or give the case a time of grace: pending: {owner: ..., until: ...}",
        )
    turns: list[dict[str, Any]] = []
    said = ""
    for number, turn in enumerate(as_mapping(t) for t in as_list(case["turns"])):
        said += str(turn["user"]) + "\n"
        actual = result.turns[number] if number < len(result.turns) else None
        if actual is not None:
            turn = dict(turn)
            if (
                "expect_tools" in turn
                and call_names(as_list(turn["expect_tools"])) != [c.name for c in actual.tool_calls]
            ) or (
                "expect_tools" in turn and _blamed(result, number + 1, ("tool_args_v1", "tool_trajectory_avg_score"))
            ):
                turn["expect_tools"] = observed_steps(actual, said)
            if turn.get("expect_response"):
                turn["expect_response"] = actual.response
        turns.append(turn)
    return case | {"turns": turns}


def _blamed(result: CaseResult, turn: int, names: tuple[str, ...]) -> bool:
    reasons = (r for c in result.criteria if c.name in names and c.status == "failed" for r in c.reasons)
    return any(f"turn {turn}:" in reason.casefold() for reason in reasons)


def _as_frozen(plan_dir: Path, case: dict[str, Any]) -> dict[str, Any]:
    """What the case was frozen from: its candidate's draft, as far as it is still there."""
    name = str(as_mapping(case.get("provenance")).get("candidate") or "")
    try:
        draft = files.find(plan_dir, name).draft if name else None
    except PoolError:
        draft = None
    return (draft or {}) | {"case_id": case.get("case_id")}


def _diff(old: dict[str, Any], new: dict[str, Any]) -> list[str]:
    kept = [{k: v for k, v in case.items() if k not in ("provenance", "pending")} for case in (old, new)]
    before, after = (emit(dict(sorted(case.items()))).splitlines() for case in kept)
    return list(difflib.unified_diff(before, after, "expected so far", "expected from now on", lineterm=""))


@dataclass(slots=True)
class Trimmable:
    """A frozen case that names what is no longer there."""

    case_id: str
    why: list[str]


def trim(plan: str | Path, tools_of: Callable[[LoadedPlan], Collection[str] | None] | None = None) -> list[Trimmable]:
    """Frozen cases whose tools or persona no longer exist.

    Args:
        tools_of: the agent's tool names; None from it when they cannot all be known (a toolset that connects on demand).

    Raises:
        NoAgentError: the agent cannot be loaded.
    """
    from adk_split_eval.plan import load_plan

    path = Path(plan)
    loaded = load_plan(path)
    cases = read_cases(frozen_path(path, loaded.plan.plan_id))
    tools = (tools_of or agent_tools)(loaded) if cases else set[str]()
    personas = _personas(loaded)
    found: list[Trimmable] = []
    for case in cases:
        why: list[str] = []
        if tools is not None:
            gone = sorted(named_tools(case) - set(tools) - {"transfer_to_agent"})
            why += [f"the agent has no tool {name}" for name in gone]
        persona = as_mapping(case.get("provenance")).get("persona")
        if persona and persona not in personas:
            why.append(f"there is no persona {persona}")
        if why:
            found.append(Trimmable(str(case.get("case_id")), why))
    return found


def named_tools(case: dict[str, Any]) -> set[str]:
    """Tools whose call a frozen case expects; a forbidden tool that is gone does no harm."""
    names: set[str] = set()
    for turn in (as_mapping(t) for t in as_list(case.get("turns"))):
        names |= set(call_names(as_list(turn.get("expect_tools"))))
    for rule in (as_mapping(r) for r in as_list(case.get("order_rules"))):
        names |= set(call_names([rule.get("before"), rule.get("after")]))
    return names


def _personas(loaded: LoadedPlan) -> set[str]:
    from adk_split_eval.personas import persona_ids

    return {*persona_ids(), *loaded.plan.personas}


def agent_tools(loaded: LoadedPlan) -> set[str] | None:
    """Names of all tools of the plan's agent and its sub-agents. Raises NoAgentError."""
    import asyncio

    from adk_split_eval.run.agents import AgentLoadError, load_agent

    if not loaded.plan.agent:
        raise NoAgentError("the plan names no agent; add `agent: FOLDER` (relative to the plan)")
    try:
        _, root = asyncio.run(load_agent(loaded.path.parent / loaded.plan.agent).fresh())
    except AgentLoadError as error:
        raise NoAgentError(str(error)) from error
    names: set[str] = set()
    for tool in _all_tools(root, set()):
        if hasattr(tool, "get_tools"):
            return None
        name = getattr(tool, "name", None) or getattr(tool, "__name__", None)
        if isinstance(name, str):
            names.add(name)
        elif inspect.isroutine(tool):
            return None
    return names


def _all_tools(agent: Any, seen: set[int]) -> Iterator[Any]:
    if id(agent) in seen:
        return
    seen.add(id(agent))
    yield from cast("list[Any]", getattr(agent, "tools", None) or [])
    for child in cast("list[Any]", getattr(agent, "sub_agents", None) or []):
        yield from _all_tools(child, seen)
