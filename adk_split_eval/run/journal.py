"""The journal of one run: every finished unit is durable before it is reported.

One SQLite file a run, in WAL mode. A unit is first stored as *acted* (its conversation), then as *judged* (its result);
what is stored is never acted again. ``meta`` holds the run's identity and the fingerprint of its inputs. Units that
finish at the same time share one commit, made in a thread of its own so that none of them waits for the disk alone.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import json
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from adk_split_eval.record import CaseResult, Conversation, TrialResult
from adk_split_eval.record.jsonio import compact, dumps

SCHEMA_VERSION = 2

_SCHEMA = """
CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS units (
  half TEXT NOT NULL, case_id TEXT NOT NULL, trial INTEGER NOT NULL,
  case_hash TEXT NOT NULL DEFAULT '', seed INTEGER NOT NULL, conversation TEXT NOT NULL, invocations TEXT NOT NULL,
  warnings TEXT NOT NULL, result TEXT, updated REAL NOT NULL, judged_hash TEXT NOT NULL DEFAULT '',
  PRIMARY KEY (half, case_id, trial)
);
CREATE TABLE IF NOT EXISTS cases (position INTEGER PRIMARY KEY, result TEXT NOT NULL);
"""
_FROM_1_TO_2 = "ALTER TABLE units ADD COLUMN judged_hash TEXT NOT NULL DEFAULT ''"
_COLUMNS = "half, case_id, trial, case_hash, seed, conversation, invocations, warnings, result, judged_hash"

Statement = tuple[str, tuple[Any, ...]]


class JournalError(Exception):
    """The journal cannot be opened or written; what was stored before is intact."""


class JournalOpenError(JournalError):
    """The journal cannot be opened at all, so nothing has been run."""


@dataclass(frozen=True, slots=True)
class Unit:
    """What is run once: one trial of one case of one set."""

    half: str
    case_id: str
    trial: int

    def __str__(self) -> str:
        return f"{self.half}/{self.case_id}/{self.trial}"


@dataclass(slots=True)
class StoredUnit:
    """A unit as the journal has it; ``result`` is None when it was acted and not judged yet."""

    unit: Unit
    seed: int
    conversation: Conversation
    invocations: list[dict[str, Any]]
    warnings: list[str]
    result: TrialResult | None
    case_hash: str = ""
    judged_hash: str = ""

    @property
    def recorded(self) -> bool:
        """Whether its conversation was recorded elsewhere: nobody acted, so nothing is known of what was acted on."""
        return not self.case_hash


def write_error(path: Path, error: sqlite3.Error | OSError) -> JournalError:
    """What to say when something of a run cannot be stored."""
    cause = getattr(error, "strerror", None) or error
    return JournalError(f"{path}: cannot be written: {cause}; finished units are safe{_mend(error)}")


def _mend(error: sqlite3.Error | OSError) -> str:
    full = "disk is full" in str(error) or getattr(error, "errno", None) in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
    return "; make room on that disk" if full else ""


class Journal:
    """Open (and create) the journal at ``path``.

    Raises:
        JournalError: the file cannot be opened, or was written by a newer version.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()
        self._waiting: list[tuple[Sequence[Statement], asyncio.Future[None]]] = []
        self._drain_task: asyncio.Task[None] | None = None
        self._writer: ThreadPoolExecutor | None = None
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._db = sqlite3.connect(path, isolation_level=None, timeout=30, check_same_thread=False)
            self._db.execute("PRAGMA journal_mode=WAL")
            self._db.execute("PRAGMA synchronous=FULL")
            self._db.executescript(_SCHEMA)
            version = int(self.meta("schema_version") or SCHEMA_VERSION)
            if version == 1:
                self._db.execute(_FROM_1_TO_2)
        except (sqlite3.Error, OSError) as error:
            if hasattr(self, "_db"):
                self._db.close()
            raise JournalOpenError(f"{path}: the journal cannot be opened: {error}{_mend(error)}") from error
        if version > SCHEMA_VERSION:
            self._db.close()
            raise JournalError(
                f"{path}: written by a newer version (schema {version}, this one knows {SCHEMA_VERSION})"
            )
        if self.meta("schema_version") != str(SCHEMA_VERSION):
            self.set_meta("schema_version", str(SCHEMA_VERSION))

    def close(self) -> None:
        if self._writer is not None:
            self._writer.shutdown(wait=True)
        with self._lock:
            self._db.close()

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def meta(self, key: str) -> str | None:
        row = self._db.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
        return None if row is None else str(row[0])

    def set_meta(self, key: str, value: str) -> None:
        self._write("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, value))

    def claim(self, process: str, alive: Callable[[str | None], bool]) -> bool:
        """Make ``process`` the one that works on this run; False when another that is ``alive`` does.

        Of two that ask at the same time one gets it.
        """
        with self._lock:
            try:
                self._db.execute("BEGIN IMMEDIATE")
                free = not alive(self.meta("pid"))
                if free:
                    self._db.execute("INSERT OR REPLACE INTO meta VALUES ('pid', ?)", (process,))
                self._db.execute("COMMIT")
            except sqlite3.Error as error:
                with contextlib.suppress(sqlite3.Error):
                    self._db.execute("ROLLBACK")
                raise write_error(self.path, error) from error
        return free

    def store_acted(
        self,
        unit: Unit,
        seed: int,
        conversation: Conversation,
        invocations: list[dict[str, Any]],
        warnings: list[str],
        case_hash: str = "",
    ) -> None:
        """Store a conversation before anything judges it."""
        self._commit([acted(unit, seed, conversation, invocations, warnings, case_hash)])

    def store_judged(self, unit: Unit, result: TrialResult) -> None:
        """Store the result of a unit that is already stored as acted."""
        self._commit([judged(unit, result)])

    def store(self, statements: Sequence[Statement]) -> None:
        """Write these, all or none."""
        self._commit(statements)

    async def durable(self, *statements: Statement) -> None:
        """Write these, all or none; durable when it returns. Writes asked for meanwhile go into one commit.

        Raises:
            JournalError: they cannot be written (full disk, lost file).
        """
        loop = asyncio.get_running_loop()
        done: asyncio.Future[None] = loop.create_future()
        self._waiting.append((statements, done))
        if self._drain_task is None or self._drain_task.done():
            self._drain_task = loop.create_task(self._drain())
        await done

    async def _drain(self) -> None:
        if self._writer is None:
            self._writer = ThreadPoolExecutor(1, thread_name_prefix="journal")
        loop = asyncio.get_running_loop()
        while self._waiting:
            batch, self._waiting = self._waiting, []
            try:
                await loop.run_in_executor(self._writer, self._commit, [s for group, _ in batch for s in group])
            except JournalError as error:
                for _, done in batch:
                    if not done.done():
                        done.set_exception(error)
                continue
            for _, done in batch:
                if not done.done():
                    done.set_result(None)

    def store_case(self, position: int, result: CaseResult) -> None:
        """Store a whole case result (all its trials) under its place in the report."""
        self._commit([whole_case(position, result)])

    def cases(self) -> Iterator[str]:
        """The stored case results as JSON text, in report order, one at a time."""
        for (text,) in self._db.execute("SELECT result FROM cases ORDER BY position"):
            yield str(text)

    def forget_cases(self) -> None:
        """Drop the stored case results (a resumed run stores them anew)."""
        self._write("DELETE FROM cases", ())

    def get(self, unit: Unit) -> StoredUnit | None:
        row = self._db.execute(
            f"SELECT {_COLUMNS} FROM units WHERE half = ? AND case_id = ? AND trial = ?",
            (unit.half, unit.case_id, unit.trial),
        ).fetchone()
        return None if row is None else _stored(row)

    def units(self) -> list[StoredUnit]:
        """All stored units, in the order of set, case and trial."""
        rows = self._db.execute(f"SELECT {_COLUMNS} FROM units ORDER BY half, case_id, trial").fetchall()
        return [_stored(row) for row in rows]

    def known(self) -> set[Unit]:
        """Which units are stored, acted or judged."""
        return {Unit(*row) for row in self._db.execute("SELECT half, case_id, trial FROM units")}

    def count(self, *, judged: bool = True) -> int:
        where = "WHERE result IS NOT NULL" if judged else ""
        return int(self._db.execute(f"SELECT COUNT(*) FROM units {where}").fetchone()[0])

    def _write(self, statement: str, values: tuple[Any, ...]) -> None:
        self._commit([(statement, values)])

    def _commit(self, statements: Sequence[Statement]) -> None:
        try:
            with self._lock:
                self._db.execute("BEGIN IMMEDIATE")
                try:
                    for statement, values in statements:
                        self._db.execute(statement, values)
                    self._db.execute("COMMIT")
                except BaseException:
                    # SQLite has rolled back by itself when the disk is full; a second rollback is an error then.
                    with contextlib.suppress(sqlite3.Error):
                        self._db.execute("ROLLBACK")
                    raise
        except sqlite3.Error as error:
            raise write_error(self.path, error) from error


def acted(
    unit: Unit,
    seed: int,
    conversation: Conversation,
    invocations: list[dict[str, Any]],
    warnings: list[str],
    case_hash: str = "",
) -> Statement:
    """What stores a conversation; a result of an earlier try is dropped with its conversation."""
    values = (
        unit.half,
        unit.case_id,
        unit.trial,
        case_hash,
        seed,
        compact(conversation.to_json()),
        compact(invocations),
        compact(warnings),
        time.time(),
    )
    return "INSERT OR REPLACE INTO units VALUES (?, ?, ?, ?, ?, ?, ?, ?, NULL, ?, '')", values


def judged(unit: Unit, result: TrialResult, judged_hash: str = "") -> Statement:
    """What stores the result of a unit that has acted."""
    return (
        "UPDATE units SET result = ?, judged_hash = ?, updated = ? WHERE half = ? AND case_id = ? AND trial = ?",
        (compact(result.to_json()), judged_hash, time.time(), unit.half, unit.case_id, unit.trial),
    )


def whole_case(position: int, result: CaseResult) -> Statement:
    """What stores a case with all its trials under its place in the report."""
    return "INSERT OR REPLACE INTO cases VALUES (?, ?)", (position, dumps(result.to_json()))


def _stored(row: tuple[Any, ...]) -> StoredUnit:
    half, case_id, trial, case_hash, seed, conversation, invocations, warnings, result, judged_hash = row
    return StoredUnit(
        Unit(half, case_id, trial),
        seed,
        Conversation.from_json(json.loads(conversation)),
        json.loads(invocations),
        json.loads(warnings),
        None if result is None else TrialResult.from_json(json.loads(result)),
        case_hash,
        judged_hash,
    )
