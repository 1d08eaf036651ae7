"""ADK's two list formats from before eval sets were objects: what they are, who still reads them, how to migrate each."""

from __future__ import annotations

from typing import Any, NamedTuple, cast


class OldFormat(NamedTuple):
    """One of them: what is wrong with it, and the one call of ADK that migrates it (the other one's raises)."""

    message: str
    mend: str


NAMED = OldFormat(
    "this is the old list format ([{name, data}]); ADK converts it on every load and takes the file's path as its id",
    "migrate it: load_eval_set_from_file(path, id) of google.adk.evaluation.local_eval_sets_manager, and save what "
    "model_dump_json() of its result gives",
)
FLAT = OldFormat(
    "this is the oldest list format ([{query, reference}]); `adk eval` does not read it any more (KeyError: 'data')",
    "migrate it: AgentEvaluator.migrate_eval_data_to_new_schema(old_file, new_file)",
)


def old_format(data: Any) -> OldFormat | None:
    """Which of the two ``data`` is; None when it is neither."""
    first: Any = cast("list[Any]", data)[0] if isinstance(data, list) and data else None
    if not isinstance(first, dict):
        return None
    keys = cast("dict[str, Any]", first).keys()
    if "data" in keys and "name" in keys:
        return NAMED
    return FLAT if "query" in keys and keys & {"expected_tool_use", "reference"} else None
