"""A contrast that does not hold is seen wherever a run is reported."""

from __future__ import annotations

import io
from xml.etree import ElementTree

from rich.console import Console

from adk_split_eval.record import CaseResult, RunResult
from adk_split_eval.report.console import print_run
from adk_split_eval.report.html import html_report
from adk_split_eval.report.junit import junit_xml


def a_run(verdict: str, exit_code: int) -> RunResult:
    contrast = {
        "name": "projects <follow> the CV",
        "cases": ["I-01", "I-02"],
        "differ_in": "the projects",
        "verdict": verdict,
        "reasons": ["the project questions are the same"] if verdict != "PASS" else [],
        "blocking": True,
        "owner": "agent",
        "next_step": "look at how the CV is passed on",
    }
    cases = [CaseResult("fixed", "I-01", "PASS"), CaseResult("fixed", "I-02", "PASS")]
    return RunResult(
        "r", "p", "2026-01-01T00:00:00+00:00", "2.13.0", "0.1.0", exit_code, cases, extra={"contrasts": [contrast]}
    )


def console_text(result: RunResult) -> str:
    out = io.StringIO()
    print_run(result, console=Console(file=out, width=100, color_system=None))
    return out.getvalue()


def test_a_broken_contrast_is_seen_everywhere() -> None:
    result = a_run("FAIL", 1)
    text = console_text(result)
    assert "FAIL     projects <follow> the CV (I-01 / I-02)" in text
    assert "the project questions are the same" in text
    assert "a contrast between two cases does not hold" in text
    page = html_report(result)
    assert "projects &lt;follow&gt; the CV" in page
    root = ElementTree.fromstring(junit_xml(result))
    assert root.get("failures") == "1"
    assert [c.get("name") for c in root.iter("testcase") if c.find("failure") is not None] == [
        "projects <follow> the CV"
    ]


def test_one_that_could_not_be_judged_is_an_error() -> None:
    result = a_run("ERROR", 3)
    assert "could not be judged" in console_text(result)
    assert ElementTree.fromstring(junit_xml(result)).get("errors") == "1"


def test_one_that_holds_is_green() -> None:
    result = a_run("PASS", 0)
    assert "PASS     projects <follow> the CV" in console_text(result)
    assert ElementTree.fromstring(junit_xml(result)).get("failures") == "0"
