"""Findings for programs: ``schema_version`` 1; fields are only ever added."""

from __future__ import annotations

from adk_split_eval.lint.engine import LintResult
from adk_split_eval.record.jsonio import dumps

SCHEMA_VERSION = 1


def render(result: LintResult) -> str:
    """One JSON object."""
    data = {
        "schema_version": SCHEMA_VERSION,
        "adk_version": result.adk_version,
        "adk_version_source": result.assumed_how,
        "files": result.files,
        "findings": [f.to_json() for f in result.findings],
    }
    return dumps(data) + "\n"
