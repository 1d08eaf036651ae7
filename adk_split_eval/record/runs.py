"""Where runs lie on disk: ``<project root>/.adk-split-eval/runs/<run_id>/`` with ``result.json`` and ``journal.sqlite``."""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from adk_split_eval.record.result import SCHEMA_VERSION, RunResult

STATE_DIR = ".adk-split-eval"
RUNS_DIR = "runs"
RESULT_NAME = "result.json"
JOURNAL_NAME = "journal.sqlite"
HEAD_BYTES = 4096
_STARTED_AT = re.compile(rb'"started_at":\s*"([^"]{1,40})"')


class RunNotFoundError(Exception):
    """No such run, or one that cannot be read; the message says which are there and what to do."""


@dataclass(frozen=True, slots=True)
class RunFolder:
    """One run on disk. ``result`` exists once the run has finished, ``journal`` from its start."""

    path: Path

    @property
    def run_id(self) -> str:
        return self.path.name

    @property
    def result(self) -> Path:
        return self.path / RESULT_NAME

    @property
    def journal(self) -> Path:
        return self.path / JOURNAL_NAME

    @property
    def finished(self) -> bool:
        return self.result.is_file()


def project_root(start: Path | None = None) -> Path:
    """The folder that holds the runs: the nearest ancestor with ``.adk-split-eval``, else with ``pyproject.toml`` or ``.git``, else ``start``.

    Args:
        start: where to look from; the working directory when None. A file counts as its folder.
    """
    here = (start or Path.cwd()).resolve()
    if here.is_file():
        here = here.parent
    ancestors = (here, *here.parents)
    for folder in ancestors:
        if (folder / STATE_DIR).is_dir():
            return folder
    for folder in ancestors:
        if (folder / "pyproject.toml").is_file() or (folder / ".git").exists():
            return folder
    return here


def runs_dir(root: Path | None = None) -> Path:
    """``<root>/.adk-split-eval/runs``; it may not exist yet. ``root`` defaults to :func:`project_root`."""
    return (root or project_root()) / STATE_DIR / RUNS_DIR


def run_folder(run_id: str, root: Path | None = None) -> RunFolder:
    """The folder of ``run_id``, whether or not it exists (for the runner, which creates it)."""
    return RunFolder(runs_dir(root) / run_id)


def list_runs(root: Path | None = None, *, finished: bool = True) -> list[RunFolder]:
    """Runs, oldest first, by when they started (``started_at`` of the result, else the time of the journal).

    Args:
        root: project root; looked up when None.
        finished: leave out runs that have no ``result.json`` yet.
    """
    folder = runs_dir(root)
    if not folder.is_dir():
        return []
    runs = [RunFolder(p) for p in folder.iterdir() if p.is_dir()]
    keyed = [(_order_key(run), run) for run in runs if run.finished or not finished]
    return [run for _, run in sorted(keyed, key=lambda pair: pair[0])]


def latest_run(root: Path | None = None) -> RunFolder:
    """The newest finished run.

    Raises:
        RunNotFoundError: there is none.
    """
    runs = list_runs(root)
    if not runs:
        raise RunNotFoundError(_none_message(root))
    return runs[-1]


def resolve_run(reference: str | Path | None = None, root: Path | None = None) -> RunFolder:
    """The run that ``reference`` means: a run id, an unambiguous beginning of one, ``latest``, a run folder, or a result file.

    Args:
        reference: None and ``latest`` mean the newest finished run.
        root: project root; looked up when None.

    Raises:
        RunNotFoundError: nothing fits, or more than one does; the message names the nearest id.
    """
    if reference is None or str(reference) == "latest":
        return latest_run(root)
    path = Path(reference)
    if path.is_file():
        return RunFolder(path.resolve().parent)
    if path.is_dir() and _looks_like_run(path):
        return RunFolder(path.resolve())
    return _by_id(str(reference), root)


