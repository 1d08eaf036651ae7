"""Shrinking, updating, trimming, and what a run points out about frozen cases."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

sys.path.insert(0, str(Path(__file__).parent))
import freeze_desk as desk

from adk_split_eval import pool
from adk_split_eval.freeze import check, freeze_candidates
from adk_split_eval.freeze.frozen_file import read_cases
from adk_split_eval.freeze.maintaining import agent_tools, named_tools, trim
from adk_split_eval.freeze.shrinking import minimise
from adk_split_eval.freeze.updating import promote, update
from adk_split_eval.plan import load_plan
from adk_split_eval.pool import frozen_remarks
from adk_split_eval.record import Call, Case, CaseResult, Criterion, CriterionResult, Turn


@pytest.fixture
def plan(tmp_path: Path) -> Path:
    path = desk.make_plan(tmp_path)
    desk.approved(tmp_path)
    return path


def frozen(plan: Path) -> dict[str, Any]:
    return read_cases(plan.parent / "desk.frozen.yaml")[0]


def freeze(plan: Path, **options: Any) -> Any:
    return freeze_candidates(plan, runner=desk.runner(options.pop("agent", desk.broken)), **options)


def test_turns_are_dropped_while_it_stays_red(plan: Path) -> None:
    report = freeze(plan, shrink_budget=60)
    assert [t["user"] for t in frozen(plan)["turns"]] == ["what does the insurance pay"]
    assert "shrunk from 3 to 1 turns with 1 model calls" in report.outcomes[0].notes[0]
    path = next((plan.parent / "probe_pool").glob("*.yaml"))
    candidate = pool.load(path)
    assert len(candidate.transcript) == 3 and candidate.hit.turn == 3
    assert candidate.extra["shrunk"] == {"from_turns": 3, "to_turns": 1, "model_calls": 1}
    assert check(plan.parent, plan.parent / "desk.frozen.yaml") == []


def test_a_turn_that_is_needed_stays(plan: Path) -> None:
    heard: dict[int, list[str]] = {}

    def answer(user: str, trial: int) -> Turn:
        """Forgets the bug when nobody asked for a refund before."""
        heard.setdefault(trial, []).append(user)
        return (desk.broken if desk.RECORDED[0].user in heard[trial] else desk.mended)(user, trial)

    report = freeze(plan, agent=answer, shrink_budget=60)
    assert [t["user"] for t in frozen(plan)["turns"]] == ["refund L1 please", "what does the insurance pay"]
    assert "shrunk from 3 to 2 turns" in report.outcomes[0].notes[0]


def test_the_budget_ends_the_search(plan: Path) -> None:
    report = freeze(plan, agent=desk.broken, shrink_budget=1)
    assert "the budget of 1 ended the search" in report.outcomes[0].notes[0]


@settings(max_examples=100, deadline=None)
@given(
    st.integers(1, 14).flatmap(lambda n: st.tuples(st.just(n), st.sets(st.integers(0, n - 1)), st.integers(0, n - 1)))
)
def test_the_search_finds_exactly_what_is_needed(drawn: tuple[int, set[int], int]) -> None:
    count, wanted, failing = drawn
    wanted = wanted | {failing}
    tries = 0

    def still_red(kept: list[int]) -> bool:
        nonlocal tries
        tries += 1
        assert failing in kept and kept == sorted(kept)
        return wanted <= set(kept)

    kept = minimise(list(range(count)), failing, still_red, lambda: True)
    assert set(kept) == wanted
    assert tries <= 4 * count * count + 4


def polite(user: str, trial: int) -> Turn:
    """The mended agent, which now also greets by a tool in the first turn."""
    turn = desk.mended(user, trial)
    if user == desk.RECORDED[0].user:
        return Turn(user, [Call("greet", {}, {}, 0, answered=True), *turn.tool_calls], response=turn.response)
    return turn


def test_a_change_of_behaviour_needs_a_reason(plan: Path) -> None:
    freeze(plan)
    shown = update(plan, "F-S-02", why=None, by="me", runner=desk.runner(polite))
    assert not shown.done
    assert any(line.startswith("-") and "look" in line for line in shown.diff)
    assert any(line.startswith("+") and "greet" in line for line in shown.diff)
    assert "updates" not in frozen(plan)["provenance"]
    done = update(plan, "F-S-02", why="it greets now", by="me", runner=desk.runner(polite))
    assert done.done and done.diff == shown.diff
    case = frozen(plan)
    assert case["turns"][0]["expect_tools"] == [["greet", {"name": "look", "args": {"id": "L1"}}]]
    assert case["turns"][2]["expect_tools"] == [{"name": "quote", "args": {"id": "L1"}}]
    assert case["provenance"]["updates"][0]["why"] == "it greets now"
    assert check(plan.parent, plan.parent / "desk.frozen.yaml") == []
    again = update(plan, "F-S-02", why="again", by="me", runner=desk.runner(polite))
    assert not again.done and again.diff == []


def test_the_bug_itself_is_no_change_of_behaviour(plan: Path) -> None:
    freeze(plan)
    with pytest.raises(pool.PoolError, match="red for its own reason"):
        update(plan, "F-S-02", why="x", by="me", runner=desk.runner(desk.broken))
    with pytest.raises(pool.PoolError, match="there are: F-S-02"):
        update(plan, "F-9", why="x", by="me", runner=desk.runner(desk.mended))
    with pytest.raises(pool.PoolError, match="could not be judged: the shop is closed"):
        update(plan, "F-S-02", why="x", by="me", runner=desk.runner(desk.crashing))


def test_an_edit_by_hand_is_taken_over_with_a_reason(plan: Path) -> None:
    freeze(plan)
    path = plan.parent / "desk.frozen.yaml"
    path.write_text(path.read_text("utf-8").replace("{name: quote, args: {id: L1}}", "quote"), "utf-8")
    shown = update(plan, "F-S-02", why=None, by="me", runner=desk.runner(desk.crashing))
    assert shown.by_hand and any(line.startswith("+") and "[quote]" in line for line in shown.diff)
    assert update(plan, "F-S-02", why="any order", by="me", runner=desk.runner(desk.mended)).done
    assert check(plan.parent, path) == []


def edited(plan: Path, old: str, new: str) -> None:
    path = plan.parent / "desk.frozen.yaml"
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), "utf-8")


QUOTED = [{"name": "quote", "args": {"id": "L1"}}]
LOOKED = [{"name": "look", "args": {"id": "L1"}}]
USERS = [t.user for t in desk.RECORDED]


def goal_case(last: list[Any], **more: Any) -> dict[str, Any]:
    steps = [LOOKED, [], last]
    turns = [{"user": user, "expect_tools": step} for user, step in zip(USERS, steps, strict=True)]
    turns[-1] |= more
    return {"turns": turns}


def test_a_goal_that_is_still_missed_is_no_change_of_behaviour(tmp_path: Path) -> None:
    """The goal itself governs no fixed case; what stands in for it is red, and that is the bug."""
    plan = desk.make_plan(tmp_path)
    desk.goal_candidate(tmp_path, goal_case(QUOTED))
    assert freeze(plan).outcomes[0].kind == "frozen"
    with pytest.raises(pool.PoolError, match="red for its own reason"):
        update(plan, "F-S-02", why="x", by="me", runner=desk.runner(desk.broken))
    assert frozen(plan)["turns"][2]["expect_tools"] == QUOTED


def test_an_edit_that_takes_the_guard_away_is_refused(plan: Path) -> None:
    freeze(plan)
    for old, new, says in (
        ("    grounded_numbers: true\n", "", "no longer carries it"),
        ("grounded_numbers: true", "grounded_numbers: {ignore: ['[0-9]+']}", "passes this case"),
        ("response: {excludes", "expect_response: 'Sure, it pays 25 yuan!'\n        response: {excludes", "guard the bug"),
        ("response: {excludes", "response: {contains: [25 yuan], excludes", "part of it"),
    ):  # fmt: skip
        before = (plan.parent / "desk.frozen.yaml").read_text("utf-8")
        edited(plan, old, new)
        with pytest.raises(pool.PoolError, match=says):
            update(plan, "F-S-02", why="tidied", by="me", runner=desk.runner(desk.broken))
        assert check(plan.parent, plan.parent / "desk.frozen.yaml")[0].code == "ASE965"
        (plan.parent / "desk.frozen.yaml").write_text(before, "utf-8")


def test_an_edit_is_not_taken_over_while_the_bug_is_there(tmp_path: Path) -> None:
    plan = desk.make_plan(tmp_path)
    desk.goal_candidate(tmp_path, goal_case(QUOTED))
    freeze(plan)
    edited(plan, "[{name: quote, args: {id: L1}}]", "[look]")
    with pytest.raises(pool.PoolError, match="red for its own reason"):
        update(plan, "F-S-02", why="x", by="me", runner=desk.runner(desk.broken))


def test_trials_that_disagree_are_no_reference(plan: Path) -> None:
    freeze(plan)

    def unsteady(user: str, trial: int) -> Turn:
        return (polite if trial % 2 else desk.mended)(user, trial)

    with pytest.raises(pool.PoolError, match="trials disagree"):
        update(plan, "F-S-02", why="x", by="me", runner=desk.runner(unsteady))
    with pytest.raises(pool.PoolError, match="red for its own reason"):
        update(plan, "F-S-02", why="x", by="me", runner=desk.runner(desk.flaky))


def test_a_case_that_does_not_say_what_it_guards_is_not_updated(plan: Path) -> None:
    freeze(plan)
    edited(plan, "criterion: grounded_numbers_v1", "criterion: response_text_v1")
    assert check(plan.parent, plan.parent / "desk.frozen.yaml")[0].code == "ASE965"
    with pytest.raises(pool.PoolError, match="provenance is gone or was edited"):
        update(plan, "F-S-02", why="x", by="me", runner=desk.runner(desk.mended))


def test_a_time_of_grace_is_given_with_a_reason(plan: Path) -> None:
    freeze(plan)
    edited(plan, "    provenance:", '    pending: {owner: me, until: "2099-01-01"}\n    provenance:')
    assert [f.code for f in check(plan.parent, plan.parent / "desk.frozen.yaml")] == ["ASE965"]
    assert (
        update(plan, "F-S-02", why=None, by="me", runner=desk.runner(desk.crashing)).diff[-1]
        == "+grace: me until 2099-01-01"
    )
    assert update(plan, "F-S-02", why="next sprint", by="me", runner=desk.runner(desk.crashing)).done
    assert check(plan.parent, plan.parent / "desk.frozen.yaml") == []


def test_a_turn_that_a_rule_waits_for_is_not_dropped(plan: Path) -> None:
    """Without the look the mended agent could never be green: quote is forbidden until it."""
    path = next((plan.parent / "probe_pool").glob("*.yaml"))
    path.write_text(
        path.read_text("utf-8").replace("forbidden_tools: [pay]", "forbidden_tools: [{name: quote, until: look}]"),
        "utf-8",
    )
    freeze(plan, shrink_budget=60)
    assert [t["user"] for t in frozen(plan)["turns"]] == [USERS[0], USERS[2]]


def test_a_shrunk_draft_is_kept_only_when_it_is_frozen(plan: Path) -> None:
    path = next((plan.parent / "probe_pool").glob("*.yaml"))
    before = path.read_bytes()
    trials: list[str] = []

    def answer(user: str, trial: int) -> Turn:
        """Red while it is shrunk, then the bug is gone."""
        trials.append(user)
        return (desk.broken if len(trials) < 2 else desk.mended)(user, trial)

    report = freeze(plan, agent=answer, shrink_budget=60)
    assert report.outcomes[0].kind == "refused" and path.read_bytes() == before


def test_promotion_ends_the_time_of_grace(plan: Path) -> None:
    freeze(plan, pending=("me", "2099-01-01"))
    with pytest.raises(pool.PoolError, match="red for its own reason"):
        promote(plan, "F-S-02", runner=desk.runner(desk.broken))
    with pytest.raises(pool.PoolError, match="not green yet"):
        promote(plan, "F-S-02", runner=desk.runner(desk.otherwise))
    promote(plan, "F-S-02", runner=desk.runner(desk.mended))
    assert "pending" not in frozen(plan)
    assert check(plan.parent, plan.parent / "desk.frozen.yaml") == []
    with pytest.raises(pool.PoolError, match="not pending"):
        promote(plan, "F-S-02")


def test_cases_whose_tools_or_persona_are_gone_are_listed(plan: Path) -> None:
    freeze(plan)
    assert named_tools(frozen(plan)) == {"look", "quote"}
    assert trim(plan, lambda _: {"look", "quote"}) == []
    assert trim(plan, lambda _: None) == []
    assert [c.why for c in trim(plan, lambda _: {"look"})] == [["the agent has no tool quote"]]
    path = plan.parent / "desk.frozen.yaml"
    path.write_text(path.read_text("utf-8").replace("kind: deterministic", "persona: gone_one"), "utf-8")
    assert [c.why for c in trim(plan, lambda _: {"look", "quote"})] == [["there is no persona gone_one"]]


@pytest.mark.adk
def test_the_tools_of_an_agent_and_its_sub_agents(plan: Path) -> None:
    pytest.importorskip("google.adk")
    folder = plan.parent / "desk_agent"
    folder.mkdir()
    (folder / "__init__.py").write_text("from . import agent\n", "utf-8")
    (folder / "agent.py").write_text(
        "from google.adk.agents import LlmAgent\n"
        "from google.adk.tools import FunctionTool\n"
        "def look():\n"
        "    pass\n"
        "def pay():\n"
        "    pass\n"
        "till = LlmAgent(name='till', model='m', tools=[FunctionTool(pay)])\n"
        "root_agent = LlmAgent(name='desk', model='m', tools=[look], sub_agents=[till])\n",
        "utf-8",
    )
    saved = {n: m for n, m in sys.modules.items() if n == "agent" or n.startswith("agent.")}
    for name in saved:
        del sys.modules[name]
    try:
        assert agent_tools(load_plan(plan)) == {"look", "pay"}
    finally:
        for name in [n for n in sys.modules if n == "agent" or n.startswith("agent.")]:
            del sys.modules[name]
        sys.modules.update(saved)


KNOWN = {
    "fingerprint": "f",
    "criterion": "grounded_numbers_v1",
    "kind": "deterministic",
    "reason": "turn 3: 25 yuan without a source",
}


@pytest.mark.parametrize(
    ("verdict", "failed", "known", "said"),
    [
        ("FAIL", [("grounded_numbers_v1", "turn 2: 31 yuan without a source")], KNOWN, None),
        ("FAIL", [("grounded_numbers_v1", "turn 3: 25 dollars contradict the tool")], KNOWN, "red for another reason"),
        (
            "FAIL",
            [("tool_args_v1", "turn 1: look missing")],
            KNOWN,
            "it guards grounded_numbers_v1, red is tool_args_v1",
        ),
        ("FAIL", [], KNOWN, None),
        ("PASS", [], KNOWN | {"red": "3/3"}, None),
        ("PASS", [], KNOWN | {"red": "0/3"}, "never been seen red"),
        ("ERROR", [], KNOWN, None),
        ("FAIL", [("tool_args_v1", "x")], {}, None),
        ("FAIL", [("tool_args_v1", "x")], KNOWN | {"criterion": "goal_reached_v1"}, None),
    ],
)
def test_what_a_run_points_out(
    verdict: Any, failed: list[tuple[str, str]], known: dict[str, Any], said: str | None
) -> None:
    criteria = [CriterionResult(name, "deterministic", "failed", 0.0, 1.0, None, [reason]) for name, reason in failed]
    case = Case(
        "fixed", "F-1", {}, [Criterion("grounded_numbers_v1", "deterministic", "ours")], provenance=known or None
    )
    remarks = frozen_remarks(case, CaseResult("fixed", "F-1", verdict, criteria=criteria))
    assert len(remarks) == (said is not None)
    assert said is None or said in remarks[0]


def test_never_red_since_the_freeze() -> None:
    case = Case("fixed", "F-1", {}, provenance=KNOWN | {"red": "3/3", "frozen_at": "2026-11-30"})
    result = CaseResult("fixed", "F-1", "PASS")
    assert frozen_remarks(case, result, red_since=False) == ["never red since it was frozen (2026-11-30)"]
    assert frozen_remarks(case, result, red_since=True) == []
