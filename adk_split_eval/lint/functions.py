"""Finds a custom metric's function without importing anything: in the agent folder, the project, or what is installed."""
# os functions instead of pathlib: this room starts cold on every commit.
# ruff: noqa: PTH100, PTH110, PTH113, PTH118, PTH120, PTH123, PTH208

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from functools import cache

from adk_split_eval.lint import function_source
from adk_split_eval.lint.agent_folders import agent_folders
from adk_split_eval.lint.function_source import Resolution, has_adk, inspect, module_file

__all__ = ["Resolution", "forget", "mentions", "registers_metric", "registers_models", "resolve", "resolve_in_project"]

TEAM = "adk_split_eval.metrics.team."
"""Under this path generated configs name a team's own metric."""


@cache
def resolve(dotted: str, folder: str, agent_dir: str | None) -> Resolution:
    """Resolves ``dotted`` as ADK would when a config in ``folder`` is used."""
    module, _, name = dotted.rpartition(".")
    if not module or not all(part.isidentifier() for part in dotted.split(".")):
        return Resolution("no-dot", f"`{dotted}` is no dotted path of a function", "write module.function")
    if dotted.startswith(TEAM):  # this package's own bridge finds the function from the project's root
        return resolve_in_project(dotted.removeprefix(TEAM), folder)
    path = _on_import_path(module, folder, agent_dir)
    if path is not None:
        return inspect(path, module, name, dotted) if path else Resolution("unknown")
    near = _near(module, folder)
    if near is not None and _is_installed_with(near):
        return Resolution("needs-install", f"`{module}` is {os.path.relpath(near)}: `adk eval` finds it only where this project is installed",
                          "install the project there (pip install -e .)")  # fmt: skip
    if near is not None:
        near = os.path.relpath(near)
        return Resolution("off-path", f"`{module}` is {near}, which `adk eval` cannot import: the project root is not on its import path",
                          "put the function into the agent folder and name it agent.<module>.<function>, or install it as a package")  # fmt: skip
    hint = " (this environment has no google-adk, so a package installed where `adk eval` runs is not seen)"
    known = has_adk()
    return Resolution(
        "no-module",
        f"there is no module `{module}`{'' if known else hint}",
        "correct code_config.name",
        environment_known=known,
    )


def _on_import_path(module: str, folder: str, agent_dir: str | None) -> str | None:
    """The module's file; an empty string when it exists but is no Python source; None when it is nowhere."""
    parts = module.split(".")
    if parts[0] == "agent":
        return _in_agent(parts, folder, agent_dir)
    if parts[0] in sys.builtin_module_names or parts[0] in sys.stdlib_module_names:
        return ""
    for root in sys.path:
        found = module_file(root or ".", parts)
        if found is not None:
            return found
    return None


def _in_agent(parts: list[str], folder: str, agent_dir: str | None) -> str | None:
    """``agent.x`` is the agent folder's own module x, because ADK imports that folder under the name ``agent``."""
    folders = [agent_dir] if agent_dir else _agent_folders(folder)
    if not folders:
        return ""
    for candidate in folders:
        found = module_file(candidate, parts[1:]) if parts[1:] else os.path.join(candidate, "__init__.py")
        if found is not None:
            return found
    return None


_agent_folders = cache(agent_folders)


def _near(module: str, folder: str) -> str | None:
    """A file that looks like the module, at or above the config's folder."""
    here = os.path.abspath(folder or ".")
    for _ in range(6):
        found = module_file(here, module.split(".")) or module_file(os.path.join(here, "src"), module.split("."))
        if found:
            return found
        parent = os.path.dirname(here)
        if parent == here or os.path.exists(os.path.join(here, ".git")):
            return None
        here = parent
    return None


def _is_installed_with(path: str) -> bool:
    """Whether the file belongs to a project that pip can install, so that its packages may be importable after all."""
    here = os.path.dirname(path)
    while True:
        if os.path.isfile(os.path.join(here, "setup.py")):
            return True
        try:
            with open(os.path.join(here, "pyproject.toml"), encoding="utf-8", errors="replace") as stream:
                text = stream.read(1_000_000)
        except OSError:
            parent = os.path.dirname(here)
            if parent == here or os.path.exists(os.path.join(here, ".git")):
                return False
            here = parent
            continue
        return "[build-system]" in text or "[tool.poetry]" in text


@cache
def mentions(path: str, text: str) -> bool:
    """Whether a source file contains ``text``; True when it cannot be read."""
    try:
        with open(path, encoding="utf-8", errors="replace") as stream:
            return text in stream.read(1_000_000)
    except OSError:
        return True


@cache
def registers_models(folder: str, agent_dir: str | None) -> bool:
    """Whether an agent folder near registers models of its own, whose names cannot be known here."""
    return any("LLMRegistry" in text or "adk_split_eval.models" in text for text in _sources(folder, agent_dir))


@cache
def registers_metric(folder: str, name: str) -> bool:
    """Whether Python code near registers evaluators at ADK's registry and names this metric."""
    texts = [*_sources(folder, None), *_conftests(folder)]
    return any("register_evaluator" in text for text in texts) and any(name in text for text in texts)


def _sources(folder: str, agent_dir: str | None) -> Iterator[str]:
    """The Python files of the agent folders near."""
    for candidate in [agent_dir] if agent_dir else _agent_folders(folder):
        try:
            names = [n for n in os.listdir(candidate) if n.endswith(".py")]
        except OSError:
            continue
        yield from filter(None, (_text(os.path.join(candidate, name)) for name in names[:100]))


def _conftests(folder: str) -> Iterator[str]:
    """What pytest loads before a test in the folder."""
    here = os.path.abspath(folder or ".")
    for _ in range(6):
        yield _text(os.path.join(here, "conftest.py"))
        if os.path.exists(os.path.join(here, "pyproject.toml")) or os.path.exists(os.path.join(here, ".git")):
            return
        here = os.path.dirname(here)


def _text(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="replace") as stream:
            return stream.read(1_000_000)
    except OSError:
        return ""


@cache
def resolve_in_project(dotted: str, folder: str) -> Resolution:
    """Resolves a plan's custom metric: this package finds it from the plan's folder upwards, or on the import path."""
    module, _, name = dotted.rpartition(".")
    if not module or not all(part.isidentifier() for part in dotted.split(".")):
        return Resolution("no-dot", f"`{dotted}` is no dotted path of a function", "write module.function")
    here = os.path.abspath(folder or ".")
    while True:
        found = module_file(here, module.split("."))
        if found:
            return inspect(found, module, name, dotted)
        parent = os.path.dirname(here)
        if parent == here:
            break
        here = parent
    return resolve(dotted, folder, None)


def forget() -> None:
    """Drops what was remembered of the file system; a run starts with this."""
    for remembered in (resolve, resolve_in_project, mentions, registers_models, registers_metric, _agent_folders):
        remembered.cache_clear()
    function_source.forget()
