"""HTML, JUnit, JSON and annotations: valid whatever a conversation held, and each verdict where its reader expects it."""

import html.parser
import json
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from junitparser import Error, Failure, JUnitXml, Skipped

from adk_split_eval.record.conversation import Call, Text, Turn
from adk_split_eval.record.result import CaseResult, CriterionResult, RunResult, TrialResult
from adk_split_eval.record.runs import read_result
from adk_split_eval.record.text import safe_terminal
from adk_split_eval.report.github import annotation_lines
from adk_split_eval.report.html import html_report, write_html
from adk_split_eval.report.html_style import STYLE_HASH
from adk_split_eval.report.json_report import result_json, write_json
from adk_split_eval.report.junit import junit_xml, write_junit

DATA = Path(__file__).parent / "data"
ANY_TEXT = st.text(st.characters(codec=None, exclude_categories=()), max_size=30) | st.sampled_from(
    [
        "<script>alert(1)</script>",
        "</style><script>x</script>",
        "</pre></details></article>",
        '" onmouseover="x',
        "]]>",
        "<!--",
        "&lt;&#0;",
        "\x1b]0;owned\x07",
        "\u202egnp.exe",
        "\ud83d",
        "%0A::error::x",
        "\n::error::x",
    ]
)
ALLOWED = {
    "html", "head", "meta", "title", "style", "body", "h1", "h2", "h3", "div", "section", "dl", "dt", "dd", "table", "tr",
    "th", "td", "span", "a", "article", "details", "summary", "ul", "ol", "li", "code", "pre", "p", "strong",
}  # fmt: skip


def run_with(text: str, verdict: str = "HIT") -> RunResult:
    """One case that carries ``text`` everywhere a text can stand."""
    turns = [Turn(text, [Call(text, {text: [text]}, {"r": text}, 0, text, True)], [Text(text, text)], text, error=text)]
    criteria = [
        CriterionResult(text, "deterministic", "failed", 0.0, 1.0, None, [text]),
        CriterionResult("j", "judged", "passed", float("nan"), float("inf"), ["passed", text, "failed"], [text]),
    ]
    trials = [TrialResult("HIT", 1, turns, criteria, [text], [text], text, "stop_signal"), TrialResult("OK", 2, turns)]
    case = CaseResult(
        "simulated", text, verdict, [text], [text], True, "agent", text, text, "stop_signal", turns, criteria, trials,  # type: ignore[arg-type]
        scene=text, extra={"persona": text},
    )  # fmt: skip
    return RunResult(text, text, text, text, text, 0, [case], [text], [text], {"plan_path": text})


