"""Finds a custom metric's function in source, without importing anything, and reads what it would do when called."""
# os functions instead of pathlib: this room starts cold on every commit.
# ruff: noqa: PTH100, PTH110, PTH112, PTH113, PTH118, PTH120, PTH123, PTH208

from __future__ import annotations

import ast
import os
import sys
from functools import cache
from typing import Literal, NamedTuple

Problem = Literal["", "no-dot", "no-module", "no-name", "not-callable", "off-path", "unknown"]


TEAM = "adk_split_eval.metrics.team."
"""Under this path generated configs name a team's own metric."""


class Resolution(NamedTuple):
    """What is known of one dotted path.

    Attributes:
        problem: empty when a function was found where ADK can import it.
        environment_known: whether this interpreter has google-adk, so that what it cannot find, ADK cannot find.
        arity: why the function cannot take ADK's four arguments; empty when it can.
        threshold_line: line on which it reads its first parameter's ``threshold``; 0 when it does not.
    """

    problem: Problem
    message: str = ""
    help: str = ""
    file: str = ""
    function: str = ""
    environment_known: bool = True
    arity: str = ""
    threshold_line: int = 0


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
        return _inspect(path, module, name, dotted) if path else Resolution("unknown")
    near = _near(module, folder)
    if near is not None:
        return Resolution("off-path", f"`{module}` is {near}, which `adk eval` cannot import: the project root is not on its import path",
                          "put the function into the agent folder and name it agent.<module>.<function>, or install it as a package")  # fmt: skip
    hint = " (this environment has no google-adk, so a package installed where `adk eval` runs is not seen)"
    known = _has_adk()
    return Resolution(
        "no-module",
        f"there is no module `{module}`{'' if known else hint}",
        "correct code_config.name",
        environment_known=known,
    )


def _has_adk() -> bool:
    return any(os.path.isdir(os.path.join(p or ".", "google", "adk")) for p in sys.path)


def _on_import_path(module: str, folder: str, agent_dir: str | None) -> str | None:
    """The module's file; an empty string when it exists but is no Python source; None when it is nowhere."""
    parts = module.split(".")
    if parts[0] == "agent":
        return _in_agent(parts, folder, agent_dir)
    if parts[0] in sys.builtin_module_names or parts[0] in sys.stdlib_module_names:
        return ""
    for root in sys.path:
        found = _module_file(root or ".", parts)
        if found is not None:
            return found
    return None


def _module_file(root: str, parts: list[str]) -> str | None:
    base = os.path.join(root, *parts)
    for candidate in (base + ".py", os.path.join(base, "__init__.py")):
        if os.path.isfile(candidate):
            return candidate
    parent = os.path.join(root, *parts[:-1])
    try:
        names = os.listdir(parent)
    except OSError:
        return None
    compiled = parts[-1] + "."
    return "" if any(n.startswith(compiled) and n.endswith((".so", ".pyd")) for n in names) else None


def _in_agent(parts: list[str], folder: str, agent_dir: str | None) -> str | None:
    """``agent.x`` is the agent folder's own module x, because ADK imports that folder under the name ``agent``."""
    folders = [agent_dir] if agent_dir else _agent_folders(folder)
    if not folders:
        return ""
    for candidate in folders:
        found = _module_file(candidate, parts[1:]) if parts[1:] else os.path.join(candidate, "__init__.py")
        if found is not None:
            return found
    return None


@cache
def _agent_folders(folder: str) -> list[str]:
    """Agent folders (with an agent.py) at, above or just below the config's folder and its ancestors."""
    found: list[str] = []
    here = os.path.abspath(folder or ".")
    for _ in range(5):
        for candidate in (here, *_subfolders(here)):
            if os.path.isfile(os.path.join(candidate, "agent.py")):
                found.append(candidate)
        parent = os.path.dirname(here)
        if found or parent == here or os.path.exists(os.path.join(here, ".git")):
            break
        here = parent
    return found


def _subfolders(folder: str) -> list[str]:
    try:
        with os.scandir(folder) as entries:
            return sorted(e.path for e in entries if not e.name.startswith(".") and e.is_dir())[:200]
    except OSError:
        return []


