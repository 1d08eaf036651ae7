"""What a JSON file is, told by its shape: eval set, config, scenarios, session input, an old or a foreign format."""

from __future__ import annotations

from typing import Any, Literal, cast

Kind = Literal[
    "evalset", "config", "scenarios", "session", "old", "flat_old", "foreign", "invented", "results", "unknown"
]

SET_KEYS = frozenset({"eval_set_id", "eval_cases", "evalSetId", "evalCases"})
CONFIG_KEYS = frozenset({"criteria", "custom_metrics", "customMetrics", "user_simulator_config", "userSimulatorConfig"})
_CONFIG_NAMES = ("test_config.json", "eval_config.json")
_RESULT_KEYS = frozenset({"eval_set_result_id", "eval_case_results", "evalSetResultId", "evalCaseResults"})


def kind_of(data: Any, name: str) -> Kind:
    """The kind of a parsed file; ``name`` (the file's own name) decides only where the shape does not."""
    if isinstance(data, dict):
        return _object_kind(cast("dict[str, Any]", data), name)
    if isinstance(data, list):
        return _list_kind(cast("list[Any]", data), name)
    if data is None:
        return "unknown"
    return "invented" if is_set_name(name) else "config" if is_config_name(name) else "unknown"


def is_set_name(name: str) -> bool:
    return name.endswith((".evalset.json", ".test.json"))


def is_config_name(name: str) -> bool:
    return name in _CONFIG_NAMES or name.endswith(("test_config.json", "eval_config.json"))


def _object_kind(data: dict[str, Any], name: str) -> Kind:
    keys = data.keys()
    if keys & _RESULT_KEYS:
        return "results"
    if keys & SET_KEYS:
        cases = data.get("eval_cases", data.get("evalCases"))
        if isinstance(cases, list) and _foreign_cases(cast("list[Any]", cases)):
            return "foreign"
        return "evalset"
    if keys & CONFIG_KEYS or is_config_name(name):
        return "config"
    if "scenarios" in keys and _looks_like_scenarios(data["scenarios"]):
        return "scenarios"
    if keys & {"app_name", "appName"} and keys & {"user_id", "userId", "state"}:
        return "session"
    return "invented" if is_set_name(name) else "unknown"


def _foreign_cases(cases: list[Any]) -> bool:
    first: Any = cases[0] if cases else None
    return isinstance(first, dict) and "eval_case_id" in first and "prompt" in first


def _looks_like_scenarios(value: Any) -> bool:
    if not isinstance(value, list) or not value:
        return False
    first: Any = cast("list[Any]", value)[0]
    return isinstance(first, dict) and bool(
        cast("dict[str, Any]", first).keys()
        & {"starting_prompt", "conversation_plan", "startingPrompt", "conversationPlan"}
    )


def _list_kind(data: list[Any], name: str) -> Kind:
    first: Any = data[0] if data else None
    if isinstance(first, dict):
        keys = cast("dict[str, Any]", first).keys()
        if "data" in keys and "name" in keys:
            return "old"
        if "query" in keys and keys & {"expected_tool_use", "reference"}:
            return "flat_old"
        if "eval_case_id" in keys and "prompt" in keys:
            return "foreign"
        if "starting_prompt" in keys or "startingPrompt" in keys:
            return "scenarios"
    return "flat_old" if is_set_name(name) else "unknown"


_SESSION_FIELDS = frozenset({"app_name", "user_id", "session_id", "state", "appName", "userId", "sessionId"})
_EVAL_WORDS = ("eval", "query", "conversation", "expect", "agent", "prompt", "tool", "input", "response", "answer")

_METRIC_WORDS = ("_score", "_v1", "_v2", "trajectory", "threshold")


def is_likely(data: Any, kind: str, name: str) -> bool:
    """Whether a file that nobody named is really what its kind says: other tools have criteria, users and tests as well."""
    if kind == "config" and not is_config_name(name):
        return _likely_config(cast("dict[str, Any]", data))
    if kind == "session" and "session" not in name.lower():
        given = cast("dict[str, Any]", data)
        return given.keys() <= _SESSION_FIELDS and all(
            isinstance(given.get(key, ""), str) for key in ("app_name", "appName", "user_id", "userId")
        )
    if kind == "invented" and name.endswith(".test.json"):
        words = " ".join(cast("dict[str, Any]", data)).lower() if isinstance(data, dict) else ""
        return any(word in words for word in _EVAL_WORDS)
    return True


def _likely_config(data: dict[str, Any]) -> bool:
    """Custom metrics, a simulator, or criteria with a threshold or a name of ADK's."""
    if data.keys() & CONFIG_KEYS - {"criteria"}:
        return True
    criteria: Any = data.get("criteria")
    by_name = cast("dict[str, Any]", criteria) if isinstance(criteria, dict) else {}
    names = map(str, cast("list[Any]", criteria) if isinstance(criteria, list) else by_name)
    return any(word in name for name in names for word in _METRIC_WORDS) or any(
        (isinstance(value, int | float) and value <= 5) or (isinstance(value, dict) and "threshold" in value)
        for value in by_name.values()
    )
