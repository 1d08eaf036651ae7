"""The event loop units run in: two kinds of interruption, foreign exits, and code that blocks everything.

An agent's code runs in our process. If it calls ``sys.exit`` or blocks without end, that must be one case's error. A
person's Ctrl-C and a scheduler's SIGTERM both end the run in order: tasks are cancelled, toolsets closed, the journal is
intact.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import threading
import time
from collections.abc import Awaitable, Callable, Coroutine, Generator
from typing import Any, TypeVar, cast

from adk_split_eval.run.observe import Watcher, current_watcher, describe

T = TypeVar("T")

GETTING_READY = 300.0
"""Seconds that code of no unit may block the loop before it is interrupted: imports before the first, closing after the last."""


class ExitInAgentError(Exception):
    """Code that was run for a case tried to end the whole process."""


class BlockedError(Exception):
    """Code that was run for a case kept the event loop from going on for too long."""


def run_loop(work: Callable[[], Awaitable[T]], *, blocked_after: float | None = None) -> T:
    """``asyncio.run`` for the work of units.

    Args:
        work: makes the coroutine.
        blocked_after: seconds after which code that blocks the loop is interrupted by :class:`BlockedError` (on the
            main thread of a POSIX system; elsewhere it is waited for).

    Raises:
        KeyboardInterrupt: SIGINT or SIGTERM came; everything was cancelled in order.
    """
    terminated = False

    async def main() -> T:
        nonlocal terminated
        loop = asyncio.get_running_loop()
        task = asyncio.current_task()
        loop.set_task_factory(_guarded)
        loop.set_exception_handler(_without_echo)

        def terminate() -> None:
            nonlocal terminated
            terminated = True
            if task is not None:
                task.cancel()

        with _on_sigterm(loop, terminate), _watchdog(loop, blocked_after):
            return await work()

    try:
        return asyncio.run(main())
    except asyncio.CancelledError:
        if terminated:
            raise KeyboardInterrupt from None
        raise


_told_by_signals: set[asyncio.AbstractEventLoop] = set()


def _hold_back() -> None:
    """A child that code of an agent forks gets signals of its own: ``terminate()`` ends it, and does not end the run,
    whose loop is told of signals by a connection that the child inherits. Until that is so, the signal waits."""
    if _told_by_signals:
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})


def _let_through() -> None:
    if _told_by_signals:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})


def _listen_no_more() -> None:
    if _told_by_signals:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        _let_through()
        _told_by_signals.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_hold_back, after_in_parent=_let_through, after_in_child=_listen_no_more)


@contextlib.contextmanager
def _on_sigterm(loop: asyncio.AbstractEventLoop, action: Callable[[], None]) -> Generator[None]:
    previous: Any = None
    try:
        previous = signal.getsignal(signal.SIGTERM)
        loop.add_signal_handler(signal.SIGTERM, action)
    except (NotImplementedError, RuntimeError, ValueError):
        # Not the main thread, or a system without it: whoever started us ends us.
        yield
        return
    _told_by_signals.add(loop)
    try:
        yield
    finally:
        _told_by_signals.discard(loop)
        loop.remove_signal_handler(signal.SIGTERM)
        if previous is not None:
            signal.signal(signal.SIGTERM, previous)


class _Guard(Coroutine[Any, Any, Any]):
    """A coroutine that turns ``SystemExit`` into an ordinary error: asyncio would end the loop for it."""

    def __init__(self, inner: Coroutine[Any, Any, Any]) -> None:
        self.inner = inner
        # Tasks are named by these in what asyncio reports.
        self.__name__ = getattr(inner, "__name__", "coroutine")
        self.__qualname__ = getattr(inner, "__qualname__", self.__name__)

    def send(self, value: Any) -> Any:
        try:
            return self.inner.send(value)
        except SystemExit as error:
            raise ExitInAgentError(exit_message(error)) from error

    def throw(self, *args: Any) -> Any:
        try:
            return self.inner.throw(*args)
        except SystemExit as error:
            raise ExitInAgentError(exit_message(error)) from error

    def close(self) -> None:
        self.inner.close()

    def __await__(self) -> Generator[Any, Any, Any]:
        return self.inner.__await__()


def exit_message(error: SystemExit) -> str:
    """What to say of code that tried to end the process."""
    return f"the code of this case tried to end the whole process (SystemExit: {error.code})"


def unfinished(limit: float | None) -> str:
    """Why a conversation ended at its time limit, in seconds: blocking code uses it up, and may swallow the interruption."""
    watcher = current_watcher()
    cause = f": {watcher.blocked}" if watcher is not None and watcher.blocked else ""
    return f"the conversation did not finish within {limit or 0.0:g} s{cause}"


def isolated(error: BaseException) -> str:
    """What foreign code raised, as a sentence.

    Raises:
        BaseException: ``error`` itself, when it is no fault but an interruption: Ctrl-C, or this task being cancelled.
    """
    if isinstance(error, KeyboardInterrupt):
        raise error
    if isinstance(error, asyncio.CancelledError):
        task = asyncio.current_task()
        if task is not None and task.cancelling() > 0:
            raise error
        return "the code of this case cancelled its own task"
    return exit_message(error) if isinstance(error, SystemExit) else describe(error)


def _guarded(loop: asyncio.AbstractEventLoop, work: Any, **options: Any) -> Any:
    watcher = current_watcher()
    if watcher is None or not asyncio.iscoroutine(work):
        return asyncio.Task(work, loop=loop, **options)
    task = asyncio.Task(_Guard(work), loop=loop, **options)
    watcher.tasks.add(task)
    return task


async def end_tasks(watcher: Watcher, seconds: float = 2.0) -> None:
    """Cancel what a finished unit has left running in google-adk or asyncio; other libraries look after their own."""
    left = [task for task in watcher.tasks if not task.done() and _is_adks(task)]
    for task in left:
        task.cancel()
    if left:
        await asyncio.wait(left, timeout=seconds)


def _is_adks(task: asyncio.Task[Any]) -> bool:
    work: Any = task.get_coro()
    code: Any = getattr(getattr(work, "inner", None), "cr_code", None)
    file = str(getattr(code, "co_filename", "")).replace("\\", "/")
    return "/google/adk/" in file or "/asyncio/" in file


def _without_echo(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """What a task of a unit raised is the unit's error already, or was overtaken by another."""
    future: Any = context.get("future") or context.get("task")
    work: Any = cast("asyncio.Task[Any]", future).get_coro() if isinstance(future, asyncio.Task) else None
    if not isinstance(work, _Guard):
        loop.default_exception_handler(context)


