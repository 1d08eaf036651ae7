"""YAML at its limits: anchors, tags, depth, size, numbers, and where every value begins and ends."""

from __future__ import annotations

from pathlib import Path

import pytest

from adk_split_eval.plan import PlanError, reading
from adk_split_eval.plan.checking import check_document
from adk_split_eval.plan.reading import parse_document, read_document

FIXED = "fixed_set: {cases: [{case_id: F-01, turns: [{user: hello, expect_tools: [look]}]}]}\n"


def codes(text: str) -> list[str]:
    """Codes found in a plan, those of rejected cases with the case."""
    try:
        document = parse_document(text, "demo.plan.yaml")
    except PlanError as error:
        return [finding.code for finding in error.findings]
    checked = check_document(document, Path("nowhere") / "demo.plan.yaml")
    return [f"{f.case_id} {f.code}" if f.case_id else f.code for f in checked.findings]


def plan(*more: str) -> list[str]:
    return codes("plan_id: demo\n" + "".join(more))


def test_a_file_just_too_large_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "demo.plan.yaml"
    with path.open("wb") as file:
        file.truncate(64 * 1024 * 1024 + 1)
    with pytest.raises(PlanError, match="ASE001 the file is larger than 64 MB"):
        read_document(path)


@pytest.mark.parametrize(
    "case",
    [
        "turns: [{user: &said hello, expect_tools: [look], expect_response: *said}]",
        "turns: [{user: &said 'hello', expect_tools: [look], expect_response: *said}]",
        "turns: [{user: hello, expect_tools: &tools [look], expect_response: x}, {user: more, expect_tools: *tools}]",
        "turns: [{user: hello, expect_tools: [&call {name: look, args: {a: 1}}, *call]}]",
    ],
)
def test_any_value_can_be_repeated_by_its_anchor(case: str) -> None:
    assert plan(f"models: {{judge: j}}\nfixed_set: {{cases: [{{case_id: F-01, {case}}}]}}\n") == []


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ("!!map {a: 1}", []),
        ("!!seq [1]", []),
        ("!!str 12", []),
        ("! 12", []),
        ("! {a: 1}", []),
        ("!!set {a: 1}", ["ASE008"]),
        ("!!int 12", ["ASE008"]),
        ("!!seq {a: 1}", []),
    ],
)
def test_tags_that_say_what_is_there_anyway(value: str, found: list[str]) -> None:
    assert plan(f"session_input: {{state: {{x: {value}}}}}\n", FIXED) == found


def test_what_a_tag_calls_text_is_text() -> None:
    document = parse_document("{a: !!str 12, b: ! 12, c: !!str no, d: 12, e: '12', f: !!str '12'}\n", "p")
    assert document.root.data() == {"a": "12", "b": "12", "c": "no", "d": 12, "e": "12", "f": "12"}


def test_aliases_at_their_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "x: &x [1, 2, 3]\ny: *x\nz: *x\n"
    monkeypatch.setattr(reading, "MAX_REPEATED_NODES", 8)
    assert parse_document(text, "p").root.data()["z"] == [1, 2, 3]
    monkeypatch.setattr(reading, "MAX_REPEATED_NODES", 7)
    assert codes(text) == ["ASE007"]


def test_where_values_end() -> None:
    text = "plan_id: demo\nagent: {a: [1, 2], b: {c: 3}  }\nfixed_set:\n  cases:\n  - case_id: F-01\n    turns: [ ]  # none\n\nx:\n- a\n- b: c\n"
    document = parse_document(text, "p")

    def end(*path: str | int) -> tuple[int, int]:
        place = document.place(path)
        return place.end_line, place.end_column

    assert end("agent") == (2, 32)
    assert end("agent", "a") == (2, 18)
    assert end("agent", "b") == (2, 29)
    assert end("fixed_set") == end("fixed_set", "cases", 0) == end("fixed_set", "cases", 0, "turns") == (6, 15)
    assert end("x") == (10, 7)


@pytest.mark.parametrize(("digits", "found"), [(299, []), (300, ["ASE006"])])
def test_numbers_of_hundreds_of_digits(digits: int, found: list[str]) -> None:
    assert plan(f"session_input: {{state: {{x: {'9' * digits}}}}}\n", FIXED) == found


def test_a_tab_inside_a_line_is_not_its_indentation() -> None:
    with pytest.raises(PlanError) as caught:
        parse_document("plan_id: demo\nagent: a\tb: c\n", "p")
    (finding,) = caught.value.findings
    assert (finding.line, finding.column) == (2, 11)
    assert "colon" in finding.message and "tab" not in finding.message


@pytest.mark.parametrize(("depth", "found"), [(197, []), (198, ["ASE007"])])
@pytest.mark.parametrize("pair", ["[]", "{}"])
def test_nesting_at_its_limit(pair: str, depth: int, found: list[str]) -> None:
    opened = "[" if pair == "[]" else "{a: "
    text = opened * depth + "1" + pair[1] * depth
    assert plan(f"session_input: {{state: {{x: {text}}}}}\n", FIXED) == found


def test_surprises_come_before_the_top_that_is_no_mapping() -> None:
    assert codes("- no\n- 012\n") == ["ASE006", "ASE006"]
    assert codes("- a\n") == ["ASE004"]


def test_places_that_a_document_does_not_have() -> None:
    document = parse_document("a: {b: [1, 2]}\n", "p")
    assert document.root.find(("a", "b", 1)) is document.node(("a", "b", 1))
    for path in (("a", "b", 2), ("a", "b", "0"), ("a", 0), ("c", "b"), ("a", "b", 0, "x")):
        assert document.root.find(path) is None
    assert document.place(("a", "b", 2)) == document.place(("a", "b"))
    assert document.place((), key=True) == document.place()
    assert document.place(("a", "b", 1), key=True) == document.place(("a", "b", 1))
    assert document.place(("a", "zzz"), key=True) == document.place(("a",))
    assert document.place(("a", "b"), key=True).column == 5


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("? [a, b]\n: 1\n", "a list cannot be a key"),
        ("{{a: 1}: 2}\n", "a mapping cannot be a key"),
        ("? \n: 1\n", "a key is empty"),
        ("null: 1\n", "the key 'null' is empty, not text"),
        ("12: 1\n", "the key '12' is the number 12, not text"),
        ("true: 1\n", "the key 'true' is true, not text"),
    ],
)
def test_a_key_is_text(text: str, said: str) -> None:
    with pytest.raises(PlanError) as caught:
        parse_document("plan_id: demo\nx: {y: 1}\n" + text if text[0] != "{" else text, "p")
    (finding,) = caught.value.findings
    assert (finding.code, finding.message) == ("ASE006", said)
    assert finding.line == (1 if text[0] == "{" else 3)


def test_the_first_of_two_equal_keys_is_where_the_key_stands() -> None:
    with pytest.raises(PlanError) as caught:
        parse_document("plan_id: demo\na:\n  - 1\n  - 2\na: 3\n", "p")
    (finding,) = caught.value.findings
    assert (finding.code, finding.line) == ("ASE005", 5) and "the first is on line 2" in finding.message
    assert [(related.line, related.column) for related in finding.related] == [(2, 1)]


def test_an_alias_of_nothing_is_told_at_its_place() -> None:
    with pytest.raises(PlanError) as caught:
        parse_document("plan_id: demo\na: [*x, &x 1]\n", "p")
    (finding,) = caught.value.findings
    assert (finding.code, finding.line, finding.column) == ("ASE003", 2, 5)
    assert finding.message == "the alias *x has no anchor before it"
