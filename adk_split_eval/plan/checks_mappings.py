"""What must hold of a mapping of the plan as a whole, its types being right: exactly one of these keys, this not without that."""

from __future__ import annotations

from collections.abc import Callable

from adk_split_eval.plan.checks import (
    PATH_ROOTS,
    Complaint,
    Mapping,
    check_root,
    list_in,
    mapping_in,
    shown,
)


def _one_of(data: Mapping, keys: tuple[str, ...], what: str, mend: str) -> str:
    """The one key of ``keys`` that is given; a complaint when it is none or several."""
    given = [key for key in keys if data.get(key) is not None]
    if len(given) != 1:
        message = f"{what} takes exactly one of {', '.join(keys)}; this one has {' and '.join(given) or 'none'}"
        raise Complaint("ASE017", message, mend)
    return given[0]


def _tool_call(data: Mapping) -> None:
    if data.get("args_exact") and data.get("args") is None:
        mend = "add args; {} means: no arguments"
        raise Complaint("ASE017", "args_exact without args compares nothing", mend, ("args_exact",))


def _forbidden_tool(data: Mapping) -> None:
    until = data.get("until")
    if until is None:
        return
    name = until if isinstance(until, str) else until.get("name")
    args = None if isinstance(until, str) else until.get("args")
    if name == data.get("name") and (args is None or args == data.get("args")):
        message = f"{shown(name)} is forbidden until {shown(name)} itself was called: no call could ever be legal"
        mend = "name the call that must come first, or forbid the tool without `until`"
        raise Complaint("ASE032", message, mend, ("until",))


def selector_kind(data: Mapping) -> str:
    """Which of the five selectors an event selector names; a complaint when it is not exactly one."""
    return _one_of(data, tuple(PATH_ROOTS), "an event selector", "write for example {tool: set_stage}")


def _event_selector(data: Mapping) -> None:
    kind = selector_kind(data)
    if data.get("ok") is not None and kind not in ("tool", "response"):
        raise Complaint("ASE017", f"`ok` has no meaning for a {kind} event", "use it with tool or response", ("ok",))
    for path in mapping_in(data, "where"):
        check_root(path, kind, ("where", path))


def _flat_event(data: Mapping) -> None:
    if "event" not in data:
        _event_selector({key: value for key, value in data.items() if key in EVENT_SELECTOR_KEYS})
        if isinstance(data.get("pick"), str):
            check_root(data["pick"], selector_kind(data), ("pick",))


EVENT_SELECTOR_KEYS: frozenset[str] = frozenset({*PATH_ROOTS, "where", "ok"})


def _stage(data: Mapping) -> None:
    least, most = data.get("min_turns") or 0, data.get("max_turns")
    if most is not None and most < least:
        message = f"stage {shown(data['name'])}: max_turns {most} is below min_turns {least}"
        raise Complaint("ASE013", message, "make max_turns the larger one", ("max_turns",))


def _early_end(data: Mapping) -> None:
    if data.get("says") is None and data.get("event") is None:
        raise Complaint("ASE017", "early_end names neither `says` nor `event`", "say how an early end is recognised")


def _stage_flow(data: Mapping) -> None:
    order: list[Mapping] = list_in(data, "order")
    names = [stage["name"] for stage in order]
    for index, name in enumerate(names):
        if name in names[:index]:
            raise Complaint("ASE020", f"the stage {shown(name)} is listed twice", "name each once", ("order", index))
    used: list[tuple[str, tuple[str | int, ...]]] = []
    if data.get("initial") is not None:
        used.append((data["initial"], ("initial",)))
    for index, stage in enumerate(order):
        for key in ("next", "back"):
            used += [(name, ("order", index, key, at)) for at, name in enumerate(list_in(stage, key))]
    leads_to = list_in(mapping_in(data, "early_end"), "leads_to")
    used += [(name, ("early_end", "leads_to", at)) for at, name in enumerate(leads_to)]
    for name, path in used:
        if name not in names:
            mend = f"the stages are: {', '.join(shown(known) for known in names)}"
            raise Complaint("ASE027", f"no stage is named {shown(name)}", mend, path)


def _similarity(data: Mapping) -> None:
    same, grey = data.get("same", 0.9), data.get("grey", 0.75)
    if grey > same:
        raise Complaint("ASE013", f"grey {grey:g} is above same {same:g}", "make grey the lower one", ("grey",))


def _questions(data: Mapping) -> None:
    if data.get("id") is None and data.get("text") is None:
        mend = "say where a question's id or words stand, as `id: args.question_id`"
        raise Complaint("ASE017", "questions names neither `id` nor `text`", mend)


