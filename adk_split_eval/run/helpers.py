"""Helper processes: when models answer faster than one processor can follow, other processors take units over.

A helper is forked while this process still has a single thread and no agent, and sleeps. Most runs never wake it: with
models that take their time, one event loop is enough. Once the loop is the limit (:class:`~adk_split_eval.run.pulse.Pulse`) a helper loads the
agent, opens the journal for itself and is given units like a lane. What it finishes is durable before it says so, as here.
"""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import ctypes
import json
import os
import pickle
import signal
import socket
import struct
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from adk_split_eval.record import Case, CompiledPlan, TrialResult
from adk_split_eval.record.jsonio import compact
from adk_split_eval.run.apart import forkable
from adk_split_eval.run.journal import Journal, JournalError
from adk_split_eval.run.loop import run_loop
from adk_split_eval.run.observe import describe
from adk_split_eval.run.outcome import Outcome

if TYPE_CHECKING:
    from adk_split_eval.run.agents import LoadedAgent
    from adk_split_eval.run.engine import EngineOptions

MOST = 4
"""More processes than this are never used unless they are asked for."""
WORTHWHILE = 24
"""With fewer units than this there is nothing to share out."""
PATIENCE = 10.0
"""Seconds a helper has to close its agent when the run is over."""

_open_here: set[socket.socket] = set()
"""Ends of connections that this process has: what an agent forks must not hold them open after it."""

_LENGTH = struct.Struct("!I")
_PARENT_DEATH_SIGNAL = 1


class HelperLostError(Exception):
    """A helper ended while it had units; the message says how."""


@dataclass(slots=True)
class Assignment:
    """What a helper needs to begin: where units are stored, and how they are run."""

    journal: Path
    options: EngineOptions


def wanted(asked: int | None, units: int, *, bound: bool) -> int:
    """How many helpers to keep ready.

    Args:
        asked: processes in all that were asked for; None for as many as are of use.
        units: units of the run.
        bound: one process has to run them all: they share one agent object, come one by one, are watched by a caller,
            or the concurrent calls of a model are limited, which only one process can count.
    """
    if asked == 1 or units < 2 or bound or not forkable():
        return 0
    if asked is not None:
        return min(asked, units) - 1
    return min(MOST, _processors()) - 1 if units >= WORTHWHILE else 0


def _processors() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1


