"""Findings for people: place, code, message, the source line with carets, further places, the mend."""

from __future__ import annotations

from adk_split_eval.lint.documents import Document
from adk_split_eval.lint.engine import LintResult
from adk_split_eval.record.finding import Finding
from adk_split_eval.record.text import safe_terminal

_WIDTH = 160
_COLOURS = {"error": "\033[31m", "warning": "\033[33m", "info": "\033[36m"}


def render(result: LintResult, colour: bool = False) -> str:
    """The whole report; ends with a line that counts and says which ADK version was assumed."""
    blocks = [_finding(f, result.sources, colour) for f in result.findings]
    return "\n".join([*blocks, summary(result)]) + "\n"


def summary(result: LintResult) -> str:
    count = {level: result.count(level) for level in ("error", "warning", "info")}
    fixable = sum(1 for f in result.findings if f.fix and f.fix.safe)
    words = [counted(count["error"], "error"), counted(count["warning"], "warning"), counted(count["info"], "note")]
    found = ", ".join(words) if result.findings else "No findings"
    tail = f"; {fixable} can be mended with --fix" if fixable else ""
    return f"{found} in {counted(len(result.files), 'file')} (ADK {result.adk_version}, {result.assumed_how}){tail}."


def counted(number: int, word: str) -> str:
    """``1 error``, ``2 errors``."""
    return f"{number} {word}" if number == 1 else f"{number} {word}s"


def _finding(finding: Finding, sources: dict[str, Document], colour: bool) -> str:
    level = f"{_COLOURS[finding.level]}{finding.level}\033[0m" if colour else finding.level
    place = finding.place() or "(no file)"
    unsure = "" if finding.confidence == "high" else f" ({finding.confidence} confidence)"
    lines = [f"{place}: {finding.code} {level}: {printable(finding.message)}{unsure}"]
    lines += _source(finding, sources)
    lines += [f"  {r.path}:{r.line}:{r.column}: {printable(r.message)}" for r in finding.related]
    if finding.help:
        lines.append(f"  help: {printable(finding.help)}")
    return "\n".join(lines) + "\n"


def _source(finding: Finding, sources: dict[str, Document]) -> list[str]:
    document = sources.get(finding.path)
    if document is None or not finding.line or not document.text:
        return []
    raw = document.locator.line_text(finding.line)
    start = finding.column - 1
    same_line = finding.end_line in (0, finding.line)
    end = finding.end_column - 1 if same_line and finding.end_column > finding.column else len(raw)
    offset = max(0, start - 60) if len(raw) > _WIDTH else 0
    shown = raw[offset : offset + _WIDTH]
    marker = "^" * max(1, min(end, offset + _WIDTH) - start)
    number = str(finding.line)
    gutter = " " * len(number)
    padding = " " * display_width(shown[: start - offset])
    return [f" {gutter} |", f" {number} | {printable(shown)}", f" {gutter} | {padding}{marker}"]


def display_width(text: str) -> int:
    """How many terminal columns a text takes (East Asian wide characters take two, combining ones none)."""
    if text.isascii():
        return len(text)
    from unicodedata import combining, east_asian_width

    return sum(0 if combining(c) else 2 if east_asian_width(c) in "WF" else 1 for c in text)


def printable(text: str) -> str:
    """Text from files on one line, safe for a terminal."""
    return safe_terminal(text.replace("\t", " "))
