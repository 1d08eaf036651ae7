"""How parameters of one case travel to a metric under plain ADK: as rubrics whose ``type`` is ours.

ADK copies the rubrics of an EvalCase to every actual invocation and those of an Invocation to their own turn, and its
own rubric metrics skip types they do not know. So case-level parameters sit on the case, turn-level ones on the turn.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from adk_split_eval.criteria.catalogue import rubric_type
from adk_split_eval.record import Criterion
from adk_split_eval.record.jsonio import plain

TURN_SUFFIX = ".turn"


def compact(value: Any) -> str:
    """One line of JSON, keys sorted, text as it is: the same value always gives the same bytes."""
    return json.dumps(plain(value), ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def rubric(rubric_id: str, text: str, kind: str) -> dict[str, Any]:
    """ADK's Rubric as JSON, keys in the order of ADK's model."""
    return {"rubric_id": rubric_id, "rubric_content": {"text_property": text}, "type": kind}


def case_rubrics(criteria: Iterable[Criterion]) -> list[dict[str, Any]]:
    """The case-level rubrics of a case: one for each metric of ours that has case-level parameters to carry."""
    found: list[dict[str, Any]] = []
    for criterion in criteria:
        params = {key: value for key, value in criterion.params.items() if key != "turns"}
        if criterion.source == "ours" and params:
            found.append(rubric(criterion.name, compact(params), rubric_type(criterion.name)))
    return found


def turn_rubrics(criteria: Iterable[Criterion], turn: int) -> list[dict[str, Any]]:
    """The rubrics of one turn (0-based): one for each metric of ours for which this turn declares something."""
    found: list[dict[str, Any]] = []
    for criterion in criteria:
        turns: list[dict[str, Any] | None] = criterion.params.get("turns") or []
        if criterion.source == "ours" and turn < len(turns) and turns[turn] is not None:
            name = criterion.name
            found.append(rubric(name + TURN_SUFFIX, compact(turns[turn]), rubric_type(name)))
    return found
