"""The shape of a document: unknown keys, missing keys, wrong types and values, with their places.

A small reader of the structure schema (``schema.py``), which is generated from the models: the same rules without the
cost of importing pydantic, and in words for people.
"""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass
from typing import Any, cast

from adk_split_eval.plan.checks import VALUE_CHECKS, Complaint, shown
from adk_split_eval.plan.checks_mappings import MAPPING_CHECKS
from adk_split_eval.plan.nodes import Document, DocumentPath, Node, describe
from adk_split_eval.plan.schema import structure

Schema = dict[str, Any]

EXPECTED_KEYS: frozenset[str] = frozenset(
    {
        "expect_tools",
        "expect_trajectory",
        "expect_response",
        "expect_intermediate_responses",
        "expect_state",
        "expected_tools",
        "expected_tool_use",
        "expected_response",
        "reference",
        "order_rules",
        "order_rule",
        "match_type",
        "response",
        "turns",
    }
)
"""Keys that expect something of one scripted conversation, so that no simulated case can carry them."""

FROZEN_KEYS: frozenset[str] = frozenset({"provenance", "pending", "replay_tools", "tool_results"})
"""Keys that only the file of frozen cases knows."""

_WORDS = {
    "string": "text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "array": "a list",
    "object": "a mapping",
    "null": "nothing",
}


@dataclass(frozen=True, slots=True)
class Problem:
    """Something wrong at a path of a document; with ``key``, the key itself is what is wrong."""

    path: DocumentPath
    code: str
    message: str
    help: str
    key: bool = False


def check_structure(document: Document, model: str) -> list[Problem]:
    """What is wrong with the shape of a document whose top is ``model`` (a model name of the plan room)."""
    return _Walk(document).run(document.root, {"$ref": f"#/$defs/{model}"}, ())


def exclusion(key: str, case: str) -> tuple[str, str]:
    """Message and mend when a simulated case carries something expected."""
    message = (
        f"{case} is simulated and carries `{key}`: its user improvises, so there is no expected trajectory or response "
        "to compare with; ADK leaves criteria that need one unevaluated under user simulation and can still say PASSED"
    )
    mend = (
        "move the case to fixed_set with its user's words written out, or state an invariant that holds whatever is "
        "said: forbidden_tools: [{name: ..., until: ...}]"
    )
    return message, mend


