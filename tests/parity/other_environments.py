"""Environments with another ADK or another Python than this one, where such are at hand."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

ROOT = Path(__file__).parents[2]
NAMED = "ADK_SPLIT_EVAL_OLDEST_PYTHON"
NONE_AT_HAND = (
    f"no environment with another ADK or Python is at hand: `make test-oldest` makes .venv-oldest, `make setup-dev "
    f"VENV=.venv-313 PYTHON=python3.13` another one; or name a Python that has google-adk in {NAMED}"
)
WHAT_IT_HAS = "import sys; from importlib.metadata import version; print(version('google-adk'), sys.version.split()[0])"
# What pytest, its workers and the examples' agents read must not leak from the suite that starts another one.
LEAKING = ("PYTEST_", "COV_", "ADK_SPLIT_EVAL_", "REFUND_DESK_", "INTERVIEW_COACH_", "PYTHONPATH", "VIRTUAL_ENV")


@dataclass(frozen=True)
class Environment:
    """A Python with the product's test dependencies, and what it has."""

    python: Path
    adk: str
    version: str

    def __str__(self) -> str:
        return f"adk{self.adk}-python{self.version}"

    def run(self, *arguments: str, cwd: Path, **variables: str) -> subprocess.CompletedProcess[str]:
        """Run this Python, with nothing of our own environment that would change what it does."""
        clean = {name: value for name, value in os.environ.items() if not name.startswith(LEAKING)}
        return subprocess.run(
            [str(self.python), *arguments],
            cwd=cwd,
            env={**clean, **variables},
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=False,
        )


THIS = Environment(Path(sys.executable), metadata.version("google-adk"), sys.version.split()[0])


def look(python: Path) -> Environment | None:
    """What this Python has, if it has google-adk."""
    done = subprocess.run([str(python), "-c", WHAT_IT_HAS], capture_output=True, text=True, check=False)
    return Environment(python, *done.stdout.split()) if done.returncode == 0 else None


def named() -> Path | None:
    """The Python somebody wants the suites to run on as well."""
    return Path(os.environ[NAMED]) if os.environ.get(NAMED) else None


def at_hand() -> list[Environment]:
    """The Python that is named, and every finished ``.venv*`` of this checkout; one for each pair of versions but ours."""
    # The Makefile leaves `.dev` when everything is installed.
    pythons = [named(), *(ready.parent / "bin" / "python" for ready in sorted(ROOT.glob(".venv*/.dev")))]
    found: dict[str, Environment] = {}
    for environment in [look(python) for python in pythons if python is not None]:
        if environment is not None:
            found.setdefault(str(environment), environment)
    found.pop(str(THIS), None)
    return list(found.values())
