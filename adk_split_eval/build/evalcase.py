"""ADK's own shapes as plain JSON: keys in the order of ADK's models, nothing unset written."""

from __future__ import annotations

from typing import Any


def content(text: str, role: str) -> dict[str, Any]:
    """genai's Content with one text part."""
    return {"parts": [{"text": text}], "role": role}


def function_call(name: str, args: dict[str, Any] | None) -> dict[str, Any]:
    """genai's FunctionCall; ``args`` None leaves them unset."""
    return {"name": name} if args is None else {"args": args, "name": name}


def invocation(
    user: str,
    *,
    reference: str | None = None,
    tool_uses: list[dict[str, Any]] | None = None,
    intermediate: list[tuple[str, str]] | None = None,
    rubrics: list[dict[str, Any]] | None = None,
) -> dict[str, Any]:
    """One turn of a fixed case. ``tool_uses`` None means not annotated, [] means "calls nothing"."""
    turn: dict[str, Any] = {"user_content": content(user, "user")}
    if reference is not None:
        turn["final_response"] = content(reference, "model")
    data: dict[str, Any] = {}
    if tool_uses is not None:
        data["tool_uses"] = tool_uses
    if intermediate:
        data["intermediate_responses"] = [[author, [{"text": text}]] for author, text in intermediate]
    if data:
        turn["intermediate_data"] = data
    if rubrics:
        turn["rubrics"] = rubrics
    return turn


def session_input(app_name: str, user_id: str, session_id: str | None, state: dict[str, Any]) -> dict[str, Any]:
    """ADK's SessionInput; ``app_name`` must be the agent folder's name or ADK keeps no session details."""
    data: dict[str, Any] = {"app_name": app_name, "user_id": user_id}
    if session_id is not None:
        data["session_id"] = session_id
    if state:
        data["state"] = state
    return data


def fixed_case(
    case_id: str, conversation: list[dict[str, Any]], session: dict[str, Any], rubrics: list[dict[str, Any]]
) -> dict[str, Any]:
    """ADK's EvalCase with the user's words given."""
    case: dict[str, Any] = {"eval_id": case_id, "conversation": conversation, "session_input": session}
    return {**case, "rubrics": rubrics} if rubrics else case


def simulated_case(
    case_id: str, scenario: dict[str, Any], session: dict[str, Any], rubrics: list[dict[str, Any]]
) -> dict[str, Any]:
    """ADK's EvalCase with the user improvised from a scenario."""
    case: dict[str, Any] = {"eval_id": case_id, "conversation_scenario": scenario, "session_input": session}
    return {**case, "rubrics": rubrics} if rubrics else case


def eval_set(eval_set_id: str, description: str, cases: list[dict[str, Any]]) -> dict[str, Any]:
    """ADK's EvalSet; no timestamps, so that the same plan always gives the same bytes."""
    return {"eval_set_id": eval_set_id, "name": eval_set_id, "description": description, "eval_cases": cases}
