"""Reads a custom metric's function in source: whether ADK can call it, and whether it stumbles over ADK's threshold."""
# os functions instead of pathlib: this room starts cold on every commit.
# ruff: noqa: PTH112, PTH113, PTH118, PTH120, PTH123

from __future__ import annotations

import ast
import os
import sys
from functools import cache
from typing import Literal, NamedTuple

Problem = Literal[
    "", "no-dot", "no-module", "no-name", "not-callable", "unparsable", "off-path", "needs-install", "unknown"
]
Function = ast.FunctionDef | ast.AsyncFunctionDef
_MAKE_NAMES = ("globals", "vars", "exec", "setattr")


class Resolution(NamedTuple):
    """What is known of one dotted path.

    Attributes:
        problem: empty when a function was found where ADK can import it.
        environment_known: whether this interpreter has google-adk, so that what it cannot find, ADK cannot find.
        arity: why the function cannot take ADK's four arguments; empty when it can.
        threshold_line: line on which it reads its first parameter's ``threshold``; 0 when it does not.
        threshold_raises: whether that line raises, because what it reads is None.
    """

    problem: Problem
    message: str = ""
    help: str = ""
    file: str = ""
    function: str = ""
    environment_known: bool = True
    arity: str = ""
    threshold_line: int = 0
    threshold_raises: bool = False


@cache
def has_adk() -> bool:
    """Whether this interpreter has google-adk: it is then the one that will import the metric."""
    return any(os.path.isdir(os.path.join(p or ".", "google", "adk")) for p in sys.path)


@cache
def _tree(path: str) -> ast.Module | tuple[int, int, str] | None:
    """The file's syntax tree; line, column and words of its first syntax error; or None when it cannot be read."""
    try:
        with open(path, "rb") as stream:
            return ast.parse(stream.read(4_000_000))
    except SyntaxError as error:
        return error.lineno or 1, max(error.offset or 1, 1), error.msg
    except (OSError, ValueError, RecursionError, MemoryError):
        return None


def module_file(root: str, parts: list[str]) -> str | None:
    """The file of a module below ``root``; an empty string when it is compiled, None when there is none."""
    base = os.path.join(root, *parts)
    for candidate in (base + ".py", os.path.join(base, "__init__.py")):
        if os.path.isfile(candidate):
            return candidate
    try:
        names = os.listdir(os.path.join(root, *parts[:-1]))  # noqa: PTH208
    except OSError:
        return None
    compiled = parts[-1] + "."
    return "" if any(n.startswith(compiled) and n.endswith((".so", ".pyd")) for n in names) else None


def inspect(path: str, module: str, name: str, dotted: str, depth: int = 0) -> Resolution:
    """What the file says about the function ``name``, followed through plain aliases and relative imports."""
    tree = _tree(path)
    if tree is None:
        return Resolution("unknown")
    shown = os.path.relpath(path)
    if isinstance(tree, tuple):
        line, column, words = tree
        return Resolution(
            "unparsable",
            f"`{module}` ({shown}:{line}:{column}: {words}) is no Python that "
            f"{sys.version_info[0]}.{sys.version_info[1]} can read",
            "correct the syntax",
            environment_known=has_adk(),
        )
    for node in reversed(tree.body):  # the last binding is the one that stays
        if isinstance(node, Function) and node.name == name:
            line, raises = _reads_threshold(node)
            return Resolution(
                "", file=shown, function=dotted, arity=_arity(node.args, bool(node.decorator_list)),
                threshold_line=line, threshold_raises=raises,
            )  # fmt: skip
        if isinstance(node, ast.ClassDef) and node.name == name:
            return Resolution("", file=shown, function=dotted)
        if isinstance(node, ast.Assign) and any(isinstance(t, ast.Name) and t.id == name for t in node.targets):
            return _assigned(node, path, module, dotted, depth)
        if isinstance(node, ast.ImportFrom) and node.level and depth < 5:
            for alias in node.names:
                if (alias.asname or alias.name) == name:
                    return _imported(node, alias.name, path, dotted, depth)
    if _may_bind(tree, name):
        return Resolution("unknown")
    return Resolution("no-name", f"`{module}` ({shown}) defines no `{name}`", "correct the function's name")


def _assigned(node: ast.Assign, path: str, module: str, dotted: str, depth: int) -> Resolution:
    value = node.value
    shown = os.path.relpath(path)
    if isinstance(value, ast.Constant | ast.Dict | ast.List | ast.Set | ast.Tuple | ast.JoinedStr):
        return Resolution("not-callable", f"`{dotted}` is no function ({shown}:{node.lineno})", "name a function")
    if isinstance(value, ast.Lambda):
        return Resolution("", file=shown, function=dotted, arity=_arity(value.args, False))
    if isinstance(value, ast.Name) and depth < 5:
        found = inspect(path, module, value.id, dotted, depth + 1)
        return Resolution("unknown") if found.problem == "no-name" else found
    return Resolution("unknown")


def _imported(node: ast.ImportFrom, name: str, path: str, dotted: str, depth: int) -> Resolution:
    """A name taken from a module of the same package."""
    folder = os.path.dirname(path)
    for _ in range(node.level - 1):
        folder = os.path.dirname(folder)
    parts = (node.module or "").split(".") if node.module else []
    found = module_file(folder, parts) if parts else None
    if not found or (parts and module_file(folder, [*parts, name]) is not None):
        return Resolution("unknown")
    return inspect(found, "." * node.level + (node.module or ""), name, dotted, depth + 1)


