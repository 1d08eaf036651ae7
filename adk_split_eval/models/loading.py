"""From a script file to rules. Every mistake is reported with its place; unknown keys are mistakes."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any, cast

from adk_split_eval.models.answering import read_answer
from adk_split_eval.models.conditions import (
    TEXTS,
    AfterTool,
    Called,
    Chance,
    Condition,
    Group,
    Known,
    Last,
    TextCondition,
    ToolTest,
    Turn,
    ValueTest,
    Who,
)
from adk_split_eval.models.located import Document, Place, ScriptError, read_document
from adk_split_eval.models.rules import Answer, Remember, Rule, Script
from adk_split_eval.models.values import FORMS, placeholders

BUILT_IN = frozenset({"user", "said", "opening", "turn"})
"""Names that always have a value."""

_WHO = ("agent", "simulator", "judge", "rubrics", "sentences", "labels", "final_response", "simulator_quality")
_OTHER_CONDITIONS = (
    "after_tool",
    "result",
    "called",
    "not_called",
    "turn",
    "last",
    "who",
    "known",
    "unknown",
    "chance",
    "any",
    "not",
)
_CONDITIONS = (*TEXTS, *_OTHER_CONDITIONS)
_ANSWER_KEYS = ("say", "choose", "thought", "call", "stop", "empty", "error", "raise", "delay_ms", "judge")
_NAME = re.compile(r"[A-Za-z_]\w*\Z")


def load_script(path: Path) -> Script:
    """Read and check one script.

    Raises:
        ScriptError: with every mistake found, each at its line and column.
    """
    return _load(path, ())


def _load(path: Path, chain: tuple[Path, ...]) -> Script:
    document = read_document(path)
    reader = Reader(document)
    top = reader.mapping((), document.data, ("about", "extends", "patterns", "remember", "rules"))
    base: Script | None = None
    if "extends" in top and isinstance(extended := reader.text(("extends",), top["extends"]), str):
        target = path.parent / extended
        if target.resolve() in [*(p.resolve() for p in chain), path.resolve()]:
            document.error(("extends",), "ASE663", f"{extended} extends itself")
        elif not target.is_file():
            document.error(("extends",), "ASE661", f"there is no {extended} beside this file")
        else:
            base = _load(target, (*chain, path))
    reader.patterns = _patterns(reader, top.get("patterns"))
    remember = [*_remember(reader, top.get("remember")), *(base.remember if base else [])]
    if "rules" not in top:
        document.error((), "ASE663", "a script needs `rules`", "give it a list of rules")
    known = {item.name for item in remember} | BUILT_IN
    rules = _rules(reader, top.get("rules", []), known)
    if document.findings:
        raise ScriptError(document.findings)
    return Script(str(path), [*rules, *(base.rules if base else [])], remember)


class Reader:
    """Takes values out of a document, and records an error where one is not what it should be."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.patterns: dict[str, str] = {}

    def error(self, place: Place, message: str, mend: str = "", code: str = "ASE663") -> None:
        self.document.error(place, code, message, mend)

    def mapping(self, place: Place, value: Any, allowed: Iterable[str] | None) -> dict[str, Any]:
        """A mapping with only ``allowed`` keys (any keys when None)."""
        if not isinstance(value, dict):
            self.error(place, f"expected a mapping, not {_shown(value)}")
            return {}
        found = cast("dict[str, Any]", value)
        names = None if allowed is None else list(allowed)
        for key in found if names is not None else ():
            if key not in cast("list[str]", names):
                near = difflib.get_close_matches(key, cast("list[str]", names), 1)
                mend = f"did you mean `{near[0]}`?" if near else f"known here: {', '.join(cast('list[str]', names))}"
                self.error((*place, key), f"unknown key `{key}`", mend, "ASE662")
        return found if names is None else {key: item for key, item in found.items() if key in names}

    def text(self, place: Place, value: Any) -> str | None:
        if isinstance(value, str):
            return value
        self.error(place, f"expected a text, not {_shown(value)}", "put it in quotes")
        return None

    def texts(self, place: Place, value: Any) -> list[str]:
        """A text or a list of texts."""
        items = cast("list[Any]", value) if isinstance(value, list) else [value]
        return [text for text in (self.text(place, item) for item in items) if text is not None]

    def flag(self, place: Place, value: Any) -> bool:
        if isinstance(value, bool):
            return value
        self.error(place, f"expected true or false, not {_shown(value)}")
        return False

    def number(self, place: Place, value: Any) -> float:
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            return value
        self.error(place, f"expected a number, not {_shown(value)}")
        return 0

    def pattern(self, place: Place, value: Any) -> re.Pattern[str]:
        """A regular expression, case ignored; ``%name%`` stands for a pattern named under ``patterns``."""
        text = self.text(place, value) or ""
        for name, part in self.patterns.items():
            text = text.replace(f"%{name}%", f"(?:{part})")
        try:
            return re.compile(text, re.IGNORECASE)
        except re.error as problem:
            self.error(place, f"is no regular expression: {problem}", code="ASE664")
            return re.compile("")


