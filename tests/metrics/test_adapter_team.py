"""The bridge to a team's own metrics: found from anywhere, never silently skipped."""

from __future__ import annotations

import asyncio
import importlib
import sys
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("google.adk.evaluation.eval_case")
pytestmark = pytest.mark.adk

from google.adk.evaluation.eval_case import Invocation  # noqa: E402
from google.adk.evaluation.eval_metrics import BaseCriterion, EvalMetric  # noqa: E402
from google.adk.evaluation.evaluator import EvalStatus, EvaluationResult  # noqa: E402

from adk_split_eval.metrics import team_loading  # noqa: E402
from adk_split_eval.metrics.team_loading import ROOT_VARIABLE, TeamMetricError, resolve  # noqa: E402

HEADER = """
from google.adk.evaluation.evaluator import EvalStatus, EvaluationResult, PerInvocationResult
from google.adk.evaluation.eval_rubrics import RubricScore
P, F, N, I = EvalStatus.PASSED, EvalStatus.FAILED, EvalStatus.NOT_EVALUATED, EvalStatus.INFORMATIONAL

def answer(actual, overall, score, *rows):
    made = [PerInvocationResult(actual_invocation=actual[0], eval_status=s, score=x) for s, x in rows]
    return EvaluationResult(overall_eval_status=overall, overall_score=score, per_invocation_results=made)
"""

FUNCTIONS = """
def good(metric, actual, expected, scenario):
    return answer(actual, P, 1.0, (P, 1.0), (P, 1.0))
def bad(metric, actual, expected, scenario):
    return answer(actual, F, 0.5, (P, 1.0), (F, 0.0))
async def later(metric, actual, expected, scenario):
    return answer(actual, P, 1.0, (P, 1.0), (P, 1.0))
async def later_boom(metric, actual, expected, scenario):
    raise RuntimeError("late\\x1b[2J")
async def later_none(metric, actual, expected, scenario):
    return None
def boom(metric, actual, expected, scenario):
    raise KeyError("order")
def leaves(metric, actual, expected, scenario):
    raise SystemExit(0)
def threshold(metric, actual, expected, scenario):
    return answer(actual, P if 1.0 >= metric.threshold else F, 1.0, (P, 1.0), (P, 1.0))
def none(metric, actual, expected, scenario):
    return None
def number(metric, actual, expected, scenario):
    return 1.0
def few(metric, actual, expected, scenario):
    return answer(actual, P, 1.0, (P, 1.0))
def rowless(metric, actual, expected, scenario):
    return answer(actual, P, 1.0)
def liar(metric, actual, expected, scenario):
    return answer(actual, P, 1.0, (P, 1.0), (F, 0.0))
def mute_liar(metric, actual, expected, scenario):
    found = answer(actual, P, 1.0, (P, 1.0), (F, 0.0))
    found.overall_rubric_scores = [RubricScore(rubric_id=str(n), rationale=r) for n, r in enumerate([None, "why"])]
    return found
def shrug(metric, actual, expected, scenario):
    return answer(actual, N, None, (N, None), (N, None))
def scoreless(metric, actual, expected, scenario):
    return answer(actual, P, None, (P, None), (P, None))
def nan(metric, actual, expected, scenario):
    return answer(actual, P, float("nan"), (P, 1.0), (P, 1.0))
def eats(metric, actual, expected, scenario):
    actual.clear()
    return answer([], P, 1.0)
def two(metric, actual):
    return None
def whole(metric, actual, expected, scenario):
    return answer(actual, P, 1.0, (N, None), (N, None))
def hidden_failure(metric, actual, expected, scenario):
    return answer(actual, F, 0.0, (P, 1.0), (P, 1.0))
def partly_hidden_failure(metric, actual, expected, scenario):
    return answer(actual, F, 0.0, (N, None), (P, 1.0))
def half_judged(metric, actual, expected, scenario):
    return answer(actual, F, 0.5, (N, None), (F, 0.5))
def informational_first(metric, actual, expected, scenario):
    return answer(actual, F, 0.0, (I, None), (F, 0.0))
def informational(metric, actual, expected, scenario):
    return answer(actual, I, 3.0, (P, 3.0), (F, 3.0))
value = 5
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A team's project somewhere else; whatever gets imported from it is forgotten afterwards."""
    root = tmp_path / "project"
    package = root / "custom_metrics"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("")
    (package / "refund.py").write_text(HEADER + FUNCTIONS)
    (package / "broken.py").write_text("import module_that_is_nowhere\n")
    (package / "quits.py").write_text("raise SystemExit(0)\n")
    (package / "syntax.py").write_text("def (:\n")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    monkeypatch.delenv(ROOT_VARIABLE, raising=False)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(sys, "argv", ["adk"])
    before = dict(sys.modules)
    # What other tests of this process have loaded is no agent of this project.
    agents = [n for n, module in sys.modules.items() if n.endswith(".agent") and team_loading._names_an_agent(module)]
    for name in [*agents, *(n for n in sys.modules if n.partition(".")[0] in ("custom_metrics", "agent"))]:
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.setattr(team_loading, "_SET_ASIDE", {})
    yield root
    for name in set(sys.modules) - set(before):
        if name.partition(".")[0] in ("custom_metrics", "solo_metrics", "agent") or ".team." in name:
            sys.modules.pop(name, None)


