"""The hooks under the real pre-commit, in a scratch repository, in an environment that holds the core dependencies only."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CASES = Path(__file__).parent / "data" / "cases"
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(importlib.util.find_spec("pre_commit") is None, reason="pre-commit is not installed"),
    pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed"),
]
PLAN = (
    "plan_id: desk\nagent: desk\nfixed_set:\n  cases:\n    - {case_id: F-01, turns: [{user: Hi, expect_tools: [a]}]}\n"
)
IDENTITY = {
    "GIT_AUTHOR_NAME": "t",
    "GIT_AUTHOR_EMAIL": "t@example.com",
    "GIT_COMMITTER_NAME": "t",
    "GIT_COMMITTER_EMAIL": "t@example.com",
}


def git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(
        ["git", *arguments], cwd=folder, capture_output=True, text=True, check=True, env={**os.environ, **IDENTITY}
    )
    return done.stdout.strip()


def commit_all(folder: Path) -> str:
    git(folder, "init", "-q", "-b", "main")
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "all", "--no-verify")
    return git(folder, "rev-parse", "HEAD")


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """The package as it stands, committed to a repository of its own that pre-commit can clone."""
    folder = tmp_path_factory.mktemp("package")
    shutil.copytree(ROOT / "adk_split_eval", folder / "adk_split_eval", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE", ".pre-commit-hooks.yaml"):
        if (ROOT / name).exists():
            shutil.copy(ROOT / name, folder / name)
    if not (folder / "LICENSE").exists():
        (folder / "LICENSE").write_text("", encoding="utf-8")
    return folder, commit_all(folder)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("pre-commit-home")


def run(folder: Path, home: Path) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, **IDENTITY, "PRE_COMMIT_HOME": str(home)}
    environment.pop("PYTHONPATH", None)
    return subprocess.run(
        [sys.executable, "-m", "pre_commit", "run", "--all-files", "--color=never"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        env=environment,
        timeout=600,
    )


def scratch(folder: Path, package: tuple[Path, str], files: dict[str, str]) -> None:
    hooks = "[{id: adk-split-eval-plans}, {id: adk-split-eval-adk-files}]"
    files = {
        **files,
        ".pre-commit-config.yaml": f"repos:\n  - {{repo: '{package[0].as_uri()}', rev: {package[1]}, hooks: {hooks}}}\n",
    }
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    commit_all(folder)


def test_hooks_pass_and_refuse_without_google_adk(package: tuple[Path, str], home: Path, tmp_path: Path) -> None:
    sound = (CASES / "11-transfer-and-agenttool" / "evalset.json").read_text(encoding="utf-8")
    config = '{"criteria": {"tool_trajectory_avg_score": 1.0}}'
    good = tmp_path / "good"
    scratch(
        good, package, {"evals/desk.plan.yaml": PLAN, "evals/a.evalset.json": sound, "evals/test_config.json": config}
    )
    done = run(good, home)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("Passed") == 2
    installed = [p.name for p in home.rglob("site-packages/*.dist-info")]
    assert any(name.startswith("adk_split_eval-") for name in installed)
    assert not any(name.startswith(("google_adk-", "google_genai-")) for name in installed)

    bad = tmp_path / "bad"
    plan = PLAN.replace("expect_tools", "expect_tolls")
    scratch(
        bad,
        package,
        {"evals/desk.plan.yaml": plan, "evals/a.evalset.json": sound, "evals/test_config.json": '{"criterias": {}}'},
    )
    done = run(bad, home)
    assert done.returncode == 1
    assert done.stdout.count("Failed") == 2
    assert "evals/desk.plan.yaml:5:" in done.stdout and "ASE010" in done.stdout
    assert "evals/test_config.json:1:2: ASE219" in done.stdout
