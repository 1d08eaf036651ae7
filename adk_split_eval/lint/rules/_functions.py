"""The custom metric functions a project's configs declare."""

from __future__ import annotations

from collections.abc import Iterator

from adk_split_eval.lint.documents import Document
from adk_split_eval.lint.json_source import Path
from adk_split_eval.lint.project import Project


def declared(project: Project) -> Iterator[tuple[Document, Path, str]]:
    """(config, path of the name, dotted name) of every custom metric that runs."""
    for config in project.configs:
        if config.document is None:
            continue
        for criterion in config.criteria:
            if criterion.function is not None:
                yield config.document, ("custom_metrics", criterion.name, "code_config", "name"), criterion.function