def call(path: str, count: int = 2, threshold: float = 1.0) -> EvaluationResult:
    """As ADK does: import the module named by the config, take its attribute, call it, await what is awaitable."""
    module_name, name = f"adk_split_eval.metrics.team.{path}".rsplit(".", 1)
    function = getattr(importlib.import_module(module_name), name)
    assert callable(function)
    actual = [
        Invocation.model_validate({"user_content": {"role": "user", "parts": [{"text": str(i)}]}}) for i in range(count)
    ]
    metric = EvalMetric(metric_name="mine", criterion=BaseCriterion(threshold=threshold))
    found = function(metric, actual, None, None)
    result = found if isinstance(found, EvaluationResult) else asyncio.run(_await(found))
    assert isinstance(result, EvaluationResult)
    assert len(actual) == count
    assert len(result.per_invocation_results) == count
    return result


async def _await(found: Any) -> Any:
    return await found


def reasons(result: EvaluationResult) -> str:
    return "\n".join(score.rationale or "" for score in result.overall_rubric_scores or [])


@pytest.fixture
def rooted(project: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(ROOT_VARIABLE, str(project))
    return project


@pytest.mark.usefixtures("rooted")
@pytest.mark.parametrize("name", ["good", "later"])
def test_a_sound_answer_passes_through(name: str) -> None:
    result = call(f"custom_metrics.refund.{name}")
    assert (result.overall_eval_status, result.overall_score) == (EvalStatus.PASSED, 1.0)


@pytest.mark.usefixtures("rooted")
def test_a_sound_failure_passes_through() -> None:
    result = call("custom_metrics.refund.bad")
    assert (result.overall_eval_status, result.overall_score) == (EvalStatus.FAILED, 0.5)
    assert [r.score for r in result.per_invocation_results] == [1.0, 0.0]


@pytest.mark.usefixtures("rooted")
@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("custom_metrics.refund.boom", "raised KeyError: \"'order'\" (refund.py:"),
        ("custom_metrics.refund.later_boom", 'raised RuntimeError: "late'),
        ("custom_metrics.refund.later_none", "returned None"),
        ("custom_metrics.refund.leaves", "raised SystemExit"),
        ("custom_metrics.refund.threshold", "raised TypeError"),
        ("custom_metrics.refund.none", "returned None"),
        ("custom_metrics.refund.number", "returned a float"),
        ("custom_metrics.refund.few", "1 per_invocation_results for 2 invocations"),
        ("custom_metrics.refund.rowless", "0 per_invocation_results for 2 invocations"),
        ("custom_metrics.refund.liar", "says PASSED, but FAILED for turn 2"),
        ("custom_metrics.refund.mute_liar", "says PASSED, but FAILED for turn 2; why"),
        ("custom_metrics.refund.shrug", "NOT_EVALUATED"),
        ("custom_metrics.refund.scoreless", "no overall score"),
        ("custom_metrics.refund.nan", "overall score is nan"),
        ("custom_metrics.refund.eats", "0 per_invocation_results for 2"),
        ("custom_metrics.refund.two", "raised TypeError"),
        ("custom_metrics.refund.value", "is a int, not a function"),
        ("custom_metrics.refund.godo", "did you mean good?"),
        ("custom_metrics.refunds.good", "has no module refunds"),
        ("custom_metrics.broken.good", "module_that_is_nowhere"),
        ("custom_metrics.quits.good", "SystemExit"),
        ("custom_metrics.syntax.good", "SyntaxError"),
        ("nowhere_metrics.refund.good", "no folder with nowhere_metrics/"),
        ("nowhere", "no dotted path"),
    ],
)
def test_whatever_goes_wrong_is_failed_with_the_reason(path: str, said: str) -> None:
    result = call(path)
    assert (result.overall_eval_status, result.overall_score) == (EvalStatus.FAILED, None)
    assert said in reasons(result)
    assert path in reasons(result)
    assert reasons(result).isprintable()
    assert [r.eval_status for r in result.per_invocation_results] == [EvalStatus.FAILED] * 2


