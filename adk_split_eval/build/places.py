"""Places in the plan for the findings of a build."""

from __future__ import annotations

from typing import Any

from adk_split_eval.plan import LoadedPlan
from adk_split_eval.plan.models import FixedCase, SimCase


def place(loaded: LoadedPlan, path: tuple[str | int, ...]) -> dict[str, Any]:
    """The place of ``path`` in the plan, as keyword arguments of a Finding."""
    del path
    return {"path": str(loaded.path)}


def place_of_case(loaded: LoadedPlan, case: FixedCase | SimCase) -> dict[str, Any]:
    """The place of a case, in the plan or in the file of frozen cases."""
    return place(loaded, case.origin.path if case.origin else ())


def line_of_case(loaded: LoadedPlan, case: FixedCase | SimCase) -> int:
    """The line a case begins on; 0 when unknown."""
    return int(place_of_case(loaded, case).get("line", 0))
