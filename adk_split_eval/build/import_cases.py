"""One case of an ADK set as a case of a plan."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, cast

from adk_split_eval.metrics.values import literal
from adk_split_eval.personas import persona_ids

Json = dict[str, Any]


@dataclass(slots=True)
class ImportedCase:
    """A case in the plan's form, with notes on what was not carried over.

    Attributes:
        annotated: it states its tool calls.
        referenced: a turn of it has a reference.
    """

    data: Json
    notes: list[str] = field(default_factory=list[str])
    annotated: bool = False
    referenced: bool = False


def fixed_case(case: Json, *, judged: bool, with_args: bool) -> ImportedCase:
    """A scripted case.

    Args:
        case: ADK's EvalCase in snake_case.
        judged: ADK's trajectory criterion governs it.
        with_args: that criterion compares arguments.
    """
    made = ImportedCase({"case_id": str(case["eval_id"])})
    invocations = cast("list[Json]", case["conversation"])
    calls = [_steps(entry, made, with_args=with_args) for entry in invocations]
    made.annotated = any(steps is not None for steps in calls)
    if made.annotated and None in calls:
        made.notes.append("turns without intermediate_data: ADK takes them as calling nothing, so they say [] here")
    turns: list[Json] = []
    for entry, steps in zip(invocations, calls, strict=True):
        turn: Json = {"user": _text(entry.get("user_content"), "a user message", made)}
        if made.annotated:
            turn["expect_tools"] = steps or []
        if said := _intermediate(entry, made):
            turn["expect_intermediate_responses"] = said
        if reference := _text(entry.get("final_response"), "a reference", made):
            turn["expect_response"] = reference
            made.referenced = True
        _note_rubrics(entry, "a turn", made)
        turns.append(turn)
    made.data["turns"] = turns
    if made.annotated and not judged:
        made.notes.append(
            "its tool calls were not judged before: no trajectory criterion is in the config; now they are"
        )
    _session(case, made)
    if case.get("final_session_state"):
        made.data["expect_state"] = {key: literal(value) for key, value in case["final_session_state"].items()}
        made.notes.append("final_session_state, which ADK never reads, is now checked (expect_state)")
    _note_rubrics(case, "the case", made)
    return made


def scenario_case(case: Json) -> ImportedCase:
    """A simulated case."""
    scenario = cast("Json", case["conversation_scenario"])
    plan = str(scenario.get("conversation_plan") or "")
    made = ImportedCase({"case_id": str(case["eval_id"])})
    persona: Any = scenario.get("user_persona")
    if isinstance(persona, str) and persona not in persona_ids():
        made.notes.append(
            f"the persona {persona!r} is ADK's own: choose a shipped one (adk-split-eval personas) or write it out"
        )
    elif persona is not None:
        made.data["persona"] = persona
    made.data["starting_prompt"] = str(scenario.get("starting_prompt") or "")
    made.data["goal"] = plan
    made.data["conversation_plan"] = plan
    made.notes.append("ADK has no goal: the conversation plan stands in for it. Shorten it, and add goal_evidence")
    _session(case, made)
    _note_rubrics(case, "the case", made)
    return made


def _steps(entry: Json, made: ImportedCase, *, with_args: bool) -> list[Any] | None:
    """Expected calls of a turn, one entry a step; None when the turn states none."""
    data = cast("Json | None", entry.get("intermediate_data"))
    if data is None:
        return None
    if "invocation_events" in data:
        return _recorded_steps(cast("list[Json]", data["invocation_events"]), made, with_args=with_args)
    if "tool_uses" not in data and (data.get("intermediate_responses") or data.get("tool_responses")):
        return None
    if data.get("tool_responses"):
        made.notes.append("expected tool responses are not carried over: nothing compares them")
    return [_call(call, with_args=with_args) for call in cast("list[Json]", data.get("tool_uses") or [])]


def _recorded_steps(events: list[Json], made: ImportedCase, *, with_args: bool) -> list[Any]:
    steps: list[Any] = []
    for event in events:
        parts = cast("list[Json]", cast("Json", event.get("content") or {}).get("parts") or [])
        calls = [_call(part["function_call"], with_args=with_args) for part in parts if part.get("function_call")]
        if len(calls) > 1:
            made.notes.append("calls of one recorded event are parallel: they are compared as a set")
        if calls:
            steps.append(calls if len(calls) > 1 else calls[0])
    return steps


def _call(call: Json, *, with_args: bool) -> Any:
    args = call.get("args")
    if not with_args or args is None:
        return str(call["name"])  # ADK would compare absent arguments with the actual ones, which never match.
    return {"name": str(call["name"]), "args": {key: literal(value) for key, value in args.items()}, "args_exact": True}


def _intermediate(entry: Json, made: ImportedCase) -> list[Json]:
    data = cast("Json", entry.get("intermediate_data") or {})
    found: list[Json] = []
    for author, parts in cast("list[tuple[str, list[Json]]]", data.get("intermediate_responses") or []):
        said = {"text": _text({"parts": parts}, "an intermediate response", made)}
        found.append({"author": author, **said} if author else said)
    return found


def _text(content: Json | None, what: str, made: ImportedCase) -> str:
    parts = cast("list[Json]", (content or {}).get("parts") or [])
    texts = [str(part["text"]) for part in parts if part.get("text") is not None]
    if len(texts) < len(parts):
        made.notes.append(f"{what} holds more than text (a file, an image, a call): only the text is carried over")
    if len(texts) > 1:
        made.notes.append(f"{what} is in {len(texts)} parts: they are joined")
    return "".join(texts)


def _session(case: Json, made: ImportedCase) -> None:
    given = cast("Json", case.get("session_input") or {})
    session = {key: given[key] for key in ("user_id", "state", "session_id") if given.get(key)}
    if session:
        made.data["session_input"] = session
    for key in given.keys() - {"app_name", "user_id", "state", "session_id"}:
        made.notes.append(f"session_input.{key} is not carried over: ADK does not read it")


def _note_rubrics(holder: Json, where: str, made: ImportedCase) -> None:
    for rubric in cast("list[Json]", holder.get("rubrics") or []):
        name = f"{rubric.get('rubric_id')!r} ({rubric.get('type') or 'no type, so ADK never read it'})"
        made.notes.append(f"the rubric {name} on {where} is not carried over: state it under the criterion's rubrics")
