"""Findings as GitHub workflow commands, which annotate a pull request."""

from __future__ import annotations

from adk_split_eval.lint.engine import LintResult
from adk_split_eval.record.finding import Finding
from adk_split_eval.record.text import visible_surrogates

_COMMANDS = {"error": "error", "warning": "warning", "info": "notice"}


def render(result: LintResult) -> str:
    """One command a line."""
    return visible_surrogates("".join(_command(f) + "\n" for f in result.findings))


def _command(finding: Finding) -> str:
    fields = [("file", finding.path), ("line", str(finding.line or 1)), ("col", str(finding.column or 1))]
    if finding.end_line:
        fields += [("endLine", str(finding.end_line)), ("endColumn", str(finding.end_column))]
    fields.append(("title", finding.code))
    text = finding.message + (f" – {finding.help}" if finding.help else "")
    return f"::{_COMMANDS[finding.level]} " + ",".join(f"{k}={_property(v)}" for k, v in fields) + f"::{_data(text)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