class _Walk:
    def __init__(self, document: Document) -> None:
        self.document = document
        self.defs: dict[str, Schema] = structure()["$defs"]

    def run(self, node: Node, schema: Schema, path: DocumentPath, name: str = "") -> list[Problem]:
        """Problems of ``node`` under ``schema``; ``name`` is the model the schema belongs to, if it is one."""
        check = schema.get("x-check")
        if check == "hole":
            problems = self._value_check(check, node, path)
            if problems:
                return problems
        alternatives = self._alternatives(schema, name)
        fitting = [(option, model) for option, model in alternatives if _fits(node, option)]
        if not fitting:
            return [self._wrong_type(node, [option for option, _ in alternatives], path)]
        results = (self._one(node, option, path, model) for option, model in fitting)
        return min(results, key=len) if len(fitting) > 1 else next(results)

    def _alternatives(self, schema: Schema, name: str) -> list[tuple[Schema, str]]:
        """The schema's alternatives, references followed, each with the model it belongs to.

        A check of all alternatives together, at any depth, is a check of each.
        """
        if "$ref" in schema:
            model = str(schema["$ref"]).removeprefix("#/$defs/")
            return self._alternatives(self.defs[model], model)
        options: list[Schema] | None = schema.get("anyOf") or schema.get("oneOf")
        if options is None:
            return [(schema, name)]
        shared: Schema = {"x-check": schema["x-check"]} if "x-check" in schema else {}
        return [({**shared, **found}, model) for option in options for found, model in self._alternatives(option, name)]

    def _one(self, node: Node, schema: Schema, path: DocumentPath, name: str) -> list[Problem]:
        """Problems of a node whose type fits."""
        if node.kind == "mapping":
            problems = self._mapping(node, schema, path, name)
        elif node.kind == "sequence":
            problems = self._sequence(node, schema, path)
        else:
            problems = self._scalar(node, schema, path)
        if not problems and "x-check" in schema:
            problems = self._value_check(schema["x-check"], node, path)
        if not problems and node.kind == "mapping" and name in MAPPING_CHECKS:
            try:
                MAPPING_CHECKS[name](node.data())
            except Complaint as complaint:
                problems = [Problem((*path, *complaint.path), complaint.code, complaint.message, complaint.help)]
        return problems

    def _value_check(self, check: str, node: Node, path: DocumentPath) -> list[Problem]:
        try:
            VALUE_CHECKS[check](node.data())
        except Complaint as complaint:
            message = complaint.message
            if complaint.code == "ASE031":
                message = f"{self.subject(path)} is empty"
            return [Problem((*path, *complaint.path), complaint.code, message, complaint.help)]
        return []

    def _key_check(self, check: str, key: str, path: DocumentPath) -> list[Problem]:
        try:
            VALUE_CHECKS[check](key)
        except Complaint as complaint:
            return [Problem(path, complaint.code, complaint.message, complaint.help, key=True)]
        return []

    def _mapping(self, node: Node, schema: Schema, path: DocumentPath, name: str) -> list[Problem]:
        known = cast("dict[str, Schema]", schema.get("properties") or {})
        others = schema.get("additionalProperties", True)
        problems: list[Problem] = []
        names = cast("Schema", schema.get("propertyNames") or {}).get("x-check")
        for key, (_, value) in node.fields.items():
            if names is not None:
                problems += self._key_check(names, key, (*path, key))
            if key in known:
                problems += self.run(value, known[key], (*path, key))
            elif isinstance(others, dict):
                problems += self.run(value, cast("Schema", others), (*path, key))
            elif others is False:
                problems.append(self._unknown(key, list(known), (*path, key), name))
        for key in cast("list[str]", schema.get("required") or []):
            if key not in node.fields:
                message = f"`{key}` is missing in {self.where(path)}"
                problems.append(Problem(path, "ASE012", message, self._mend(key, known.get(key, {}))))
        return problems

    def _mend(self, key: str, schema: Schema) -> str:
        about = str(schema.get("description", "")).rstrip(".")
        return f"add `{key}`" + (f": {_lower(about)}" if about else "")

    def _unknown(self, key: str, known: list[str], path: DocumentPath, name: str) -> Problem:
        where = self.where(path[:-1])
        if name == "SimCase" and key in EXPECTED_KEYS:
            return Problem(path, "ASE101", *exclusion(key, where), key=True)
        if key in FROZEN_KEYS and name in ("FixedCase", "FixedTurn"):
            help = "keep it in <plan_id>.frozen.yaml, which `freeze` writes"
        elif name in ("FixedCase", "FrozenCase") and self._closer_on_turn(key, known):
            help = f"write `{self._closer_on_turn(key, known)}` on each turn"
        else:
            help = nearest(key, known)
        return Problem(path, "ASE010", f"unknown key `{shown(key)[1:-1]}` in {where}", help, key=True)

    def _closer_on_turn(self, key: str, known: list[str]) -> str | None:
        """The key of a turn that was meant, when it is nearer than any key of the case."""
        turn = [name for name in self.defs["FixedTurn"]["properties"] if name not in known]
        best = difflib.get_close_matches(key, [*turn, *known], n=1, cutoff=0.6)
        return best[0] if best and best[0] in turn else None

    def _sequence(self, node: Node, schema: Schema, path: DocumentPath) -> list[Problem]:
        least, most = schema.get("minItems", 0), schema.get("maxItems")
        if len(node.items) < least or (most is not None and len(node.items) > most):
            wanted = f"exactly {least}" if most == least else f"at least {least}"
            message = f"{self.subject(path)} has {len(node.items)} entries; it takes {wanted}"
            return [
                Problem(path, "ASE013", message, "add an entry, or remove the key" if least == 1 else "mend the list")
            ]
        items = cast("Schema", schema.get("items") or {})
        return [problem for index, item in enumerate(node.items) for problem in self.run(item, items, (*path, index))]

    def _scalar(self, node: Node, schema: Schema, path: DocumentPath) -> list[Problem]:
        value = node.value
        allowed: list[Any] | None = [schema["const"]] if "const" in schema else schema.get("enum")
        if allowed is not None and not any(value == one and type(value) is type(one) for one in allowed):
            listed = " or ".join(str(one).lower() if isinstance(one, bool) else str(one) for one in allowed)
            listed += self._other_forms(path)
            texts = [one for one in allowed if isinstance(one, str)]
            help = nearest(value, texts) if isinstance(value, str) else f"write {listed}"
            return [Problem(path, _code(path), f"{self.subject(path)} is {describe(node)}; it takes {listed}", help)]
        if isinstance(value, str):
            return self._string(node, schema, path)
        if isinstance(value, int | float) and not isinstance(value, bool):
            return self._number(node, schema, path)
        return []

    def _other_forms(self, path: DocumentPath) -> str:
        """Mappings that the gate takes instead of its one word."""
        return ", {at_least: k} or {pass_hat: k}" if path == ("policy", "gate") else ""

    def _string(self, node: Node, schema: Schema, path: DocumentPath) -> list[Problem]:
        pattern = schema.get("pattern")
        if "x-check" not in schema and pattern is not None and not re.search(pattern, node.value):
            message = f"{self.subject(path)} is {describe(node)}, which is not spelt as it must be"
            about = schema.get("description") or f"it must match {pattern}"
            return [Problem(path, _code(path), message, str(about))]
        return []

    def _number(self, node: Node, schema: Schema, path: DocumentPath) -> list[Problem]:
        value, bounds = node.value, list[str]()
        if "exclusiveMinimum" in schema:
            bounds.append(f"above {schema['exclusiveMinimum']:g}")
        if "minimum" in schema:
            bounds.append(f"at least {schema['minimum']:g}")
        if "maximum" in schema:
            bounds.append(f"at most {schema['maximum']:g}")
        low = "exclusiveMinimum" in schema and not value > schema["exclusiveMinimum"]
        low |= "minimum" in schema and value < schema["minimum"]
        if low or ("maximum" in schema and value > schema["maximum"]):
            message = f"{self.subject(path)} is {describe(node)}"
            return [Problem(path, _code(path), message, f"write a number {' and '.join(bounds)}")]
        return []

    def _wrong_type(self, node: Node, options: list[Schema], path: DocumentPath) -> Problem:
        types = [str(option.get("type") or _type_of_constant(option)) for option in options]
        named = (
            _constant(option) or _WORDS.get(one, one)
            for option, one in zip(options, types, strict=True)
            if one != "null"
        )
        wanted = list(dict.fromkeys(named))
        message = f"{self.subject(path)} takes {' or '.join(wanted)}, not {describe(node)}"
        if node.kind == "scalar" and node.value is None:
            message = f"{self.subject(path)} is empty; it takes {' or '.join(wanted)}"
            help = "write a value, or remove the key"
        elif "string" in types and node.kind == "scalar":
            help = f'put it in quotes: "{node.text}"'
        elif "array" in types and node.kind == "scalar":
            help = f"write a list: [{shown(node.text)[1:-1]}]"
        else:
            help = f"write {' or '.join(wanted)}"
        return Problem(path, "ASE014" if path and path[-1] == "threshold" else "ASE011", message, help)

    def subject(self, path: DocumentPath) -> str:
        """What stands at a path: ```user` in turn 1 of case F-01``, ```trials```."""
        if not path:
            return "the file"
        if isinstance(path[-1], int):
            parent = path[:-1]
            inside = self.where(parent[:-1]) if parent else ""
            label = f"entry {path[-1] + 1} of `{parent[-1]}`" if parent else f"entry {path[-1] + 1}"
            return label if inside in ("", "the file") else f"{label} in {inside}"
        inside = self.where(path[:-1])
        label = f"`{shown(path[-1])[1:-1]}`"
        return label if inside == "the file" else f"{label} in {inside}"

    def where(self, path: DocumentPath) -> str:
        """A place in words: ``turn 2 of case F-01``, ```policy```, ``the file``."""
        prefix = case_prefix(path)
        if prefix:
            case_id = self.document.node(prefix).child("case_id")
            named = (
                case_id is not None and self.document.node(prefix).kind == "mapping" and isinstance(case_id.value, str)
            )
            words = (
                f"case {shown(case_id.value)[1:-1]}" if named and case_id else f"entry {int(prefix[-1]) + 1} of `cases`"
            )
            rest = path[len(prefix) :]
            if len(rest) >= 2 and rest[0] == "turns" and isinstance(rest[1], int):
                words, rest = f"turn {rest[1] + 1} of {words}", rest[2:]
            return f"`{_dotted(rest)}` of {words}" if rest else words
        return f"`{_dotted(path)}`" if path else "the file"


