"""What must hold of a value of the plan beyond its type. Pure functions on plain data, for the models and for lint alike.

Each refuses by raising :class:`Complaint`. ``VALUE_CHECKS`` (by name, see the ``x-check`` keyword of the structure
schema) look at single values; ``MAPPING_CHECKS`` (by model name) at mappings whose types are already known to be right.
"""

from __future__ import annotations

import datetime
import math
import re
from collections.abc import Callable
from typing import Any, cast

from adk_split_eval.record.text import safe_terminal, shorten

HOLE = "TODO"
"""What stands in a draft where a person must decide."""

Mapping = dict[str, Any]


class Complaint(ValueError):
    """A value that cannot be used: code, one sentence, and the mend.

    ``path`` leads from the value checked to the part of it that is wrong.
    """

    def __init__(self, code: str, message: str, help: str = "", path: tuple[str | int, ...] = ()) -> None:
        super().__init__(message)
        self.code, self.message, self.help, self.path = code, message, help, path


def shown(value: Any) -> str:
    """A value as it may stand in a message: quoted, short, harmless for a terminal."""
    return safe_terminal(shorten(repr(value) if not isinstance(value, str) else f"'{value}'", 60))


def check_regex(pattern: str) -> str:
    """``pattern`` itself when Python's ``re`` compiles it."""
    try:
        re.compile(pattern)
    except (re.error, RecursionError, OverflowError) as error:
        reason = safe_terminal(str(error))
        message = f"the regular expression {shown(pattern)} does not compile: {reason}"
        raise Complaint("ASE015", message, "mend the pattern (syntax of Python's re)") from None
    return pattern


def check_words(text: str) -> str:
    """``text`` itself when it says something."""
    if not text.strip():
        raise Complaint("ASE031", "the text is empty", "write what is said, or remove the entry")
    return text


def check_name(name: str) -> str:
    """``name`` itself when it is usable as a name: not empty, no blanks around it."""
    if not name or name != name.strip():
        raise Complaint("ASE013", f"the name {shown(name)} is empty or has blanks around it", "write it without blanks")
    return name


def check_plan_id(value: str) -> str:
    """``value`` itself when ``adk web`` accepts it as part of an id."""
    if not re.fullmatch(r"[a-zA-Z0-9_]+", value):
        message = f"the plan_id {shown(value)} may hold only letters, digits and underscores"
        raise Complaint("ASE021", message, "write it like refund_desk")
    return value


def check_case_id(value: str) -> str:
    """``value`` itself when it can be selected on a command line and name a file."""
    if value != value.strip() or value in ("", ".", "..") or re.search(r"[/\\,:\x00-\x1f\x7f]", value):
        message = f"the case_id {shown(value)} is empty, or holds a slash, a comma, a colon or blanks around it"
        raise Complaint("ASE021", message, "write it like F-01")
    return value


def check_persona_text(value: str) -> str:
    """``value`` itself when ADK's simulator can render it.

    ADK renders a persona's behaviours as Jinja templates that know ``stop_signal``: anything else in braces crashes
    the case, or vanishes.
    """
    check_words(value)
    rest = re.sub(r"\{\{ *stop_signal *\}\}", "", value)
    for mark in ("{{", "{%", "{#"):
        if mark in rest:
            message = f"the persona's text holds {mark!r}, which ADK renders as a template: the case would crash"
            raise Complaint("ASE023", message, "rephrase it without the braces")
    return value


def check_date(value: str) -> str:
    """``value`` itself when it is an ISO date."""
    try:
        datetime.date.fromisoformat(value)
    except ValueError:
        raise Complaint("ASE013", f"{shown(value)} is no date", 'write it like "2027-01-31", in quotes') from None
    return value


def check_share(value: Any) -> Any:
    """``"10%"`` as 0.1; other values unchanged."""
    if not isinstance(value, str):
        return value
    number = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*%\s*", value, re.ASCII)
    if not number or not 0 < float(number.group(1)) <= 100:
        raise Complaint("ASE013", f"{shown(value)} is no share", "write a percentage like 10%, or a number up to 1")
    return float(number.group(1)) / 100


def check_hole(value: Any) -> Any:
    """``value`` itself when it is no longer the hole of a draft."""
    if value == HOLE:
        raise Complaint(
            "ASE033",
            "expect_tools is still the hole TODO of a draft",
            "write the calls the agent should make here ([] for none), or remove the key from every turn",
        )
    return value


PATH_ROOTS: dict[str, tuple[str, ...]] = {
    "tool": ("args", "response", "name", "author"),
    "response": ("response", "args", "name", "author"),
    "transfer": ("agent", "args", "author"),
    "says": ("text", "match", "author"),
    "state": ("value", "before", "key"),
}
"""Selector kind → the roots a path into such an event may start with."""

ALL_ROOTS: frozenset[str] = frozenset(root for roots in PATH_ROOTS.values() for root in roots)


