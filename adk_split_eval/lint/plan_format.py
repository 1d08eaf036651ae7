"""What the plan room says about a plan's format, asked only where the file is not plainly in order."""

from __future__ import annotations

from collections.abc import Iterable

from adk_split_eval.lint.documents import Document
from adk_split_eval.record.finding import Finding


def plan_findings(document: Document) -> Iterable[Finding]:
    """Findings of the plan's own loading."""
    return []