def _dotted(path: DocumentPath) -> str:
    """``policy.gate``, ``contrasts[0].cases``; entries counted from 1 would not be paths, so they stay as YAML tools count."""
    text = ""
    for segment in path:
        text += f"[{segment}]" if isinstance(segment, int) else ("." if text else "") + shown(segment)[1:-1]
    return text


def case_prefix(path: DocumentPath) -> DocumentPath | None:
    """The part of a path that leads to a case: ``("fixed_set", "cases", 0)``, or ``("cases", 0)`` in a frozen file."""
    if len(path) >= 3 and path[0] in ("fixed_set", "sim_set") and path[1] == "cases" and isinstance(path[2], int):
        return path[:3]
    if len(path) >= 2 and path[0] == "cases" and isinstance(path[1], int):
        return path[:2]
    return None


def nearest(name: str, known: list[str]) -> str:
    """The mend for a name nobody knows: the nearest known one, else the list of them."""
    close = difflib.get_close_matches(name, known, n=1, cutoff=0.6) or [
        one for one in known if one.lower() == name.lower()
    ]
    if close:
        return f"did you mean `{close[0]}`?"
    return f"known here: {', '.join(sorted(known))}" if known else "remove it"


def _lower(text: str) -> str:
    """A sentence as it continues another one; names in capitals stay."""
    return text if text[1:2].isupper() else text[:1].lower() + text[1:]


