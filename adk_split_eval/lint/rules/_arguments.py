"""Expected calls under a trajectory criterion that compares their arguments."""

from __future__ import annotations

from collections.abc import Iterator

from adk_split_eval.lint.config_view import CriterionView
from adk_split_eval.lint.json_source import Path
from adk_split_eval.lint.pairing import Pair
from adk_split_eval.lint.rules._common import turn_path
from adk_split_eval.lint.shapes import as_object
from adk_split_eval.lint.views import Json, case_id, expected_calls


def comparing(pair: Pair) -> CriterionView | None:
    """The trajectory criterion, when it compares arguments."""
    for criterion in pair.config.criteria:
        if (
            criterion.name == "tool_trajectory_avg_score"
            and criterion.metric is not None
            and criterion.options.get("ignore_args") is not True
        ):
            return criterion
    return None


def calls(pair: Pair) -> Iterator[tuple[Path, Json, str | None]]:
    """(path, call, case) of every expected call."""
    for index, case, turns in pair.set.fixed_cases():
        for number, turn in enumerate(turns):
            for path, call in expected_calls(turn) or ():
                yield (*turn_path(index, number), *path), call, case_id(case)


def arguments(call: Json) -> Json:
    return as_object(call.get("args"))
