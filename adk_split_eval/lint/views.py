"""Eval sets and configs as the rules see them: ADK's shapes with snake_case keys, and what stands where."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, cast

from adk_split_eval.criteria.knowledge import Knowledge
from adk_split_eval.lint.documents import Document
from adk_split_eval.lint.json_source import Path
from adk_split_eval.lint.schema import Explainer, FastChecks, Problem
from adk_split_eval.lint.shapes import as_object, objects

Json = dict[str, Any]
_CHECKS: dict[str, FastChecks] = {}


@dataclass(eq=False, repr=False)
class Survey:
    """What one pass over a set found, so that rules with nothing to say need not look.

    Counts are of cases or turns; ``texts`` are distinct references, ``arguments`` distinct argument strings,
    ``shapes`` tool → the argument names it is expected with.
    """

    fixed: int = 0
    simulated: int = 0
    turns: int = 0
    longest: int = 0
    turns_unannotated: int = 0
    turns_without_calls: int = 0
    turns_without_reference: int = 0
    empty_users: int = 0
    odd_roles: int = 0
    empty_conversations: int = 0
    case_rubrics: int = 0
    turn_rubrics: int = 0
    sessions: int = 0
    final_states: int = 0
    ids: list[str] = field(default_factory=list[str])
    references: set[str] = field(default_factory=set[str])
    arguments: set[str] = field(default_factory=set[str])
    shapes: dict[str, set[tuple[str, ...]]] = field(default_factory=dict[str, set[tuple[str, ...]]])


@dataclass(eq=False, repr=False)
class EvalSet:
    """One eval set.

    Attributes:
        data: the set with snake_case keys throughout ADK's models.
        cases: the entries of ``eval_cases`` that are objects, by index.
        problems: deviations from ADK's models; such a file does not load.
    """

    document: Document
    data: Json
    cases: list[tuple[int, Json]]
    problems: list[Problem]
    survey: Survey

    @property
    def eval_set_id(self) -> str:
        value = self.data.get("eval_set_id")
        return value if isinstance(value, str) else ""

    @property
    def loads(self) -> bool:
        """Whether ADK can load the file at all."""
        if self.document.bom or self.document.problem is not None:
            return False
        return not any(p.what != "unknown" or p.extra == "forbid" for p in self.problems)

    def simulated_cases(self) -> Iterator[tuple[int, Json, Json]]:
        """(index, case, scenario) of each case a simulator plays."""
        for index, case in self.cases if self.survey.simulated else ():
            scenario = case.get("conversation_scenario")
            if isinstance(scenario, dict):
                yield index, case, cast("Json", scenario)

    def fixed_cases(self) -> Iterator[tuple[int, Json, list[Json]]]:
        """(index, case, turns) of each case with a written conversation."""
        for index, case in self.cases if self.survey.fixed else ():
            turns = case.get("conversation")
            if isinstance(turns, list):
                yield index, case, [cast("Json", t) for t in cast("list[Any]", turns) if isinstance(t, dict)]


def case_id(case: Json) -> str | None:
    value = case.get("eval_id")
    return value if isinstance(value, str) else None


def checks_for(knowledge: Knowledge) -> FastChecks:
    if knowledge.version not in _CHECKS:
        _CHECKS[knowledge.version] = FastChecks(knowledge)
    return _CHECKS[knowledge.version]


def open_set(document: Document, knowledge: Knowledge) -> EvalSet:
    """Reads a document of kind ``evalset``; remembered on the document."""
    known = document.cache.get("evalset")
    if known is None:
        known = document.cache["evalset"] = _open_set(document, knowledge)
    return known


def _open_set(document: Document, knowledge: Knowledge) -> EvalSet:
    raw: Any = document.data
    if not isinstance(raw, dict):
        return EvalSet(document, {}, [], [Problem("type", (), "EvalSet", expected="an object", value=raw)], Survey())
    data = cast("Json", raw)
    cases = data.get("eval_cases")
    problems: list[Problem] = []
    explainer = Explainer(knowledge)
    outer: Json = {**data, "eval_cases": []} if isinstance(cases, list) else data
    if not checks_for(knowledge).model("EvalSet")(outer):
        explainer.model("EvalSet", outer, ())
        if not isinstance(cases, list):
            cases = data.get("evalCases")
    entries = cast("list[Any]", cases) if isinstance(cases, list) else []
    clean = checks_for(knowledge).model("EvalCase")
    normal: list[tuple[int, Json]] = []
    for index, case in enumerate(entries):
        if clean(case) and ((case.get("conversation") is None) != (case.get("conversation_scenario") is None)):
            normal.append((index, case))
            continue
        made = explainer.model("EvalCase", case, ("eval_cases", index))
        if isinstance(made, dict):
            normal.append((index, cast("Json", made)))
    problems.extend(explainer.problems)
    return EvalSet(document, data, normal, problems, survey(normal))


def stand_in_set(document: Document) -> EvalSet:
    """A scenario file or a session input as a set, so that the rules about scenarios and states read it too."""
    data: Any = document.data
    entries: Any = as_object(data).get("scenarios", data)
    cases: list[tuple[int, Json]] = []
    if document.kind == "session":
        cases = [(0, {"conversation_scenario": {}, "session_input": data})]
    else:
        cases = [(i, {"conversation_scenario": scenario}) for i, scenario in objects(entries)]
    return EvalSet(document, {}, cases, [], survey(cases))


def stand_in_problems(document: Document, knowledge: Knowledge) -> list[Problem]:
    """Deviations of a scenario file or a session input from ADK's models."""
    explainer = Explainer(knowledge)
    if document.kind == "session":
        explainer.model("SessionInput", document.data, ())
    elif as_object(document.data):
        explainer.model("ConversationScenarios", document.data, ())
    return explainer.problems


