"""Where a report goes that the user named: a file, or ``-`` for standard output; refused before anything is run.

A run costs time and money, so whether its reports can be written is tried first, without leaving anything behind.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from pathlib import Path

import click

FILE = click.Path(dir_okay=False, allow_dash=True)
"""The type of an option that names a report; ``-`` is standard output."""

STANDARD_OUTPUT = frozenset({"-", "/dev/stdout"})


class OutputError(Exception):
    """A report cannot be written where it was asked for; the message says which and why (exit code 2)."""


def to_standard_output(path: str | None) -> bool:
    """Whether ``path`` is another word for standard output."""
    return path in STANDARD_OUTPUT


def check_outputs(outputs: Mapping[str, str | None]) -> None:
    """Try all of a verb's outputs, by option name, before the work begins.

    Raises:
        OutputError: two options name the same place, or a file cannot be written there.
    """
    named = {option: path for option, path in outputs.items() if path}
    taken: dict[str, str] = {}
    for option, path in named.items():
        place = "-" if to_standard_output(path) else str(Path(path).absolute())
        if place in taken:
            where = "standard output" if place == "-" else path
            raise OutputError(f"{taken[place]} and {option} both go to {where}; give one of them a file of its own")
        taken[place] = option
    for option, path in named.items():
        if not to_standard_output(path):
            _try(option, Path(path))


def _try(option: str, path: Path) -> None:
    try:
        if path.is_dir():
            raise IsADirectoryError(21, "it is a folder")
        if _is_stream(path):
            if not os.access(path, os.W_OK):
                raise PermissionError(13, os.strerror(13))
            return
        # Folders that are not there yet are made when the report is written; the nearest that is there must take them.
        folder = next((p for p in path.absolute().parents if p.exists()), Path.cwd())
        with tempfile.TemporaryFile(dir=folder):
            pass
    except (OSError, ValueError) as error:
        cause = error.strerror if isinstance(error, OSError) and error.strerror else error
        raise OutputError(f"{option} {path}: cannot be written: {cause}") from error


def _is_stream(path: Path) -> bool:
    """A device or a pipe (``/dev/null``, a process substitution): written into, never replaced by a file."""
    if not path.exists():
        return False
    # Behind a link in there may stand a regular file: that of a redirected output, which must not be replaced either.
    return not path.is_file() or any(path.absolute().is_relative_to(folder) for folder in ("/dev", "/proc"))


def write_output(path: str, text: str) -> None:
    """Write a report: a file atomically, standard output and devices as they come; always UTF-8.

    Raises:
        OSError: it cannot be written.
    """
    if to_standard_output(path):
        click.echo(text.encode("utf-8"), nl=False)
    elif _is_stream(Path(path)):
        with Path(path).open("a", encoding="utf-8", newline="\n") as stream:
            stream.write(text)
    else:
        from adk_split_eval.record.jsonio import write_atomically

        write_atomically(Path(path), text)
