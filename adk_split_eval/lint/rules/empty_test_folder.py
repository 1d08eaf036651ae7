"""Folder that AgentEvaluator finds empty.

## What it does
Reads Python tests in linted folders for `AgentEvaluator.evaluate(…, "folder")` and reports folders without `*.test.json`.

## Why is this bad?
AgentEvaluator looks for that ending only; other sets in the folder are never run.

## Example
`AgentEvaluator.evaluate("desk_agent", "tests/evals")` with `tests/evals/a.evalset.json`.

## Use instead
`*.test.json`, or the file itself.
"""
# os functions instead of pathlib: this room starts cold on every commit.
# ruff: noqa: PTH112, PTH118, PTH120, PTH123

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

from adk_split_eval.lint.discover import SKIPPED
from adk_split_eval.lint.documents import Document
from adk_split_eval.lint.project import Project
from adk_split_eval.lint.rule import Report, Rule
from adk_split_eval.lint.rules._common import quoted

if TYPE_CHECKING:
    import ast


def check(project: Project) -> Iterator[Report]:
    for folder in project.folders:
        for root, directories, files in os.walk(folder):
            directories[:] = [d for d in directories if d not in SKIPPED]
            for name in files:
                if name.endswith(".py") and (name.startswith("test_") or name.endswith("_test.py")):
                    yield from _test_file(os.path.normpath(os.path.join(root, name)), folder)


def _test_file(path: str, top: str) -> Iterator[Report]:
    import ast

    try:
        with open(path, encoding="utf-8") as stream:
            text = stream.read(2_000_000)
        if "AgentEvaluator" not in text:
            return
        tree = ast.parse(text)
    except (OSError, ValueError, SyntaxError, RecursionError):
        return
    from adk_split_eval.lint.python_paths import PythonPaths

    document = Document(path, text=text)
    names = _evaluators(tree)
    paths = PythonPaths(tree, path)
    for node in ast.walk(tree):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "evaluate"):
            continue
        whose = node.func.value
        if (whose.attr if isinstance(whose, ast.Attribute) else getattr(whose, "id", "")) not in names:
            continue
        given = next(
            (k.value for k in node.keywords if k.arg == "eval_dataset_file_path_or_dir"),
            node.args[1] if len(node.args) > 1 else None,
        )
        value = paths.value(given)
        target = _folder(value, path, top) if value else None
        if given is not None and target and not _has_tests(target):
            start, end = (
                _offset(text, given.lineno, given.col_offset),
                _offset(text, given.end_lineno, given.end_col_offset),
            )
            yield Report(document, (), f"`{quoted(os.path.relpath(target))}` holds no *.test.json: AgentEvaluator finds nothing to run there", "rename the sets to *.test.json, or name a file",
                         span=(start, end))  # fmt: skip


def _evaluators(tree: ast.Module) -> set[str]:
    """Names under which the file knows AgentEvaluator."""
    import ast

    imported = [a for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) for a in node.names]
    return {"AgentEvaluator", *(a.asname or a.name for a in imported if a.name == "AgentEvaluator")}


def _offset(text: str, line: int | None, column: int | None) -> int:
    """The character at a place of a syntax tree, whose columns count bytes."""
    lines = text.splitlines(keepends=True)
    number = (line or 1) - 1
    before = lines[number].encode()[: column or 0].decode(errors="replace") if number < len(lines) else ""
    return sum(map(len, lines[:number])) + len(before)


def _folder(value: str, path: str, top: str) -> str | None:
    for base in (os.path.dirname(path), top, "."):
        candidate = os.path.join(base, value)
        if os.path.isdir(candidate):
            return candidate
    return None


def _has_tests(folder: str) -> bool:
    return any(name.endswith(".test.json") for _, _, files in os.walk(folder) for name in files)


RULE = Rule(
    "ASE608", "empty-test-folder", "Folder that AgentEvaluator finds empty", "error", "project", check, module=__name__
)
