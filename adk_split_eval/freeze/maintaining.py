"""Frozen cases that guard nothing any more, because their tools or persona are gone; the tools an agent has."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from adk_split_eval.freeze.frozen_file import frozen_path, read_cases
from adk_split_eval.freeze.naive import call_names
from adk_split_eval.freeze.proving import NoAgentError
from adk_split_eval.pool.emit import as_list, as_mapping

if TYPE_CHECKING:
    from adk_split_eval.plan import LoadedPlan


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
    from adk_split_eval.run.tools import tool_names

    if not loaded.plan.agent:
        raise NoAgentError("the plan names no agent; add `agent: FOLDER` (relative to the plan)")
    try:
        _, root = asyncio.run(load_agent(loaded.path.parent / loaded.plan.agent).fresh())
    except AgentLoadError as error:
        raise NoAgentError(str(error)) from error
    return tool_names(root)
