"""We judge as ADK does where ADK judges: every scene at both places, every difference on the written list."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("google.adk.evaluation.local_eval_service")
pytestmark = pytest.mark.adk

import parity_runs  # noqa: E402
from parity_runs import Comparison, compare, listed, page  # noqa: E402
from parity_scenes import DIFFERENCES, EVALUATOR_DIFFERENCES, REASONS, SCENES, Scene  # noqa: E402
from proof_bench import forget_agent  # noqa: E402

from adk_split_eval.run.adk import adk_version  # noqa: E402

DOCS = Path(__file__).parents[2] / "docs" / "parity.md"


@pytest.fixture(scope="module")
def comparisons(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Comparison]:
    folder = tmp_path_factory.mktemp("parity")
    forget_agent()
    found = {scene.name: compare(scene, folder) for scene in SCENES}
    forget_agent()
    return found


@pytest.mark.parametrize("scene", SCENES, ids=lambda s: s.name)
def test_a_scene_is_judged_alike_or_is_on_the_list(scene: Scene, comparisons: dict[str, Comparison]) -> None:
    unlisted = [p for p in comparisons[scene.name].pairs if not p.same and not listed(p)]
    assert unlisted == []


def test_every_entry_of_the_list_occurs(comparisons: dict[str, Comparison]) -> None:
    differing = [p for c in comparisons.values() for p in c.pairs if not p.same]
    idle = [d for d in DIFFERENCES if not any(d in listed(p) for p in differing)]
    assert idle == []
    assert {d.reason for d in DIFFERENCES} == set(REASONS)


def test_no_difference_is_a_green_of_ours_that_adk_calls_red_without_a_stated_reason(
    comparisons: dict[str, Comparison],
) -> None:
    greener = {
        (p.scene, p.case)
        for c in comparisons.values()
        for p in c.pairs
        if not p.name and p.ours in ("PASS", "OK") and p.adk != "PASSED"
    }
    reasons = {
        d.reason
        for s, c in greener
        for d in DIFFERENCES
        if listed(parity_runs.Pair(s, c, "", "", "", False)) and d.case == c
    }
    assert reasons <= {"parallel", "partial_judge"}


def test_the_other_front_door_differs_only_as_written_down(comparisons: dict[str, Comparison]) -> None:
    found = {
        (name, case)
        for name, comparison in comparisons.items()
        for case, green in comparison.evaluator.items()
        if green != (comparison.adk_cases[case] == "PASSED")
    }
    assert found == EVALUATOR_DIFFERENCES


def test_the_page_is_fresh(comparisons: dict[str, Comparison]) -> None:
    text = DOCS.read_text("utf-8")
    if f"google-adk {adk_version()}:" not in text:
        pytest.skip("the page was made on another ADK")
    assert text == page(list(comparisons.values())), "run: python tools/generate_proof_docs.py"