def _patterns(reader: Reader, value: Any) -> dict[str, str]:
    if value is None:
        return {}
    found: dict[str, str] = {}
    for name, item in reader.mapping(("patterns",), value, None).items():
        reader.patterns = found
        found[name] = reader.pattern(("patterns", name), item).pattern
    return found


def _remember(reader: Reader, value: Any) -> list[Remember]:
    items: list[Remember] = []
    for name, spec in reader.mapping(("remember",), {} if value is None else value, None).items():
        place: Place = ("remember", name)
        keys = reader.mapping(place, spec, (*TEXTS, "tool", "path", "args", "as"))
        sources = [key for key in keys if key in TEXTS or key == "tool"]
        if not _NAME.match(name) or name in BUILT_IN:
            reader.error(
                place, f"`{name}` cannot be a name here", "use letters, digits and _, and none of the built-in names"
            )
            continue
        if len(sources) != 1:
            reader.error(place, "needs exactly one source", f"one of: tool, {', '.join(TEXTS)}")
            continue
        form = reader.text((*place, "as"), keys["as"]) if "as" in keys else None
        if form is not None and form not in FORMS:
            reader.error((*place, "as"), f"unknown form `{form}`", f"one of: {', '.join(sorted(FORMS))}")
        source = sources[0]
        if source == "tool":
            path = reader.text((*place, "path"), keys.get("path", keys.get("args", ""))) or ""
            tool = reader.text((*place, "tool"), keys["tool"]) or ""
            items.append(Remember(name, tool, None, path, "args" in keys, form))
            continue
        pattern = reader.pattern((*place, source), keys[source])
        if not pattern.groupindex and pattern.groups == 0:
            pattern = reader.pattern((*place, source), f"(?P<{name}>{pattern.pattern})")
        elif name not in pattern.groupindex:
            reader.error((*place, source), f"the pattern has no group named `{name}`", f"write (?P<{name}>...)")
        items.append(Remember(name, source, pattern, form=form))
    return items


def _rules(reader: Reader, value: Any, known: set[str]) -> list[Rule]:
    if not isinstance(value, list):
        reader.error(("rules",), f"expected a list of rules, not {_shown(value)}")
        return []
    rules: list[Rule] = []
    for index, item in enumerate(cast("list[Any]", value)):
        place: Place = ("rules", index)
        keys = reader.mapping(place, item, ("name", "when", *_ANSWER_KEYS))
        name = (reader.text((*place, "name"), keys["name"]) if "name" in keys else None) or f"rule {index + 1}"
        conditions = read_conditions(reader, (*place, "when"), keys.get("when", {}), salt=name)
        if not any(key in ("last", "after_tool", "result") for key, _ in conditions):
            # Without this a rule on the user's words would answer the result of the very call it made, for ever.
            conditions.insert(0, ("last", Last("user")))
        answer = read_answer(reader, place, {key: keys[key] for key in keys if key in _ANSWER_KEYS})
        captured = known | {group for _, condition in conditions for group in condition.names()}
        _check_placeholders(reader, place, answer, captured | _known_names(conditions))
        line = reader.document.places.get(place, (0, 0))[0]
        rules.append(Rule(name, conditions, answer, reader.document.path, line))
    if not reader.document.findings:
        _check_reachable(reader, rules)
    return rules


def _check_reachable(reader: Reader, rules: list[Rule]) -> None:
    """A rule below one that always holds is dead, and a script that says more than it does misleads."""
    always: dict[str, str] = {}
    for index, rule in enumerate(rules):
        sides = [item.who for _, item in rule.conditions if isinstance(item, Last)]
        above = always.get("any") or (always.get(sides[0]) if sides else None)
        if above is not None:
            mend = "move it up, or give the rule above a condition"
            reader.error(("rules", index), f"is never reached: rule {above!r} above it always holds", mend)
        if len(rule.conditions) == 1 and sides:
            always.setdefault(sides[0], rule.name)


def _known_names(conditions: list[tuple[str, Condition]]) -> set[str]:
    return {name for _, item in conditions if isinstance(item, Known) and not item.negate for name in item.wanted}


def _check_placeholders(reader: Reader, place: Place, answer: Answer, captured: set[str]) -> None:
    parts: list[tuple[str, Any]] = [("say", list(answer.say)), ("call", [call.args for call in answer.calls])]
    for key, value in parts:
        for name, form in placeholders(value):
            head = name.partition(".")[0]
            if head not in captured:
                have = ", ".join(sorted(captured))
                reader.error(
                    (*place, key),
                    f"nothing captures {{{head}}}",
                    f"known here: {have}; for a brace write {{{{",
                    "ASE665",
                )
            if form is not None and form not in FORMS:
                reader.error((*place, key), f"unknown form `{form}`", f"one of: {', '.join(sorted(FORMS))}", "ASE665")


