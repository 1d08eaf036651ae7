"""Red first, for the same reason; written so that nothing is lost or written twice."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))
import freeze_desk as desk

from adk_split_eval import pool
from adk_split_eval.freeze import check, freeze_candidates
from adk_split_eval.freeze.frozen_file import read_cases
from adk_split_eval.plan import PlanError, load_plan
from adk_split_eval.record import Turn


@pytest.fixture
def plan(tmp_path: Path) -> Path:
    return desk.make_plan(tmp_path)


def freeze(plan: Path, agent: desk.Answer = desk.broken, *ids: str, **options: Any) -> Any:
    return freeze_candidates(plan, ids, runner=desk.runner(agent), **options)


def frozen_cases(plan: Path) -> list[dict[str, Any]]:
    return read_cases(plan.parent / "desk.frozen.yaml")


def refusal(plan: Path, agent: desk.Answer = desk.broken, *ids: str, **options: Any) -> str:
    report = freeze(plan, agent, *ids, **options)
    assert report.exit_code == 1
    assert not frozen_cases(plan)
    return str(report.outcomes[0].errors)


def test_a_red_case_is_frozen_with_provenance_and_the_sets_are_rebuilt(plan: Path) -> None:
    path = desk.approved(plan.parent)
    report = freeze(plan)
    assert [(o.kind, o.case_id, o.red) for o in report.outcomes] == [("frozen", "F-S-02", "3/3")]
    case = frozen_cases(plan)[0]
    assert [t["user"] for t in case["turns"]] == [t.user for t in desk.RECORDED]
    assert case["turns"][2]["expect_tools"] == [{"name": "quote", "args": {"id": "L1"}}]
    assert case["turns"][2]["response"] == {"excludes": ["It pays 25 yuan."]}
    assert case["grounded_numbers"] is True and case["forbidden_tools"] == ["pay"]
    assert case["session_input"] == {"state": {"tier": "gold"}}
    known = case["provenance"]
    assert (known["candidate"], known["criterion"], known["red"]) == (path.name, "grounded_numbers_v1", "3/3")
    assert known["fingerprint"] == pool.load(path).fingerprint
    assert pool.load(path).status == "frozen"
    assert "fixed/desk_fixed.evalset.json" in report.written
    loaded = load_plan(plan)
    assert loaded.plan.fixed_set is not None and not loaded.findings
    assert [c.case_id for c in loaded.plan.fixed_set.cases] == ["F-01", "F-S-02"]


def test_freezing_twice_changes_nothing(plan: Path) -> None:
    path = desk.approved(plan.parent)
    freeze(plan)
    before = {p: p.read_bytes() for p in plan.parent.rglob("*") if p.is_file()}
    assert freeze(plan).outcomes == []
    assert [o.kind for o in freeze(plan, desk.broken, path.stem).outcomes] == ["skipped"]
    assert {p: p.read_bytes() for p in plan.parent.rglob("*") if p.is_file()} == before


def test_a_copy_with_another_draft_is_not_marked_frozen(plan: Path) -> None:
    path = desk.approved(plan.parent)
    freeze(plan)
    copy = path.with_name("S-02-copy.yaml")
    text = (
        path.read_text("utf-8")
        .replace("status: frozen", "status: approved")
        .replace("[{name: quote", "[look, {name: quote")
    )
    copy.write_text(text.replace(f"candidate: {path.stem}", "candidate: S-02-copy"), "utf-8")
    outcome = freeze(plan).outcomes[0]
    assert outcome.kind == "refused" and "guards this fault already" in str(outcome.errors)
    assert pool.load(copy).status == "approved"


def test_what_a_killed_freeze_left_behind_is_swept(plan: Path) -> None:
    desk.approved(plan.parent)
    leftovers = [plan.parent / ".desk.frozen.yaml.x1.tmp", plan.parent / "probe_pool" / ".S-02-1.yaml.x2.tmp"]
    for leftover in leftovers:
        leftover.write_text("half", "utf-8")
    freeze(plan)
    assert not any(leftover.exists() for leftover in leftovers)


def test_a_hole_blocks(plan: Path) -> None:
    desk.approved(plan.parent, fill="TODO")
    said = refusal(plan)
    assert "ASE956" in said and "turns[2].expect_tools" in said
    line = int(said.split(".yaml:")[1].split(":")[0])
    text = next((plan.parent / "probe_pool").glob("*.yaml")).read_text("utf-8").splitlines()
    assert "expect_tools: TODO" in text[line - 1]


def test_what_is_not_approved_is_not_frozen(plan: Path) -> None:
    path = pool.store(desk.hit_candidate(), plan.parent)
    assert freeze(plan).outcomes == []
    assert "not approved" in refusal(plan, desk.broken, path.stem)


def test_green_is_refused_unless_already_fixed(plan: Path) -> None:
    desk.approved(plan.parent)
    assert "green: the bug is gone already, or the case misses it" in refusal(plan, desk.mended)
    assert "not fixed" in refusal(plan, desk.broken, already_fixed=True)
    report = freeze(plan, desk.mended, already_fixed=True)
    assert report.outcomes[0].red == "0/3"


def test_red_for_another_reason_is_refused(plan: Path) -> None:
    desk.approved(plan.parent)
    said = refusal(plan, desk.otherwise)
    assert "not for its own reason (grounded_numbers_v1)" in said and "other" in said


def test_a_flaky_reproduction_is_reported_and_needs_a_word(plan: Path) -> None:
    desk.approved(plan.parent)
    assert "red in 1/3 trials only" in refusal(plan, desk.flaky)
    report = freeze(plan, desk.flaky, allow_flaky=True, trials=4)
    assert report.outcomes[0].red == "2/4"
    assert "flaky reproduction: red in 2/4 trials" in report.outcomes[0].notes


def test_what_cannot_be_judged_is_refused_with_its_cause(plan: Path) -> None:
    desk.approved(plan.parent)
    assert "could not be judged in 3 of 3 trials: the shop is closed" in refusal(plan, desk.crashing)


def test_pending_goes_along(plan: Path) -> None:
    desk.approved(plan.parent)
    freeze(plan, pending=("shop-team", "2099-01-31"))
    assert frozen_cases(plan)[0]["pending"] == {"owner": "shop-team", "until": "2099-01-31"}
    assert check(plan.parent, plan.parent / "desk.frozen.yaml") == []


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (("response: {excludes", "expect_response: Sure. It pays 25 yuan.\n      response: {excludes"), "expect_response is the answer"),
        (("response: {excludes", "expect_response: It pays 25 yuan.\n      response: {excludes"), "expect_response is the answer"),
        (("response: {excludes", "expect_response: SURE,  it pays 25 yuan\n      response: {excludes"), "expect_response is the answer"),
        (("excludes", "contains"), "the very sentence that failed"),
        (("response: {excludes", "response: {contains: [25 yuan], excludes"), "or for part of it"),
        (("response: {excludes", "response: {contains: ['25'], excludes"), "or for part of it"),
        (("response: {excludes", "response: {matches: 'pays \\d+', excludes"), "response.matches is met"),
        (("\n  grounded_numbers: true", ""), "no longer carries it"),
        (("grounded_numbers: true", "grounded_numbers: {ignore: ['[0-9]+']}"), "passes this case"),
    ],
)  # fmt: skip
def test_a_naive_copy_of_the_failure_is_refused(plan: Path, change: tuple[str, str], says: str) -> None:
    path = desk.approved(plan.parent, fill="[]")
    head, _, draft = path.read_text("utf-8").partition("\ndraft:")
    assert change[0] in draft
    path.write_text(f"{head}\ndraft:{draft.replace(*change)}", "utf-8")
    said = refusal(plan)
    assert "ASE957" in said and says in said


def change_draft(path: Path, *changes: tuple[str, str]) -> None:
    head, _, draft = path.read_text("utf-8").partition("\ndraft:")
    for old, new in changes:
        assert old in draft
        draft = draft.replace(old, new)
    path.write_text(f"{head}\ndraft:{draft}", "utf-8")


def test_a_user_turn_changed_by_a_letter_switches_no_check_off(plan: Path) -> None:
    words = ("what does the insurance pay", "what does the insurance pay?")
    change_draft(desk.approved(plan.parent), words, ("response: {excludes", "response: {contains"))
    assert "the very sentence that failed" in refusal(plan)


def test_two_turns_with_the_same_words_are_told_apart(plan: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first asks and is answered well; the second shows the fault."""
    again = Turn(desk.RECORDED[2].user, response="It pays nothing.")
    monkeypatch.setattr(desk, "RECORDED", [desk.RECORDED[0], again, desk.RECORDED[1], desk.RECORDED[2]])
    path = desk.approved(plan.parent)
    change_draft(path, ("response: {excludes", "expect_response: Sure! It pays 25 yuan.\n      response: {excludes"))
    assert "turn 4: expect_response is the answer" in refusal(plan)


