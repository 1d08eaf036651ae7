"""Custom metrics as teams write them: what is right gets no error, what ADK cannot call or import gets one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from adk_split_eval.lint import lint_paths

HEAD = "def polite(metric, actual, expected, scenario=None):\n"
GOOD = HEAD + "    return metric.criterion.threshold\n"
CALL = {"name": "find", "args": {"title": "Dune"}}
TURN = {
    "user_content": {"parts": [{"text": "Hi"}]}, "final_response": {"parts": [{"text": "Yes"}]},
    "intermediate_data": {"tool_uses": [CALL]},
}  # fmt: skip
SET = {"eval_set_id": "desk", "eval_cases": [{"eval_id": "a", "conversation": [TURN]}]}
BUILD = "[build-system]\nrequires = ['hatchling']\nbuild-backend = 'hatchling.build'\n"


def said(root: Path, files: dict[str, str], function: str = "agent.metrics.polite") -> list[tuple[str, str]]:
    """(code, level) of each finding about the function."""
    config = {"criteria": {"polite": 1.0}, "custom_metrics": {"polite": {"code_config": {"name": function}}}}
    written = {"desk/__init__.py": "", "desk/agent.py": "root_agent = 1\n", "pyproject.toml": "", **files}
    written |= {"desk/a.evalset.json": json.dumps(SET), "desk/test_config.json": json.dumps(config)}
    for name, text in written.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    return [(f.code, f.level) for f in lint_paths([root / "desk"], adk_version="2.13").findings if f.code < "ASE300"]


@pytest.mark.parametrize(
    "source",
    [
        "def _p(m, a, e, s=None): ...\npolite = _p\n",
        "from functools import partial\ndef _p(m, a, e, s, *, x): ...\npolite = partial(_p, x=2)\n",
        "polite = lambda m, a, e, s: None\n",
        "def make():\n    return lambda *a: None\npolite = make()\n",
        "def _p(m, a, e, s=None): ...\npolite, other = _p, 3\n",
        "from typing import Callable\ndef _p(m, a, e, s=None): ...\npolite: Callable = _p\n",
        "def deco(f):\n    return lambda m, a, e, s: f(a)\n@deco\ndef polite(answers): ...\n",
        "from typing import overload\n@overload\ndef polite(a): ...\ndef polite(*a): ...\n",
        "class P:\n    def __call__(self, m, a, e, s=None): ...\npolite = P()\n",
        "import sys\nif sys.version_info > (3, 9):\n    def polite(m, a, e, s=None): ...\n",
        "try:\n    from .fast import polite\nexcept ImportError:\n    def polite(m, a, e, s=None): ...\n",
        "for name in ['polite']:\n    globals()[name] = lambda *a: 1\n",
        "def __getattr__(name): ...\n",
        "polite = None\ndef polite(m, a, e, s=None): ...\n",
        "async " + GOOD,
    ],
)
def test_functions_that_adk_can_call(tmp_path: Path, source: str) -> None:
    assert said(tmp_path, {"desk/metrics.py": source}) == []


@pytest.mark.parametrize(
    ("files", "code"),
    [
        ({"desk/metrics.py": "polite = lambda a: None\n"}, "ASE208"),
        ({"desk/metrics.py": "def _p(a): ...\npolite = _p\n"}, "ASE208"),
        ({"desk/metrics.py": "def polite(m, a, e, s)\n    return 1\n"}, "ASE206"),
        ({"desk/metrics.py": "def polite(m, a, e, s): ...\npolite = 3\n"}, "ASE206"),
        ({"desk/metrics/__init__.py": "from .impl import polite\n", "desk/metrics/impl.py": "x = 1\n"}, "ASE206"),
        ({"desk/metrics/__init__.py": "from .impl import p as polite\n", "desk/metrics/impl.py": "def p(a): ...\n"}, "ASE208"),
    ],
)  # fmt: skip
def test_functions_that_adk_cannot_call(tmp_path: Path, files: dict[str, str], code: str) -> None:
    assert said(tmp_path, files) == [(code, "error")]


def test_reexported_function(tmp_path: Path) -> None:
    files = {"desk/metrics/__init__.py": "from .impl import is_polite as polite\n"}
    assert said(tmp_path, {**files, "desk/metrics/impl.py": GOOD.replace("polite", "is_polite")}) == []


@pytest.mark.parametrize(
    "body",
    [
        "t = metric.threshold if metric.threshold is not None else metric.criterion.threshold\n    return 1 >= t",
        "t = metric.threshold or 0.5\n    return 1 >= t",
        "t = 0.5\n    if metric.threshold is not None:\n        t = metric.threshold\n    return 1 >= t",
        "t = metric.threshold\n    if t is None:\n        t = 0.5\n    return 1 >= t",
        "if (t := metric.threshold) is None:\n        t = 0.5\n    return 1 >= t",
        "try:\n        return 1 >= metric.threshold\n    except TypeError:\n        return 0",
        "metric.threshold = 0.5\n    return 1 >= metric.threshold",
        "metric = metric.criterion\n    return 1 >= metric.threshold",
        "print(f'{metric.threshold}')\n    return 0",
        "import logging\n    logging.info('threshold %s', metric.threshold)\n    return 0",
    ],
)
def test_threshold_that_may_be_none(tmp_path: Path, body: str) -> None:
    assert said(tmp_path, {"desk/metrics.py": f"{HEAD}    {body}\n"}) == []


@pytest.mark.parametrize(
    ("body", "level"),
    [
        ("return 1 >= metric.threshold", "error"),
        ("t = metric.threshold\n    return 'P' if 1.0 >= t else 'F'", "error"),
        ("return 1 - metric.threshold", "error"),
        ("return float(metric.threshold)", "error"),
        ("return judge(actual, metric.threshold)", "warning"),
    ],
)
def test_threshold_that_must_not_be_none(tmp_path: Path, body: str, level: str) -> None:
    assert said(tmp_path, {"desk/metrics.py": f"{HEAD}    {body}\n"}) == [("ASE209", level)]


@pytest.mark.parametrize(
    ("files", "found"),
    [
        ({"shop/metrics.py": GOOD}, ("ASE207", "error")),
        ({"shop/metrics.py": GOOD, "pyproject.toml": BUILD}, ("ASE207", "warning")),
        ({"src/shop/metrics.py": GOOD, "pyproject.toml": BUILD}, ("ASE207", "warning")),
        ({"shop/metrics.py": GOOD, "setup.py": "from setuptools import setup\nsetup()\n"}, ("ASE207", "warning")),
        ({"src/shop/metrics.py": GOOD}, ("ASE207", "error")),
        ({"pyproject.toml": BUILD}, ("ASE206", "error")),
    ],
)
def test_packages_of_a_project_that_can_be_installed(
    tmp_path: Path, files: dict[str, str], found: tuple[str, str]
) -> None:
    pytest.importorskip("google.adk")  # without it, what is nowhere is a warning
    assert said(tmp_path, files, "shop.metrics.polite") == [found]


REGISTERS = """
from google.adk.evaluation.metric_evaluator_registry import DEFAULT_METRIC_EVALUATOR_REGISTRY as registry
registry.register_evaluator(MetricInfo(metric_name="kindness", metric_value_info=...), Kindness)
"""


@pytest.mark.parametrize(
    ("where", "name", "expected"),
    [
        ("desk/agent.py", "kindness", []),
        ("conftest.py", "kindness", []),
        ("desk/agent.py", "brevity", ["ASE227"]),
        ("other.py", "kindness", ["ASE227"]),
    ],
)
def test_metrics_that_code_registers(tmp_path: Path, where: str, name: str, expected: list[str]) -> None:
    files = {"pyproject.toml": "", "desk/agent.py": "root_agent = 1\n", "desk/a.evalset.json": json.dumps(SET)}
    files |= {where: REGISTERS, "desk/test_config.json": json.dumps({"criteria": {name: 1.0}})}
    for path, text in files.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text, encoding="utf-8")
    assert [f.code for f in lint_paths([tmp_path], adk_version="2.13").findings] == expected
