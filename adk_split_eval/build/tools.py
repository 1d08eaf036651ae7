"""Expected and forbidden calls in two forms: the parameters of our metrics, and ADK's ``tool_uses``."""

from __future__ import annotations

from typing import Any, cast

from adk_split_eval.build.evalcase import function_call
from adk_split_eval.metrics.values import is_matcher
from adk_split_eval.plan.models import FixedTurn, ForbiddenTool, GoalEvidence, OrderRule, Step, ToolCall, ToolPattern


class _NotLiteral(Exception):
    """A value holds a matcher, so ADK cannot be given it."""


def literal(value: Any) -> Any:
    """``value`` with every ``{equals: …}`` unwrapped; raises :class:`_NotLiteral` when another matcher is in it."""
    if isinstance(value, dict):
        mapping = cast("dict[str, Any]", value)
        if is_matcher(mapping):
            if "equals" in mapping:
                return mapping["equals"]
            raise _NotLiteral
        return {key: literal(inner) for key, inner in mapping.items()}
    if isinstance(value, list):
        return [literal(inner) for inner in cast("list[Any]", value)]
    return value


def literal_text(value: Any) -> str | None:
    """``value`` when it is plain text, else None."""
    try:
        plain = literal(value)
    except _NotLiteral:
        return None
    return plain if isinstance(plain, str) else None


def tool_uses(turn: FixedTurn) -> list[dict[str, Any]] | None:
    """ADK's expected calls of a turn: names, and those arguments that ADK can compare; None when not annotated."""
    if turn.expect_tools is None:
        return None
    return [function_call(call.name, _literal_args(call)) for step in turn.expect_tools for call in step.calls]


def _literal_args(call: ToolCall) -> dict[str, Any] | None:
    if call.args is None:
        return None
    kept: dict[str, Any] = {}
    for key, value in call.args.items():
        try:
            kept[key] = literal(value)
        except _NotLiteral:
            continue
    return kept if kept or not call.args else None


def exact_for_adk(turns: list[FixedTurn]) -> bool:
    """Whether every expected call states all its arguments literally, so that ADK may compare them too."""
    for turn in turns:
        for step in turn.expect_tools or []:
            for call in step.calls:
                args = _literal_args(call)
                if not call.args_exact or call.args is None or args is None or len(args) != len(call.args):
                    return False
    return True


def has_parallel(turns: list[FixedTurn]) -> bool:
    """Whether a step holds two calls or more: their order means nothing, which ADK's criterion cannot express."""
    return any(len(step.calls) > 1 for turn in turns for step in turn.expect_tools or [])


def step_params(step: Step) -> dict[str, Any]:
    """A step as ``tool_args_v1`` reads it."""
    return {"calls": [_call_params(call) for call in step.calls]}


def _call_params(call: ToolCall) -> dict[str, Any]:
    params: dict[str, Any] = {"name": call.name}
    if call.args is not None:
        params["args"] = call.args
    if call.args_exact:
        params["args_exact"] = True
    return params


def pattern_params(pattern: ToolPattern) -> dict[str, Any]:
    """A pattern of a call as our metrics read it."""
    params: dict[str, Any] = {"name": pattern.name}
    if pattern.args is not None:
        params["args"] = pattern.args
    return params


def rule_params(rule: OrderRule) -> dict[str, Any]:
    """An order rule as ``tool_order_v1`` reads it."""
    return {"before": pattern_params(rule.before), "after": pattern_params(rule.after)}


def forbidden_params(tool: ForbiddenTool) -> dict[str, Any]:
    """A forbidden tool as ``forbidden_tools_v1`` reads it."""
    params: dict[str, Any] = {"name": tool.name}
    if tool.args is not None:
        params["args"] = tool.args
    if tool.until is not None:
        params["until"] = pattern_params(tool.until)
    return params


def evidence_params(evidence: GoalEvidence) -> dict[str, Any]:
    """A piece of evidence as ``goal_reached_v1`` reads it."""
    return evidence.model_dump(include=evidence.model_fields_set, exclude_none=True)
