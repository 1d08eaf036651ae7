"""The custom metric functions a project's configs declare."""

from __future__ import annotations

from collections.abc import Iterator

from adk_split_eval.lint.documents import Document
from adk_split_eval.lint.json_source import Path
from adk_split_eval.lint.plan_view import PlanView
from adk_split_eval.lint.project import Project
from adk_split_eval.lint.shapes import as_object


def declared(project: Project) -> Iterator[tuple[Document, Path, str]]:
    """(config, path of the name, dotted name) of every custom metric that runs."""
    for config in project.configs:
        if config.document is None:
            continue
        for criterion in config.criteria:
            if criterion.function is not None:
                yield config.document, ("custom_metrics", criterion.name, "code_config", "name"), criterion.function


def declared_in_plan(plan: PlanView) -> Iterator[tuple[Path, str]]:
    """(path of the name, dotted name) of every custom metric a plan declares."""
    for name, entry in as_object(plan.data.get("custom_metrics")).items():
        function = as_object(entry).get("function")
        if isinstance(function, str):
            yield ("custom_metrics", name, "function"), function
