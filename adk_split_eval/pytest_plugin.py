"""pytest collects ``*.plan.yaml``: one test a case, so that a gate can run where the other tests run.

Only when asked: ``pytest --adk-split-eval`` runs the gate of every plan below the arguments, ``--adk-split-eval=all``
runs the probe as well. A HIT is reported as an expected failure, never as a failed test.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("adk-split-eval")
    group.addoption(
        "--adk-split-eval",
        nargs="?",
        const="gate",
        choices=("gate", "all"),
        default=None,
        help="Run the cases of *.plan.yaml files: the gate, or gate and probe (all).",
    )


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    if parent.config.getoption("--adk-split-eval") and file_path.name.endswith(".plan.yaml"):
        collector: pytest.Collector = PlanFile.from_parent(parent, path=file_path)  # type: ignore[reportUnknownMemberType]
        return collector
    return None


class PlanFile(pytest.File):
    """One plan; its cases run together, once, when the first of them is asked for."""

    results: dict[tuple[str, str], Any] | None = None

    def collect(self) -> Iterator[pytest.Item]:
        from adk_split_eval.plan import PlanError, load_plan

        try:
            loaded = load_plan(self.path)
        except PlanError as error:
            text = "\n".join(f.render() for f in error.findings)
            raise self.CollectError(text) from error
        everything = self.config.getoption("--adk-split-eval") == "all"
        rejected = [(r.set, r.case_id) for r in loaded.rejected]
        fixed = [("fixed", c.case_id) for c in (loaded.plan.fixed_set.cases if loaded.plan.fixed_set else [])]
        simulated = [("simulated", c.case_id) for c in (loaded.plan.sim_set.cases if loaded.plan.sim_set else [])]
        for half, case_id in dict.fromkeys([*fixed, *simulated, *rejected]):
            if half == "fixed" or everything:
                yield CaseItem.from_parent(self, name=f"{half}:{case_id}", half=half, case_id=case_id)  # type: ignore[reportUnknownMemberType]

    def result_of(self, half: str, case_id: str) -> Any:
        if self.results is None:
            from adk_split_eval import api

            only = None if self.config.getoption("--adk-split-eval") == "all" else "fixed"
            result = api.run(self.path, only=only)  # type: ignore[arg-type]
            self.results = {(c.set, c.case_id): c for c in result.cases}
        return self.results[half, case_id]


class CaseFailed(Exception):
    """A case whose verdict is not green."""


class CaseItem(pytest.Item):
    """One case."""

    def __init__(self, *, half: str, case_id: str, **kwargs: Any) -> None:
        super().__init__(**kwargs)  # type: ignore[reportUnknownMemberType]
        self.half = half
        self.case_id = case_id

    def runtest(self) -> None:
        parent = self.parent
        assert isinstance(parent, PlanFile)
        case = parent.result_of(self.half, self.case_id)
        lines = [f"{case.verdict} {case.case_id}", *case.reasons, case.next_step]
        text = "\n".join(line for line in lines if line)
        if case.verdict in ("FAIL", "ERROR", "REJECTED") and not case.extra.get("not_blocking"):
            raise CaseFailed(text)
        if case.verdict not in ("PASS", "OK"):
            pytest.xfail(text)

    def repr_failure(self, excinfo: Any, style: Any = None) -> Any:
        if isinstance(excinfo.value, CaseFailed):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        return self.path, None, self.name
