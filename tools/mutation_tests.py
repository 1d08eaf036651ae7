"""How the mutation check runs pytest: once to learn which test passes where, and then the tests chosen for a change."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from types import FunctionType
from typing import Any

import pytest
from mutation_changes import Change

COSTS = ("_cost.py", "test_linear_time.py", "test_startup.py", "no_exponential_time", "cost_grows")
PROCESSES = ("from_another_directory", "under_plain_adk_eval", "do_not_import_adk", "test_tiny_model")
NOT_RUN = COSTS + PROCESSES
"""Parts of the ids of tests that are left out: tests of cost, and the dear ones that start a process of their own, which
cannot see a change made in memory."""


@dataclass
class Coverage:
    """What one unchanged run of the tests told: its test ids, what each takes, and who passes where."""

    green: bool = False
    failed: list[str] = field(default_factory=list)
    seconds: dict[str, float] = field(default_factory=dict)
    shared: dict[str, list[str]] = field(default_factory=dict)
    """Test → the fixtures it shares with others, by the name of their coverage context."""
    lines: dict[str, dict[int, list[str]]] = field(default_factory=dict)
    """File → line → contexts; the context of a test is its id, that of the import is empty."""

    def on_import(self, change: Change) -> bool:
        """Whether the changed code runs before any test does."""
        if change.function is None:
            return True
        _, first, last = change.function
        at = self.lines.get(change.file, {})
        inner = [at.get(line, []) for line in range(first + 1, last + 1)]
        return first != last and any("" in contexts for contexts in inner)

    def tests(self, change: Change) -> list[str]:
        """The tests that pass through the statement; failing that, through the function or file. Quickest first."""
        at = self.lines.get(change.file, {})
        whole = change.function[1:] if change.function else (0, 10**6)
        for first, last in ((change.first, change.last), whole, (0, 10**6)):
            passing = {c for line, contexts in at.items() if first <= line <= last for c in contexts}
            found = [t for t in self.seconds if t in passing or passing.intersection(self.shared[t])]
            if found and not self.on_import(change):
                return sorted(found, key=self._order)
        anywhere = {c for contexts in at.values() for c in contexts}
        found = [t for t in self.seconds if t in anywhere or anywhere.intersection(self.shared[t])]
        return sorted(found, key=self._order)

    def _order(self, test: str) -> tuple[bool, str, float]:
        """Tests with a shared fixture last and together, so that it is built once."""
        shared = bool(self.shared[test])
        return (shared, test.split("::")[0] if shared else "", self.seconds[test])


def alive(root: Path) -> dict[tuple[str, str, int], list[FunctionType]]:
    """The package's function objects by file, name and first line."""
    found: dict[tuple[str, str, int], list[FunctionType]] = {}
    for thing in gc.get_objects():
        if isinstance(thing, FunctionType) and thing.__code__.co_filename.startswith(f"{root}/adk_split_eval"):
            code = thing.__code__
            found.setdefault((code.co_filename, code.co_name, code.co_firstlineno), []).append(thing)
    return found


def caches() -> list[Any]:
    """The caches of functions of the package and its tests, whose content a change may have made stale."""
    return [
        thing
        for thing in gc.get_objects()
        if type(thing).__name__ == "_lru_cache_wrapper"
        and str(getattr(thing, "__module__", "")).startswith(("adk_split_eval", "tests", "test_"))
    ]


def wanted(items: list[Any]) -> list[Any]:
    return [item for item in items if not any(part in item.nodeid for part in NOT_RUN)]


class Recorder:
    """Runs every test once under coverage and keeps what it learns."""

    def __init__(self, root: Path) -> None:
        import coverage

        self.root, self.learned = root, Coverage()
        self.tracer = coverage.Coverage(
            data_file=None, branch=False, config_file=False, source=[f"{root}/adk_split_eval"]
        )
        self.tracer.start()
        self.caches: list[Any] = []

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        items[:] = wanted(items)
        self.caches = caches()
        for item in items:
            definitions = item._fixtureinfo.name2fixturedefs.values()
            wide = [d[-1] for d in definitions if d and d[-1].scope != "function"]
            self.learned.shared[item.nodeid] = [f"fixture {d.baseid}::{d.argname}" for d in wide]
            self.learned.seconds[item.nodeid] = 0.0

    def pytest_runtest_protocol(self, item: Any) -> None:
        for cache in self.caches:
            cache.cache_clear()
        self.tracer.switch_context(item.nodeid)

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: Any, request: Any) -> Any:
        if fixturedef.scope == "function":
            return (yield)
        self.tracer.switch_context(f"fixture {fixturedef.baseid}::{fixturedef.argname}")
        try:
            return (yield)
        finally:
            self.tracer.switch_context(request._pyfuncitem.nodeid)

    def pytest_runtest_logreport(self, report: Any) -> None:
        self.learned.seconds[report.nodeid] += report.duration
        if report.failed:
            self.learned.failed.append(report.nodeid)

    def pytest_sessionfinish(self, exitstatus: int) -> None:
        self.tracer.stop()
        self.learned.green = int(exitstatus) == 0
        data = self.tracer.get_data()
        for file in data.measured_files():
            relative = Path(file).relative_to(self.root).as_posix()
            self.learned.lines[relative] = data.contexts_by_lineno(file)


class Chosen:
    """Runs the tests chosen, in the order given, and keeps the first that fails."""

    def __init__(self, tests: list[str]) -> None:
        self.tests, self.failed = tests, ""

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        at = {test: number for number, test in enumerate(self.tests)}
        items[:] = sorted((i for i in items if i.nodeid in at), key=lambda i: at[i.nodeid])

    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.failed and not self.failed:
            self.failed = report.nodeid

    def pytest_collectreport(self, report: Any) -> None:
        if report.failed and not self.failed:
            self.failed = f"{report.nodeid} (on import)"


class Server(Chosen):
    """Collects once; instead of running its tests it forks a child for each change, which runs its own choice."""

    def __init__(self, root: Path, serve: Callable[[Server], None]) -> None:
        super().__init__([])
        self.root, self.serve = root, serve

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        items[:] = wanted(items)

    def pytest_runtestloop(self, session: Any) -> bool:
        self.session, self.items = session, {item.nodeid: item for item in session.items}
        self.functions, self.caches = alive(self.root), caches()
        gc.collect()
        gc.disable()
        gc.freeze()
        self.serve(self)
        return True

    def run(self, tests: Iterable[str]) -> str:
        """The id of the first test that fails, or nothing. Called in a child."""
        gc.enable()
        for cache in self.caches:
            cache.cache_clear()
        chosen = [self.items[t] for t in tests]
        for item, following in zip(chosen, [*chosen[1:], None], strict=True):
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            if self.failed:
                break
        return self.failed


def run_pytest(paths: Iterable[str], plugin: Any, seed: int) -> int:
    import hypothesis

    hypothesis.settings.register_profile(
        "changes",
        database=None,
        deadline=None,
        phases=(hypothesis.Phase.explicit, hypothesis.Phase.generate),
        suppress_health_check=list(hypothesis.HealthCheck),
    )
    hypothesis.settings.load_profile("changes")
    options = [
        "-q",
        "-p",
        "no:cacheprovider",
        "-p",
        "no:xdist",
        "-p",
        "no:cov",
        "--assert=plain",
        "-c",
        "pyproject.toml",
    ]
    options += ["-W", "ignore::pytest.PytestAssertRewriteWarning", f"--hypothesis-seed={seed}"]
    return int(pytest.main([*options, *paths], plugins=[plugin]))