def _may_bind(tree: ast.Module, name: str) -> bool:
    """Whether the module could still get the name: by an import, a star, in code not followed here, or made at run time."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom | ast.Import):
            for alias in node.names:
                if alias.name == "*" or (alias.asname or alias.name).split(".")[0] == name:
                    return True
        elif isinstance(node, ast.Name):
            if (node.id == name and isinstance(node.ctx, ast.Store)) or node.id in _MAKE_NAMES:
                return True
        elif isinstance(node, Function | ast.ClassDef) and node.name in (name, "__getattr__"):
            return True
    return False


def _arity(arguments: ast.arguments, decorated: bool) -> str:
    if decorated:
        return ""
    positional = [*arguments.posonlyargs, *arguments.args]
    needed = len(positional) - len(arguments.defaults)
    if len(positional) < 4 and arguments.vararg is None:
        return f"takes at most {len(positional)} positional arguments"
    if needed > 4:
        return f"needs {needed} positional arguments"
    required = [a.arg for a, d in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True) if d is None]
    return f"needs the keyword argument `{required[0]}`" if required else ""


def _reads_threshold(node: Function) -> tuple[int, bool]:
    """(line, whether it raises) of a read of the first parameter's threshold; (0, False) when None is provided for."""
    positional = [*node.args.posonlyargs, *node.args.args]
    if not positional:
        return 0, False
    reading = _ThresholdUse(positional[0].arg)
    reading.look_at(node)
    if not reading.line or reading.provided_for:
        return 0, False
    raises = reading.raising_line and not node.decorator_list
    return reading.raising_line or reading.line, bool(raises)


class _ThresholdUse:
    """How a function uses ``metric.threshold``, which is None when ADK calls it."""

    def __init__(self, metric: str) -> None:
        self._metric = metric
        self._names: set[str] = set()
        self._only_shown: set[ast.AST] = set()
        self.line = 0
        self.raising_line = 0
        self.provided_for = False

    def look_at(self, function: Function) -> None:
        nodes = [inner for statement in function.body for inner in ast.walk(statement)]
        for node in nodes:
            self._collect(node)
        for node in nodes:
            if self._copes(node):
                self.provided_for = True
            elif self._is_attribute(node) and not self.line and node not in self._only_shown:
                self.line = getattr(node, "lineno", 0)
        for node in nodes:
            if not self.raising_line and self._raises(node):
                self.raising_line = getattr(node, "lineno", 0)

    def _collect(self, node: ast.AST) -> None:
        """Names that hold the threshold, and places where it is only written out."""
        value = getattr(node, "value", None)
        if (
            isinstance(node, ast.Assign | ast.AnnAssign | ast.NamedExpr)
            and value is not None
            and self._is_attribute(value)
        ):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            self._names.update(t.id for t in targets if isinstance(t, ast.Name))
        elif isinstance(node, ast.FormattedValue):
            self._only_shown.add(node.value)
        elif isinstance(node, ast.Call) and (_is_printing(node.func)):
            self._only_shown.update(node.args)

    def _is_attribute(self, node: ast.AST) -> bool:
        return (
            isinstance(node, ast.Attribute)
            and node.attr == "threshold"
            and isinstance(node.value, ast.Name)
            and node.value.id == self._metric
            and isinstance(node.ctx, ast.Load)
        )

    def _is_threshold(self, node: ast.AST) -> bool:
        if isinstance(node, ast.NamedExpr):
            node = node.value
        return self._is_attribute(node) or (isinstance(node, ast.Name) and node.id in self._names)

    def _copes(self, node: ast.AST) -> bool:
        """Whether the code looks whether there is a threshold, sets one, or catches the error."""
        if isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            return any(map(self._is_threshold, sides)) and any(
                isinstance(s, ast.Constant) and s.value is None for s in sides
            )
        if isinstance(node, ast.BoolOp):
            return any(map(self._is_threshold, node.values))
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            return self._is_threshold(node.operand)
        if isinstance(node, ast.If | ast.IfExp | ast.While):
            return self._is_threshold(node.test)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "isinstance":
            return any(map(self._is_threshold, node.args))
        if isinstance(node, ast.Try):
            return any(self._is_threshold(inner) for statement in node.body for inner in ast.walk(statement))
        if isinstance(node, ast.Attribute) and node.attr == "threshold" and isinstance(node.ctx, ast.Store):
            return isinstance(node.value, ast.Name) and node.value.id == self._metric
        return isinstance(node, ast.Name) and node.id == self._metric and isinstance(node.ctx, ast.Store)

    def _raises(self, node: ast.AST) -> bool:
        if isinstance(node, ast.Compare):
            ordering = any(isinstance(o, ast.Lt | ast.LtE | ast.Gt | ast.GtE) for o in node.ops)
            return ordering and any(map(self._is_threshold, [node.left, *node.comparators]))
        if isinstance(node, ast.BinOp):
            return self._is_threshold(node.left) or self._is_threshold(node.right)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            return node.func.id in ("float", "int", "round", "abs") and any(map(self._is_threshold, node.args))
        return False


def _is_printing(function: ast.expr) -> bool:
    if isinstance(function, ast.Name):
        return function.id in ("print", "str", "repr")
    return isinstance(function, ast.Attribute) and function.attr in (
        "debug", "info", "warning", "error", "exception", "log", "format",
    )  # fmt: skip


def forget() -> None:
    """Drops what was remembered of the file system."""
    _tree.cache_clear()
    has_adk.cache_clear()