@dataclass(slots=True)
class Helper:
    """One helper process, seen from the run.

    Attributes:
        given: units it has and has not answered yet, by (index of the case, trial).
        tally: what it has counted so far, in the order of the fields of ``Tally``.
        refused: why it cannot help, such as an agent that does not load a second time.
        number: its number, which ``pid`` is until it has been waited for.
    """

    pid: int
    socket: socket.socket
    given: dict[tuple[int, int], asyncio.Future[Outcome]] = field(
        default_factory=dict[tuple[int, int], asyncio.Future[Outcome]]
    )
    tally: tuple[int, ...] = ()
    awake: bool = False
    ready: bool = False
    refused: str = ""
    _writer: asyncio.StreamWriter | None = None
    _listening: asyncio.Task[None] | None = None
    number: int = 0

    def __post_init__(self) -> None:
        self.number = self.pid

    async def wake(self, task: Assignment) -> None:
        """Let it load the agent and open the journal; it is ``ready`` when it says so."""
        self.awake = True
        reader, self._writer = await asyncio.open_connection(sock=self.socket)
        _send(self._writer, task)
        self._listening = asyncio.create_task(self._listen(reader))

    async def unit(self, index: int, trial: int) -> Outcome:
        """Have it run one unit.

        Raises:
            JournalError: it cannot store what it has finished.
            HelperLostError: it ended while it had the unit.
        """
        assert self._writer is not None
        answer: asyncio.Future[Outcome] = asyncio.get_running_loop().create_future()
        self.given[index, trial] = answer
        _send(self._writer, (index, trial))
        try:
            return await answer
        finally:
            self.given.pop((index, trial), None)

    async def _listen(self, reader: asyncio.StreamReader) -> None:
        try:
            while (message := await _receive(reader)) is not None:
                self._take(message)
            how = self._how_it_ended()
        except Exception as error:  # noqa: BLE001 - whatever it is, nobody may wait for what will not come
            how = f"cannot be understood: {describe(error)}"
        self.ready = False
        self.refused = self.refused or how
        self._lost(HelperLostError(f"process {self.number}, which ran this case, {how}"))

    def _take(self, message: tuple[Any, ...]) -> None:
        match message:
            case ("ready",):
                self.ready = True
            case ("refused", why):
                self.refused = why
            case ("done", index, trial, text, throttled, tally):
                self.tally = tally
                result = TrialResult.from_json(json.loads(text))
                self._answer((index, trial), Outcome(result, throttled), None)
            case ("journal", why):
                self._lost(JournalError(why))
            case _:
                raise ValueError(f"{message!r}: a defect of adk-split-eval")

    def _answer(self, unit: tuple[int, int], outcome: Outcome | None, error: Exception | None) -> None:
        future = self.given.get(unit)
        if future is None or future.done():
            return
        if error is not None:
            future.set_exception(error)
        elif outcome is not None:
            future.set_result(outcome)

    def _lost(self, error: Exception) -> None:
        for unit in list(self.given):
            self._answer(unit, None, error)

    def _how_it_ended(self) -> str:
        status = self._reap(0.5)
        if status is None:
            return "says nothing any more"
        code = os.waitstatus_to_exitcode(status)
        return f"ended by signal {-code}" if code < 0 else f"ended with exit code {code}"

    def _reap(self, seconds: float) -> int | None:
        """Its exit status; None when it is still running after ``seconds``, or somebody else has waited for it."""
        deadline = time.monotonic() + seconds
        while self.pid:
            try:
                found, status = os.waitpid(self.pid, os.WNOHANG)
            except ChildProcessError:
                # Code of the agent waits for every child, or has the system forget them (SIGCHLD ignored).
                self.pid = 0
                return None
            if found:
                self.pid = 0
                return status
            if time.monotonic() > deadline:
                return None
            time.sleep(0.005)
        return None

    async def part(self) -> None:
        """No more units come: let it close its agent, and stop listening."""
        if self._writer is not None:
            self._writer.close()
        if self._listening is not None:
            # Its last answers have been read by now; what ends this is the closed connection.
            self._listening.cancel()
            await asyncio.gather(self._listening, return_exceptions=True)

    def end(self) -> None:
        """See it gone: it has closed its agent by itself, or is killed."""
        with contextlib.suppress(OSError):
            self.socket.close()
        _open_here.discard(self.socket)
        self._reap(PATIENCE if self.awake else 1.0)
        if not self.pid:
            return
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)
        self._reap(PATIENCE)


def hire(number: int, cases: Sequence[Case], compiled: CompiledPlan, load: Callable[[], LoadedAgent]) -> list[Helper]:
    """Fork helpers that know the cases and sleep until they are woken."""
    made: list[Helper] = []
    for _ in range(number):
        ours, theirs = socket.socketpair()
        sys.stdout.flush()
        sys.stderr.flush()
        parent = os.getpid()
        pid = os.fork()
        if pid == 0:
            ours.close()
            _be_helper(parent, theirs, cases, compiled, load)
        theirs.close()
        _open_here.add(ours)
        made.append(Helper(pid, ours))
    return made


def _be_helper(
    parent: int,
    connection: socket.socket,
    cases: Sequence[Case],
    compiled: CompiledPlan,
    load: Callable[[], LoadedAgent],
) -> None:
    """The life of a helper; never returns, and never runs what the forked program would do at its end."""
    code = 1
    _open_here.add(connection)
    # What the program before the fork wanted done at its end is done by that program.
    getattr(atexit, "_clear", lambda: None)()
    try:
        _die_with(parent)
        # Ctrl-C reaches the whole group of processes: what it means for units is decided by the run alone.
        signal.signal(signal.SIGINT, lambda _number, _frame: None)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        if (task := _wait_for_task(connection)) is not None:
            _help(connection, task, cases, compiled, load)
            _leave()
        code = 0
    except KeyboardInterrupt:
        code = 0
    finally:
        with contextlib.suppress(OSError, ValueError):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(code)