def _document_source(data: Mapping) -> None:
    _one_of(data, ("state", "file", "inline"), "the source of a document", "keep one of them")


def _evidence(data: Mapping) -> None:
    if data.get("claims_pattern") is not None and data.get("text") is None:
        mend = "say where the question's words stand, as `text: args.text`"
        raise Complaint("ASE017", "claims_pattern needs `text`", mend, ("claims_pattern",))


def _ending(data: Mapping) -> None:
    if (data.get("reasons") or data.get("reason")) and data.get("event") is None:
        mend = "add `event`, as {tool: end_interview}"
        raise Complaint("ASE017", "end reasons need the `event` that gives them", mend)
    if data.get("reasons") and data.get("reason") is None:
        mend = "add `reason: args.reason`"
        raise Complaint("ASE017", "`reasons` needs `reason`, the path it is read from", mend, ("reasons",))


def _contrast(data: Mapping) -> None:
    if not (data.get("must_differ") or data.get("must_not_differ")):
        message = f"the contrast {shown(data['name'])} asserts nothing"
        raise Complaint("ASE017", message, "add must_differ or must_not_differ")
    if data["cases"][0] == data["cases"][1]:
        message = f"the contrast {shown(data['name'])} compares a case with itself"
        raise Complaint("ASE017", message, "name two cases", ("cases",))


def _interrupt(data: Mapping) -> None:
    _one_of(data, ("after_turn", "in_tool"), "interrupt", "keep one of them")


def _policy(data: Mapping) -> None:
    votes = data.get("votes", 3)
    if votes % 2 == 0:
        message = f"votes is {votes}: an even number can end in a tie"
        raise Complaint("ASE037", message, f"write {votes - 1} or {votes + 1}", ("votes",))


def _response_text(data: Mapping) -> None:
    if not (data.get("contains") or data.get("excludes") or data.get("matches")):
        raise Complaint("ASE017", "response asks for nothing", "add contains, excludes or matches, or remove the key")


def _fixed_case(data: Mapping) -> None:
    turns: list[Mapping] = data["turns"]
    bare = [number for number, turn in enumerate(turns, 1) if turn.get("expect_tools") is None]
    if bare and len(bare) < len(turns):
        listed = ", ".join(map(str, bare))
        raise Complaint(
            "ASE030",
            f"expect_tools stands on some turns only; it is missing on turn {listed}",
            "write it on every turn or on none; [] says that a turn calls nothing",
            ("turns", bare[0] - 1),
        )
    after = mapping_in(data, "interrupt").get("after_turn")
    if after is not None and after >= len(turns):
        message = f"interrupt.after_turn is {after} and the case has {len(turns)} turn{'s' if len(turns) > 1 else ''}: nothing would follow"
        raise Complaint("ASE034", message, "interrupt before the last turn", ("interrupt", "after_turn"))


def _sim_case(data: Mapping) -> None:
    if data.get("persona") is not None and data.get("personas") is not None:
        message = "a case has `persona` or the spread `personas`, not both"
        raise Complaint("ASE017", message, "keep one of them", ("personas",))
    if data.get("personas") == []:
        raise Complaint("ASE017", "the spread `personas` is empty", "name a persona, or write all", ("personas",))


def _goal_evidence(data: Mapping) -> None:
    kind = _one_of(data, ("tool", "says", "state"), "a piece of evidence", "write one entry a piece of evidence")
    for key in ("args", "response"):
        if kind != "tool" and data.get(key) is not None:
            raise Complaint("ASE017", f"`{key}` goes with `tool`, not with `{kind}`", "write two entries", (key,))
    if data.get("state") == {}:
        message = "evidence in the state names no key"
        raise Complaint("ASE017", message, "write {state: {key: value}}", ("state",))


MAPPING_CHECKS: dict[str, Callable[[Mapping], None]] = {
    "Contrast": _contrast,
    "ContrastField": _flat_event,
    "DocumentSource": _document_source,
    "DraftCase": _fixed_case,
    "EarlyEnd": _early_end,
    "Ending": _ending,
    "EventSelector": _event_selector,
    "Evidence": _evidence,
    "FixedCase": _fixed_case,
    "ForbiddenTool": _forbidden_tool,
    "FrozenCase": _fixed_case,
    "GoalEvidence": _goal_evidence,
    "Interrupt": _interrupt,
    "NamedEvent": _flat_event,
    "Policy": _policy,
    "Questions": _questions,
    "ResponseText": _response_text,
    "SimCase": _sim_case,
    "Similarity": _similarity,
    "Stage": _stage,
    "StageFlow": _stage_flow,
    "ToolCall": _tool_call,
}
"""Model name → the check of a mapping of that model, types being right."""
