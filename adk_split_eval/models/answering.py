"""Reading what a rule answers: words, tool calls, verdicts of a judge, planted faults."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from adk_split_eval.models.judge import FAULTS, LABELS, Exemption, Fault, JudgeAnswer
from adk_split_eval.models.located import Place
from adk_split_eval.models.rules import Answer, ToolCall

if TYPE_CHECKING:
    from adk_split_eval.models.loading import Reader


def read_answer(reader: Reader, place: Place, keys: dict[str, Any]) -> Answer:
    """The answer of the rule at ``place``; mistakes are recorded with ``reader``."""
    answer = Answer()
    if "say" in keys and (said := reader.text((*place, "say"), keys["say"])) is not None:
        answer.say = [said]
    if "choose" in keys:
        answer.say = reader.texts((*place, "choose"), keys["choose"])
    if "thought" in keys:
        answer.thought = reader.text((*place, "thought"), keys["thought"])
    if "call" in keys:
        answer.calls = _calls(reader, (*place, "call"), keys["call"])
    answer.stop = reader.flag((*place, "stop"), keys.get("stop", False))
    answer.empty = reader.flag((*place, "empty"), keys.get("empty", False))
    if "error" in keys:
        found = reader.mapping((*place, "error"), keys["error"], ("code", "message"))
        answer.error = (str(found.get("code", "SCRIPTED_ERROR")), str(found.get("message", "")))
    if "raise" in keys:
        answer.fault = reader.text((*place, "raise"), keys["raise"])
    if "delay_ms" in keys:
        answer.delay_ms = int(reader.number((*place, "delay_ms"), keys["delay_ms"]))
    if "judge" in keys:
        answer.judge = _judge(reader, (*place, "judge"), keys["judge"])
    _check(reader, place, keys)
    return answer


def _check(reader: Reader, place: Place, keys: dict[str, Any]) -> None:
    alone = [key for key in ("empty", "error", "raise", "judge") if key in keys]
    spoken = [key for key in ("say", "choose", "call", "stop", "thought") if key in keys]
    if not alone and not spoken:
        reader.error(place, "the rule answers nothing", "give it say, call, stop, judge, empty, error or raise")
    elif len(alone) > 1 or (alone and spoken):
        reader.error(place, f"`{alone[0]}` stands alone, but here is also {', '.join((alone + spoken)[1:])}")
    if "say" in keys and "choose" in keys:
        reader.error(place, "`say` and `choose` exclude each other")
    if "call" in keys and keys.get("stop"):
        reader.error(place, "`stop` ends a simulated user's conversation, and a simulated user calls no tools")


def _calls(reader: Reader, place: Place, value: Any) -> list[ToolCall]:
    calls: list[ToolCall] = []
    listed = isinstance(value, list)
    for index, item in enumerate(cast("list[Any]", value) if listed else [value]):
        inner = (*place, index) if listed else place
        if isinstance(item, str):
            calls.append(ToolCall(item))
            continue
        keys = reader.mapping(inner, item, ("name", "args"))
        if "name" not in keys:
            reader.error(inner, "a call needs a `name`")
            continue
        name = reader.text((*inner, "name"), keys["name"])
        calls.append(ToolCall(name or "", reader.mapping((*inner, "args"), keys.get("args", {}), None)))
    return calls


def _judge(reader: Reader, place: Place, value: Any) -> JudgeAnswer:
    if not isinstance(value, dict):
        return JudgeAnswer(_verdict(reader, place, value))
    keys = reader.mapping(place, value, ("verdict", "why", "except", "fault"))
    answer = JudgeAnswer(_verdict(reader, (*place, "verdict"), keys.get("verdict", True)))
    answer.why = (reader.text((*place, "why"), keys["why"]) if "why" in keys else None) or ""
    fault = keys.get("fault")
    if fault is not None and fault not in FAULTS:
        reader.error((*place, "fault"), f"unknown fault {fault!r}", f"one of: {', '.join(FAULTS)}")
    else:
        answer.fault = cast("Fault | None", fault)
    listed = keys.get("except", [])
    if not isinstance(listed, list):
        reader.error((*place, "except"), "expected a list")
        return answer
    for index, item in enumerate(cast("list[Any]", listed)):
        answer.exceptions.append(_exemption(reader, (*place, "except", index), item))
    return answer


def _exemption(reader: Reader, place: Place, value: Any) -> Exemption:
    keys = reader.mapping(place, value, ("item", "where", "unless", "verdict", "label", "why"))
    patterns = {key: reader.pattern((*place, key), keys[key]) for key in ("item", "where", "unless") if key in keys}
    if not patterns:
        reader.error(place, "covers every item", "give it item, where or unless, or change the rule's own verdict")
    verdict = _verdict(reader, (*place, "verdict"), keys.get("verdict", False))
    label = keys.get("label")
    if label is not None and label not in LABELS:
        reader.error((*place, "label"), f"unknown label {label!r}", f"one of: {', '.join(LABELS)}")
        label = None
    why = (reader.text((*place, "why"), keys["why"]) if "why" in keys else None) or ""
    return Exemption(
        bool(verdict),
        patterns.get("item"),
        patterns.get("where"),
        patterns.get("unless"),
        why,
        cast("str | None", label),
    )


def _verdict(reader: Reader, place: Place, value: Any) -> bool | None:
    """yes and no, quoted or not; ``same`` compares with the reference answer."""
    if isinstance(value, bool):
        return value
    if value in ("yes", "no"):
        return value == "yes"
    if value != "same":
        reader.error(place, f"{value!r} is no verdict", "one of: yes, no, same")
    return None
