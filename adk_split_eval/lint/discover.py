"""Finding files: which documents a list of files and folders means."""
# os functions instead of pathlib: this room starts cold on every commit.
# ruff: noqa: PTH112, PTH118, PTH123

from __future__ import annotations

import os
from collections.abc import Iterator

from adk_split_eval.lint.documents import Document, read
from adk_split_eval.lint.kinds import is_config_name, is_likely, is_set_name

SKIPPED = frozenset(
    {".git", ".hg", ".venv", "venv", "env", "node_modules", "__pycache__", ".adk", ".adk-split-eval", "site-packages",
     ".tox", ".nox", ".mypy_cache", ".ruff_cache", ".pytest_cache", "dist", "build"}
)  # fmt: skip
_MARKS = (b'"eval_cases"', b'"evalCases"', b'"eval_set_id"', b'"criteria"', b'"scenarios"', b'"expected_tool_use"',
          b'"starting_prompt"', b'"eval_case_id"', b'"conversation_plan"')  # fmt: skip
_SESSION = (b'"app_name"', b'"user_id"')


def find(paths: list[str]) -> tuple[list[Document], list[str]]:
    """``(documents, folders)``: every file named, and every file in named folders that looks like ours or ADK's."""
    documents: dict[str, Document] = {}
    folders: list[str] = []
    for path in paths:
        if os.path.isdir(path):
            folders.append(path)
            for found in _walk(path, documents):
                if found not in documents:
                    document = read(found)
                    if keep(document):
                        documents[found] = document
        else:
            documents[path] = read(path, named=True)
    return list(documents.values()), folders


def keep(document: Document) -> bool:
    """Whether a file found in a folder is one of ours, rather than some other JSON."""
    if document.kind in ("plan", "frozen"):
        return document.name.endswith((".plan.yaml", ".plan.yml", ".frozen.yaml"))
    if document.unreadable:
        return is_set_name(document.name) or is_config_name(document.name)
    if document.data is None:
        return is_set_name(document.name) or is_config_name(document.name)
    return document.kind not in ("unknown", "results") and is_likely(document.data, document.kind, document.name)


def _walk(folder: str, documents: dict[str, Document]) -> Iterator[str]:
    def refused(error: OSError) -> None:  # a folder that cannot be looked into is no folder without files
        name = str(error.filename)
        documents[name] = Document(name, unreadable=error.strerror or str(error), named=True)

    for root, directories, files in os.walk(folder, onerror=refused):
        directories[:] = sorted(d for d in directories if d not in SKIPPED)
        for name in sorted(files):
            path = os.path.normpath(os.path.join(root, name))
            if (
                name.endswith((".plan.yaml", ".plan.yml", ".frozen.yaml"))
                or is_set_name(name)
                or is_config_name(name)
                or (name.endswith(".json") and _sniff(path))
            ):
                yield path


def _sniff(path: str) -> bool:
    """Whether a JSON file of any name mentions one of ADK's keys; large foreign data is not parsed for nothing."""
    try:
        with open(path, "rb") as stream:
            head = stream.read(65536)
            return any(mark in head for mark in _MARKS) or all(mark in head for mark in _SESSION)
    except OSError:
        return False
