"""Which config governs which set, the way ADK resolves it, and how sure that is."""
# os functions instead of pathlib: this room starts cold on every commit.
# ruff: noqa: PTH100, PTH110, PTH113, PTH117, PTH118, PTH120

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from adk_split_eval.criteria.knowledge import Knowledge
from adk_split_eval.lint.config_view import Config, default_config, open_config
from adk_split_eval.lint.documents import Document, read
from adk_split_eval.lint.settings import Options, matches
from adk_split_eval.lint.views import EvalSet

How = Literal["option", "settings", "beside", "guess", "default"]
WORDS: dict[How, str] = {
    "option": "given with --config",
    "settings": "paired in pyproject.toml",
    "beside": "test_config.json in the same folder",
    "guess": "guessed: ADK finds an eval_config.json only when it is named on the command line",
    "default": "no config found: ADK's default criteria apply",
}


@dataclass(eq=False, repr=False)
class Pair:
    """A set with the config that governs it."""

    set: EvalSet
    config: Config
    how: How
    knowledge: Knowledge
    credentials: Callable[[], bool] = bool

    @property
    def has_credentials(self) -> bool:
        """Whether model credentials are in sight."""
        return self.credentials()

    @property
    def sure(self) -> bool:
        return self.how != "guess"


class Pairing:
    """Resolves configs; each file is read once."""

    def __init__(self, documents: list[Document], options: Options, knowledge: Knowledge) -> None:
        self._options = options
        self._knowledge = knowledge
        self._known: dict[str, Document] = {_key(d.path): d for d in documents}
        self.added: list[Document] = []
        self.missing: list[str] = []

    def pair(self, eval_set: EvalSet) -> Pair:
        path = eval_set.document.path
        found, how = self._resolve(path)
        if found is None or found.kind != "config" or found.data is None:
            chosen = default_config(self._knowledge) if found is None else Config(found, {}, [], {}, {}, [])
            return Pair(eval_set, chosen, how, self._knowledge)
        return Pair(eval_set, open_config(found, self._knowledge), how, self._knowledge)

    def _resolve(self, path: str) -> tuple[Document | None, How]:
        if self._options.config:
            return self.open(self._options.config, required=True), "option"
        for glob, config in self._options.pairs:
            if matches(path, glob, self._options.root):
                return self.open(os.path.join(self._options.root, config), required=True), "settings"
        folder = os.path.dirname(path)
        beside = self.open(os.path.join(folder, "test_config.json"))
        if beside is not None:
            return beside, "beside"
        here = os.path.abspath(folder or ".")
        shown = folder
        for _ in range(4):
            guess = self.open(os.path.join(shown, "eval_config.json"))
            if guess is not None:
                return guess, "guess"
            if os.path.exists(os.path.join(here, ".git")) or os.path.exists(os.path.join(here, "pyproject.toml")):
                break
            parent = os.path.dirname(here)
            if parent == here:
                break
            here, shown = parent, _parent(shown, parent)
        return None, "default"

    def open(self, path: str, required: bool = False) -> Document | None:
        key = _key(path)
        if key in self._known:
            return self._known[key]
        if not os.path.isfile(path):
            if required and path not in self.missing:
                self.missing.append(path)
            return None
        document = read(path)
        if document.kind == "unknown" and document.data is not None:
            document.kind = "config"
        self._known[key] = document
        self.added.append(document)
        return document


def _key(path: str) -> str:
    return os.path.realpath(path)


def _parent(shown: str, absolute: str) -> str:
    """The parent folder, in the user's own relative spelling where it has one."""
    if shown and not os.path.isabs(shown) and os.path.dirname(shown):
        return os.path.dirname(shown)
    relative = os.path.relpath(absolute)
    return relative if len(relative) < len(absolute) else absolute