def real_path(document: Document, path: Path) -> Path:
    """The path in the file of a path in the set that stands in for it."""
    if document.kind not in ("scenarios", "session") or path[:1] != ("eval_cases",):
        return path
    if document.kind == "session":
        return path[3:]
    start: Path = ("scenarios", path[1]) if isinstance(document.data, dict) else (path[1],)
    return (*start, *path[3:])


# Classes are compared through ``__class__`` below: as fast as ``type``, and the hot path stays free of casts.


def survey(cases: list[tuple[int, Json]]) -> Survey:
    """One pass over all cases."""
    found = Survey()
    ids = found.ids
    for _, case in cases:
        name = case.get("eval_id")
        ids.append(name if isinstance(name, str) else "")
        turns: Any = case.get("conversation")
        if turns.__class__ is list:
            found.fixed += 1
            if len(turns) > found.longest:
                found.longest = len(turns)
            if not turns:
                found.empty_conversations += 1
            for turn in turns:
                if turn.__class__ is dict:
                    _survey_turn(turn, found)
        else:
            found.simulated += 1
        if case.get("rubrics"):
            found.case_rubrics += 1
        if case.get("session_input"):
            found.sessions += 1
        if case.get("final_session_state"):
            found.final_states += 1
    return found


def _survey_turn(turn: Any, found: Survey) -> None:
    found.turns += 1
    user: Any = turn.get("user_content")
    if not content_text(user).strip():
        found.empty_users += 1
    if user.__class__ is dict and user.get("role", "user") not in ("user", None):
        found.odd_roles += 1
    reference = content_text(turn.get("final_response"))
    if reference:
        found.references.add(reference)
    else:
        found.turns_without_reference += 1
    if turn.get("rubrics"):
        found.turn_rubrics += 1
    calls = expected_calls(turn)
    if calls is None:
        found.turns_unannotated += 1
    elif not calls:
        found.turns_without_calls += 1
    else:
        for _, call in calls:
            _survey_call(call, found)


def _survey_call(call: Any, found: Survey) -> None:
    args: Any = call.get("args")
    if args.__class__ is not dict:
        args = {}
    found.shapes.setdefault(str(call.get("name")), set()).add(tuple(args))
    for value in args.values():
        kind: Any = value.__class__
        if kind is str:
            found.arguments.add(value)
        elif kind is dict or kind is list:
            found.arguments.update(strings(value))


def content_text(content: Any) -> str:
    """The text of a Content, as ADK joins it; empty when it has none."""
    if content.__class__ is not dict:
        return ""
    given: Any = content
    parts: Any = given.get("parts")
    if parts.__class__ is not list:
        return ""
    if len(parts) == 1 and parts[0].__class__ is dict:
        text: Any = parts[0].get("text")
        return text if text.__class__ is str else ""
    texts = [p.get("text") for p in parts if p.__class__ is dict]
    return "\n".join([t for t in texts if t.__class__ is str and t])


def expected_calls(turn: Json) -> list[tuple[Path, Json]] | None:
    """The tool calls a turn expects with their paths within the turn; None when it annotates none at all."""
    data: Any = turn.get("intermediate_data")
    if data.__class__ is not dict:
        return None
    uses: Any = data.get("tool_uses")
    if uses.__class__ is list:
        return [(("intermediate_data", "tool_uses", i), use) for i, use in enumerate(uses) if use.__class__ is dict]
    events: Any = data.get("invocation_events")
    if events.__class__ is list:
        return _event_calls(events)
    return None


def _event_calls(events: list[Any]) -> list[tuple[Path, Json]]:
    found: list[tuple[Path, Json]] = []
    for i, event in enumerate(events):
        content: Any = cast("Json", event).get("content") if isinstance(event, dict) else None
        parts: Any = cast("Json", content).get("parts") if isinstance(content, dict) else None
        for j, part in enumerate(cast("list[Any]", parts) if isinstance(parts, list) else []):
            call: Any = cast("Json", part).get("function_call") if isinstance(part, dict) else None
            if isinstance(call, dict):
                path: Path = ("intermediate_data", "invocation_events", i, "content", "parts", j, "function_call")
                found.append((path, cast("Json", call)))
    return found


def strings(value: Any, limit: int = 2000) -> Iterator[str]:
    """Every string inside a JSON value, at most ``limit`` values looked at (aliases can share without end)."""
    waiting: list[Any] = [value]
    seen = 0
    while waiting and seen < limit:
        seen += 1
        item = waiting.pop()
        if isinstance(item, str):
            yield item
        elif isinstance(item, dict):
            waiting.extend(cast("Json", item).values())
        elif isinstance(item, list):
            waiting.extend(cast("list[Any]", item))


def walk_strings(value: Any, path: Path, limit: int = 2000) -> Iterator[tuple[Path, str]]:
    """Every string inside a JSON value with its path."""
    waiting: list[tuple[Path, Any]] = [(path, value)]
    seen = 0
    while waiting and seen < limit:
        seen += 1
        here, item = waiting.pop()
        if isinstance(item, str):
            yield here, item
        elif isinstance(item, dict):
            waiting.extend(((*here, k), v) for k, v in reversed(cast("Json", item).items()))
        elif isinstance(item, list):
            waiting.extend(((*here, i), v) for i, v in reversed(list(enumerate(cast("list[Any]", item)))))
