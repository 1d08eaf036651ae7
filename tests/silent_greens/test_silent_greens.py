"""The list of twenty: plain ADK says success, and we do not, with a reason a person understands."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("google.adk.evaluation.local_eval_service")
pytestmark = pytest.mark.adk

from proof_bench import forget_agent  # noqa: E402
from silent_greens import GREENS, Green  # noqa: E402
from silent_greens_runs import GREEN_VERDICTS, Outcome, page, run_green  # noqa: E402

from adk_split_eval.run.adk import adk_version  # noqa: E402

DOCS = Path(__file__).parents[2] / "docs" / "silent-greens.md"


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Outcome]:
    folder = tmp_path_factory.mktemp("greens")
    forget_agent()
    found = {green.name: run_green(green, folder) for green in GREENS}
    forget_agent()
    return found


def test_all_twenty_are_there() -> None:
    assert {g.number for g in GREENS} == set(range(1, 21))
    assert len({g.name for g in GREENS}) == len(GREENS)


@pytest.mark.parametrize("green", GREENS, ids=lambda g: f"{g.number:02}_{g.name}")
def test_plain_adk_is_green(green: Green, outcomes: dict[str, Outcome]) -> None:
    assert outcomes[green.name].plain.green == (green.adk == "green"), outcomes[green.name].plain


@pytest.mark.parametrize("green", GREENS, ids=lambda g: f"{g.number:02}_{g.name}")
def test_we_are_not_and_say_why(green: Green, outcomes: dict[str, Outcome]) -> None:
    outcome = outcomes[green.name]
    assert outcome.ours not in (*GREEN_VERDICTS, "green")
    assert outcome.ours == green.ours, outcome.reason
    assert green.says in outcome.reason
    assert "Traceback" not in outcome.reason


def test_only_averages_are_left_to_lint(outcomes: dict[str, Outcome]) -> None:
    """Where the verdict is as green as ADK's, because a team may mean it, lint warns (an error under ``--strict``)."""
    assert {o.green.name for o in outcomes.values() if o.ours.startswith("lint")} == {"averaging", "rouge"}


def test_the_page_is_fresh(outcomes: dict[str, Outcome]) -> None:
    text = DOCS.read_text("utf-8")
    if f"google-adk {adk_version()}:" not in text:
        pytest.skip("the page was made on another ADK")
    assert text == page(list(outcomes.values())), "run: python tools/generate_proof_docs.py"
