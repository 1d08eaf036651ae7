"""Everything one lint run looks at, opened once: documents, sets, configs, and who governs whom."""
# os functions instead of pathlib: this room starts cold on every commit.
# ruff: noqa: PTH118, PTH208

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache, partial
from typing import Any

from adk_split_eval.criteria.knowledge import Knowledge, load
from adk_split_eval.lint.agent_folders import has_credentials
from adk_split_eval.lint.config_view import Config, open_config
from adk_split_eval.lint.discover import find
from adk_split_eval.lint.documents import Document, read
from adk_split_eval.lint.kinds import is_config_name, is_set_name
from adk_split_eval.lint.pairing import Pair, Pairing
from adk_split_eval.lint.settings import Options, assumed_version
from adk_split_eval.lint.views import EvalSet, open_set, stand_in_set


@dataclass(eq=False, repr=False)
class Project:
    """One run's inputs.

    Attributes:
        documents: all files looked at; those pulled in only because they govern a linted set come last.
        folders: folders the user named.
        stand_ins: scenario files and session inputs, as sets of their own.
        missing_configs: configs named by option or settings that do not exist.
    """

    options: Options
    knowledge: Knowledge
    adk_version: str
    assumed_how: str
    documents: list[Document] = field(default_factory=list[Document])
    folders: list[str] = field(default_factory=list[str])
    sets: list[EvalSet] = field(default_factory=list[EvalSet])
    stand_ins: list[EvalSet] = field(default_factory=list[EvalSet])
    configs: list[Config] = field(default_factory=list[Config])
    pairs: list[Pair] = field(default_factory=list[Pair])
    missing_configs: list[str] = field(default_factory=list[str])
    cache: dict[str, Any] = field(default_factory=dict[str, Any])

    def credentials(self, folder: str) -> Callable[[], bool]:
        """Whether model credentials are in sight for sets of a folder, looked up when asked."""
        in_sight = self.cache.setdefault("credentials", cache(has_credentials))
        return partial(in_sight, folder, self.options.agent_dir)


def open_project(paths: list[str], options: Options) -> Project:
    """Reads everything ``paths`` mean and pairs sets with configs."""
    version, how = assumed_version(options)
    knowledge = load(version)
    if knowledge.version != ".".join(version.split(".")[:2]):
        how += f", judged by what is known of {knowledge.version}"
    project = Project(options, knowledge, version, how)
    project.documents, project.folders = find(paths)
    _add_siblings(project)
    pairing = Pairing(project.documents, options, project.knowledge)
    project.sets = [
        open_set(d, project.knowledge) for d in project.documents if d.kind == "evalset" and d.data is not None
    ]
    if options.config and not project.sets:
        pairing.open(options.config, required=True)
    project.stand_ins = [stand_in_set(d) for d in project.documents if d.kind in ("scenarios", "session")]
    project.pairs = [pairing.pair(s) for s in project.sets]
    project.documents.extend(pairing.added)
    project.missing_configs = pairing.missing
    project.configs = [
        open_config(d, project.knowledge) for d in project.documents if d.kind == "config" and d.data is not None
    ]
    for pair in project.pairs:
        pair.credentials = project.credentials(pair.set.document.folder)
    return project


def _add_siblings(project: Project) -> None:
    """A config named alone is looked at with the sets it governs (as pre-commit hands over changed files only)."""
    known = {os.path.realpath(d.path) for d in project.documents}
    for document in list(project.documents):
        if not document.named or not is_config_name(document.name) or document.name != "test_config.json":
            continue
        folder = document.folder or "."
        try:
            names = sorted(os.listdir(folder))
        except OSError:
            continue
        for name in names:
            path = os.path.join(document.folder, name)
            if is_set_name(name) and os.path.realpath(path) not in known:
                known.add(os.path.realpath(path))
                project.documents.append(read(path))
