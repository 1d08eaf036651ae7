"""A ban on a tool the agent does not have can never fail, so it is pointed out."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from adk_split_eval.record import Case, Criterion
from adk_split_eval.run.agents import LoadedAgent
from adk_split_eval.run.tools import tool_names, unknown_tool_notes


def pay() -> None: ...


def look() -> None: ...


def loaded(*tools: object) -> LoadedAgent:
    child = SimpleNamespace(tools=[look], sub_agents=[])
    root = SimpleNamespace(tools=list(tools), sub_agents=[child])
    return LoadedAgent("desk", Path("desk"), SimpleNamespace(root_agent=root))


def banning(*forbidden: dict[str, object]) -> Case:
    criterion = Criterion("forbidden_tools_v1", "deterministic", "ours", params={"forbidden": list(forbidden)})
    return Case("fixed", "F-01", {}, [criterion])


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ({"name": "pay"}, ""),
        ({"name": "look"}, ""),
        ({"name": "transfer_to_agent"}, ""),
        ({"name": "pya"}, "did you mean `pay`?"),
        ({"name": "pay", "until": {"name": "lock"}}, "did you mean `look`?"),
        ({"name": "zzzzzz"}, "it guards nothing"),
    ],
)
def test_misspelt_bans(entry: dict[str, object], said: str) -> None:
    notes = unknown_tool_notes(loaded(pay), [banning(entry)])
    assert bool(notes) == bool(said)
    assert not said or said in notes[0]


def test_a_toolset_says_nothing_before_it_is_asked() -> None:
    toolset = SimpleNamespace(get_tools=list, name="remote")
    assert tool_names(loaded(pay, toolset).module.root_agent) is None
    assert unknown_tool_notes(loaded(pay, toolset), [banning({"name": "pya"})]) == []
