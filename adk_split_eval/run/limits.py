"""Concurrency limits of models that nobody in a run calls: a misspelt name limits nothing."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, cast

from adk_split_eval.record import CompiledPlan
from adk_split_eval.run.agents import LoadedAgent

_NAMING = frozenset({"model", "judge_model", "judgeModel"})


def unused_limit_notes(limits: Iterable[str], compiled: CompiledPlan, agent: LoadedAgent) -> list[str]:
    """A note for each limited model that no agent, simulator or judge of this run names.

    None when the agent is made anew for every unit: then nobody knows its models beforehand.
    """
    app: Any = getattr(agent.module, "app", None)
    root: Any = getattr(app, "root_agent", None) or getattr(agent.module, "root_agent", None)
    wanted = list(limits)
    if root is None or not wanted:
        return []
    known = {str(name) for name in compiled.models.values() if name} | set(_models(root, set()))
    for options in (compiled.simulator, *(c.options for case in compiled.cases for c in case.criteria)):
        known |= set(_named(options))
    for compiled_set in compiled.sets:
        known |= set(_named(compiled_set.config.get("user_simulator_config")))
    return [_note(name, sorted(known)) for name in wanted if name not in known]


def _note(name: str, known: list[str]) -> str:
    near = difflib.get_close_matches(name, known, 1)
    hint = f"did you mean {near[0]}?" if near else f"there are: {', '.join(known) or 'none'}"
    return f"--model-limit {name} limits nothing: no agent, simulator or judge of this run names that model; {hint}"


def _models(agent: Any, seen: set[int]) -> Iterator[str]:
    """Model names of an agent, its sub-agents and the agents among its tools, as they stand in a request."""
    if id(agent) in seen:
        return
    seen.add(id(agent))
    model: Any = getattr(agent, "model", None)
    name: Any = model if isinstance(model, str) else getattr(model, "model", None) or type(model).__name__
    if model and isinstance(name, str):
        yield name
    inner = [getattr(tool, "agent", None) for tool in cast("list[Any]", getattr(agent, "tools", None) or [])]
    for child in [*cast("list[Any]", getattr(agent, "sub_agents", None) or []), *inner]:
        if child is not None:
            yield from _models(child, seen)


def _named(options: Any) -> Iterator[str]:
    """Every model named anywhere in a criterion's or simulator's options."""
    if not isinstance(options, Mapping):
        return
    for key, value in cast("Mapping[str, Any]", options).items():
        if key in _NAMING and isinstance(value, str):
            yield value
        else:
            yield from _named(value)
