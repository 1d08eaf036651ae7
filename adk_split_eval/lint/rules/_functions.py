"""The custom metric functions a project's configs and plans declare, looked up in source."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from adk_split_eval.lint.documents import Document
from adk_split_eval.lint.json_source import Path
from adk_split_eval.lint.plan_view import PlanView
from adk_split_eval.lint.project import Project
from adk_split_eval.lint.shapes import as_object

if TYPE_CHECKING:
    from adk_split_eval.lint.function_source import Resolution


def resolved(project: Project) -> Iterator[tuple[Document, Path, Resolution]]:
    """(config, path of the name, what was found) of every custom metric that runs."""
    for config in project.configs:
        for criterion in config.criteria if config.document is not None else ():
            if criterion.function is not None and config.document is not None:
                from adk_split_eval.lint.functions import resolve

                path = ("custom_metrics", criterion.name, "code_config", "name")
                yield (
                    config.document,
                    path,
                    resolve(criterion.function, config.document.folder, project.options.agent_dir),
                )


def resolved_in_plan(plan: PlanView) -> Iterator[tuple[Path, Resolution]]:
    """(path of the name, what was found) of every custom metric a plan declares."""
    for name, entry in as_object(plan.data.get("custom_metrics")).items():
        function = as_object(entry).get("function")
        if isinstance(function, str):
            from adk_split_eval.lint.functions import resolve_in_project

            yield ("custom_metrics", name, "function"), resolve_in_project(function, plan.document.folder)
