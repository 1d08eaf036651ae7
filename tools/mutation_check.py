"""Breaks the code on purpose, one small change at a time, and asks the tests whether they notice.

    python tools/mutation_check.py metrics/values                  # 40 changes drawn with seed 1
    python tools/mutation_check.py --each 0 --json out.jsonl plan/ # every change in the files whose path holds this
    python tools/mutation_check.py --again out.jsonl               # only what survived the last time

Works on a copy of the checkout in a temporary folder; nothing is written to the source tree. First the tests of the
room run once under coverage, unchanged, which tells which test passes through which line and that they are green; then
one process that has imported and collected everything forks a child for each change, which exchanges the code of the
changed function and runs the tests that pass through its statement, quickest first, until one fails. What runs on
import (tables, defaults, functions called by them) is changed by an import hook in a child that collects anew. A change
that no test notices is printed as a survivor, or as unreached if no test passes through its line; one that never ends
counts as noticed. Tests of cost are left out: on a busy machine they would notice anything. Needs Python 3.11 and the packages of the development environment.
"""

from __future__ import annotations

import argparse
import importlib.abc
import importlib.util
import json
import os
import random
import shutil
import signal
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

from mutation_changes import Change, all_changes
from mutation_tests import Chosen, Coverage, Recorder, Server, run_pytest

ROOT = Path(__file__).parents[1]
NOT_COPIED = (".venv*", ".git", ".hypothesis", ".adk-split-eval", ".*_cache", "__pycache__")

METRICS = ["tests/metrics"]
ROOMS: dict[str, list[str]] = {
    "metrics/process": ["tests/process", "tests/metrics"],
    "metrics/numbers": ["tests/metrics_numbers"],
    "metrics/grounded_numbers.py": ["tests/metrics_numbers"],
    "metrics/values.py": METRICS,
    "metrics/trajectory": METRICS,
    "metrics/patterns.py": METRICS,
    "metrics/matching.py": METRICS,
    "metrics": ["tests/metrics", "tests/process"],
    "run/verdicts.py": ["tests/run/test_verdicts.py", "tests/properties", "tests/process/test_unfinished.py"],
    "run/votes.py": ["tests/judging", "tests/adversarial/test_votes.py", "tests/adversarial/test_judge_accounting.py"],
    "run/accounting.py": ["tests/judging", "tests/adversarial/test_judge_accounting.py"],
    "run/judge.py": ["tests/judging", "tests/adversarial/test_judge_accounting.py"],
    "build": ["tests/build"],
    "plan": ["tests/plan"],
}
"""Room → the tests that guard it; the first that fits a file holds. ``--tests`` names others."""


