"""The small changes that the mutation check makes: what they are, where they sit, how one is put into a tree.

Left alone, because nothing a user sees can hang on them: annotations, decorators, docstrings and other texts, what is
raised (the wording of an error), branches for type checkers, ``__all__``, calls of a logger, the keyword ``strict``.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

COMPARE: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip
ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.FloorDiv, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult,
}  # fmt: skip
TWINS = {"any": "all", "all": "any", "min": "max", "max": "min"}
NEGATED = (ast.Is, ast.IsNot, ast.Eq, ast.NotEq, ast.In, ast.NotIn)


@dataclass(frozen=True, slots=True)
class Change:
    """The ``number``-th change that :func:`offered` finds in one file.

    ``first`` and ``last`` are the lines of the statement it sits in (of a compound statement: its head); ``function``
    is the name and first line of the outermost function around it, None for what runs when the module is imported.
    """

    file: str
    number: int
    line: int
    before: str
    after: str
    first: int
    last: int
    function: tuple[str, int, int] | None

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.before}  →  {self.after}"

    def tree(self, root: Path) -> ast.Module:
        """The file's syntax tree with the change in it."""
        module = ast.parse((root / self.file).read_text("utf-8"))
        for number, site in enumerate(offered(module)):
            if number == self.number:
                site.put_in()
                return ast.fix_missing_locations(module)
        raise LookupError(self)


@dataclass(frozen=True, slots=True)
class Site:
    parent: ast.AST
    field: str
    index: int | None
    changed: ast.AST
    statement: ast.stmt
    function: ast.AST | None

    @property
    def original(self) -> ast.AST:
        value = getattr(self.parent, self.field)
        return value if self.index is None else value[self.index]

    def put_in(self) -> None:
        if self.index is None:
            setattr(self.parent, self.field, self.changed)
        else:
            getattr(self.parent, self.field)[self.index] = self.changed


def changes(node: ast.AST) -> Iterator[ast.AST]:
    """Every small change of one node."""
    match node:
        case ast.Compare():
            for index, operator in enumerate(node.ops):
                if type(operator) in COMPARE:
                    changed = copy.deepcopy(node)
                    changed.ops[index] = COMPARE[type(operator)]()
                    yield changed
        case ast.BoolOp():
            yield ast.BoolOp(ast.And() if isinstance(node.op, ast.Or) else ast.Or(), node.values)
            for index in range(len(node.values)):
                rest = [v for i, v in enumerate(node.values) if i != index]
                yield rest[0] if len(rest) == 1 else ast.BoolOp(node.op, rest)
        case ast.UnaryOp(op=ast.Not()):
            yield node.operand
        case ast.BinOp() if type(node.op) in ARITHMETIC:
            yield ast.BinOp(node.left, ARITHMETIC[type(node.op)](), node.right)
        case ast.AugAssign() if type(node.op) in ARITHMETIC:
            yield ast.AugAssign(node.target, ARITHMETIC[type(node.op)](), node.value)
        case ast.IfExp() if not negates(node.test):
            yield ast.IfExp(node.test, node.orelse, node.body)
        case ast.If() if not negates(node.test):
            yield ast.If(ast.UnaryOp(ast.Not(), node.test), node.body, node.orelse)
        case ast.Constant(value=bool()):
            yield ast.Constant(not node.value)
        case ast.Constant(value=int() | float()):
            yield ast.Constant(node.value + 1)
        case ast.Return(value=ast.expr()) if not isinstance(node.value, ast.Constant):
            yield ast.Return(ast.Constant(None))
        case ast.Continue():
            yield ast.Break()
        case ast.Break():
            yield ast.Continue()
        case ast.comprehension() if node.ifs:
            yield ast.comprehension(node.target, node.iter, node.ifs[1:], node.is_async)
        case ast.Expr(value=ast.Call()) if "logger" not in ast.unparse(node.value.func):
            yield ast.Pass()
        case ast.Call(func=ast.Name(id=name)) if name in TWINS:
            yield ast.Call(ast.Name(TWINS[name], ast.Load()), node.args, node.keywords)
        case _:
            return


def negates(test: ast.expr) -> bool:
    """Whether the changes of the condition itself already turn it round, so that swapping branches says it twice."""
    if isinstance(test, ast.Compare):
        return len(test.ops) == 1 and isinstance(test.ops[0], NEGATED)
    return isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not)


def left_alone(node: ast.AST) -> bool:
    match node:
        case ast.Raise() | ast.keyword(arg="strict"):
            return True
        case ast.If(test=ast.Name(id="TYPE_CHECKING") | ast.Attribute(attr="TYPE_CHECKING")):
            return True
        case ast.Assign(targets=[ast.Name(id="__all__")]):
            return True
        case _:
            return False


def offered(node: ast.AST, statement: ast.stmt | None = None, function: ast.AST | None = None) -> Iterator[Site]:
    """Where something may be changed below a node, in source order."""
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "type_params", "decorator_list"):
            continue
        inside = function
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) and name == "body":
            inside = function or node
        for index, child in enumerate(value) if isinstance(value, list) else [(None, value)]:
            if not isinstance(child, ast.AST) or left_alone(child):
                continue
            around = child if isinstance(child, ast.stmt) else statement
            if around is not None:
                for changed in changes(child):
                    if hasattr(child, "lineno"):
                        ast.copy_location(changed, child)
                    yield Site(node, name, index, changed, around, inside)
            yield from offered(child, around, inside)


def all_changes(root: Path, path: Path) -> list[Change]:
    """Every change of one file, in source order."""
    found: list[Change] = []
    for number, site in enumerate(offered(ast.parse(path.read_text("utf-8")))):
        line = getattr(site.original, "lineno", site.statement.lineno)
        before, after = (short(text_of(n)) for n in (site.original, site.changed))
        if before == after:
            continue
        where = None
        if isinstance(site.function, ast.FunctionDef | ast.AsyncFunctionDef):
            decorated = min([site.function.lineno, *(d.lineno for d in site.function.decorator_list)])
            where = (site.function.name, decorated, site.function.end_lineno or 0)
        first, last = head(site.statement)
        file = path.relative_to(root).as_posix()
        found.append(Change(file, number, line, before, after, first, last, where))
    return found


def head(statement: ast.stmt) -> tuple[int, int]:
    """The lines of a statement without the statements in it."""
    body: list[ast.stmt] = getattr(statement, "body", [])
    if not body:
        return statement.lineno, statement.end_lineno or statement.lineno
    return statement.lineno, max(statement.lineno, body[0].lineno - 1)


def text_of(node: ast.AST) -> str:
    if isinstance(node, ast.If):
        return f"if {ast.unparse(node.test)}"
    return ast.unparse(ast.fix_missing_locations(node))


def short(text: str) -> str:
    """One line of at most 160 characters."""
    line = " ".join(text.split())
    return line if len(line) <= 160 else line[:160] + "…"
