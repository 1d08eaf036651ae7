"""Mends: small edits of a JSON text, and how they are applied or shown as a diff."""

from __future__ import annotations

import os
import re
from pathlib import Path as FilePath
from typing import Any

from adk_split_eval.lint.documents import Document
from adk_split_eval.lint.json_source import Path
from adk_split_eval.record.finding import Edit, Finding, Fix


def _json(value: Any) -> str:
    from adk_split_eval.record.jsonio import dumps

    return dumps(value, indent=None)


def replace_key(document: Document, path: Path, name: str, safe: bool = False) -> Fix | None:
    """Renames the key at ``path``."""
    if document.yaml is not None or not document.locator.exists(path):
        return None
    start, end = document.locator.key_span(path)
    return Fix(f"rename to `{name}`", (Edit(document.path, start, end, _json(name)),), safe)


def replace_value(document: Document, path: Path, value: Any, message: str, safe: bool = False) -> Fix | None:
    """Replaces the value at ``path``."""
    if document.yaml is not None or not document.locator.exists(path):
        return None
    start, end = document.locator.span(path)
    return Fix(message, (Edit(document.path, start, end, _json(value)),), safe)


def remove_entry(document: Document, path: Path, safe: bool = True) -> Fix | None:
    """Removes the entry at ``path`` with the comma that belongs to it."""
    if document.yaml is not None or not document.locator.exists(path):
        return None
    start, _ = document.locator.key_span(path)
    _, end = document.locator.span(path)
    text = document.text
    after = re.compile(r"\s*,\s*").match(text, end)
    if after:
        end = after.end()
    else:
        before = re.compile(r",\s*$").search(text[:start])
        start = before.start() if before else start
    return Fix("remove it", (Edit(document.path, start, end, ""),), safe)


def insert_first(document: Document, path: Path, key: str, value: Any, safe: bool = False) -> Fix | None:
    """Adds ``key`` as the first entry of the object at ``path``, indented like the entry that follows."""
    if document.yaml is not None or not document.locator.exists(path):
        return None
    start, _ = document.locator.span(path)
    gap = re.compile(r"\s*").match(document.text, start + 1)
    space = gap.group(0) if gap else ""
    entry = f"{space}{_json(key)}: {_json(value)}"
    comma = "" if document.text[start + 1 + len(space) : start + 2 + len(space)] == "}" else ","
    return Fix(f"add `{key}`", (Edit(document.path, start + 1, start + 1, entry + comma),), safe)


def plan_edits(findings: list[Finding], unsafe: bool) -> tuple[dict[str, list[Edit]], dict[str, str], int]:
    """``(edits by file, new files, findings mended)``; of overlapping edits the first wins, the rest wait for the next run."""
    edits: dict[str, list[Edit]] = {}
    new_files: dict[str, str] = {}
    mended = 0
    for finding in findings:
        fix = finding.fix
        if fix is None or not (fix.safe or unsafe):
            continue
        if any(_overlaps(edits.get(e.path, []), e) for e in fix.edits):
            continue
        if any(new_files.get(path, text) != text for path, text in fix.new_files) or in_the_way(fix):
            continue
        for edit in fix.edits:
            edits.setdefault(edit.path, []).append(edit)
        new_files.update(dict(fix.new_files))
        mended += 1
    return edits, new_files, mended


def in_the_way(fix: Fix) -> list[str]:
    """New files of a mend that are there already and say something else: a half-written split would be paired wrongly."""
    return [path for path, text in fix.new_files if os.path.lexists(path) and not _says(path, text)]


def _says(path: str, text: str) -> bool:
    try:
        return FilePath(path).read_text(encoding="utf-8") == text
    except (OSError, UnicodeDecodeError):
        return False


def _overlaps(planned: list[Edit], edit: Edit) -> bool:
    return any((edit.start < other.end and other.start < edit.end) or edit.start == other.start for other in planned)


def apply(text: str, edits: list[Edit]) -> str:
    """The text after non-overlapping edits."""
    for edit in sorted(edits, key=lambda e: e.start, reverse=True):
        text = text[: edit.start] + edit.text + text[edit.end :]
    return text


def fixed_texts(
    findings: list[Finding], sources: dict[str, Document], unsafe: bool
) -> tuple[dict[str, tuple[str, str]], int]:
    """``({path: (old, new)}, findings mended)``; a new file's old text is empty, an existing one is never overwritten by it."""
    edits, new_files, mended = plan_edits(findings, unsafe)
    found: dict[str, tuple[str, str]] = {}
    for path, items in edits.items():
        document = sources[path]
        old = ("\ufeff" if document.bom else "") + document.text
        bom = [e for e in items if e.end == -1]
        new = apply(document.text, [e for e in items if e.end != -1])
        found[path] = (old, new if bom or not document.bom else "\ufeff" + new)
    for path, text in new_files.items():
        if not FilePath(path).exists():
            found[path] = ("", text)
    return found, mended


def remove_bom(document: Document) -> Fix:
    """Drops a byte order mark (it is not part of the decoded text, hence the special range)."""
    return Fix("remove the byte order mark", (Edit(document.path, -1, -1, ""),), True)


def diff(path: str, old: str, new: str) -> str:
    """A unified diff of one file, as patch reads it."""
    import difflib

    before = [line.encode("unicode_escape").decode() if "\ufeff" in line else line for line in _lines(old)]
    shown = difflib.unified_diff(before, _lines(new), path if old else "/dev/null", path)
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in shown)


def _lines(text: str) -> list[str]:
    """Lines as patch sees them: only a line feed ends one."""
    return re.findall(r"[^\n]*\n|[^\n]+", text)


def write(path: str, old: str, new: str) -> str:
    """Writes a mended file, whole or not at all, and its line ends stay as they are. Returns why not, empty when done.

    A link stays one: the file it leads to is mended. What is read-only, or was changed since it was linted, is left alone.
    """
    from adk_split_eval.record.jsonio import write_atomically

    try:
        target = FilePath(path).resolve()
        if target.exists():
            if not target.stat().st_mode & 0o222 or not os.access(target, os.W_OK):
                return "it is read-only"
            if target.read_bytes() != old.encode():
                return "it was changed meanwhile"
        write_atomically(target, new)
    except OSError as error:
        return error.strerror or str(error)
    return ""
