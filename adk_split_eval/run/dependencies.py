"""What Python files of the project a Python file imports, directly and through each other.

An agent's code is often more than its folder: tools and prompts that live elsewhere in the project. They are found by the
import statements, wherever these stand, so that finding them runs nothing. What is installed from elsewhere is no part of
the project; its versions are not compared.
"""

from __future__ import annotations

import ast
import gc
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from adk_split_eval.run.inputs import IGNORED_DIRS

_OURS = Path(__file__).resolve().parents[1]
_FOREIGN = IGNORED_DIRS | {"site-packages", "dist-packages"}


def code_root(start: Path) -> Path:
    """The project that ``start`` belongs to: the nearest folder upwards with ``pyproject.toml`` or ``.git``, else ``start``.

    Whether there were runs before plays no part, or the first run of a project would never be resumed.
    """
    start = start.resolve()
    for folder in (start, *start.parents):
        if (folder / "pyproject.toml").is_file() or (folder / ".git").exists():
            return folder
    return start


def project_imports(files: Iterable[Path], root: Path, starts: Iterable[Path] = ()) -> list[Path]:
    """Files below ``root`` that ``files`` import, in a stable order, without ``files`` themselves.

    Args:
        starts: folders that absolute imports may start from, beside those of the import path that lie below ``root``.
    """
    root = root.resolve()
    given = [file.resolve() for file in files if file.suffix == ".py"]
    folders = [*(s.resolve() for s in starts), root, root / "src", *_import_path(root)]
    found: set[Path] = set()
    waiting = list(given)
    while waiting:
        for file in _imported(waiting.pop(), folders):
            if file not in found and _is_project(file, root):
                found.add(file)
                waiting.append(file)
    return sorted(found - set(given))


def _import_path(root: Path) -> Iterator[Path]:
    for entry in sys.path:
        folder = Path(entry or ".").resolve()
        if folder != root and folder.is_relative_to(root):
            yield folder


def _is_project(file: Path, root: Path) -> bool:
    if not file.is_relative_to(root) or file.is_relative_to(_OURS):
        return False
    return not _FOREIGN.intersection(file.relative_to(root).parts)


def _tree(source: bytes) -> ast.Module:
    try:
        return ast.parse(source)
    except SystemError:
        # Garbage that is collected while it parses may print a traceback, for which Python 3.11 parses too, and then it
        # loses count of its depth. With the garbage gone it counts right.
        gc.collect()
        return ast.parse(source)


def _imported(file: Path, folders: list[Path]) -> Iterator[Path]:
    try:
        tree = _tree(file.read_bytes())
    except (OSError, SyntaxError, ValueError, RecursionError, SystemError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for name in node.names:
                yield from _files(name.name.split("."), folders)
        elif isinstance(node, ast.ImportFrom):
            parts = node.module.split(".") if node.module else []
            starts = folders if node.level == 0 else [file.parents[node.level - 1]] if file.parents else []
            for name in node.names:
                yield from _files([*parts, name.name], starts)


def _files(parts: list[str], folders: list[Path]) -> Iterator[Path]:
    """The modules a dotted name passes through, in the first folder that has its first part."""
    for folder in folders:
        passed: list[Path] = []
        place = folder
        for part in parts:
            place = place / part
            passed += [f.resolve() for f in (place.with_name(f"{part}.py"), place / "__init__.py") if f.is_file()]
        if passed or (parts and (folder / parts[0]).is_dir()):
            yield from passed
            return
