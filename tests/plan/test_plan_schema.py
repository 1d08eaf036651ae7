"""The JSON Schema: up to date, valid, and of one mind with the loader."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adk_split_eval.plan.checking import check_document, check_plan
from adk_split_eval.plan.models import Plan
from adk_split_eval.plan.nodes import Document, Node
from adk_split_eval.plan.reading import parse_document, read_document
from adk_split_eval.plan.schema import STRUCTURE_FILE, frozen_json_schema, plan_json_schema, render_structure
from adk_split_eval.plan.structure import check_structure

HERE = Path(__file__).parent
VALIDATOR = jsonschema.Draft202012Validator(plan_json_schema())
GOOD = read_document(HERE / "golden" / "good.plan.yaml").root.data()
STRUCTURAL = {"ASE010", "ASE011", "ASE012", "ASE101"}


def test_structure_file_is_fresh() -> None:
    assert json.loads(STRUCTURE_FILE.read_text("utf-8")) == json.loads(render_structure()), "run tools/plan_schema.py"


def test_schemas_are_schemas() -> None:
    for schema in (plan_json_schema(), frozen_json_schema()):
        jsonschema.Draft202012Validator.check_schema(schema)
        assert "x-check" not in json.dumps(schema)


def test_every_key_is_described() -> None:
    bare = [
        f"{name}.{key}"
        for name, schema in plan_json_schema()["$defs"].items()
        for option in [schema, *schema.get("anyOf", [])]
        for key, value in option.get("properties", {}).items()
        if "description" not in value and "$ref" not in value
    ]
    assert bare == []


def test_the_callers_copy_is_their_own() -> None:
    plan_json_schema()["$defs"].clear()
    assert plan_json_schema()["$defs"]


def test_good_plans_are_valid() -> None:
    VALIDATOR.validate(GOOD)
    data = read_document(HERE / "data" / "refund_desk.plan.yaml").root.data()
    assert [error.json_path for error in VALIDATOR.iter_errors(data)] == ["$.sim_set"]


def test_frozen_schema() -> None:
    frozen = {"plan_id": "a", "cases": [{"case_id": "F", "turns": [{"user": "a"}], "provenance": {"later": 1}}]}
    validator = jsonschema.Draft202012Validator(frozen_json_schema())
    validator.validate(frozen)
    assert not validator.is_valid({"plan_id": "a", "cases": [{"case_id": "F", "turns": [{"user": 1}]}]})


READABLE = [path for path in sorted((HERE / "golden").glob("*.plan.yaml")) if check_plan(path).document is not None]


@pytest.mark.parametrize("plan", READABLE, ids=lambda path: path.name)
def test_schema_refuses_what_the_loader_calls_a_wrong_shape(plan: Path) -> None:
    checked = check_plan(plan)
    assert checked.document is not None
    data = checked.document.root.data()
    shape = [
        finding for finding in checked.findings if finding.code in STRUCTURAL and "simulator" not in finding.message
    ]
    if shape:
        assert not VALIDATOR.is_valid(data)
    if VALIDATOR.is_valid(data):
        assert not shape


def _paths(value: Any, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    found = [path]
    if isinstance(value, dict):
        for key, inner in value.items():
            found += _paths(inner, (*path, key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            found += _paths(inner, (*path, index))
    return found


PATHS = _paths(GOOD)
ODD = st.sampled_from(
    [None, True, False, 7, -1, 2.5, "", " ", "TODO", "x", "all", "(", [], ["x"], [[]], {}, {"x": 1}, {"name": "x"}]
)


@st.composite
def mutated(draw: st.DrawFn) -> Any:
    """The good plan with one to three places replaced, removed, renamed or added to."""
    data = copy.deepcopy(GOOD)
    for _ in range(draw(st.integers(1, 3))):
        path = draw(st.sampled_from(PATHS[1:]))
        parent: Any = data
        try:
            for segment in path[:-1]:
                parent = parent[segment]
            last = path[-1]
            action = draw(st.sampled_from(["replace", "remove", "rename", "add"]))
            if action == "replace":
                parent[last] = draw(ODD)
            elif action == "remove":
                del parent[last]
            elif action == "rename" and isinstance(parent, dict):
                parent[draw(st.sampled_from(["turns", "args", "zzz", f"{last}s"]))] = parent.pop(last)
            elif isinstance(parent, dict):
                parent[draw(st.sampled_from(["name", "until", "extra", "expect_tools", "event"]))] = draw(ODD)
        except (KeyError, IndexError, TypeError):
            continue
    return data


def structural_problems(data: Any) -> list[Any]:
    text = json.dumps(data)
    return check_structure(parse_document(text, "mutated"), "Plan")


def why(data: Any) -> str:
    """What the models say against the data; nothing when they accept it."""
    try:
        Plan.model_validate(data)
    except ValueError as error:
        return str(error)
    return ""


def pydantic_accepts(data: Any) -> bool:
    return not why(data)


@settings(max_examples=120, deadline=None)
@given(mutated())
def test_structure_check_models_and_schema_agree(data: Any) -> None:
    problems = structural_problems(data)
    assert (not problems) == pydantic_accepts(data), (problems, why(data))
    if not check_document(parse_document(json.dumps(data), "mutated"), Path("mutated")).findings:
        VALIDATOR.validate(data)
    if {problem.code for problem in problems} & {"ASE010", "ASE011"}:
        assert not VALIDATOR.is_valid(data)


def test_a_case_of_disagreement_would_be_seen() -> None:
    broken = copy.deepcopy(GOOD)
    broken["fixed_set"]["cases"][0]["turns"][0]["expect_tool"] = []
    assert structural_problems(broken) and not pydantic_accepts(broken) and not VALIDATOR.is_valid(broken)


def test_skipped_segments_find_the_nearest_node() -> None:
    document: Document = parse_document("a: {b: [1, 2]}", "x")
    node: Node = document.node(("a", "calls", 0, "b", 1))
    assert node.value == 2