def test_a_draft_without_the_failing_turn_is_refused(plan: Path) -> None:
    path = desk.approved(plan.parent)
    head, _, draft = path.read_text("utf-8").partition("\n    - user: what does the insurance pay")
    tail = draft[draft.index("\n  forbidden_tools") :] if "\n  forbidden_tools" in draft else ""
    path.write_text(head + tail, "utf-8")
    assert "turn 3 of the recording, which shows the failure, is not in the draft" in refusal(
        plan, desk.mended, already_fixed=True
    )


def test_a_criterion_cannot_be_talked_out_of_the_candidate(plan: Path) -> None:
    path = desk.approved(plan.parent)
    text = path.read_text("utf-8")
    path.write_text(text.replace("    grounded_numbers: true\n", "").replace("\n  grounded_numbers: true", ""), "utf-8")
    said = refusal(plan, desk.mended, already_fixed=True)
    assert "ASE957" in said and "no longer carries it" in said


@pytest.mark.parametrize("more", [{}, {"expect_response": "Sure. It pays 25 yuan."}])
def test_a_goal_that_was_missed_needs_something_else_than_what_happened(plan: Path, more: dict[str, Any]) -> None:
    calls = [[{"name": "look", "args": {"id": "L1"}}], [], []]
    turns = [{"user": t.user, "expect_tools": c} for t, c in zip(desk.RECORDED, calls, strict=True)]
    turns[-1] |= more
    desk.goal_candidate(plan.parent, {"turns": turns})
    said = refusal(plan, desk.broken, already_fixed=True)
    assert "the conversation that failed (goal_reached_v1) passes this case" in said