def check_path(path: str) -> str:
    """``path`` itself when it is dotted, without empty segments, and starts with a root some event has."""
    segments = path.split(".")
    if "" in segments:
        mend = "write it like args.stage or response.question.id"
        raise Complaint("ASE013", f"the path {shown(path)} has an empty segment", mend)
    if segments[0] not in ALL_ROOTS:
        message = f"the path {shown(path)} starts with {shown(segments[0])}, which no event has"
        raise Complaint("ASE013", message, f"start it with one of: {', '.join(sorted(ALL_ROOTS))}")
    return path


def check_root(path: str, kind: str, at: tuple[str | int, ...] = ()) -> None:
    """Refuse a path whose root an event of this kind does not have."""
    if path.split(".")[0] not in PATH_ROOTS[kind]:
        message = f"the path {shown(path)} cannot be read from a {kind} event"
        raise Complaint("ASE013", message, f"start it with one of: {', '.join(PATH_ROOTS[kind])}", at)


MATCHER_KEYS: frozenset[str] = frozenset(
    {"any", "regex", "one_of", "approx", "within", "contains", "gt", "lt", "equals"}
)
"""Keys that make a mapping a matcher instead of a literal value."""

_COMBINATIONS: frozenset[frozenset[str]] = frozenset(
    frozenset(keys)
    for keys in (
        ("any",),
        ("regex",),
        ("one_of",),
        ("approx", "within"),
        ("contains",),
        ("gt",),
        ("lt",),
        ("gt", "lt"),
        ("equals",),
    )
)
_LITERAL = "for a literal value that looks like a matcher write {equals: ...}"


def check_matchers(value: Any) -> Any:
    """``value`` itself when every matcher in it, at any depth, is well formed.

    A mapping all of whose keys belong to matchers, but which form none, is refused: it would silently be compared as
    a literal.
    """
    pending: list[tuple[Any, tuple[str | int, ...]]] = [(value, ())]
    while pending:
        current, path = pending.pop()
        if isinstance(current, dict):
            mapping = cast("Mapping", current)
            if mapping and MATCHER_KEYS.issuperset(mapping):
                _check_matcher(mapping, path)
            if "equals" not in mapping:
                pending.extend((nested, (*path, key)) for key, nested in mapping.items())
        elif isinstance(current, list):
            pending.extend((nested, (*path, index)) for index, nested in enumerate(cast("list[Any]", current)))
    return value


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _check_matcher(matcher: Mapping, path: tuple[str | int, ...]) -> None:
    keys = frozenset(matcher)
    if keys not in _COMBINATIONS:
        why = "approx and within go together" if keys & {"approx", "within"} else "these keys do not go together"
        raise Complaint("ASE016", f"{{{', '.join(sorted(keys))}}} is no matcher: {why}", _LITERAL, path)
    for key, argument in matcher.items():
        wants = _argument_wanted(key, argument)
        if wants:
            raise Complaint("ASE016", f"the matcher {key} takes {wants}", _LITERAL, (*path, key))
        if key == "regex":
            try:
                check_regex(argument)
            except Complaint as complaint:
                raise Complaint(complaint.code, complaint.message, complaint.help, (*path, key)) from None


def _argument_wanted(key: str, argument: Any) -> str | None:
    """What the matcher ``key`` takes, when ``argument`` is not it."""
    if key == "any":
        return None if argument is True else "only true"
    if key == "regex":
        return None if isinstance(argument, str) else "a pattern in quotes"
    if key == "one_of":
        return None if isinstance(argument, list) and argument else "a list of at least one value"
    if key in ("approx", "gt", "lt"):
        return None if _is_number(argument) else "a number"
    if key == "within":
        return None if _is_number(argument) and argument >= 0 else "a number that is not negative"
    return None


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
    for path in data.get("where") or {}:
        check_path(path)
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
    order: list[Mapping] = data["order"]
    names = [stage["name"] for stage in order]
    for index, name in enumerate(names):
        if name in names[:index]:
            raise Complaint("ASE020", f"the stage {shown(name)} is listed twice", "name each once", ("order", index))
    used: list[tuple[str, tuple[str | int, ...]]] = []
    if data.get("initial") is not None:
        used.append((data["initial"], ("initial",)))
    for index, stage in enumerate(order):
        for key in ("next", "back"):
            used += [(name, ("order", index, key, at)) for at, name in enumerate(stage.get(key) or [])]
    early = data.get("early_end") or {}
    used += [(name, ("early_end", "leads_to", at)) for at, name in enumerate(early.get("leads_to") or [])]
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
        raise Complaint("ASE037", message, f"write {votes - 1 or 1} or {votes + 1}", ("votes",))


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
    after = (data.get("interrupt") or {}).get("after_turn")
    if after is not None and after >= len(turns):
        message = f"interrupt.after_turn is {after} and the case has {len(turns)} turns: nothing would follow"
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


VALUE_CHECKS: dict[str, Callable[[Any], Any]] = {
    "case_id": check_case_id,
    "date": check_date,
    "hole": check_hole,
    "matcher": check_matchers,
    "name": check_name,
    "path": check_path,
    "persona_text": check_persona_text,
    "plan_id": check_plan_id,
    "regex": check_regex,
    "share": check_share,
    "words": check_words,
}
"""``x-check`` name → the check of one value."""

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
