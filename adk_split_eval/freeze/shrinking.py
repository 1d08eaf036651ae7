"""Fewer user turns, still red for the same reason: delta debugging over the turns of a draft, within a budget."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from adk_split_eval.freeze.naive import aligned, call_names, hit_in
from adk_split_eval.freeze.preparing import prepare
from adk_split_eval.freeze.proving import Runner, prove
from adk_split_eval.pool.candidate import Candidate
from adk_split_eval.pool.draft import holes
from adk_split_eval.pool.emit import as_list, as_mapping
from adk_split_eval.pool.locate import failing_turn

if TYPE_CHECKING:
    from adk_split_eval.plan import LoadedPlan

DEFAULT_BUDGET = 60


def shrink(
    candidate: Candidate, loaded: LoadedPlan, budget: int, runner: Runner, replay_tools: bool = False
) -> list[str]:
    """Shorten the candidate's draft in memory; its file follows only when the freeze succeeds, its transcript stays whole.

    A shorter version counts only when it is red for the same reason and nothing before the failing turn is red: what
    was observed there would otherwise no longer be what the agent does. Turns whose calls a rule waits for stay: without
    them no mended agent could pass. Returns what to tell the person.

    Args:
        budget: model calls of the agent that the tries may cost; the try that crosses it is the last.
    """
    draft = candidate.draft
    placed = hit_in(candidate, draft).turn if draft is not None else None
    if draft is None or holes(draft) or placed is None:
        return ["not shrunk: the failing turn is not known, or the draft still has holes"]
    turns = as_list(draft["turns"])
    failing = placed - 1
    awaited = _turns_awaited(candidate, draft)
    spent = 0

    def still_red(kept: list[int]) -> bool:
        nonlocal spent
        shorter = replace(candidate, draft=draft | {"turns": [turns[n] for n in kept]})
        where = kept.index(failing) + 1
        case = prepare(shorter, loaded.plan, replay_tools=replay_tools)
        moved = replace(candidate.hit, turn=where)
        proof = prove(loaded, case, moved, trials=1, runner=runner, where=str(candidate.path or ""))
        spent += max(1, proof.model_calls)
        return proof.outcomes == ["red"] and all(
            (failing_turn(c.reasons, trial.turns) or where) >= where
            and (c.name != "final_state_v1" or c.name == candidate.hit.criterion)
            for trial in proof.trials
            for c in trial.criteria
            if c.status == "failed"
        )

    everything = list(range(len(turns)))
    kept = minimise(everything, failing, still_red, lambda: spent < budget, awaited)
    over = "" if spent < budget else f"; the budget of {budget} ended the search"
    if len(kept) == len(turns):
        return [f"not shrunk: no turn could be dropped ({spent} model calls{over})"]
    candidate.draft = draft | {"turns": [turns[n] for n in kept]}
    candidate.extra["shrunk"] = {"from_turns": len(turns), "to_turns": len(kept), "model_calls": spent}
    return [f"shrunk from {len(turns)} to {len(kept)} turns with {spent} model calls{over}"]


def _turns_awaited(candidate: Candidate, draft: dict[str, Any]) -> frozenset[int]:
    """Turns (0-based) in which a tool is called, or expected, that an ``until`` or an order rule names."""
    waiting = [as_mapping(tool).get("until") for tool in as_list(draft.get("forbidden_tools"))]
    for rule in (as_mapping(r) for r in as_list(draft.get("order_rules"))):
        waiting += [rule.get("before"), rule.get("after")]
    names = set(call_names([pattern for pattern in waiting if pattern is not None]))
    found: set[int] = set()
    for number, (turn, origin) in enumerate(zip(as_list(draft["turns"]), aligned(candidate, draft), strict=True)):
        recorded = as_list(candidate.transcript[origin].get("tool_calls")) if origin is not None else []
        expected = as_mapping(turn).get("expect_tools")
        calls = call_names(as_list(expected)) if isinstance(expected, list) else call_names(recorded)
        if names.intersection(calls):
            found.add(number)
    return frozenset(found)


def minimise(
    everything: list[int],
    needed: int,
    still_red: Callable[[list[int]], bool],
    affordable: Callable[[], bool],
    also: frozenset[int] = frozenset(),
) -> list[int]:
    """The ddmin search: drop chunks, then halves of them, as long as the rest stays red (Zeller and Hildebrandt, 2002).

    ``needed`` is never dropped, nor are those in ``also``. Starts with the cheapest guess: that nothing else is needed.
    """
    stays = also | {needed}
    kept = everything
    for guess in (sorted(stays), [n for n in everything if n <= needed or n in stays]):
        if len(guess) < len(kept) and affordable() and still_red(guess):
            kept = guess
            break
    chunks = 2
    while len(kept) > len(stays) and affordable():
        droppable = [n for n in kept if n not in stays]
        size = max(1, -(-len(droppable) // chunks))
        for start in range(0, len(droppable), size):
            gone = set(droppable[start : start + size])
            rest = [n for n in kept if n not in gone]
            if affordable() and still_red(rest):
                kept, chunks = rest, max(2, chunks - 1)
                break
        else:
            if size == 1:
                break
            chunks = min(len(droppable), chunks * 2)
    return kept
