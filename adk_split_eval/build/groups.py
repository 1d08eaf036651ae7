"""One generated set for each distinct set of ADK criteria, so that none governs a case it cannot judge.

A group is named by what sets its cases apart from the half's own defaults (its *traits*). A single group, and the group
of the defaults, has no suffix.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from adk_split_eval.build.rubrics import compact
from adk_split_eval.record import Criterion

RUNNER_ONLY = "runner_only"
"""Group of the cases that plain ``adk eval`` cannot run as meant; it is never written to disk."""

_TRAIT_ORDER = (
    "exact",
    "in_order",
    "any_order",
    "exact_args",
    "names_only",
    "no_trajectory",
    "no_tools",
    "parallel",
    "calls_nothing",
    "references",
    "judged_goal",
)
_WITHOUT_TRAJECTORY = frozenset({"no_tools", "parallel", "calls_nothing"})
"""Reasons why ADK's trajectory criterion is left out: they share a group, because ADK's criteria are the same."""


@dataclass(frozen=True, slots=True)
class Placement:
    """What decides the group of one case: its ADK criteria as one string, and its traits."""

    signature: str
    traits: frozenset[str]


def signature(criteria: Iterable[Criterion]) -> str:
    """ADK's criteria of a case with their options, as one comparable string; ours and a team's do not count."""
    return compact({c.name: c.options for c in criteria if c.source == "adk" and not c.runner_only})


def name_groups(placements: Iterable[Placement]) -> dict[str, str]:
    """Signature → group suffix, over all cases of one half that are written to disk."""
    traits: dict[str, frozenset[str]] = {}
    for placement in placements:
        traits[placement.signature] = traits.get(placement.signature, frozenset()) | placement.traits
    if len(traits) <= 1:
        return dict.fromkeys(traits, "")
    names: dict[str, str] = {}
    for key, found in traits.items():
        if len(found & _WITHOUT_TRAJECTORY) > 1:
            found = found - _WITHOUT_TRAJECTORY | {"no_trajectory"}
        name = base = "_".join(sorted(found, key=_TRAIT_ORDER.index))
        number = 2
        while name in names.values():
            name, number = f"{base}_{number}".lstrip("_"), number + 1
        names[key] = name
    return names