def load_result(reference: str | Path | RunFolder | None = None, root: Path | None = None) -> RunResult:
    """Read the result of a run: an id, a folder, or any result JSON (``--json FILE`` too).

    Raises:
        RunNotFoundError: no such run, the run has not finished, or its result cannot be read.
    """
    if isinstance(reference, RunFolder):
        return read_result(_finished(reference))
    if reference is not None and Path(reference).is_file():
        return read_result(Path(reference))
    return read_result(_finished(resolve_run(reference, root)))


def read_result(path: Path) -> RunResult:
    """Read one result JSON.

    Raises:
        RunNotFoundError: unreadable, no JSON, another schema version, or not a result at all; the message says which.
    """
    try:
        data: Any = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise RunNotFoundError(f"{path}: cannot be read ({error.strerror or error})") from error
    except UnicodeDecodeError as error:
        raise RunNotFoundError(f"{path}: not UTF-8 (byte {error.start})") from error
    except json.JSONDecodeError as error:
        raise RunNotFoundError(f"{path}:{error.lineno}:{error.colno}: not JSON ({error.msg})") from error
    except RecursionError as error:
        raise RunNotFoundError(f"{path}: nested too deeply to be a result") from error
    if not isinstance(data, dict) or "cases" not in data or "run_id" not in data:
        raise RunNotFoundError(f"{path}: not a result of adk-split-eval (no `run_id` and `cases` at the top)")
    version: Any = data.get("schema_version")  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
    if version != SCHEMA_VERSION:
        raise RunNotFoundError(f"{path}: schema_version {version!r}, this version reads {SCHEMA_VERSION}")
    try:
        return RunResult.from_json(data)  # pyright: ignore[reportUnknownArgumentType]
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise RunNotFoundError(f"{path}: a damaged result ({type(error).__name__}: {error})") from error


def _finished(run: RunFolder) -> Path:
    if not run.finished:
        raise RunNotFoundError(
            f"run {run.run_id} has no {RESULT_NAME}: it was interrupted or is still going; start the same command again to resume it"
        )
    return run.result


def _looks_like_run(path: Path) -> bool:
    return (path / RESULT_NAME).is_file() or (path / JOURNAL_NAME).is_file()


def _by_id(reference: str, root: Path | None) -> RunFolder:
    ids = [run.run_id for run in list_runs(root, finished=False)]
    if reference in ids:
        return run_folder(reference, root)
    begins = [run_id for run_id in ids if reference and run_id.startswith(reference)]
    if len(begins) == 1:
        return run_folder(begins[0], root)
    if begins:
        raise RunNotFoundError(
            f"{reference!r} begins {len(begins)} runs: {', '.join(_first(begins))}; give more of the id"
        )
    if not ids:
        raise RunNotFoundError(_none_message(root))
    near = difflib.get_close_matches(reference, ids, n=1, cutoff=0.5)
    hint = f"did you mean {near[0]}?" if near else f"the latest is {ids[-1]}"
    raise RunNotFoundError(f"no run {reference!r} under {runs_dir(root)}: {hint} (`adk-split-eval history` lists them)")


def _first(ids: list[str], limit: int = 5) -> Iterator[str]:
    yield from ids[:limit]
    if len(ids) > limit:
        yield "..."


def _none_message(root: Path | None) -> str:
    return f"no finished run under {runs_dir(root)}: `adk-split-eval run` makes one"


def _order_key(run: RunFolder) -> tuple[float, str]:
    """When the run started; the id breaks ties."""
    started = _started_at(run.result)
    if started is not None:
        return started, run.run_id
    for path in (run.journal, run.path):
        try:
            return path.stat().st_mtime, run.run_id
        except OSError:
            continue
    return 0.0, run.run_id


def _started_at(path: Path) -> float | None:
    """``started_at`` of a result as seconds, from the head of the file alone: listing a thousand runs parses none of them."""
    try:
        with path.open("rb") as file:
            head = file.read(HEAD_BYTES)
    except OSError:
        return None
    found = _STARTED_AT.search(head)
    if found is None:
        return None
    try:
        moment = datetime.fromisoformat(found.group(1).decode("ascii"))
    except ValueError:
        return None
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
