"""Many simulated cases, a share of them with faults of every kind: nobody hangs, nobody is missing, nothing leaks."""

from __future__ import annotations

import asyncio
import gc
import threading
from pathlib import Path
from typing import Any

import pytest

FAULTS = (
    "broken",
    "leaves",
    "unfit",
    "cancels",
    "hangs",
    "recurses",
    "mute",
    "raises",
    "code",
    "user-raises",
    "user-mute",
)


def descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir())) if Path("/proc/self/fd").is_dir() else 0


@pytest.mark.parametrize(
    ("cases", "every"), [(110, 10), pytest.param(2000, 20, marks=pytest.mark.slow)], ids=["short", "long"]
)
def test_soak(cases: int, every: int, project: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PROBE_LOG")
    names = [f"S-{n:04}" for n in range(cases)]
    faults = {name: FAULTS[n // every % len(FAULTS)] for n, name in enumerate(names) if n % every == 0}
    project.simulated = {
        n: f"{n} {'' if faults.get(n) == 'mute' else 'lookup'} {faults.get(n, '')}".strip() for n in names
    }
    left: list[str] = []
    from adk_split_eval.run.engine import Engine

    real = Engine.run

    async def watched(self: Engine, *arguments: Any) -> Any:
        result = await real(self, *arguments)
        me = asyncio.current_task()
        await asyncio.sleep(0.05)
        left.extend(getattr(t.get_coro(), "__qualname__", "?") for t in asyncio.all_tasks() if t is not me)
        return result

    monkeypatch.setattr(Engine, "run", watched)
    limit = project.time_limit(10.0, cases=min(cases, 200))
    left.clear()
    before, threads = descriptors(), threading.active_count()
    result = project.run(engine={"unit_timeout": limit}, write_candidates=False)
    gc.collect()
    assert [c.case_id for c in result.cases] == names, "every case is accounted for, in the plan's order"
    for case in result.cases:
        expected = {"OK"} if case.case_id not in faults else {"ERROR", "SIMULATOR"}
        assert case.verdict in expected, (case.case_id, faults.get(case.case_id), case.reasons)
    assert left == [], "no task is left behind"
    assert descriptors() <= before + 3
    assert threading.active_count() <= threads + 1