@pytest.mark.usefixtures("rooted")
@pytest.mark.parametrize(
    ("name", "rows"),
    [
        ("whole", [(EvalStatus.PASSED, 1.0)] * 2),
        ("hidden_failure", [(EvalStatus.FAILED, 0.0)] * 2),
        ("partly_hidden_failure", [(EvalStatus.FAILED, 0.0)] * 2),
        ("half_judged", [(EvalStatus.NOT_EVALUATED, None), (EvalStatus.FAILED, 0.5)]),
        ("informational_first", [(EvalStatus.NOT_EVALUATED, None), (EvalStatus.FAILED, 0.0)]),
        ("informational", [(EvalStatus.INFORMATIONAL, 3.0)] * 2),
    ],
)
def test_rows_tell_the_same_story_as_the_overall_answer(name: str, rows: list[Any]) -> None:
    result = call(f"custom_metrics.refund.{name}")
    assert [(r.eval_status, r.score) for r in result.per_invocation_results] == rows


# -- finding the root ------------------------------------------------------------------------------------------------


def test_found_above_the_loaded_agent(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    agent = types.ModuleType("agent")
    agent.__file__ = str(project / "evalsets" / "desk" / "refund_agent" / "__init__.py")
    monkeypatch.setitem(sys.modules, "agent", agent)
    assert call("custom_metrics.refund.good").overall_eval_status == EvalStatus.PASSED


def test_found_above_an_agent_loaded_under_its_package(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    agent = types.ModuleType("refund_agent.agent")
    agent.__file__ = str(project / "refund_agent" / "agent.py")
    agent.root_agent = object()  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "refund_agent.agent", agent)
    assert call("custom_metrics.refund.good").overall_eval_status == EvalStatus.PASSED


@pytest.mark.parametrize("form", ["{}", "{}:case_1,case_2", "--config_file_path={}"])
def test_found_above_a_file_on_the_command_line(project: Path, monkeypatch: pytest.MonkeyPatch, form: str) -> None:
    place = project / "evalsets" / "fixed"
    place.mkdir(parents=True)
    (place / "set.json").write_text("{}")
    monkeypatch.setattr(sys, "argv", ["adk", "eval", "\0bad", form.format(place / "set.json")])
    assert call("custom_metrics.refund.good").overall_eval_status == EvalStatus.PASSED


def test_found_above_the_working_directory(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (project / "deep" / "er").mkdir(parents=True)
    monkeypatch.chdir(project / "deep" / "er")
    assert call("custom_metrics.refund.good").overall_eval_status == EvalStatus.PASSED


def test_found_on_the_import_path(project: Path) -> None:
    sys.path.insert(0, str(project))
    assert call("custom_metrics.refund.good").overall_eval_status == EvalStatus.PASSED


def test_not_found_says_how_to_mend_it(project: Path) -> None:
    assert project.exists()
    result = call("custom_metrics_of_nobody.refund.good")
    assert ROOT_VARIABLE in reasons(result)


def test_a_nearer_folder_without_the_module_does_not_end_the_search(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    near = project / "evalsets" / "desk"
    (near / "custom_metrics").mkdir(parents=True)
    (near / "custom_metrics" / "other.py").write_text("")
    monkeypatch.chdir(near)
    assert call("custom_metrics.refund.good").overall_eval_status == EvalStatus.PASSED


def test_a_nearer_folder_without_any_python_does_not_end_the_search(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    near = project / "evalsets" / "solo_metrics"
    near.mkdir(parents=True)
    (near / "notes.txt").write_text("no module")
    (project / "solo_metrics.py").write_text("def me(): return 'solo'\n")
    monkeypatch.chdir(near.parent)
    assert resolve("solo_metrics.me")() == "solo"


# -- loading ---------------------------------------------------------------------------------------------------------


def make(root: Path, body: str, package: bool = True) -> Path:
    (root / "custom_metrics").mkdir(parents=True)
    if package:
        (root / "custom_metrics" / "__init__.py").write_text("")
    (root / "custom_metrics" / "who.py").write_text(body)
    return root


@pytest.mark.usefixtures("project")
@pytest.mark.parametrize("package", [True, False])
def test_the_roots_package_wins_over_another_of_its_name(tmp_path: Path, package: bool) -> None:
    installed = make(tmp_path / "installed", "def me(): return 'installed'\n")
    sys.path.insert(0, str(installed))
    other = importlib.import_module("custom_metrics.who")
    ours = make(
        tmp_path / "ours",
        "from custom_metrics.helper import name\nfrom .helper import name as again\n"
        "import beside\ndef me(): return name + again + beside.x\n",
        package,
    )
    (ours / "custom_metrics" / "helper.py").write_text("name = 'ours'\n")
    (ours / "beside.py").write_text("x = '!'\n")
    assert resolve("custom_metrics.who.me", ours)() == "oursours!"
    assert resolve("custom_metrics.who.me", ours) is resolve("custom_metrics.who.me", ours)
    assert resolve("custom_metrics.who.me", installed)() == "installed"
    assert sys.modules["custom_metrics.who"] is other
    sys.modules.pop("beside", None)


@pytest.mark.usefixtures("project")
def test_two_roots_keep_apart(tmp_path: Path) -> None:
    roots = [make(tmp_path / name, f"def me(): return {name!r}\n") for name in ("one", "two")]
    assert [resolve("custom_metrics.who.me", root)() for root in (*roots, *roots)] == ["one", "two"] * 2


def test_a_function_of_the_package_itself(project: Path) -> None:
    (project / "custom_metrics" / "__init__.py").write_text("def me(): return 'package'\n")
    assert resolve("custom_metrics.me", project)() == "package"
    first = sys.modules["custom_metrics"]
    assert resolve("custom_metrics.refund.good", project).__module__ == "custom_metrics.refund"
    assert sys.modules["custom_metrics"] is first


def test_what_the_agent_has_imported_from_the_root_is_taken_as_it_is(project: Path) -> None:
    sys.path.insert(0, str(project))
    module = importlib.import_module("custom_metrics.refund")
    assert resolve("custom_metrics.refund.good", project) is module.good


def test_a_single_file_will_do(project: Path) -> None:
    (project / "solo_metrics.py").write_text("def me(): return 'solo'\n")
    assert resolve("solo_metrics.me", project)() == "solo"


def test_resolve_says_what_is_wrong(project: Path) -> None:
    for path, said in (
        ("custom_metrics.gone.x", "there is no custom_metrics/gone.py"),
        ("custom_metrics.refund.nothing", "has no function nothing"),
        ("refund", "no dotted path"),
        ("custom_metrics.re-fund.x", "no dotted path"),
        ("..x", "no dotted path"),
    ):
        with pytest.raises(TeamMetricError, match=said):
            resolve(path, project)