class Hook(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Hands out one module in its changed form."""

    def __init__(self, root: Path, change: Change) -> None:
        self.path = root / change.file
        parts = Path(change.file).with_suffix("").parts
        self.package = parts[-1] == "__init__"
        self.name = ".".join(parts[:-1] if self.package else parts)
        self.tree = change.tree(root)

    def find_spec(self, fullname: str, path: object = None, target: object = None) -> Any:
        if fullname != self.name:
            return None
        where = [str(self.path.parent)] if self.package else None
        return importlib.util.spec_from_file_location(
            fullname, self.path, loader=self, submodule_search_locations=where
        )

    def create_module(self, spec: object) -> None:
        return None

    def exec_module(self, module: ModuleType) -> None:
        exec(compile(self.tree, str(self.path), "exec"), module.__dict__)


def codes(code: CodeType) -> Iterator[CodeType]:
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield constant
            yield from codes(constant)


def exchange(root: Path, change: Change, functions: dict[tuple[str, str, int], list[FunctionType]]) -> bool:
    """Put the change into the function objects that are alive; False when that cannot be done."""
    assert change.function is not None
    name, first, _ = change.function
    path = str(root / change.file)
    module = compile(change.tree(root), path, "exec")
    new = next((c for c in codes(module) if c.co_name == name and c.co_firstlineno == first), None)
    old = functions.get((path, name, first), [])
    if new is None or not old or any(f.__code__.co_freevars != new.co_freevars for f in old):
        return False
    for function in old:
        function.__code__ = new
    return True


# Children ------------------------------------------------------------------------------------------------------------


@dataclass
class Child:
    """A forked process that answers with one JSON value."""

    process: int
    answer: int
    until: float

    @classmethod
    def start(cls, work: Callable[[], Any], limit: float) -> Child:
        reader, writer = os.pipe()
        process = os.fork()
        if process:
            os.close(writer)
            return cls(process, reader, time.monotonic() + limit)
        try:
            os.setsid()
            os.close(reader)
            with open(os.devnull, "w") as null:  # noqa: PTH123
                os.dup2(null.fileno(), 1)
                if not os.environ.get("MUTATION_CHECK_SHOWS"):
                    os.dup2(null.fileno(), 2)
            answer = json.dumps(work())
        except BaseException:  # noqa: BLE001 -- a change can end in anything; the parent must hear of it
            answer = json.dumps({"broken": traceback.format_exc()})
        with os.fdopen(writer, "w") as pipe:
            pipe.write(answer)
        os._exit(0)

    def poll(self) -> Any:
        """The answer; None while there is none; {"late": True} when its time is over or it died without a word."""
        import select

        if select.select([self.answer], [], [], 0)[0]:
            with os.fdopen(self.answer, "r") as pipe:
                text = pipe.read()
            self._end()
            return json.loads(text) if text else {"late": True}
        if time.monotonic() < self.until:
            return None
        os.close(self.answer)
        self._end()
        return {"late": True}

    def _end(self) -> None:
        try:
            os.killpg(self.process, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            os.kill(self.process, signal.SIGKILL)
        os.waitpid(self.process, 0)


def side_by_side(tasks: Iterable[tuple[Any, Callable[[], Any], float]], jobs: int) -> Iterator[tuple[Any, Any]]:
    """(task, answer) of every (task, work, seconds allowed), ``jobs`` at a time."""
    waiting, running = list(tasks)[::-1], dict[int, tuple[Any, Child]]()
    while waiting or running:
        while waiting and len(running) < jobs:
            task, work, limit = waiting.pop()
            child = Child.start(work, limit)
            running[child.process] = (task, child)
        for process, (task, child) in list(running.items()):
            answer = child.poll()
            if answer is not None:
                del running[process]
                yield task, answer
        time.sleep(0.01)


def alone(work: Callable[[], Any]) -> Any:
    """The answer of one child without a limit of time."""
    ((_, answer),) = side_by_side([("", work, 10**6)], 1)
    if isinstance(answer, dict) and ("broken" in answer or "late" in answer):
        raise RuntimeError(answer.get("broken", "the process ended without an answer"))
    return answer


# The check -----------------------------------------------------------------------------------------------------------


class Check:
    def __init__(self, root: Path, seed: int, jobs: int, budget: float) -> None:
        self.root, self.seed, self.jobs, self.budget = root, seed, jobs, budget

    def learn(self, paths: tuple[str, ...]) -> Coverage:
        def work() -> Any:
            recorder = Recorder(self.root)
            run_pytest(paths, recorder, self.seed)
            return asdict(recorder.learned)

        told = alone(work)
        told["lines"] = {f: {int(n): c for n, c in at.items()} for f, at in told["lines"].items()}
        return Coverage(**told)

    def affordable(self, coverage: Coverage, tests: list[str]) -> list[str]:
        """The first of the tests that fit the budget of one change; at least one."""
        spent, chosen = 0.0, list[str]()
        for test in tests:
            spent += coverage.seconds[test]
            if chosen and spent > self.budget:
                continue
            chosen.append(test)
        return chosen

    def results(self, coverage: Coverage, paths: tuple[str, ...], drawn: list[Change]) -> Iterator[tuple[Change, Any]]:
        """(change, answer): the test that noticed it under ``by``, ``late``, ``broken``, or ``unreached``."""
        swapped, imported = list[Change](), list[Change]()
        for change in drawn:
            if not coverage.tests(change):
                yield change, {"by": "", "unreached": True}
            else:
                (imported if coverage.on_import(change) else swapped).append(change)
        if swapped:
            for number, answer in self._served(coverage, paths, swapped):
                if answer.get("impossible"):
                    imported.append(swapped[number])
                else:
                    yield swapped[number], answer
        yield from side_by_side([(c, self._anew(coverage, c), 60 + 4 * self.budget) for c in imported], self.jobs)

    def _anew(self, coverage: Coverage, change: Change) -> Callable[[], Any]:
        tests = self.affordable(coverage, coverage.tests(change))

        def work() -> Any:
            sys.meta_path.insert(0, Hook(self.root, change))
            plugin = Chosen(tests)
            code = run_pytest(["-x", *dict.fromkeys(t.split("::")[0] for t in tests)], plugin, self.seed)
            return {"by": plugin.failed or ("" if code == 0 else f"exit code {code}")}

        return work

    def _served(self, coverage: Coverage, paths: tuple[str, ...], drawn: list[Change]) -> Iterator[tuple[int, Any]]:
        """The changes made in a process that has collected the tests: (place in ``drawn``, answer)."""
        reader, writer = os.pipe()

        def in_child(server: Server, change: Change, tests: list[str]) -> Callable[[], Any]:
            def work() -> Any:
                if not exchange(self.root, change, server.functions):
                    return {"impossible": True}
                return {"by": server.run(tests)}

            return work

        def serve(server: Server) -> None:
            tasks: list[tuple[int, Callable[[], Any], float]] = []
            for number, change in enumerate(drawn):
                tests = self.affordable(coverage, coverage.tests(change))
                limit = 20 + 4 * sum(coverage.seconds[t] for t in tests)
                tasks.append((number, in_child(server, change, tests), limit))
            for number, answer in side_by_side(tasks, self.jobs):
                os.write(writer, (json.dumps([number, answer]) + "\n").encode())

        process = os.fork()
        if process == 0:
            os.close(reader)
            null = os.open(os.devnull, os.O_WRONLY)
            os.dup2(null, 1)
            try:
                run_pytest(paths, Server(self.root, serve), self.seed)
            finally:
                os._exit(0)
        os.close(writer)
        with os.fdopen(reader) as lines:
            for line in lines:
                number, answer = json.loads(line)
                yield number, answer
        os.waitpid(process, 0)


def tests_of(file: str) -> tuple[str, ...]:
    relative = file.removeprefix("adk_split_eval/")
    return tuple(next((tests for room, tests in ROOMS.items() if relative.startswith(room)), ()))


def warm_up() -> None:
    """Import once what every fork needs; nothing of the package itself, whose modules are to be changed."""
    warnings.simplefilter("ignore")
    import coverage  # noqa: F401
    import hypothesis  # noqa: F401
    import yaml  # noqa: F401

    try:
        import google.adk.cli.cli_tools_click
        import google.adk.evaluation.agent_evaluator
        import google.adk.evaluation.local_eval_service  # noqa: F401
    except ModuleNotFoundError:
        return


def copied(target: Path) -> Path:
    root = target / "checkout"
    shutil.copytree(ROOT, root, ignore=shutil.ignore_patterns(*NOT_COPIED), symlinks=True)
    return root


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="*", default=["metrics/", "run/verdicts.py", "run/votes.py", "run/accounting.py", "run/judge.py", "plan/"])  # fmt: skip
    parser.add_argument("--each", type=int, default=40, help="changes drawn for each path given; 0 means all")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1, help="changes tried at the same time")
    parser.add_argument("--budget", type=float, default=60.0, help="seconds of tests one change may cost")
    parser.add_argument(
        "--without", nargs="+", metavar="PART", default=[], help="leave out files whose path holds this"
    )
    parser.add_argument("--tests", nargs="+", metavar="PATH", help="guard everything with these tests instead")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write a line for every change tried")
    parser.add_argument("--again", type=Path, metavar="FILE", help="only what survived in this earlier --json")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="mutation-") as folder:
        root = copied(Path(folder))
        os.chdir(root)
        sys.path.insert(0, str(root))
        os.environ["PYTHONPATH"] = str(root)
        warm_up()
        return checked(Check(root, chosen.seed, chosen.jobs, chosen.budget), chosen)


def survivors(file: Path, pool: list[Change]) -> list[Change]:
    """What of the pool survived in an earlier run; where a file has changed since, everything that reads alike."""
    told = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    left = [t for t in told if t["result"] in ("survived", "unreached")]
    exact = {(c.file, c.number, c.before, c.after): c for c in pool}
    found: dict[tuple[str, int], Change] = {}
    for one in left:
        same = exact.get((one["file"], one["number"], one["before"], one["after"]))
        alike = [c for c in pool if (c.file, c.before, c.after) == (one["file"], one["before"], one["after"])]
        found.update({(c.file, c.number): c for c in ([same] if same else alike)})
    return list(found.values())


def checked(check: Check, chosen: argparse.Namespace) -> int:
    known: dict[tuple[str, ...], Coverage] = {}
    total = seen = 0
    out = open(ROOT / chosen.json, "w") if chosen.json else None  # noqa: PTH123, SIM115
    for path in chosen.paths:
        files = [p for p in sorted((check.root / "adk_split_eval").rglob("*.py")) if path in p.as_posix()]
        files = [p for p in files if not any(part in p.as_posix() for part in chosen.without)]
        pool = [c for p in files for c in all_changes(check.root, p) if chosen.tests or tests_of(c.file)]
        if chosen.again:
            drawn = survivors(ROOT / chosen.again, pool)
        elif chosen.each == 0:
            drawn = pool
        else:
            drawn = random.Random(chosen.seed).sample(pool, min(chosen.each, len(pool)))
        guards: dict[tuple[str, ...], list[Change]] = {}
        for change in sorted(drawn, key=lambda c: (c.file, c.number)):
            guards.setdefault(tuple(chosen.tests or tests_of(change.file)), []).append(change)
        started, noticed = time.monotonic(), 0
        for tests, changes in guards.items():
            if tests not in known:
                known[tests] = check.learn(tests)
            if not known[tests].green:
                print(f"{' '.join(tests)}: these tests do not pass on the code as it is")
                print("\n".join(known[tests].failed[:20]))
                return 2
            for change, answer in check.results(known[tests], tests, changes):
                reaching = known[tests].tests(change)
                untried = len(reaching) - len(check.affordable(known[tests], reaching))
                result = (
                    "broken" if "broken" in answer
                    else "unreached" if "unreached" in answer
                    else "late" if "late" in answer
                    else "noticed" if answer["by"] else "survived"
                )  # fmt: skip
                noticed += result in ("noticed", "late", "broken")
                if result in ("survived", "unreached", "broken"):
                    more = f"  ({untried} slower tests not tried)" if untried else ""
                    print(f"{result:9} {change}{more}", flush=True)
                if out:
                    line = {
                        "result": result,
                        "by": answer.get("by", ""),
                        "broken": answer.get("broken", ""),
                        "untried": untried,
                    }
                    out.write(json.dumps({**line, **asdict(change)}, ensure_ascii=False) + "\n")
                    out.flush()
        seen, total = seen + noticed, total + len(drawn)
        took = time.monotonic() - started
        print(f"{path}: {noticed} of {len(drawn)} noticed, {len(pool)} possible, {took:.0f} s", flush=True)
    print(f"{seen} of {total} changes noticed ({seen / max(total, 1):.0%})")
    return 0


if __name__ == "__main__":
    sys.exit(main())
