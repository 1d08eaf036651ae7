"""Work done in a process of its own: its memory goes with it, and beside it something else can be got ready."""

from __future__ import annotations

import contextlib
import os
import pickle
import select
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeVar

T = TypeVar("T")

LONG = 200_000
"""Bytes of plans or sets from which on they are read apart: what 1,000 short cases take."""


def forkable() -> bool:
    """Whether this process can be copied: a thread that holds a lock would leave it locked for ever in the copy."""
    if not sys.platform.startswith("linux"):
        return False
    try:
        return len(list(Path("/proc/self/task").iterdir())) == 1
    except OSError:
        return False


def long(*files: Path) -> bool:
    """Whether these files are so long that reading them apart is worth a process."""
    size = 0
    for file in files:
        with contextlib.suppress(OSError):
            size += file.stat().st_size
    return size >= LONG


def apart(work: Callable[[], T], meanwhile: Iterable[Callable[[], object]] = ()) -> T:
    """The result of ``work``, done in a fork of this process; what it raises is raised here.

    Where there can be no fork, or what came out cannot be handed over, it is done here.

    Args:
        meanwhile: steps that are gone in this process as long as the work takes. They are for speed alone: whoever needs
            what they do does it again, so one that is left out or raises is no matter.
    """
    if not forkable():
        return work()
    reading, writing = os.pipe()
    sys.stdout.flush()
    sys.stderr.flush()
    child = os.fork()
    if child == 0:
        os.close(reading)
        _do(work, writing)
    os.close(writing)
    try:
        with os.fdopen(reading, "rb") as stream:
            for step in meanwhile:
                if select.select([reading], [], [], 0)[0]:
                    break
                with contextlib.suppress(Exception):
                    step()
            answer = stream.read()
    finally:
        try:
            _, status = os.waitpid(child, 0)
        except ChildProcessError:
            # Whoever started this process has the system forget its children (SIGCHLD ignored).
            status = 0
    if status != 0 or not answer:
        return work()
    good, value = pickle.loads(answer)
    if not good:
        raise value
    return value


def _do(work: Callable[[], Any], writing: int) -> None:
    """The life of the fork; never returns."""
    code = 1
    try:
        try:
            answer: tuple[bool, Any] = True, work()
        except Exception as error:  # noqa: BLE001 - whatever it is, it is raised where the work was asked for
            answer = False, error
        text = pickle.dumps(answer, pickle.HIGHEST_PROTOCOL)
        if not answer[0]:
            pickle.loads(text)
        with os.fdopen(writing, "wb") as stream:
            stream.write(text)
        code = 0
    finally:
        os._exit(code)