def test_a_call_that_no_agent_can_make_is_refused(plan: Path) -> None:
    path = desk.approved(plan.parent, fill="[nosuch_tool]")
    assert "the agent has no such tool" in refusal(plan, tools_of=lambda _: {"look", "quote"})
    text = path.read_text("utf-8").replace("[nosuch_tool]", "[{name: quote, args: {id: TODO}}]")
    path.write_text(text, "utf-8")
    assert "an expected argument is still TODO" in refusal(plan)


def test_a_naive_copy_of_forbidden_calls_is_refused(plan: Path) -> None:
    path = desk.approved(plan.parent, fill="[]")
    text = path.read_text("utf-8").replace("criterion: grounded_numbers_v1", "criterion: forbidden_tools_v1")
    path.write_text(text, "utf-8")
    assert "expect_tools are the calls of the turn that failed" in refusal(plan)


def test_an_invalid_draft_is_refused_with_its_place(plan: Path) -> None:
    path = desk.approved(plan.parent, fill="[{nam: quote}]")
    said = refusal(plan)
    assert "ASE958" in said and f"{path}:" in said and "turns.2.expect_tools" in said


def test_the_second_fault_of_a_case_gets_a_number(plan: Path) -> None:
    desk.approved(plan.parent)
    freeze(plan)
    path = desk.approved(plan.parent)
    assert pool.load(path).status == "frozen"
    other = pool.load(path)
    text = path.read_text("utf-8").replace("status: frozen", "status: approved").replace(other.fingerprint, "0" * 32)
    path.with_name("S-02-00000000.yaml").write_text(text.replace(other.id, "S-02-00000000"), "utf-8")
    assert [o.case_id for o in freeze(plan).outcomes] == ["F-S-02-2"]
    assert [c["case_id"] for c in frozen_cases(plan)] == ["F-S-02", "F-S-02-2"]


def test_comments_in_the_frozen_file_survive(plan: Path) -> None:
    (plan.parent / "desk.frozen.yaml").write_text(
        "# ours\nplan_id: desk\ncases:\n- case_id: F-9   # by hand\n  turns: [{user: x, expect_tools: []}]\n", "utf-8"
    )
    desk.approved(plan.parent)
    freeze(plan)
    text = (plan.parent / "desk.frozen.yaml").read_text("utf-8")
    assert text.startswith("# ours\n") and "# by hand" in text
    assert [c["case_id"] for c in frozen_cases(plan)] == ["F-9", "F-S-02"]


