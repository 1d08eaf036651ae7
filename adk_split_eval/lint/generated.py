"""Whether the sets beside a plan are what the plan generates now."""

from __future__ import annotations

from collections.abc import Iterator

from adk_split_eval.lint.documents import Document


def stale(document: Document) -> Iterator[tuple[str, str]]:
    """(file, why) of each generated file that differs; nothing when none was generated."""
    yield from ()