@contextlib.contextmanager
def _watchdog(loop: asyncio.AbstractEventLoop, limit: float | None) -> Generator[None]:
    """Interrupt what blocks the loop longer than ``limit`` seconds, by a signal: it ends even ``time.sleep``.

    What counts is one uninterrupted step of one task. Many short ones of many units block nothing, however long they take
    together; nor does what belongs to no unit, such as getting ready, which is left alone for :data:`GETTING_READY`.
    """
    found: signal.Signals | None = getattr(signal, "SIGUSR2", None)
    here = threading.current_thread()
    if (
        limit is None
        or found is None
        or here is not threading.main_thread()
        or signal.getsignal(found) not in (signal.SIG_DFL, signal.SIG_IGN)
    ):
        yield
        return
    number = found
    beats = 0
    step: tuple[Any, int] = (None, 0)
    began = time.monotonic()
    ended = threading.Event()

    def beat() -> None:
        nonlocal beats
        beats += 1
        loop.call_later(limit / 8, beat)

    def interrupt(_number: int, _frame: Any) -> None:
        nonlocal began
        task = asyncio.current_task(loop)
        late = time.monotonic() - began
        watcher = current_watcher()
        if task is None or step != (task, beats) or late <= (limit if watcher else max(limit, GETTING_READY)):
            return
        began = time.monotonic()
        said = f"the code of this case kept everything else from running for {late:.1f} s"
        if watcher is not None:
            watcher.blocked = said
        raise BlockedError(said)

    def watch() -> None:
        nonlocal step, began
        while not ended.wait(limit / 8):
            # A beat that is due comes before a task's next step: the same task at the same beat is the same step.
            now = (asyncio.current_task(loop), beats)
            if now != step:
                step, began = now, time.monotonic()
            elif time.monotonic() - began > limit and here.ident is not None:
                signal.pthread_kill(here.ident, number)

    previous = signal.signal(number, interrupt)
    beat()
    thread = threading.Thread(target=watch, name="watchdog", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
        signal.signal(number, previous)
