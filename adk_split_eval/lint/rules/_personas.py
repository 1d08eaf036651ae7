"""Written-out personas of simulated cases."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

from adk_split_eval.lint.json_source import Path
from adk_split_eval.lint.rules._common import case_path
from adk_split_eval.lint.views import EvalSet, Json, case_id


def behaviours(eval_set: EvalSet) -> Iterator[tuple[Path, Json, str | None]]:
    """(path, behaviour, case) of every behaviour of a persona written out in a scenario."""
    for index, case, scenario in eval_set.simulated_cases():
        persona: Any = scenario.get("user_persona")
        items: Any = cast("Json", persona).get("behaviors") if isinstance(persona, dict) else None
        for number, behaviour in enumerate(cast("list[Any]", items) if isinstance(items, list) else []):
            if isinstance(behaviour, dict):
                yield (
                    case_path(index, "conversation_scenario", "user_persona", "behaviors", number),
                    cast("Json", behaviour),
                    case_id(case),
                )
