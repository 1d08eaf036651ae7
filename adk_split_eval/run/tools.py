"""The tools an agent offers by name, and names in a plan that none of them has."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator
from typing import Any, cast

from adk_split_eval.record import Case
from adk_split_eval.run.agents import LoadedAgent

CONTROL_TOOLS = frozenset({"transfer_to_agent", "exit_loop", "set_model_response", "finish_task", "task_completed"})
"""Tools of ADK's own that steer the conversation and touch nothing outside: never misspelt, and let through by a replay."""


def tool_names(root: Any) -> set[str] | None:
    """Names of all tools of an agent and its sub-agents; None when they cannot be told without asking a toolset."""
    names: set[str] = set()
    for tool in _all_tools(root, set()):
        name = getattr(tool, "name", None) or getattr(tool, "__name__", None)
        if hasattr(tool, "get_tools") or not isinstance(name, str):
            return None
        names.add(name)
    return names


def _all_tools(agent: Any, seen: set[int]) -> Iterator[Any]:
    if id(agent) in seen:
        return
    seen.add(id(agent))
    yield from cast("list[Any]", getattr(agent, "tools", None) or [])
    for child in cast("list[Any]", getattr(agent, "sub_agents", None) or []):
        yield from _all_tools(child, seen)


def unknown_tool_notes(agent: LoadedAgent, cases: Iterable[Case]) -> list[str]:
    """Forbidden tools the agent does not have: a misspelt name can never be called, so its ban can never fail."""
    app: Any = getattr(agent.module, "app", None)
    root: Any = getattr(app, "root_agent", None) or getattr(agent.module, "root_agent", None)
    known = tool_names(root) if root is not None else None
    if not known:
        return []
    where: dict[str, list[str]] = {}
    for case in cases:
        for name in _banned(case) - known - CONTROL_TOOLS:
            where.setdefault(name, []).append(case.case_id)
    return [_note(name, where[name], known) for name in sorted(where)]


def _banned(case: Case) -> set[str]:
    names: set[str] = set()
    for criterion in case.criteria:
        if criterion.name == "forbidden_tools_v1":
            banned: list[dict[str, Any]] = criterion.params.get("forbidden") or []
            for entry in banned:
                until: dict[str, Any] = entry.get("until") or {}
                names |= {str(x["name"]) for x in (entry, until) if x.get("name")}
    return names


def _note(name: str, case_ids: list[str], known: set[str]) -> str:
    near = difflib.get_close_matches(name, sorted(known), 1)
    hint = f"did you mean `{near[0]}`?" if near else "if it is misspelt, it guards nothing"
    return f"`{name}` in forbidden_tools of {', '.join(dict.fromkeys(case_ids))} is no tool of this agent: {hint}"
