"""Breaks the code on purpose, one small change at a time, and asks the tests whether they notice.

    python tools/mutation_check.py                       # 30 changes in each room, drawn with a fixed seed
    python tools/mutation_check.py --each 0 run/verdicts # every change in the files whose path holds this

Each change runs its room's tests in a forked process that is handed the changed module by an import hook; nothing is
written to the source tree. A change that no test notices is printed as a survivor with its line. It takes an hour or
more for everything, so it is no part of the continuous tests; ``docs/mutation-check.md`` keeps what was found.
"""

from __future__ import annotations

import argparse
import ast
import copy
import importlib.abc
import importlib.util
import os
import random
import signal
import sys
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "adk_split_eval"
LIMIT = 180.0

PURE = [
    "tests/metrics/test_" + n + ".py"
    for n in ("goal", "invariants", "matching", "responses", "text", "trajectory", "values", "registry")
]
ROOMS: dict[str, list[str]] = {
    "metrics/process": ["tests/process"],
    "metrics/numbers": ["tests/metrics_numbers"],
    "metrics/grounded_numbers.py": ["tests/metrics_numbers"],
    "metrics/adapter": ["tests/metrics/test_adapter.py", "tests/metrics/test_adapter_team.py"],
    "metrics/team": ["tests/metrics/test_adapter_team.py"],
    "metrics": PURE,
    "run/verdicts.py": ["tests/run/test_verdicts.py", "tests/properties"],
    "run/votes.py": ["tests/adversarial/test_votes.py", "tests/adversarial/test_judge_accounting.py"],
    "run/accounting.py": ["tests/adversarial/test_judge_accounting.py"],
    "run/judge.py": ["tests/adversarial/test_judge_accounting.py", "tests/cases", "tests/silent_greens"],
    "plan": ["tests/plan"],
}
"""Room → the tests that guard it; the first that fits a file holds."""

COMPARE = {ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
           ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In}  # fmt: skip
ARITHMETIC = {ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.FloorDiv, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult}


def changes(node: ast.AST) -> Iterator[ast.AST]:
    """Every small change of one node."""
    if isinstance(node, ast.Compare):
        for index, operator in enumerate(node.ops):
            if type(operator) in COMPARE:
                changed = copy.deepcopy(node)
                changed.ops[index] = COMPARE[type(operator)]()
                yield changed
    elif isinstance(node, ast.BoolOp):
        yield ast.BoolOp(ast.And() if isinstance(node.op, ast.Or) else ast.Or(), node.values)
        for index in range(len(node.values)):
            rest = [v for i, v in enumerate(node.values) if i != index]
            yield rest[0] if len(rest) == 1 else ast.BoolOp(node.op, rest)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield node.operand
    elif isinstance(node, ast.BinOp) and type(node.op) in ARITHMETIC:
        yield ast.BinOp(node.left, ARITHMETIC[type(node.op)](), node.right)
    elif isinstance(node, ast.IfExp):
        yield ast.IfExp(node.test, node.orelse, node.body)
    elif isinstance(node, ast.If):
        yield ast.If(ast.UnaryOp(ast.Not(), node.test), node.body, node.orelse)
    elif isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield ast.Constant(not node.value)
    elif isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        yield ast.Constant(node.value + 1)
    elif isinstance(node, ast.Return) and node.value is not None and not isinstance(node.value, ast.Constant):
        yield ast.Return(ast.Constant(None))
    elif isinstance(node, ast.Continue):
        yield ast.Break()
    elif isinstance(node, ast.comprehension) and node.ifs:
        yield ast.comprehension(node.target, node.iter, node.ifs[1:], node.is_async)


class Change:
    """One change of one file: the ``number``-th that :func:`changes` offers, in source order."""

    def __init__(self, path: Path, number: int, line: int, before: str, after: str) -> None:
        self.path, self.number, self.line, self.before, self.after = path, number, line, before, after

    def __str__(self) -> str:
        return f"{self.path.relative_to(ROOT)}:{self.line}: {self.before}  →  {self.after}"

    def tree(self) -> ast.Module:
        module = ast.parse(self.path.read_text("utf-8"))
        for number, (parent, name, index, changed) in enumerate(offered(module)):
            if number == self.number:
                if index is None:
                    setattr(parent, name, changed)
                else:
                    getattr(parent, name)[index] = changed
                return ast.fix_missing_locations(module)
        raise LookupError(self)


def offered(module: ast.Module) -> Iterator[tuple[ast.AST, str, int | None, ast.AST]]:
    """(parent, field, index, changed node) of every change; annotations and texts are left alone."""
    for parent in ast.walk(module):
        for name, value in ast.iter_fields(parent):
            if name in ("annotation", "returns", "type_params", "decorator_list"):
                continue
            for index, child in enumerate(value) if isinstance(value, list) else [(None, value)]:
                if isinstance(child, ast.AST):
                    for changed in changes(child):
                        if hasattr(child, "lineno"):
                            ast.copy_location(changed, child)
                        yield parent, name, index, changed


