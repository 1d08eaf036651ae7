"""What counts as blocking the event loop: one step of a unit's own code, and nothing else."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time
from typing import Any

import pytest

from adk_split_eval.run.loop import BlockedError, run_loop
from adk_split_eval.run.observe import Watcher, watching

LIMIT = 0.4


def block(seconds: float) -> None:
    """Not a wait: this is what is under test, code that lets nothing else run."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        pass


async def unit(number: int, seconds: float, steps: int = 1) -> str:
    with watching(Watcher(f"unit {number}", number)):
        for _ in range(steps):
            block(seconds)
            await asyncio.sleep(0)
    return "done"


def test_getting_ready_is_no_units_time() -> None:
    async def work() -> str:
        block(LIMIT * 2)
        return await asyncio.create_task(unit(1, LIMIT / 20))

    assert run_loop(work, blocked_after=LIMIT) == "done"


def test_many_short_steps_block_nothing() -> None:
    async def work() -> list[str]:
        return await asyncio.gather(*(unit(n, LIMIT / 8, steps=2) for n in range(16)))

    assert run_loop(work, blocked_after=LIMIT) == ["done"] * 16


@pytest.mark.parametrize("others", [0, 12])
def test_one_long_step_is_interrupted_and_the_other_units_go_on(others: int) -> None:
    async def work() -> list[str | BaseException]:
        units = [unit(n, LIMIT / 40, steps=3) for n in range(others)]
        return await asyncio.gather(
            *units[: others // 2], unit(99, LIMIT * 20), *units[others // 2 :], return_exceptions=True
        )

    began = time.monotonic()
    ended = run_loop(work, blocked_after=LIMIT)
    assert time.monotonic() - began < LIMIT * 15
    (blocked,) = [e for e in ended if isinstance(e, BlockedError)]
    assert "kept everything else from running" in str(blocked)
    assert ended.count("done") == others


def test_a_short_time_limit_is_no_error_of_its_own(project: Any) -> None:
    """Nothing that is imported for the first unit counts as its time."""
    project.many(fixed=2).write()
    code = (
        "import sys, time\n"
        "import adk_split_eval.run.engine as engine\n"
        "unit = engine.Engine.unit\n"
        "before = set()\n"
        "async def watched(self, case, trial):\n"
        "    before.update(n for n in sys.modules if n.startswith('adk_split_eval.'))\n"
        "    done = await unit(self, case, trial)\n"
        "    print(sorted(n for n in sys.modules if n.startswith('adk_split_eval.') and n not in before))\n"
        "    return done\n"
        "engine.Engine.unit = watched\n"
        "sys.argv = ['adk-split-eval', 'gate', '--jobs', '1', '--processes', '1', '-q']\n"
        "from adk_split_eval.cli import main\n"
        "main()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=project.root, capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 0, done.stderr
    late = [line for line in done.stdout.splitlines() if line.startswith("[")]
    assert late == ["[]", "[]"]
