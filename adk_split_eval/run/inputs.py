"""What a run depends on, as one fingerprint: plan, frozen cases, agent code, ADK and tool version."""

from __future__ import annotations

import hashlib
import subprocess
from collections.abc import Iterable
from pathlib import Path

IGNORED_DIRS = frozenset({"__pycache__", ".adk", ".git", ".venv", "node_modules", ".pytest_cache", ".adk-split-eval"})
IGNORED_SUFFIXES = frozenset({".pyc", ".pyo", ".log", ".sqlite", ".db"})
LARGEST_FILE = 8 * 1024 * 1024


def tree_files(folder: Path) -> list[Path]:
    """The files below ``folder`` that can change what an agent does, in a stable order."""
    found: list[Path] = []
    for path in sorted(folder.rglob("*")):
        relative = path.relative_to(folder)
        if any(part in IGNORED_DIRS for part in relative.parts) or path.suffix in IGNORED_SUFFIXES:
            continue
        if path.is_file():
            found.append(path)
    return found


def fingerprint(files: Iterable[Path], extra: Iterable[str] = ()) -> str:
    """SHA-256 over names and contents of ``files`` (in the order given) and the ``extra`` strings; hex, 64 digits."""
    digest = hashlib.sha256()
    for path in files:
        digest.update(path.name.encode("utf-8", "surrogateescape") + b"\0")
        try:
            size = path.stat().st_size
            digest.update(path.read_bytes() if size <= LARGEST_FILE else str(size).encode())
        except OSError as error:
            digest.update(f"unreadable:{error.errno}".encode())
        digest.update(b"\0")
    for text in extra:
        digest.update(text.encode("utf-8", "surrogatepass") + b"\0")
    return digest.hexdigest()


def git_commit(folder: Path) -> str | None:
    """The commit checked out in ``folder``, with ``+changes`` when the work tree differs; None outside git."""
    try:
        head = subprocess.run(
            ["git", "rev-parse", "HEAD"], cwd=folder, capture_output=True, text=True, timeout=10, check=False
        )
        if head.returncode != 0:
            return None
        changes = subprocess.run(
            ["git", "status", "--porcelain", "--", "."],
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=10,
            check=False,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return head.stdout.strip() + ("+changes" if changes.stdout.strip() else "")
