"""Agent folders near a config, and whether model credentials are in sight there."""
# os functions instead of pathlib: this room starts cold on every commit.
# ruff: noqa: PTH100, PTH110, PTH113, PTH118, PTH120, PTH123

from __future__ import annotations

import os
from collections.abc import Iterator

_VARIABLES = (
    "GOOGLE_API_KEY",
    "GEMINI_API_KEY",
    "GOOGLE_CLOUD_PROJECT",
    "GOOGLE_APPLICATION_CREDENTIALS",
    "OPENAI_API_KEY",
    "ANTHROPIC_API_KEY",
)


def agent_folders(folder: str) -> list[str]:
    """Agent folders (with an agent.py) at, above or just below the config's folder and its ancestors."""
    found: list[str] = []
    here = os.path.abspath(folder or ".")
    for _ in range(5):
        for candidate in (here, *subfolders(here)):
            if os.path.isfile(os.path.join(candidate, "agent.py")):
                found.append(candidate)
        parent = os.path.dirname(here)
        if found or parent == here or _is_root(here):
            break
        here = parent
    return found


def _is_root(folder: str) -> bool:
    """Whether a project starts here: what lies above belongs to others."""
    return any(os.path.exists(os.path.join(folder, mark)) for mark in (".git", "pyproject.toml"))


def subfolders(folder: str) -> list[str]:
    """The folders in a folder, hidden ones apart."""
    try:
        with os.scandir(folder) as entries:
            return sorted(e.path for e in entries if not e.name.startswith(".") and e.is_dir())[:200]
    except OSError:
        return []


def has_credentials(folder: str, agent_dir: str | None) -> bool:
    """Whether model credentials are in sight: in the environment, or in a ``.env`` that ``adk eval`` may load.

    It loads the one in the agent's folder or above; where the agent is not named, any agent of the project counts.
    """
    return any(os.environ.get(name) for name in _VARIABLES) or any(map(_names_one, _env_files(folder, agent_dir)))


def _env_files(folder: str, agent_dir: str | None) -> Iterator[str]:
    top = ""
    for start in (folder or ".", agent_dir):
        here = os.path.abspath(start) if start is not None else ""
        for _ in range(6 if here else 0):
            yield os.path.join(here, ".env")
            if not top and _is_root(here):
                top = here
            parent = os.path.dirname(here)
            if parent == here:
                break
            here = parent
    if agent_dir is None:
        below = subfolders(top or os.path.abspath(folder or "."))
        candidates = [*below, *(deeper for one in below[:50] for deeper in subfolders(one))]
        agents = [one for one in candidates if os.path.isfile(os.path.join(one, "agent.py"))]
        yield from (os.path.join(one, ".env") for one in (*agents, *agent_folders(folder)))


def _names_one(path: str) -> bool:
    try:
        with open(path, encoding="utf-8", errors="replace") as stream:
            text = stream.read(65536)
    except OSError:
        return False
    return any(name in text for name in _VARIABLES)