def _leave() -> None:
    """Do what a program does at its end, for the agent's sake: it may have asked for it, or have processes of its own."""
    with contextlib.suppress(Exception):
        getattr(atexit, "_run_exitfuncs", lambda: None)()
    if (processes := sys.modules.get("multiprocessing")) is not None:
        # Workers of a pool that nobody has closed would wait for ever.
        for child in processes.active_children():
            child.terminate()


def _close_in_child() -> None:
    """A child of this process, forked by whoever, is no end of these connections: each would seem alive as long as it is."""
    for connection in _open_here:
        with contextlib.suppress(OSError):
            connection.close()
    _open_here.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_close_in_child)


def _die_with(parent: int) -> None:
    """A killed run must not leave units going on behind it (Linux)."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_PARENT_DEATH_SIGNAL, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


def _wait_for_task(connection: socket.socket) -> Assignment | None:
    with connection.makefile("rb", buffering=0) as stream:
        head = _read_exactly(stream, _LENGTH.size)
        body = None if head is None else _read_exactly(stream, _LENGTH.unpack(head)[0])
    return None if body is None else pickle.loads(body)


def _read_exactly(stream: Any, size: int) -> bytes | None:
    found = b""
    while len(found) < size:
        more = stream.read(size - len(found))
        if not more:
            return None
        found += more
    return found


def _help(
    connection: socket.socket,
    task: Assignment,
    cases: Sequence[Case],
    compiled: CompiledPlan,
    load: Callable[[], LoadedAgent],
) -> None:
    from adk_split_eval.run.engine import Engine

    try:
        agent = load()
        journal = Journal(task.journal)
    except Exception as error:  # noqa: BLE001 - whatever keeps this process from helping, the run goes on without it
        connection.sendall(_framed(("refused", describe(error))))
        return
    with journal:
        engine = Engine(compiled, agent, task.options, journal)
        run_loop(lambda: _serve(connection, engine, cases), blocked_after=engine.patience)


async def _serve(connection: socket.socket, engine: Any, cases: Sequence[Case]) -> None:
    """Run the units that are asked for, side by side, until the connection ends."""
    reader, writer = await asyncio.open_connection(sock=connection)
    engine.begin()
    _send(writer, ("ready",))

    async def serve(index: int, trial: int) -> None:
        try:
            outcome: Outcome = await engine.unit(cases[index], trial)
        except JournalError as error:
            _send(writer, ("journal", str(error)))
            return
        # As the journal has it: what a case leaves behind need not be anything that can be pickled.
        text = compact(outcome.result.to_json())
        _send(writer, ("done", index, trial, text, outcome.throttled, engine.tally.counts()))

    running: set[asyncio.Task[None]] = set()
    try:
        while (asked := await _receive(reader)) is not None:
            task = asyncio.create_task(serve(*asked))
            running.add(task)
            task.add_done_callback(running.discard)
    finally:
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)
        await engine.agent.close()
        writer.close()


def _framed(message: Any) -> bytes:
    body = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
    return _LENGTH.pack(len(body)) + body


def _send(writer: asyncio.StreamWriter, message: Any) -> None:
    if not writer.is_closing():
        writer.write(_framed(message))


async def _receive(reader: asyncio.StreamReader) -> Any:
    """The next message; None when the other side is gone."""
    try:
        head = await reader.readexactly(_LENGTH.size)
        return pickle.loads(await reader.readexactly(_LENGTH.unpack(head)[0]))
    except (asyncio.IncompleteReadError, ConnectionError):
        return None
