"""ADK's models checked over plain JSON: fast yes/no on clean data, a full account with paths on anything else.

The fast check accepts only what is certainly clean (snake_case, exact types); everything it refuses is walked again by
:class:`Explainer`, which knows pydantic's leniency, camelCase aliases, and whether a model forbids or drops unknown keys.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any, Literal, NamedTuple, cast

from adk_split_eval.criteria.knowledge import Knowledge, Model
from adk_split_eval.lint.json_source import Path, camel

Check = Callable[[Any], bool]
What = Literal["unknown", "type", "missing", "both", "neither", "alias"]


class Problem(NamedTuple):
    """One deviation from ADK's models.

    Attributes:
        what: ``unknown`` key, wrong ``type``, ``missing`` key, ``both``/``neither`` conversation kinds, ``alias`` (a
            camelCase key where only snake_case is read).
        extra: of an unknown key: what the model does with it.
        expected: the type or the nearest known name.
    """

    what: What
    path: Path
    model: str
    name: str = ""
    extra: str = ""
    expected: str = ""
    value: Any = None


def split_type(text: str) -> tuple[str, list[str]]:
    """``list[union[str,int]]`` → ``("list", ["union[str,int]"])``."""
    if not text.endswith("]"):
        return text, []
    head, _, rest = text.partition("[")
    parts: list[str] = []
    depth = 0
    current = ""
    for character in rest[:-1]:
        if character == "," and depth == 0:
            parts.append(current)
            current = ""
            continue
        depth += {"[": 1, "]": -1}.get(character, 0)
        current += character
    return head, [*parts, current]


def field_type(model: str, name: str, written: str) -> str:
    """The type as ADK really accepts it: a persona may also be given by its id."""
    if model == "ConversationScenario" and name == "user_persona":
        return "optional[union[str,UserPersona]]"
    return written


class FastChecks:
    """Compiled yes/no checks of one ADK version's models."""

    def __init__(self, knowledge: Knowledge) -> None:
        self._knowledge = knowledge
        self._made: dict[str, Check] = {}

    def model(self, name: str) -> Check:
        if name not in self._made:
            self._made[name] = self._compile_model(self._knowledge.model(name))
        return self._made[name]

    def _compile_model(self, model: Model) -> Check:
        leaves: dict[str, tuple[type, ...]] = {}
        deep: dict[str, Check] = {}
        required = frozenset(f.name for f in model.fields.values() if f.required)
        for field in model.fields.values():
            kind = field_type(model.name, field.name, field.type)
            types = _LEAF_TYPES.get(kind)
            if types is not None:
                leaves[field.name] = types
            else:
                deep[field.name] = self._compile(kind)

        def check(value: Any) -> bool:
            if value.__class__ is not dict:
                return False
            given: Any = value
            for key, item in given.items():
                types = leaves.get(key)
                if types is not None:
                    if type(item) not in types:
                        return False
                else:
                    inner = deep.get(key)
                    if inner is None or not inner(item):
                        return False
            return not required or required <= given.keys()

        return check

    def _compile(self, kind: str) -> Check:
        head, inner = split_type(kind)
        if head == "any":
            return _always
        if head in _LEAF_TYPES:
            return _type_check(_LEAF_TYPES[head])
        if head == "optional" and inner[0].startswith("list["):
            return _list_of(self._compile(split_type(inner[0])[1][0]), or_none=True)
        if head == "optional":
            return _optional(self._compile(inner[0]))
        if head == "list":
            return _list_of(self._compile(inner[0]))
        if head == "dict":
            return _type_check((dict,)) if inner[0] == "any" else _dict_of(self._compile(inner[0]))
        if head == "tuple":
            return _tuple_of([self._compile(i) for i in inner])
        if head == "union":
            return _any_of([self._compile(i) for i in inner])
        if head in ("enum", "literal"):
            return _one_of(frozenset(inner))
        return self.model(head)  # ADK's models hold no cycles


_LEAF_TYPES: dict[str, tuple[type, ...]] = {
    "str": (str,),
    "int": (int,),
    "float": (float, int),
    "bool": (bool,),
    "optional[str]": (str, type(None)),
    "optional[float]": (float, int, type(None)),
    "optional[bool]": (bool, type(None)),
    "optional[dict[any]]": (dict, type(None)),
    "dict[any]": (dict,),
}


