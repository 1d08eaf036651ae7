"""How many units are in flight: a fixed number, or as many as the models bear."""

from __future__ import annotations

import asyncio
from types import TracebackType

FIRST = 16
MOST = 64


class Lanes:
    """An async context that at most ``limit`` tasks are inside of at once.

    Without a fixed number it starts at 16, gives one more lane for every unit that went through without a retried model
    call (up to 64), and halves on a throttled one (additive increase, multiplicative decrease, as TCP does it).
    """

    def __init__(self, fixed: int | None = None) -> None:
        self.limit = fixed if fixed is not None else FIRST
        self.most = fixed if fixed is not None else MOST
        self._adaptive = fixed is None
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

    def learn(self, *, throttled: bool) -> None:
        """A unit went through; ``throttled`` when a model asked to slow down."""
        if not self._adaptive:
            return
        self.limit = max(1, self.limit // 2) if throttled else min(self.most, self.limit + 1)
        self._wake()

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
