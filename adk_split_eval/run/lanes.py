"""How many units are in flight: a fixed number, or as many as the models bear."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from types import TracebackType

FIRST = 16
MOST = 64


class Lanes:
    """An async context that at most ``limit`` tasks are inside of at once.

    Without a fixed number it starts at 16 and finds out what the models bear, as TCP does with a network (RFC 5681): one
    more for every model call that is answered at the first try, so twice as many in the time of one call, up to 64,
    unless this process itself is the limit (``busy``): then more at once would only wait longer for one another. A call that is throttled (429, 5xx, time-out) halves it, once for all the calls that were on their way by then; from
    there on it grows by one in the time of one call.
    """

    def __init__(self, fixed: int | None = None, busy: Callable[[], bool] = lambda: False) -> None:
        self.limit = fixed if fixed is not None else FIRST
        self.most = fixed if fixed is not None else MOST
        self._adaptive = fixed is None
        self._busy = busy
        self._careful_from = MOST
        self._part = 0.0
        self._halved_at = float("-inf")
        self._inside = 0
        self._waiting: list[asyncio.Future[None]] = []

    async def __aenter__(self) -> None:
        while self._inside >= self.limit:
            turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiting.append(turn)
            try:
                await turn
            except asyncio.CancelledError:
                if turn in self._waiting:
                    self._waiting.remove(turn)
                raise
        self._inside += 1

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._inside -= 1
        self._wake()

    def answered(self, since: float) -> None:
        """A model call that began at ``since`` (``time.monotonic``) was answered at the first try."""
        if not self._adaptive or since < self._halved_at or self._busy():
            return
        self._part += 1.0 if self.limit < self._careful_from else 1.0 / self.limit
        if self._part >= 1.0:
            self._part = 0.0
            self.limit = min(self.most, self.limit + 1)
            self._wake()

    def throttled(self, since: float) -> None:
        """A model refused or was late with a try that began at ``since``."""
        if not self._adaptive or since < self._halved_at:
            return
        self._halved_at = time.monotonic()
        self.limit = self._careful_from = max(1, self.limit // 2)
        self._part = 0.0

    def widen(self) -> None:
        """Another process takes units: as many more may be in flight as this one started with."""
        if self._adaptive:
            self.limit = min(self.most, self.limit + FIRST)
            self._wake()

    def _wake(self) -> None:
        free = self.limit - self._inside
        while free > 0 and self._waiting:
            turn = self._waiting.pop(0)
            if not turn.done():
                turn.set_result(None)
                free -= 1
