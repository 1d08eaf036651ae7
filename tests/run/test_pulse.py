"""Whether a process is the limit: one that waits for models is not, one that computes is."""

from __future__ import annotations

import asyncio
import time

import pytest

from adk_split_eval.run import pulse
from adk_split_eval.run.pulse import Pulse


def test_a_process_that_waits_is_not_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Measured by its own time alone here: on a busy machine a process waits for a processor, and its timers come late."""
    monkeypatch.setattr(pulse, "computing", time.process_time)
    monkeypatch.setattr(pulse, "LATE", 60.0)

    async def main() -> None:
        watched = Pulse(0.05)
        task = asyncio.create_task(watched.beat())
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.5):
                await watched.wait_until_busy_for(0.1)
        task.cancel()

    asyncio.run(main())


def test_a_process_that_computes_is_the_limit() -> None:
    async def compute() -> None:
        while True:
            sum(range(20_000))
            await asyncio.sleep(0)

    async def main() -> None:
        watched = Pulse(0.05)
        tasks = [asyncio.create_task(watched.beat()), asyncio.create_task(compute())]
        async with asyncio.timeout(20):
            await watched.wait_until_busy_for(0.1)
        assert watched.busy
        for task in tasks:
            task.cancel()

    asyncio.run(main())


def test_a_pause_ends_the_count() -> None:
    async def main() -> None:
        watched = Pulse(0.05)
        watched.busy_for = 5.0
        task = asyncio.create_task(watched.beat())
        async with asyncio.timeout(20):
            while watched.busy_for:
                await asyncio.sleep(0.01)
        task.cancel()

    asyncio.run(main())
