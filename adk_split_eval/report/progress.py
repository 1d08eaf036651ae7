"""Progress of long work on stderr: a bar on a terminal, a line now and then elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from adk_split_eval.record.text import one_line, safe_terminal, shorten

if TYPE_CHECKING:
    from rich.console import Console

ProgressCallback = Callable[[int, int, str], None]
"""``(done, total, label)``: units finished, units in all, what has just finished or is being done."""

PLAIN_LINES = 10
"""About how many lines plain progress writes for the whole work."""
LABEL_WIDTH = 40


@contextmanager
def progress(
    title: str = "running", *, console: Console | None = None, quiet: bool = False
) -> Generator[ProgressCallback]:
    """A callback that shows how far the work is.

    Args:
        title: what is being done, such as ``running``.
        console: where to; stderr when None.
        quiet: show nothing.
    """
    if quiet:
        yield _silent
        return
    from adk_split_eval.report.console import make_console

    target = console or make_console(stderr=True)
    if target.is_terminal and not target.is_dumb_terminal:
        with _bar(title, target) as callback:
            yield callback
    else:
        yield _plain(title, target)


def _silent(done: int, total: int, label: str) -> None:
    """Shows nothing."""


@contextmanager
def _bar(title: str, console: Console) -> Generator[ProgressCallback]:
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.fields[label]}", style="dim", markup=False),
    )
    bar = Progress(*columns, console=console, transient=True)
    task = bar.add_task(title, total=None, label="")

    def show(done: int, total: int, label: str) -> None:
        # The bar has a thread of its own, and before the work begins a process may want to be copied.
        bar.start()
        bar.update(task, completed=done, total=total, label=_short(label))

    try:
        yield show
    finally:
        bar.stop()


def _plain(title: str, console: Console) -> ProgressCallback:
    shown = -1

    def show(done: int, total: int, label: str) -> None:
        nonlocal shown
        if not done:
            return
        tenth = done * PLAIN_LINES // total if total else 0
        if tenth == shown and done != total:
            return
        if tenth == shown and done == total and shown == PLAIN_LINES:
            return
        shown = tenth
        console.print(f"{title}: {done} of {total}  {_short(label)}".rstrip(), soft_wrap=True)

    return show


def _short(label: str) -> str:
    return shorten(one_line(safe_terminal(label)), LABEL_WIDTH)
