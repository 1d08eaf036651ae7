"""Shared by the linter's tests: no model credentials in sight, helper modules by path, golden files."""

from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path
from types import ModuleType

import pytest

HERE = Path(__file__).parent
DATA = HERE / "data"
PREFIXES = ("GOOGLE_", "GEMINI_", "OPENAI_", "ANTHROPIC_")


@pytest.fixture(autouse=True, scope="session")
def none_from_the_start() -> None:
    """For what is made once for many tests."""
    forget_credentials()
    os.environ["NO_GCE_CHECK"] = "true"


@pytest.fixture(autouse=True)
def no_credentials(none_from_the_start: None) -> None:
    """Whether credentials are in sight changes findings; here there are none, though ADK reads an agent's `.env`."""
    forget_credentials()


def forget_credentials() -> None:
    for name in list(os.environ):
        if name.startswith(PREFIXES):
            del os.environ[name]


def helper(name: str) -> ModuleType:
    """A module beside the tests, loaded once by path (tests are no package)."""
    full = f"lint_tests_{name}"
    if full not in sys.modules:
        spec = importlib.util.spec_from_file_location(full, HERE / f"{name}.py")
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[full] = module
        spec.loader.exec_module(module)
    return sys.modules[full]


@pytest.fixture(scope="session")
def corpus() -> ModuleType:
    return helper("differential_corpus")