def _always(_: Any) -> bool:
    return True


def _type_check(types: tuple[type, ...]) -> Check:
    return lambda value: type(value) in types


def _optional(inner: Check) -> Check:
    return lambda value: value is None or inner(value)


def _list_of(inner: Check, or_none: bool = False) -> Check:
    def check(value: Any) -> bool:
        if value.__class__ is not list:
            return or_none and value is None
        items: Any = value
        return False not in map(inner, items)

    return check


def _dict_of(inner: Check) -> Check:
    return lambda value: type(value) is dict and all(map(inner, cast("dict[str, Any]", value).values()))


def _tuple_of(inner: list[Check]) -> Check:
    def check(value: Any) -> bool:
        if type(value) is not list or len(cast("list[Any]", value)) != len(inner):
            return False
        return all(c(v) for c, v in zip(inner, cast("list[Any]", value), strict=True))

    return check


def _any_of(inner: list[Check]) -> Check:
    return lambda value: any(c(value) for c in inner)


def _one_of(names: frozenset[str]) -> Check:
    return lambda value: type(value) is str and value in names


class Explainer:
    """Walks data along a model, returns it with snake_case keys and records every deviation."""

    def __init__(self, knowledge: Knowledge) -> None:
        self._knowledge = knowledge
        self.problems: list[Problem] = []

    def model(self, name: str, value: Any, path: Path) -> Any:
        model = self._knowledge.model(name)
        if not isinstance(value, dict):
            self._wrong(path, name, "an object", value)
            return value
        given = cast("dict[str, Any]", value)
        normal: dict[str, Any] = {}
        spelled = {camel(f): f for f in model.fields} if model.camel else {}
        for key, item in given.items():
            field_name = key if key in model.fields else spelled.get(key)
            if field_name is None:
                self._unknown(model, key, item, path)
                normal[key] = item
                continue
            field = model.fields[field_name]
            kind = field_type(name, field_name, field.type)
            normal[field_name] = self._value(kind, item, (*path, key), name)
            if field.minimum is not None and isinstance(item, int | float) and item < field.minimum:
                self._wrong((*path, key), name, f"at least {field.minimum:g}", item)
        for field in model.fields.values():
            if field.required and field.name not in normal:
                self.problems.append(Problem("missing", path, name, field.name, expected=field.type))
        if name == "EvalCase":
            self._one_conversation(normal, path)
        return normal

    def _one_conversation(self, case: dict[str, Any], path: Path) -> None:
        has = (case.get("conversation") is not None, case.get("conversation_scenario") is not None)
        if all(has):
            self.problems.append(Problem("both", (*path, "conversation_scenario"), "EvalCase"))
        elif not any(has):
            self.problems.append(Problem("neither", path, "EvalCase"))

    def _unknown(self, model: Model, key: str, item: Any, path: Path) -> None:
        self.problems.append(
            Problem("unknown", (*path, key), model.name, key, model.extra, nearest_name(key, model.fields), item)
        )

    def _wrong(self, path: Path, model: str, expected: str, value: Any) -> None:
        self.problems.append(
            Problem("type", path, model, str(path[-1]) if path else "", expected=expected, value=value)
        )

    def _value(self, kind: str, value: Any, path: Path, owner: str) -> Any:
        head, inner = split_type(kind)
        if head == "any":
            return value
        if head == "optional":
            return None if value is None else self._value(inner[0], value, path, owner)
        if head in _SCALARS:
            if not _SCALARS[head](value):
                self._wrong(path, owner, _WORDS[head], value)
            return value
        if head == "list":
            return self._list(inner[0], value, path, owner)
        if head == "dict":
            if not isinstance(value, dict):
                self._wrong(path, owner, "an object", value)
                return value
            given = cast("dict[str, Any]", value)
            if inner[0] == "any":
                return given
            return {k: self._value(inner[0], v, (*path, k), owner) for k, v in given.items()}
        if head == "tuple":
            return self._tuple(inner, value, path, owner)
        if head == "union":
            return self._union(inner, value, path, owner)
        if head in ("enum", "literal"):
            return self._choice(head, inner, value, path, owner)
        return self.model(head, value, path)

    def _list(self, inner: str, value: Any, path: Path, owner: str) -> Any:
        if not isinstance(value, list):
            self._wrong(path, owner, "a list", value)
            return value
        return [self._value(inner, item, (*path, index), owner) for index, item in enumerate(cast("list[Any]", value))]

    def _tuple(self, inner: list[str], value: Any, path: Path, owner: str) -> Any:
        if not isinstance(value, list) or len(cast("list[Any]", value)) != len(inner):
            self._wrong(path, owner, f"a list of {len(inner)} entries (author, parts)", value)
            return cast("Any", value)
        items = cast("list[Any]", value)
        return [self._value(kind, items[i], (*path, i), owner) for i, kind in enumerate(inner)]

    def _union(self, inner: list[str], value: Any, path: Path, owner: str) -> Any:
        best: Explainer | None = None
        best_value: Any = value
        for kind in _by_shape(inner, value):
            attempt = Explainer(self._knowledge)
            made = attempt._value(kind, value, path, owner)
            if best is None or _badness(attempt) < _badness(best):
                best, best_value = attempt, made
        if best is None:
            self._wrong(path, owner, " or ".join(_WORDS.get(k, k) for k in inner), value)
            return value
        self.problems.extend(best.problems)
        return best_value

    def _choice(self, head: str, names: list[str], value: Any, path: Path, owner: str) -> Any:
        if head == "enum":
            if isinstance(value, str):
                spelled = value.strip().upper().replace("-", "_").replace(" ", "_")
                if spelled in names:
                    return spelled
            elif isinstance(value, int | float) and value in range(len(names)):
                return names[int(value)]
        elif value in names:
            return value
        self._wrong(path, owner, "one of " + ", ".join(names), value)
        return value