def test_replayed_tools_are_pinned_from_the_recording(plan: Path) -> None:
    path = desk.approved(plan.parent)
    said = refusal(plan, replay_tools=True)
    assert "turn 3 expects quote, and the recording has no (further) result" in said
    head, _, draft = path.read_text("utf-8").partition("\ndraft:")
    quote = {"name": "quote", "args": {"id": "L1"}, "response": {"pays": 9}}
    draft = draft.replace(
        "      response: {excludes", f"      tool_results: [{json.dumps(quote)}]\n      response: {{excludes"
    )
    path.write_text(f"{head}\ndraft:{draft}", "utf-8")
    report = freeze(plan, replay_tools=True)
    case = frozen_cases(plan)[0]
    assert case["replay_tools"] is True
    look = {"name": "look", "args": {"id": "L1"}, "response": {"id": "L1", "amount": 12}}
    assert [t["tool_results"] for t in case["turns"]] == [[look], [], [quote]]
    assert any("only our runner" in note for note in report.outcomes[0].notes)


def test_a_changed_user_turn_is_said(plan: Path) -> None:
    path = desk.approved(plan.parent)
    head, _, draft = path.read_text("utf-8").partition("\ndraft:")
    path.write_text(f"{head}\ndraft:{draft.replace('never mind', 'forget it')}", "utf-8")
    report = freeze(plan)
    assert "changed by hand" in report.outcomes[0].notes[0]
    assert frozen_cases(plan)[0]["provenance"]["turns_edited"] is True


def test_a_prefix_cuts_the_turns_after_the_failure(plan: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(desk, "RECORDED", [*desk.RECORDED, Turn("thanks", response="Bye.")])
    path = desk.approved(plan.parent)
    before = path.read_bytes()
    assert "could not be judged" in refusal(plan, desk.crashing, prefix=True)
    assert path.read_bytes() == before
    freeze(plan, prefix=True)
    draft = pool.load(path).draft
    assert draft is not None and len(draft["turns"]) == 3


def test_an_open_candidate_is_not_touched(plan: Path) -> None:
    path = pool.store(desk.hit_candidate(), plan.parent)
    path.write_text(path.read_text("utf-8").replace("expect_tools: TODO", "expect_tools: [quote]"), "utf-8")
    before = path.read_bytes()
    assert "not approved" in refusal(plan, desk.broken, path.stem, prefix=True)
    assert path.read_bytes() == before


def test_a_plan_that_cannot_be_built_is_no_fault_of_the_candidate(plan: Path) -> None:
    desk.approved(plan.parent)
    text = plan.read_text("utf-8").replace(
        "grounded_numbers_v1: 1.0}", "grounded_numbers_v1: 1.0, forbidden_tools_v1: 1.0}"
    )
    plan.write_text(text, "utf-8")
    with pytest.raises(PlanError, match="forbidden_tools_v1 is declared"):
        freeze(plan)


KILLED = """
import os, signal, sys
from pathlib import Path
sys.path.insert(0, sys.argv[2])
import freeze_desk as desk
from adk_split_eval.freeze import freeze_candidates
count = int(sys.argv[3])
for name in ("fsync", "replace"):
    original = getattr(os, name)
    def dying(*args, original=original, **more):
        global count
        count -= 1
        if count < 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return original(*args, **more)
    setattr(os, name, dying)
freeze_candidates(Path(sys.argv[1]), runner=desk.runner(desk.broken))
"""


@pytest.mark.parametrize("writes", [0, 1, 2, 3, 4, 5, 8, 11, 12])
def test_killed_at_any_write_the_next_freeze_completes(plan: Path, writes: int) -> None:
    """Frozen file, candidate, two sets and their configs: two steps each, killed before one of them, or not at all."""
    path = desk.approved(plan.parent)
    command = [sys.executable, "-c", KILLED, str(plan), str(Path(__file__).parent), str(writes)]
    done = subprocess.run(command, env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}, check=False)
    assert done.returncode == (-signal.SIGKILL if writes < 12 else 0)
    findings = check(plan.parent, plan.parent / "desk.frozen.yaml")
    assert all(f.code == "ASE963" for f in findings)
    freeze(plan)
    assert [c["case_id"] for c in frozen_cases(plan)] == ["F-S-02"]
    assert pool.load(path).status == "frozen"
    assert check(plan.parent, plan.parent / "desk.frozen.yaml") == []
    from adk_split_eval.build import compile_plan, write_sets

    assert write_sets(compile_plan(load_plan(plan)), check=True).ok
