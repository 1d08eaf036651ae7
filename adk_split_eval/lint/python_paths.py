"""Paths as Python tests write them, worked out in source: `Path(__file__).parent / "data"`, `os.path.join(…)`, names."""
# os functions instead of pathlib: this room starts cold on every commit.
# ruff: noqa: PTH100, PTH118, PTH120

from __future__ import annotations

import ast
import os

_UNCHANGED = ("str", "Path", "PurePath", "fspath", "abspath", "realpath", "normpath")
_METHODS = ("resolve", "absolute", "as_posix", "expanduser")


class PythonPaths:
    """Reads path expressions of one file; what it cannot work out is None."""

    def __init__(self, tree: ast.Module, path: str) -> None:
        self._file = path
        self._names: dict[str, ast.expr | None] = {}
        for node in ast.walk(tree):
            if isinstance(node, ast.Assign):
                for target in node.targets:
                    if isinstance(target, ast.Name):  # a name bound twice could be either
                        self._names[target.id] = None if target.id in self._names else node.value

    def value(self, node: ast.expr | None, depth: int = 0) -> str | None:
        """The path an expression stands for."""
        if node is None or depth > 20:
            return None
        if isinstance(node, ast.Constant):
            return node.value if isinstance(node.value, str) else None
        if isinstance(node, ast.Name):
            return self._file if node.id == "__file__" else self.value(self._names.get(node.id), depth + 1)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
            return self._joined([node.left, node.right], depth)
        if isinstance(node, ast.Attribute) and node.attr == "parent":
            return self._above(node.value, 1, depth)
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Attribute) and node.value.attr == "parents":
            index = node.slice.value if isinstance(node.slice, ast.Constant) else None
            return self._above(node.value.value, index + 1, depth) if isinstance(index, int) else None
        return self._call(node, depth) if isinstance(node, ast.Call) else None

    def _call(self, node: ast.Call, depth: int) -> str | None:
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if isinstance(node.func, ast.Attribute) and name in (*_METHODS, "joinpath"):
            return self._joined([node.func.value, *node.args], depth)
        if name == "dirname" and node.args:
            return self._above(node.args[0], 1, depth)
        if name in (*_UNCHANGED, "join") and node.args:
            return self._joined(node.args, depth)
        return "" if name in ("getcwd", "cwd") else None

    def _joined(self, parts: list[ast.expr], depth: int) -> str | None:
        found = [self.value(part, depth + 1) for part in parts]
        known = [part for part in found if part is not None]
        return os.path.join(*known) if len(known) == len(found) else None

    def _above(self, node: ast.expr, levels: int, depth: int) -> str | None:
        found = self.value(node, depth + 1)
        for _ in range(levels if found is not None else 0):
            found = os.path.dirname(os.path.abspath(found or ""))
        return found