def read_conditions(reader: Reader, place: Place, value: Any, salt: str = "") -> list[tuple[str, Condition]]:
    """The conditions of one ``when``, in the order they are written."""
    keys = reader.mapping(place, value, _CONDITIONS)
    found: list[tuple[str, Condition]] = []
    for key, item in keys.items():
        inner = (*place, key)
        if key == "result":
            if "after_tool" not in keys:
                reader.error(inner, "`result` needs `after_tool` beside it", "say which tool's result is meant")
            continue
        condition = _condition(reader, inner, key, item, keys, salt)
        if condition is not None:
            found.append((key, condition))
    return found


def _condition(reader: Reader, place: Place, key: str, item: Any, keys: dict[str, Any], salt: str) -> Condition | None:
    if key in TEXTS:
        if not isinstance(item, list):
            return TextCondition(key, [reader.pattern(place, item)])
        return TextCondition(key, [reader.pattern((*place, i), one) for i, one in enumerate(cast("list[Any]", item))])
    if key == "after_tool":
        tests = _tool_tests(reader, place, item)
        if "result" in keys:
            for test in tests:
                test.result.extend(_value_tests(reader, (*place[:-1], "result"), keys["result"]))
        return AfterTool(tests)
    if key in ("called", "not_called"):
        return Called(_tool_tests(reader, place, item), key == "not_called")
    if key == "turn":
        return _turn(reader, place, item)
    if key == "last":
        return Last(_one_of(reader, place, item, ("user", "tool", "any")))
    if key == "who":
        names = [_one_of(reader, place, name, _WHO) for name in reader.texts(place, item)]
        return Who(names)
    if key in ("known", "unknown"):
        return Known(reader.texts(place, item), key == "unknown")
    if key == "chance":
        return Chance(reader.number(place, item), salt)
    branches = cast("list[Any]", item) if isinstance(item, list) else [item]
    groups = [
        [
            condition
            for _, condition in read_conditions(
                reader, (*place, index) if isinstance(item, list) else place, branch, salt
            )
        ]
        for index, branch in enumerate(branches)
    ]
    return Group(key, groups)


def _tool_tests(reader: Reader, place: Place, value: Any) -> list[ToolTest]:
    tests: list[ToolTest] = []
    for item in cast("list[Any]", value) if isinstance(value, list) else [value]:
        if isinstance(item, str):
            tests.append(ToolTest(item))
            continue
        keys = reader.mapping(place, item, ("name", "args", "result", "this_turn"))
        if "name" not in keys:
            reader.error(place, "a tool needs a `name`")
            continue
        test = ToolTest(reader.text((*place, "name"), keys["name"]) or "")
        test.args = _value_tests(reader, (*place, "args"), keys.get("args", {}))
        test.result = _value_tests(reader, (*place, "result"), keys.get("result", {}))
        test.this_turn = reader.flag((*place, "this_turn"), keys.get("this_turn", False))
        tests.append(test)
    return tests


def _value_tests(reader: Reader, place: Place, value: Any) -> list[ValueTest]:
    tests: list[ValueTest] = []
    for path, wanted in reader.mapping(place, value, None).items():
        inner = (*place, path)
        if isinstance(wanted, str):
            tests.append(ValueTest(path, reader.pattern(inner, wanted)))
        elif isinstance(wanted, dict):
            keys = reader.mapping(inner, wanted, ("equals", "exists", "gt", "lt"))
            test = ValueTest(path)
            if "equals" in keys:
                test.equals = keys["equals"]
            if "exists" in keys:
                test.exists = reader.flag((*inner, "exists"), keys["exists"])
            test.above = reader.number((*inner, "gt"), keys["gt"]) if "gt" in keys else None
            test.below = reader.number((*inner, "lt"), keys["lt"]) if "lt" in keys else None
            if not keys:
                reader.error(inner, "tests nothing", "one of: equals, exists, gt, lt")
            tests.append(test)
        else:
            tests.append(ValueTest(path, equals=wanted))
    return tests


def _turn(reader: Reader, place: Place, value: Any) -> Condition:
    if isinstance(value, int) and not isinstance(value, bool):
        return Turn(value, value)
    found = re.fullmatch(r"(\d+)\.\.(\d*)", value) if isinstance(value, str) else None
    if found is None:
        reader.error(place, f"expected a turn such as 2, or a range such as '2..4' or '3..', not {_shown(value)}")
        return Turn(1, None)
    return Turn(int(found[1]), int(found[2]) if found[2] else None)


def _one_of(reader: Reader, place: Place, value: Any, allowed: tuple[str, ...]) -> str:
    if isinstance(value, str) and value in allowed:
        return value
    reader.error(place, f"{_shown(value)} is none of: {', '.join(allowed)}")
    return allowed[0]


def _shown(value: Any) -> str:
    if value is None:
        return "nothing"
    if isinstance(value, dict):
        return "a mapping"
    return "a list" if isinstance(value, list) else repr(value)
