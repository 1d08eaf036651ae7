"""What the process rules of a plan become: events written out, documents found, what an ending forbids afterwards."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from adk_split_eval.record import CompiledPlan

Compile = Callable[[str], CompiledPlan]
CASE = "fixed_set: {cases: [{case_id: A, turns: [{user: hi, expect_tools: [f]}]%s}]}\n"
EVENTS = "events: {asked: {tool: ask}, ended: {tool: end}, staged: {tool: go}}"
ASKED, ENDED, STAGED = ({"event": {"tool": name}} for name in ("ask", "end", "go"))


def params(made: CompiledPlan, name: str) -> dict[str, Any]:
    return next(c.params for c in made.cases[0].criteria if c.name == name)


def ruled(compiled: Compile, sections: str, case: str = "", more: str = "") -> CompiledPlan:
    return compiled(f"{more}process: {{{EVENTS}, {sections}}}\n{CASE % case}")


def selectors(value: Any) -> Any:
    """Selectors without the keys they leave at their defaults."""
    if isinstance(value, dict):
        return {key: selectors(one) for key, one in value.items() if one not in (None, {})}
    return [selectors(one) for one in value] if isinstance(value, list) else value


@pytest.mark.parametrize(
    ("early", "event"),
    [("says: stop", None), ("event: ended", {"tool": "end"}), ("event: {says: bye}", {"says": "bye"})],
)
def test_events_of_an_early_end_are_written_out(compiled: Compile, early: str, event: Any) -> None:
    made = ruled(compiled, f"stages: {{event: staged, order: [{{name: a}}], early_end: {{{early}, leads_to: [a]}}}}")
    found = selectors(params(made, "stage_flow_v1"))
    assert found["event"] == {"tool": "go"}
    assert found["early_end"].get("event") == event
    assert selectors(params(ruled(compiled, "stages: {event: staged, order: [{name: a}]}"), "stage_flow_v1")) == {
        "event": {"tool": "go"},
        "order": [{"name": "a"}],
    }


@pytest.mark.parametrize(
    ("sections", "after"),
    [
        ("ending: {event: ended}", None),
        ("ending: {event: ended}, questions: {event: asked, id: args.id}", [{"tool": "ask"}]),
        ("ending: {event: ended, nothing_after: [staged]}", [{"tool": "go"}]),
        ("ending: {event: ended, nothing_after: [staged]}, questions: {event: asked, id: args.id}", [{"tool": "go"}]),
    ],
)
def test_what_must_not_follow_the_end(compiled: Compile, sections: str, after: Any) -> None:
    assert selectors(params(ruled(compiled, sections), "ending_v1")).get("nothing_after") == after


def test_an_ending_knows_the_stages(compiled: Compile) -> None:
    stages = "stages: {event: staged, initial: a, order: [{name: a}, {name: b}, {name: c}]}"
    found = selectors(params(ruled(compiled, f"{stages}, ending: {{event: ended}}"), "ending_v1"))
    assert found["stages"] == ["c"]
    assert found["entering"] == {"event": {"tool": "go"}, "stage": "args.stage", "initial": "a"}
    found = selectors(params(ruled(compiled, f"{stages}, ending: {{event: ended, stages: [a, b]}}"), "ending_v1"))
    assert found["stages"] == ["a", "b"]
    alone = selectors(params(ruled(compiled, "ending: {event: ended, report: {event: asked, times: 2}}"), "ending_v1"))
    assert alone == {"event": {"tool": "end"}, "report": {"event": {"tool": "ask"}, "times": 2}}


DOCUMENT = {"id": "cv", "version": "2", "fragments": {"p1": "text"}}


@pytest.mark.parametrize(
    ("source", "case", "more"),
    [
        (f"inline: {json.dumps(DOCUMENT)}", "", ""),
        ("file: cv.json", "", ""),
        ("state: cv", "", f"session_input: {{state: {{cv: {json.dumps(DOCUMENT)}}}}}\n"),
        ("state: cv", f", session_input: {{state: {{cv: {json.dumps(DOCUMENT)}}}}}", ""),
        (
            "state: cv",
            f", session_input: {{state: {{cv: {json.dumps(DOCUMENT)}}}}}",
            "session_input: {state: {cv: {id: other, fragments: {}}}}\n",
        ),
    ],
)
def test_where_a_document_is_found(compiled: Compile, tmp_path: Path, source: str, case: str, more: str) -> None:
    (tmp_path / "cv.json").write_text(json.dumps({**DOCUMENT}), "utf-8")
    evidence = f"evidence: {{event: asked, cites: args.id, source: {{{source}}}}}"
    assert params(ruled(compiled, evidence, case, more), "evidence_links_v1")["source"] == DOCUMENT


@pytest.mark.parametrize("source", ["", ", source: {state: cv}"])
def test_no_document_is_none(compiled: Compile, source: str) -> None:
    judged = "models: {judge: j}\n"
    evidence = f"evidence: {{event: asked, cites: args.id, judge: true{source}}}"
    made = ruled(compiled, evidence, more=judged)
    assert "source" not in params(made, "evidence_links_v1")
    assert "evidence_meaning_v1" not in [c.name for c in made.cases[0].criteria]


def test_a_case_may_leave_the_process_or_a_section_of_it(compiled: Compile) -> None:
    sections = "ending: {event: ended}, questions: {event: asked, id: args.id}"
    names = [c.name for c in ruled(compiled, sections, ", process: false").cases[0].criteria]
    assert "ending_v1" not in names and "repeated_questions_v1" not in names
    own = ruled(compiled, sections, ", process: {events: {ended: {tool: stop}}, ending: {event: ended}}")
    assert selectors(params(own, "ending_v1"))["event"] == {"tool": "stop"}
    assert "repeated_questions_v1" in [c.name for c in own.cases[0].criteria]