def _code(path: DocumentPath) -> str:
    return "ASE014" if path and path[-1] == "threshold" else "ASE013"


def _constant(schema: Schema) -> str:
    """The one value a schema takes, as YAML writes it."""
    value: Any = schema.get("const")
    return str(value).lower() if isinstance(value, bool) else str(value or "")


def _type_of_constant(schema: Schema) -> str:
    values: list[Any] = [schema["const"]] if "const" in schema else list(schema.get("enum") or [])
    return "boolean" if values and isinstance(values[0], bool) else "string" if values else "anything"


def _fits(node: Node, schema: Schema) -> bool:
    """Whether the node's type is the schema's."""
    wanted = schema.get("type")
    if wanted is None:
        wanted = _type_of_constant(schema)
        if wanted == "anything":
            return True
    if node.kind == "mapping":
        return wanted == "object"
    if node.kind == "sequence":
        return wanted == "array"
    value = node.value
    if value is None:
        return wanted == "null"
    if isinstance(value, bool):
        return wanted == "boolean"
    if isinstance(value, int):
        return wanted in ("integer", "number")
    if isinstance(value, float):
        return wanted == "number"
    return wanted == "string"


def check_node(document: Document, node: Node, model: str, path: DocumentPath) -> list[Problem]:
    """What is wrong with the shape of one node under ``model``; ``path`` leads to it."""
    return _Walk(document).run(node, {"$ref": f"#/$defs/{model}"}, path)
