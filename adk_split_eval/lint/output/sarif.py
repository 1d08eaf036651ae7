"""Findings as SARIF 2.1.0, for code scanning."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from adk_split_eval import __version__
from adk_split_eval.lint.engine import LintResult
from adk_split_eval.lint.rule import Rule, by_code
from adk_split_eval.record.finding import Edit, Finding
from adk_split_eval.record.jsonio import dumps

_LEVELS = {"error": "error", "warning": "warning", "info": "note"}
_RANKS = {"high": 90.0, "medium": 60.0, "low": 30.0}


def render(result: LintResult) -> str:
    """One SARIF log with one run."""
    codes = sorted({f.code for f in result.findings})
    index = {code: i for i, code in enumerate(codes)}
    run = {
        "tool": {
            "driver": {
                "name": "adk-split-eval",
                "semanticVersion": __version__,
                "rules": [_rule(code, by_code().get(code)) for code in codes],
            }
        },
        "columnKind": "unicodeCodePoints",
        "properties": {"adkVersion": result.adk_version, "adkVersionSource": result.assumed_how},
        "results": [_result(f, index, result) for f in result.findings],
    }
    log = {
        "$schema": "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
        "version": "2.1.0",
        "runs": [run],
    }
    return dumps(log) + "\n"


def _rule(code: str, rule: Rule | None) -> dict[str, Any]:
    if rule is None:
        return {"id": code}
    return {
        "id": code,
        "name": "".join(part.capitalize() for part in rule.name.split("-")),
        "shortDescription": {"text": rule.title},
        "fullDescription": {"text": rule.title},
        "help": {"text": rule.documentation, "markdown": rule.documentation},
        "defaultConfiguration": {"level": _LEVELS[rule.level]},
    }


def _result(finding: Finding, index: dict[str, int], result: LintResult) -> dict[str, Any]:
    text = finding.message + (f"\n{finding.help}" if finding.help else "")
    made: dict[str, Any] = {
        "ruleId": finding.code,
        "ruleIndex": index[finding.code],
        "level": _LEVELS[finding.level],
        "message": {"text": text},
        "rank": _RANKS[finding.confidence],
    }
    if finding.path:
        made["locations"] = [
            _location(finding.path, finding.line, finding.column, finding.end_line, finding.end_column)
        ]
    if finding.related:
        made["relatedLocations"] = [
            {"id": i, "message": {"text": r.message}, **_location(r.path, r.line, r.column, 0, 0)}
            for i, r in enumerate(finding.related)
        ]
    if finding.fix and finding.fix.edits and all(e.start >= 0 for e in finding.fix.edits):
        made["fixes"] = [
            {
                "description": {"text": finding.fix.message},
                "artifactChanges": [_change(e, result) for e in finding.fix.edits],
            }
        ]
    return made


def _location(path: str, line: int, column: int, end_line: int, end_column: int) -> dict[str, Any]:
    physical: dict[str, Any] = {"artifactLocation": {"uri": quote(path.replace("\\", "/"), errors="replace")}}
    if line > 0:
        region: dict[str, int] = {"startLine": line, "startColumn": max(column, 1)}
        if end_line >= line and end_column > 0:
            region |= {"endLine": end_line, "endColumn": end_column}
        physical["region"] = region
    return {"physicalLocation": physical}


def _change(edit: Edit, result: LintResult) -> dict[str, Any]:
    document = result.sources[edit.path]
    line, column, end_line, end_column = document.offset_place(edit.start, edit.end)
    region = {"startLine": line, "startColumn": column, "endLine": end_line, "endColumn": end_column}
    return {
        "artifactLocation": {"uri": quote(edit.path.replace("\\", "/"), errors="replace")},
        "replacements": [{"deletedRegion": region, "insertedContent": {"text": edit.text}}],
    }
