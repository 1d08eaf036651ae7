"""Whether this process is the limit: it computes nearly all the time, or something keeps its loop from turning."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

BUSY = 0.75
"""Share of the time that a process computes, from which on it is the limit."""
LATE = 0.05
"""Seconds that a timer comes late when one loop is not enough, whatever it waits for."""
SUSTAINED = 0.2
"""Seconds without a break that make it worth to wake another process; starting the first conversations takes less."""
WINDOW = 0.1
"""Seconds that are looked at together."""

_TURN = 0.02


class Pulse:
    """Looks at the process all the time while :meth:`beat` runs.

    Attributes:
        busy: whether the process was the limit in the last window.
        busy_for: seconds without a break for which it has been.
    """

    def __init__(self, window: float = WINDOW) -> None:
        self.window = window
        self.busy = False
        self.busy_for = 0.0
        self._changed = asyncio.Event()

    async def beat(self) -> None:
        while True:
            computed, began, turns = computing(), time.monotonic(), 0
            while (passed := time.monotonic() - began) < self.window:
                await asyncio.sleep(_TURN)
                turns += 1
            self.busy = (computing() - computed) / passed >= BUSY or passed / turns - _TURN >= LATE
            self.busy_for = self.busy_for + passed if self.busy else 0.0
            self._changed.set()

    async def wait_until_busy_for(self, seconds: float) -> None:
        """Return when it has been the limit for so long."""
        while self.busy_for < seconds:
            self._changed.clear()
            await self._changed.wait()


def computing() -> float:
    """Seconds this process has computed or waited for a processor that others kept busy."""
    try:
        ran, waited, _ = Path("/proc/self/schedstat").read_text(encoding="ascii").split()
    except (OSError, ValueError):
        return time.process_time()
    return (int(ran) + int(waited)) / 1e9