def _near(module: str, folder: str) -> str | None:
    """A file that looks like the module, at or above the config's folder."""
    here = os.path.abspath(folder or ".")
    for _ in range(6):
        found = _module_file(here, module.split("."))
        if found:
            return os.path.relpath(found)
        parent = os.path.dirname(here)
        if parent == here or os.path.exists(os.path.join(here, ".git")):
            return None
        here = parent
    return None


@cache
def _tree(path: str) -> ast.Module | None:
    try:
        with open(path, encoding="utf-8") as stream:
            return ast.parse(stream.read(4_000_000))
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _inspect(path: str, module: str, name: str, dotted: str) -> Resolution:
    tree = _tree(path)
    if tree is None:
        return Resolution("unknown")
    dynamic = False
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name == "__getattr__":
            dynamic = True
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name == name:
            return Resolution(
                "",
                file=os.path.relpath(path),
                function=dotted,
                arity=_arity(node),
                threshold_line=_reads_threshold(node),
            )
        if isinstance(node, ast.ClassDef) and node.name == name:
            return Resolution("", file=os.path.relpath(path), function=dotted)
        if isinstance(node, ast.Assign) and any(isinstance(t, ast.Name) and t.id == name for t in node.targets):
            if isinstance(node.value, ast.Constant | ast.Dict | ast.List | ast.Set | ast.Tuple | ast.JoinedStr):
                return Resolution(
                    "not-callable",
                    f"`{dotted}` is no function ({os.path.relpath(path)}:{node.lineno})",
                    "name a function",
                )
            return Resolution("unknown")
    if dynamic or _may_bind(tree, name):
        return Resolution("unknown")
    return Resolution(
        "no-name", f"`{module}` ({os.path.relpath(path)}) defines no `{name}`", "correct the function's name"
    )


def _may_bind(tree: ast.Module, name: str) -> bool:
    """Whether the module could still get the name by an import, a star import or a statement not followed here."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom | ast.Import):
            for alias in node.names:
                if alias.name == "*" or (alias.asname or alias.name).split(".")[0] == name:
                    return True
        elif (isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Store)) or (
            isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and node.name == name
        ):
            return True
    return False


def _arity(node: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    if node.decorator_list:
        return ""
    positional = [*node.args.posonlyargs, *node.args.args]
    needed = len(positional) - len(node.args.defaults)
    if len(positional) < 4 and node.args.vararg is None:
        return f"takes at most {len(positional)} positional arguments"
    if needed > 4:
        return f"needs {needed} positional arguments"
    required_keywords = [a.arg for a, d in zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True) if d is None]
    return f"needs the keyword argument `{required_keywords[0]}`" if required_keywords else ""


def _reads_threshold(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    positional = [*node.args.posonlyargs, *node.args.args]
    if not positional:
        return 0
    first = positional[0].arg
    for inner in ast.walk(node):
        if (
            isinstance(inner, ast.Attribute)
            and inner.attr == "threshold"
            and isinstance(inner.value, ast.Name)
            and inner.value.id == first
            and isinstance(inner.ctx, ast.Load)
        ):
            return inner.lineno
    return 0


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
    for candidate in [agent_dir] if agent_dir else _agent_folders(folder):
        try:
            names = [n for n in os.listdir(candidate) if n.endswith(".py")]
        except OSError:
            continue
        for name in names[:100]:
            try:
                with open(os.path.join(candidate, name), encoding="utf-8", errors="replace") as stream:
                    text = stream.read(1_000_000)
            except OSError:
                continue
            if "LLMRegistry" in text or "adk_split_eval.models" in text:
                return True
    return False


@cache
def resolve_in_project(dotted: str, folder: str) -> Resolution:
    """Resolves a plan's custom metric: this package finds it from the plan's folder upwards, or on the import path."""
    module, _, name = dotted.rpartition(".")
    if not module or not all(part.isidentifier() for part in dotted.split(".")):
        return Resolution("no-dot", f"`{dotted}` is no dotted path of a function", "write module.function")
    here = os.path.abspath(folder or ".")
    while True:
        found = _module_file(here, module.split("."))
        if found:
            return _inspect(found, module, name, dotted)
        parent = os.path.dirname(here)
        if parent == here:
            break
        here = parent
    return resolve(dotted, folder, None)


def forget() -> None:
    """Drops what was remembered of the file system; a run starts with this."""
    for remembered in (resolve, resolve_in_project, mentions, registers_models, _agent_folders, _tree):
        remembered.cache_clear()
