"""The plan's JSON Schema, for editors and for the structure check; generated from the models, read without them."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any, cast

from adk_split_eval.criteria.catalogue import CATALOGUE, CriterionInfo

STRUCTURE_FILE = Path(__file__).with_name("structure.json")
"""All models' schemas with our own ``x-check`` keyword; ``tools/plan_schema.py`` writes it."""

DIALECT = "https://json-schema.org/draft/2020-12/schema"
_DROPPED = frozenset({"title", "x-check"})


def generate_structure() -> dict[str, Any]:
    """The structure schema of all documents, from the models (this imports pydantic)."""
    from pydantic.json_schema import models_json_schema

    from adk_split_eval.plan.models import DraftCase, FrozenFile, Plan

    _, schema = models_json_schema(
        [(Plan, "validation"), (FrozenFile, "validation"), (DraftCase, "validation")], ref_template="#/$defs/{model}"
    )
    defs = {name: _tidy(body) for name, body in sorted(cast("dict[str, Any]", schema["$defs"]).items())}
    return {"$defs": defs}


def _tidy(schema: Any, *, names: bool = False) -> Any:
    """Without generated titles and null defaults; ``names`` marks a map whose keys are names, not keywords."""
    if isinstance(schema, list):
        return [_tidy(item) for item in cast("list[Any]", schema)]
    if not isinstance(schema, dict):
        return schema
    tidied: dict[str, Any] = {}
    for key, value in cast("dict[str, Any]", schema).items():
        if not names and (key == "title" or (key == "default" and value is None)):
            continue
        literal = not names and key in ("default", "enum", "const", "required")
        tidied[key] = value if literal else _tidy(value, names=not names and key == "properties")
    return tidied


def render_structure() -> str:
    """The text of ``structure.json``."""
    return json.dumps(generate_structure(), ensure_ascii=False, indent=1, sort_keys=True) + "\n"


@cache
def structure() -> dict[str, Any]:
    """The structure schema as committed: ``{"$defs": {model name: schema}}``."""
    return cast("dict[str, Any]", json.loads(STRUCTURE_FILE.read_text("utf-8")))


def plan_json_schema() -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of ``<plan_id>.plan.yaml``, short forms included, for editors."""
    return _document_schema("Plan", "A plan of adk-split-eval")


def frozen_json_schema() -> dict[str, Any]:
    """The JSON Schema of ``<plan_id>.frozen.yaml``."""
    return _document_schema("FrozenFile", "Frozen cases of adk-split-eval")


def _document_schema(root: str, title: str) -> dict[str, Any]:
    defs: dict[str, Any] = {}
    _collect(root, defs)
    top = defs.pop(root)
    if "FixedSet" in defs:
        _describe_criteria(defs["FixedSet"], "fixed")
        _describe_criteria(defs["SimSet"], "simulated")
    return {"$schema": DIALECT, "title": title, **top, "$defs": dict(sorted(defs.items()))}


def _collect(name: str, into: dict[str, Any]) -> None:
    """Copy the named schema and all it refers to."""
    if name in into:
        return
    into[name] = _public(structure()["$defs"][name])
    for referred in sorted(_references(into[name])):
        _collect(referred, into)


def _public(schema: Any, *, names: bool = False) -> Any:
    if isinstance(schema, list):
        return [_public(item) for item in cast("list[Any]", schema)]
    if not isinstance(schema, dict):
        return schema
    mapping = cast("dict[str, Any]", schema)
    return {
        key: _public(value, names=not names and key == "properties")
        for key, value in mapping.items()
        if names or key != "x-check"
    }


def _references(schema: Any) -> set[str]:
    found: set[str] = set()
    pending: list[Any] = [schema]
    while pending:
        current = pending.pop()
        if isinstance(current, dict):
            mapping = cast("dict[str, Any]", current)
            if isinstance(mapping.get("$ref"), str):
                found.add(mapping["$ref"].removeprefix("#/$defs/"))
            pending.extend(mapping.values())
        elif isinstance(current, list):
            pending.extend(cast("list[Any]", current))
    return found


def _describe_criteria(schema: dict[str, Any], half: str) -> None:
    """Let editors complete the criteria that the half may use; a team's own names stay possible."""
    wanted = schema["properties"]["criteria"]
    for mapping in [wanted, *wanted.get("anyOf", [])]:
        if mapping.get("type") == "object":
            mapping["properties"] = {
                name: _criterion_schema(row)
                for name, row in sorted(CATALOGUE.items())
                if half in row.sets and not row.informational
            }
            mapping["additionalProperties"] = {"anyOf": [{"type": "number"}, {"type": "object"}, {"type": "null"}]}


def _criterion_schema(row: CriterionInfo) -> dict[str, Any]:
    threshold = {"type": "number", "exclusiveMinimum": 0, "maximum": row.max_score}
    options: dict[str, Any] = {"type": "object", "properties": {"threshold": threshold}}
    return {"description": row.why, "anyOf": [threshold, options, {"type": "null"}]}
