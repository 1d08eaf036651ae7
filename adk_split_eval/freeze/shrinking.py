"""Fewer user turns, still red for the same reason: delta debugging over the turns of a draft, within a budget."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from adk_split_eval.freeze.preparing import prepare
from adk_split_eval.freeze.proving import Runner, prove
from adk_split_eval.pool import files
from adk_split_eval.pool.candidate import Candidate, Hit
from adk_split_eval.pool.draft import holes
from adk_split_eval.pool.emit import as_list, as_mapping
from adk_split_eval.pool.locate import failing_turn

if TYPE_CHECKING:
    from adk_split_eval.plan import LoadedPlan

DEFAULT_BUDGET = 60


def shrink(
    candidate: Candidate, loaded: LoadedPlan, budget: int, runner: Runner, replay_tools: bool = False
) -> list[str]:
    """Shorten the candidate's draft in memory and in its file; the transcript stays whole.

    A shorter version counts only when it is red for the same reason and nothing before the failing turn is red: what
    was observed there would otherwise no longer be what the agent does. Returns what to tell the person.

    Args:
        budget: model calls of the agent that the tries may cost; the try that crosses it is the last.
    """
    draft = candidate.draft
    hit = candidate.hit
    if draft is None or holes(draft) or hit.turn is None or hit.turn > len(as_list(draft.get("turns"))):
        return ["not shrunk: the failing turn is not known, or the draft still has holes"]
    turns = as_list(draft["turns"])
    failing = hit.turn - 1
    spent = 0

    def still_red(kept: list[int]) -> bool:
        nonlocal spent
        shorter = replace(candidate, draft=draft | {"turns": [turns[n] for n in kept]})
        where = kept.index(failing) + 1
        case = prepare(shorter, loaded.plan, replay_tools=replay_tools)
        moved = replace_turn(hit, where)
        proof = prove(loaded, case, moved, trials=1, runner=runner, where=str(candidate.path or ""))
        spent += max(1, proof.model_calls)
        return proof.outcomes == ["red"] and all(
            (failing_turn(c.reasons, trial.turns) or where) >= where
            for trial in proof.trials
            for c in trial.criteria
            if c.status == "failed"
        )

    everything = list(range(len(turns)))
    kept = minimise(everything, failing, still_red, lambda: spent < budget)
    over = "" if spent < budget else f"; the budget of {budget} ended the search"
    if len(kept) == len(turns):
        return [f"not shrunk: no turn could be dropped ({spent} model calls{over})"]
    candidate.draft = draft | {"turns": [turns[n] for n in kept]}
    candidate.hit = replace_turn(hit, kept.index(failing) + 1)
    _keep(candidate, len(turns), spent)
    return [f"shrunk from {len(turns)} to {len(kept)} turns with {spent} model calls{over}"]


def replace_turn(hit: Hit, turn: int) -> Hit:
    """``hit`` as it stands in a shorter conversation."""
    return replace(hit, turn=turn)


def minimise(
    everything: list[int], needed: int, still_red: Callable[[list[int]], bool], affordable: Callable[[], bool]
) -> list[int]:
    """The ddmin search: drop chunks, then halves of them, as long as the rest stays red (Zeller and Hildebrandt, 2002).

    ``needed`` is never dropped. Starts with the cheapest guess: that nothing but it is needed.
    """
    kept = everything
    for guess in ([needed], [n for n in everything if n <= needed]):
        if len(guess) < len(kept) and affordable() and still_red(guess):
            kept = guess
            break
    chunks = 2
    while len(kept) > 1 and affordable():
        droppable = [n for n in kept if n != needed]
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


def _keep(candidate: Candidate, before: int, spent: int) -> None:
    if candidate.path is None:
        return
    draft: dict[str, Any] = as_mapping(candidate.draft)
    shrunk = {"from_turns": before, "to_turns": len(as_list(draft.get("turns"))), "model_calls": spent}
    with files.locked(candidate.path.parent.parent):
        files.replace_blocks(candidate.path, {"shrunk": shrunk, "draft": draft})