class Checker(html.parser.HTMLParser):
    """Fails on an element or attribute that the report never writes, and on unbalanced elements; keeps the text."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.texts: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in ALLOWED, tag
        for name, value in attrs:
            assert name in {"class", "id", "href", "open", "lang", "charset", "content", "http-equiv", "name"}, name
            if name == "href":
                assert re.fullmatch(r"#case-[0-9a-f]{16}", value or "")
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)

    def handle_comment(self, data: str) -> None:
        raise AssertionError("the report writes no comment")


def checked(page: str) -> str:
    page.encode("utf-8")
    checker = Checker()
    checker.feed(page)
    checker.close()
    assert checker.open == []
    return "".join(checker.texts)


@settings(max_examples=60, deadline=None)
@given(ANY_TEXT)
def test_no_text_becomes_markup_and_none_is_lost(text: str) -> None:
    assert safe_terminal(text, newlines=True) in checked(html_report(run_with(text)))


@settings(max_examples=60, deadline=None)
@given(ANY_TEXT)
def test_any_text_gives_wellformed_xml(text: str) -> None:
    root = ElementTree.fromstring(junit_xml(run_with(text)).encode("utf-8"))
    assert root.find(".//testcase/skipped") is not None


@settings(max_examples=60, deadline=None)
@given(ANY_TEXT)
def test_any_text_survives_the_json(text: str) -> None:
    def refuse(name: str) -> Any:
        raise AssertionError(name)

    data = json.loads(result_json(run_with(text)).encode("utf-8"), parse_constant=refuse)
    case = data["cases"][0]
    expected = json.loads(json.dumps(text))
    assert case["turns"][0]["user"] == expected
    assert case["turns"][0]["tool_calls"][0]["args"] == {expected: [expected]}
    assert case["trials"][0]["turns"][0]["response"] == expected
    assert (case["criteria"][1]["score"], case["criteria"][1]["threshold"]) == (None, None)


@settings(max_examples=60, deadline=None)
@given(ANY_TEXT)
def test_no_text_starts_an_annotation_of_its_own(text: str) -> None:
    (line,) = annotation_lines(run_with(text))
    line.encode("utf-8")
    assert len(line.splitlines()) == 1
    assert re.match(r"::warning (file|title)=[^:]*::", line)


def test_the_page_loads_nothing_and_runs_nothing() -> None:
    page = html_report(read_result(DATA / "run.json"))
    text = checked(page)
    assert "default-src &#x27;none&#x27;" in page
    assert STYLE_HASH in page
    assert not re.search(r"""(src|url\(|@import|https?:)""", page.replace("default-src", "").replace("style-src", ""))
    for part in ("GATE: fixed set", "PROBE: simulated set", "can judge", "Checks (deterministic)", "Judged by a model"):
        assert part in text
    assert "退款 L8823, please" in text
    assert 'order_lookup({"order_id": "L8823"})' in text
    assert page.count("<summary>") >= 3


def test_every_trial_has_its_own_fold() -> None:
    page = html_report(read_result(DATA / "run.json"))
    assert [page.count(f"Trial {n} ") for n in (1, 2, 3)] == [1, 1, 1]


def test_the_json_is_the_public_form(tmp_path: Path) -> None:
    result = read_result(DATA / "run.json")
    path = tmp_path / "new" / "result.json"
    write_json(result, path)
    assert path.read_bytes() == (DATA / "run.json").read_bytes()
    data = json.loads(path.read_text(encoding="utf-8"))
    assert list(data)[:8] == [
        "schema_version", "run_id", "plan_id", "started_at", "adk_version", "tool_version", "exit_code", "counts",
    ]  # fmt: skip
    assert data["counts"]["fixed"] == {"PASS": 1, "FAIL": 1, "ERROR": 1}


def test_files_of_a_report_are_written(tmp_path: Path) -> None:
    result = read_result(DATA / "run.json")
    write_html(result, tmp_path / "a.html")
    write_junit(result, tmp_path / "a.xml")
    assert (tmp_path / "a.html").read_text(encoding="utf-8").endswith("</html>\n")
    assert len(JUnitXml.fromfile(str(tmp_path / "a.xml"))) == 2


def junit_outcomes(result: RunResult, fail_on_hit: bool = False) -> dict[str, list[type]]:
    xml = JUnitXml.fromstring(junit_xml(result, fail_on_hit=fail_on_hit).encode("utf-8"))
    return {case.name: [type(r) for r in case.result] for suite in xml for case in suite}


def every_verdict() -> RunResult:
    fixed = ("PASS", "FAIL", "ERROR", "REJECTED")
    simulated = ("OK", "HIT", "SIMULATOR", "INCONCLUSIVE", "ERROR", "REJECTED")
    cases = [CaseResult("fixed", f"f{v}", v, ["why"]) for v in fixed]
    cases += [CaseResult("simulated", f"s{v}", v, ["why"]) for v in simulated]
    cases.append(CaseResult("fixed", "pending", "FAIL", ["why"], extra={"not_blocking": True}))
    cases.append(CaseResult("fixed", "flaky", "PASS", flaky=True))
    return RunResult("r", "p", "2026-01-01T00:00:00Z", "2.13.0", "0.1.0", 1, cases)


def test_junit_outcomes() -> None:
    assert junit_outcomes(every_verdict()) == {
        "fPASS": [], "fFAIL": [Failure], "fERROR": [Error], "fREJECTED": [Error], "pending": [Skipped], "flaky": [],
        "sOK": [], "sHIT": [Skipped], "sSIMULATOR": [Skipped], "sINCONCLUSIVE": [Skipped], "sERROR": [Error],
        "sREJECTED": [Error],
    }  # fmt: skip


def test_junit_fails_on_a_hit_when_asked_and_its_totals_add_up() -> None:
    assert junit_outcomes(every_verdict(), fail_on_hit=True)["sHIT"] == [Failure]
    xml = JUnitXml.fromstring(junit_xml(every_verdict()).encode("utf-8"))
    assert (xml.tests, xml.failures, xml.errors, xml.skipped) == (12, 1, 4, 4)
    before = (xml.tests, xml.failures, xml.errors, xml.skipped)
    xml.update_statistics()
    assert (xml.tests, xml.failures, xml.errors, xml.skipped) == before


def test_junit_details_carry_owner_next_step_and_votes() -> None:
    xml = JUnitXml.fromstring(junit_xml(read_result(DATA / "run.json")).encode("utf-8"))
    text = {case.name: case.system_out for suite in xml for case in suite}["F-02"]
    assert "owner: agent" in text
    assert "next: Look at" in text
    assert "judged: final_response_match_v2 passed (1.00, needs 1.00, votes 2/3)" in text


@pytest.mark.parametrize("fail_on_hit", [False, True])
def test_annotation_levels(fail_on_hit: bool) -> None:
    lines = annotation_lines(every_verdict(), fail_on_hit=fail_on_hit)
    levels = [line.split(" ")[0] for line in lines]
    hit = "::error" if fail_on_hit else "::warning"
    fixed, simulated = ["::error"] * 3, [hit, "::notice", "::notice", "::error", "::error"]
    assert levels == [*fixed, *simulated, "::notice", "::warning"]


@pytest.mark.parametrize(
    ("extra", "reasons", "shown"),
    [
        ({"place": {"path": "a/b.yaml", "line": 3, "column": 7}}, ["x"], "file=a/b.yaml,line=3,col=7,title="),
        ({"place": "a.yaml:3:7"}, ["x"], "file=a.yaml,line=3,col=7,title="),
        ({}, ["p.yaml:9:1: ASE101 no"], "file=p.yaml,line=9,col=1,title="),
        ({}, ["nowhere"], "file=plan.yaml,title="),
    ],
)
def test_annotations_point_at_the_place(extra: dict[str, Any], reasons: list[str], shown: str) -> None:
    case = CaseResult("simulated", "S-03", "REJECTED", reasons, extra=extra)
    (line,) = annotation_lines(RunResult("r", "p", "", "", "", 3, [case], extra={"plan_path": "plan.yaml"}))
    assert line.startswith(f"::error {shown}probe S-03%3A REJECTED::")