def _badness(explainer: Explainer) -> int:
    return sum(1 for p in explainer.problems if p.what != "unknown" or p.extra == "forbid")


def _by_shape(kinds: list[str], value: Any) -> list[str]:
    """The members of a union that a value of this JSON shape can be; an audio simulator is told by its ``type``."""
    models = [k for k in kinds if k[:1].isupper()]
    if isinstance(value, dict):
        given = cast("dict[str, Any]", value)
        audio = [k for k in models if "Audio" in k]
        if audio:
            return audio if given.get("type") == "llm_audio" else [k for k in models if k not in audio]
        if "InvocationEvents" in models:
            recorded = given.keys() & {"invocation_events", "invocationEvents"}
            return ["InvocationEvents"] if recorded else ["IntermediateData"]
        return models
    return [k for k in kinds if not k[:1].isupper()]


def _is_float(value: Any) -> bool:
    if isinstance(value, str):
        return bool(re.fullmatch(r"\s*[-+]?(\d+(\.\d*)?|\.\d+)([eE][-+]?\d+)?\s*", value)) or value.strip().lower() in (
            "nan",
            "inf",
            "-inf",
            "infinity",
            "-infinity",
        )
    return isinstance(value, int | float)


def _is_int(value: Any) -> bool:
    if isinstance(value, str):
        return bool(re.fullmatch(r"\s*[-+]?\d+(\.0*)?\s*", value))
    return isinstance(value, int) or (isinstance(value, float) and math.isfinite(value) and value.is_integer())


def _is_bool(value: Any) -> bool:
    if isinstance(value, str):
        return value.lower() in ("true", "false", "yes", "no", "on", "off", "y", "n", "t", "f", "1", "0")
    return isinstance(value, bool) or value in (0, 1)


_SCALARS: dict[str, Check] = {
    "str": lambda v: isinstance(v, str),
    "float": _is_float,
    "int": _is_int,
    "bool": _is_bool,
    "none": lambda v: v is None,
}
_WORDS = {"str": "a string", "float": "a number", "int": "a whole number", "bool": "true or false", "none": "null"}


def nearest_name(name: str, known: Any) -> str:
    """The known name closest to ``name``, or an empty string."""
    if len(name) > 80:
        return ""
    from difflib import get_close_matches

    plain = re.sub(r"(?<=[a-z])([A-Z])", r"_\1", name).lower()
    found = get_close_matches(plain, list(known), n=1, cutoff=0.72)
    return found[0] if found else ""