def all_changes(path: Path) -> list[Change]:
    module = ast.parse(path.read_text("utf-8"))
    found: list[Change] = []
    for number, (parent, name, index, changed) in enumerate(offered(module)):
        child = getattr(parent, name) if index is None else getattr(parent, name)[index]
        line = getattr(child, "lineno", getattr(parent, "lineno", 0))
        before, after = (" ".join(ast.unparse(ast.fix_missing_locations(n)).split())[:100] for n in (child, changed))
        if before != after:
            found.append(Change(path, number, line, before, after))
    return found


class Hook(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Hands out one module in its changed form."""

    def __init__(self, change: Change) -> None:
        parts = change.path.relative_to(ROOT).with_suffix("").parts
        self.package = parts[-1] == "__init__"
        self.name = ".".join(parts[:-1] if self.package else parts)
        self.change = change

    def find_spec(self, fullname: str, path: object = None, target: object = None) -> object:
        if fullname != self.name:
            return None
        where = [str(self.change.path.parent)] if self.package else None
        return importlib.util.spec_from_file_location(
            fullname, self.change.path, loader=self, submodule_search_locations=where
        )

    def create_module(self, spec: object) -> None:
        return None

    def exec_module(self, module: ModuleType) -> None:
        exec(compile(self.change.tree(), str(self.change.path), "exec"), module.__dict__)


def tests_of(path: Path) -> list[str] | None:
    relative = path.relative_to(PACKAGE).as_posix()
    return next((tests for room, tests in ROOMS.items() if relative.startswith(room)), None)


def noticed(change: Change | None, tests: list[str]) -> bool | None:
    """Whether the tests fail on the change (or without any); None when they did not come to an end in time."""
    child = os.fork()
    if child == 0:
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1)
        os.dup2(null, 2)
        if change is not None:
            sys.meta_path.insert(0, Hook(change))
        import pytest

        code = 70
        try:
            options = [
                "-x",
                "-q",
                "-p",
                "no:cacheprovider",
                "--assert=plain",
                "-W",
                "ignore::pytest.PytestAssertRewriteWarning",
                "-c",
                "pyproject.toml",
            ]
            code = int(pytest.main([*options, *tests]))
        finally:
            os._exit(code)
    until = time.monotonic() + LIMIT
    while time.monotonic() < until:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status) != 0
        time.sleep(0.05)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return None


def warm_up() -> None:
    """Import once what every fork needs; nothing of the package itself, whose modules are to be changed."""
    warnings.simplefilter("ignore")
    import hypothesis  # noqa: F401
    import pytest  # noqa: F401
    import yaml  # noqa: F401

    try:
        import google.adk.cli.cli_tools_click
        import google.adk.evaluation.agent_evaluator
        import google.adk.evaluation.local_eval_service  # noqa: F401
    except ModuleNotFoundError:
        return


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("paths", nargs="*", default=["metrics/", "run/verdicts.py", "run/votes.py", "run/accounting.py", "run/judge.py", "plan/"])  # fmt: skip
    options.add_argument("--each", type=int, default=30, help="changes drawn for each path given; 0 means all")
    options.add_argument("--seed", type=int, default=1)
    chosen = options.parse_args()
    os.chdir(ROOT)
    warm_up()
    killed = total = 0
    for wanted in chosen.paths:
        files = [
            p for p in sorted(PACKAGE.rglob("*.py")) if wanted in p.relative_to(PACKAGE).as_posix() and tests_of(p)
        ]
        pool = [change for path in files for change in all_changes(path)]
        drawn = pool if chosen.each == 0 else random.Random(chosen.seed).sample(pool, min(chosen.each, len(pool)))
        for tests in {tuple(tests_of(p) or ()) for p in files}:
            if noticed(None, list(tests)) is not False:
                print(f"{' '.join(tests)}: these tests do not pass on the code as it is")
                return 2
        started, seen = time.monotonic(), 0
        for change in sorted(drawn, key=lambda c: (str(c.path), c.line)):
            result = noticed(change, tests_of(change.path) or [])
            seen += result is not False
            if result is False:
                print(f"survived  {change}", flush=True)
        killed, total = killed + seen, total + len(drawn)
        print(
            f"{wanted}: {seen} of {len(drawn)} noticed, {len(pool)} possible, {time.monotonic() - started:.0f} s",
            flush=True,
        )
    print(f"{killed} of {total} changes noticed ({killed / max(total, 1):.0%})")
    return 0


if __name__ == "__main__":
    sys.exit(main())
