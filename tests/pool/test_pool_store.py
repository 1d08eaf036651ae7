"""Candidates on disk: one file a fault, counted, reviewed by command or by hand, never half written."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path
from typing import Any

import pytest

from adk_split_eval import pool
from adk_split_eval.pool import personal
from adk_split_eval.pool.collect import build_hit
from adk_split_eval.pool.review import decide, redraft
from adk_split_eval.record import Call, Case, CaseResult, Conversation, Criterion, CriterionResult, RunResult, Turn

REASON = 'turn 3: "运费险也替你申请了，赔49.5元，三天内到账。" states 49.5, which has no source'


def conversation(**more: Any) -> Conversation:
    turns = [
        Turn("等等，先不退", response="好的，先不动。"),
        Turn("算了，还是退", [Call("order_lookup", {}, {"orders": ["L8823"]}, 0, answered=True)], response="128.0元的退款已提交。"),
        Turn("那运费险能赔吗，赔多少", response="运费险也替你申请了，赔49.5元，三天内到账。"),
    ]  # fmt: skip
    return Conversation(
        turns, **{"stop_reason": "stop_signal", "state_before": {"user:mail": "a.b@shop.example"}, **more}
    )


def candidate(
    case_id: str = "S-02", run_id: str = "r1", at: str = "2026-11-30T00:00:00Z", reason: str = REASON, **more: Any
) -> pool.Candidate:
    suspect = more.pop("suspect", False)
    params = {"enabled": True, "sources": ["tools", "user"], "ignore": []}
    criteria = [
        Criterion("forbidden_tools_v1", "deterministic", "ours", params={"forbidden": [{"name": "payment_charge"}]}),
        Criterion("grounded_numbers_v1", "deterministic", "ours", params=params),
    ]
    scenario = {"starting_prompt": "x", "conversation_plan": "y", "user_persona": {"id": "changes_mind"}}
    case = Case("simulated", case_id, {"eval_id": case_id, "conversation_scenario": scenario}, criteria)
    failed = CriterionResult("grounded_numbers_v1", "deterministic", "failed", 0.0, 1.0, None, [reason])
    passed = CriterionResult("forbidden_tools_v1", "deterministic", "passed", 1.0, 1.0)
    result = CaseResult("simulated", case_id, "HIT", criteria=[passed, failed], simulator_suspect=suspect)
    run = RunResult(run_id, "refund_desk", at, "2.13.0", "0.1.0")
    context = {"run_id": run_id, "started_at": at, "simulator_model": "scripted/user", "agent_commit": "abc123"}
    made = pool.candidates_from(run, case, result, conversation(**more), plan_dir=Path(), context=context)
    assert made is not None
    return made


def test_a_hit_becomes_a_file_that_reads_back(tmp_path: Path) -> None:
    path = pool.store(candidate(), tmp_path)
    assert path.parent == tmp_path / "probe_pool"
    assert path.name.startswith("S-02-") and len(path.stem) == len("S-02-") + 8
    read = pool.load(path)
    assert read.draft is not None
    assert [t["user"] for t in read.draft["turns"]] == ["等等，先不退", "算了，还是退", "那运费险能赔吗，赔多少"]
    assert read.draft["grounded_numbers"] is True and read.draft["forbidden_tools"] == ["payment_charge"]
    assert read.hit.turn == 3 and read.hit.sentence == "运费险也替你申请了，赔49.5元，三天内到账。"
    assert read.provenance["persona"] == "changes_mind" and read.provenance["agent_commit"] == "abc123"
    assert read.to_json() == candidate().to_json() | {"candidate": read.id}
    assert "49.5元" in path.read_text("utf-8")


def test_the_file_is_as_expected(tmp_path: Path) -> None:
    golden = Path(__file__).parent / "candidate.expected.yaml"
    written = pool.store(candidate(), tmp_path).read_text("utf-8")
    if os.environ.get("ADK_SPLIT_EVAL_UPDATE_GOLDEN"):
        golden.write_text(written, "utf-8")
    assert written == golden.read_text("utf-8")


def test_only_a_hit_becomes_a_candidate() -> None:
    result = CaseResult("simulated", "S-1", "OK")
    run = RunResult("r", "p", "", "", "")
    made = pool.candidates_from(run, Case("simulated", "S-1", {}), result, Conversation(), plan_dir=Path(), context={})
    assert made is None


def test_the_same_fault_is_counted_and_edits_by_hand_survive(tmp_path: Path) -> None:
    path = pool.store(candidate(), tmp_path)
    edited = path.read_text("utf-8").replace("expect_tools: TODO", "expect_tools: [insurance_quote]   # asked the shop")
    edited = edited.replace("provenance:\n", "# a remark\nprovenance:\n")
    path.write_text(edited, "utf-8")
    other = REASON.replace("49.5", "51").replace("三天", "两天")
    assert pool.store(candidate(run_id="r2", at="2026-12-01T00:00:00Z", reason=other), tmp_path) == path
    assert pool.store(candidate(run_id="r2", at="2026-12-01T00:00:00Z"), tmp_path) == path
    seen = pool.load(path).seen
    assert (seen.count, seen.first, seen.last) == (2, "2026-11-30T00:00:00Z", "2026-12-01T00:00:00Z")
    assert seen.runs == ["r1", "r2"]
    text = path.read_text("utf-8")
    assert "# asked the shop" in text and "# a remark\nprovenance:" in text
    assert len(list(path.parent.iterdir())) == 1


def test_a_rejected_fault_stays_known(tmp_path: Path) -> None:
    path = pool.store(candidate(), tmp_path)
    decide(tmp_path, path.stem, "rejected", by="reviewer", why="the shop does pay that", at="2026-12-01T00:00:00Z")
    pool.store(candidate(run_id="r2"), tmp_path)
    read = pool.load(path)
    assert read.status == "rejected" and read.seen.count == 2
    assert (read.review.by, read.review.at, read.review.why) == (
        "reviewer",
        "2026-12-01T00:00:00Z",
        "the shop does pay that",
    )


def test_a_renamed_file_is_found_and_a_collision_of_short_names_is_not_mixed_up(tmp_path: Path) -> None:
    path = pool.store(candidate(), tmp_path)
    renamed = path.rename(path.with_name("x-" + path.name))
    assert pool.store(candidate(run_id="r2"), tmp_path) == renamed
    text = renamed.read_text("utf-8")
    mark = candidate().fingerprint
    path.write_text(text.replace(mark, mark[:8] + "0" * 24), "utf-8")
    renamed.unlink()
    assert pool.store(candidate(run_id="r3"), tmp_path).stem == f"S-02-{mark[:12]}"


def test_near_duplicates_in_other_cases_are_linked(tmp_path: Path) -> None:
    first = pool.store(candidate(), tmp_path)
    second = pool.store(candidate("S-05"), tmp_path)
    assert pool.load(second).near_duplicates == [first.stem]


def test_a_suspect_simulator_gives_a_candidate_without_a_draft_and_a_later_clean_one_brings_it(tmp_path: Path) -> None:
    path = pool.store(candidate(suspect=True), tmp_path)
    read = pool.load(path)
    assert read.draft is None and "simulator is suspect" in str(read.no_draft_because)
    with pytest.raises(pool.PoolError, match="no draft to approve"):
        decide(tmp_path, path.stem, "approved", by="r", why="")
    pool.store(candidate(run_id="r2"), tmp_path)
    read = pool.load(path)
    assert read.draft is not None and read.seen.count == 2


@pytest.mark.parametrize(
    "case_id", ["../../etc/passwd", "a/b", "CON", "..", ".x", "a\nb", "S 1", "ＳＳ", "x" * 200, "\ud800", ""]
)
def test_a_hostile_case_id_never_chooses_a_path(tmp_path: Path, case_id: str) -> None:
    path = pool.store(candidate(case_id), tmp_path)
    assert path.resolve().parent == (tmp_path / "probe_pool").resolve()
    assert path.name.startswith("case-")
    assert pool.load(path).case_id == case_id


def test_find_by_beginning_and_by_fingerprint(tmp_path: Path) -> None:
    first, second = (pool.store(candidate(c), tmp_path) for c in ("S-02", "S-03"))
    for name in (first.stem, first.name, str(first), "S-02", first.stem[-8:]):
        assert pool.find(tmp_path, name).path == first
    assert pool.find(tmp_path, "S-03").path == second
    for name, says in (("S-0", "several"), ("nope", "no candidate")):
        with pytest.raises(pool.PoolError, match=says):
            pool.find(tmp_path, name)


def test_redaction_is_offered_for_state_keys(tmp_path: Path) -> None:
    path = pool.store(candidate(), tmp_path)
    assert pool.load(path).personal_data == ["state key user:mail: e-mail"]
    decide(tmp_path, path.stem, "approved", by="r", why="ok", redact=True)
    read = pool.load(path)
    assert read.start_state == {"user:mail": "<e-mail>"}
    assert read.draft is not None and read.draft["session_input"]["state"] == {"user:mail": "<e-mail>"}


def test_redaction_reaches_every_state_and_the_user_and_says_what_stays(tmp_path: Path) -> None:
    made = candidate(state_after={"user:mail": "a.b@shop.example", "x@y.example": {"c@d.example": float("nan")}})
    made.provenance["session_user"] = "me@home.example"
    assert made.draft is not None
    made.draft["session_input"]["user_id"] = "me@home.example"
    calls = made.transcript[1]["tool_calls"]
    calls[0] |= {"state": {"mails": ["e@f.example"]}, "response": {"to": "g@h.example"}}
    path = pool.store(made, tmp_path)
    decide(tmp_path, path.stem, "approved", by="r", why="ok", redact=True)
    text = path.read_text("utf-8")
    assert [m for m in ("a.b@", "x@y", "c@d", "me@home", "e@f") if m in text] == []
    read = pool.load(path)
    assert read.status == "approved"
    assert "turn 2, response of order_lookup: e-mail" in read.personal_data and "g@h.example" in text
    assert read.draft is not None and read.draft["session_input"]["user_id"] == "<e-mail>"


def test_an_end_state_that_json_cannot_carry_is_reviewed_all_the_same(tmp_path: Path) -> None:
    path = pool.store(candidate(state_before={"x": float("nan")}), tmp_path)
    assert decide(tmp_path, path.stem, "approved", by="r", why="ok").status == "approved"


def test_what_was_decided_already_is_said_in_a_sentence(tmp_path: Path) -> None:
    path = pool.store(candidate(), tmp_path)
    assert pool.decided(path) is None
    decide(tmp_path, path.stem, "rejected", by="first", why="the simulator")
    assert pool.decided(path) == f"{path.stem}: known, rejected by first: the simulator"
    text = path.read_text("utf-8").replace("status: rejected", "status: frozen")
    path.write_text(text + "frozen: {case_id: F-S-02}\n", "utf-8")
    assert pool.decided(path) == f"{path.stem}: known, guarded by F-S-02"


def test_an_empty_name_means_no_candidate(tmp_path: Path) -> None:
    path = pool.store(candidate(), tmp_path)
    with pytest.raises(pool.PoolError, match="an empty name"):
        decide(tmp_path, "", "approved", by="r", why="ok")
    with pytest.raises(pool.PoolError, match="without a reason"):
        decide(tmp_path, path.stem, "rejected", by="r", why=" ")
    assert pool.load(path).status == "open"


def test_a_decision_that_is_overruled_is_remembered(tmp_path: Path) -> None:
    path = pool.store(candidate(), tmp_path)
    decide(tmp_path, path.stem, "rejected", by="first", why="the simulator", at="2026-12-01T00:00:00Z")
    decide(tmp_path, path.stem, "approved", by="second", why="the agent")
    read = pool.load(path)
    assert (read.status, read.review.by) == ("approved", "second")
    assert read.extra["earlier_reviews"] == [
        {"status": "rejected", "by": "first", "at": "2026-12-01T00:00:00Z", "why": "the simulator"}
    ]


def test_what_a_person_wrote_is_not_drafted_over(tmp_path: Path) -> None:
    path = pool.store(candidate(), tmp_path)
    redraft(tmp_path, path.stem, prefix=True)
    path.write_text(path.read_text("utf-8").replace("expect_tools: TODO", "expect_tools: []"), "utf-8")
    before = path.read_bytes()
    with pytest.raises(pool.PoolError, match="edited by hand"):
        redraft(tmp_path, path.stem)
    assert path.read_bytes() == before
    redraft(tmp_path, path.stem, overwrite=True)
    assert "expect_tools: TODO" in path.read_text("utf-8")


@pytest.mark.parametrize(
    ("text", "kinds", "redacted"),
    [
        ("write to a.b+c@shop.example now", ["e-mail"], "write to <e-mail> now"),
        ("call +49 170 1234567", ["phone"], "call <phone>"),
        ("电话13812345678。", ["phone"], "电话<phone>。"),
        ("card 4111 1111 1111 1111!", ["card"], "card <card>!"),
        ("id 11010519491231002X", ["id number"], "id <id number>"),
        ("ssn 123-45-6789", ["id number"], "ssn <id number>"),
        ("on 2026-11-30 12 of L8823 for 128.0", [], "on 2026-11-30 12 of L8823 for 128.0"),
        ("4111 1111 1111 1112 is no card", [], "4111 1111 1111 1112 is no card"),
    ],
)
def test_personal_data_is_found(text: str, kinds: list[str], redacted: str) -> None:
    assert personal.found(text) == kinds
    assert personal.redact({"k": [text]}) == {"k": [redacted]}


def test_redraft_with_prefix(tmp_path: Path) -> None:
    path = pool.store(candidate(stop_reason="max_turns"), tmp_path)
    with pytest.raises(pool.PoolError, match="turn limit"):
        redraft(tmp_path, path.stem)
    again = redraft(tmp_path, path.stem, prefix=True)
    assert again.draft is not None and again.no_draft_because is None
    assert len(again.draft["turns"]) == 3


def test_a_broken_file_is_named_and_never_overwritten(tmp_path: Path) -> None:
    path = pool.store(candidate(), tmp_path)
    path.write_text("<<<<<<< HEAD\n" + path.read_text("utf-8"), "utf-8")
    before = path.read_bytes()
    good, bad = pool.headers(tmp_path)
    assert good == [] and str(path) in str(bad[0])
    with pytest.raises(pool.PoolError):
        pool.store(candidate(run_id="r2"), tmp_path)
    assert path.read_bytes() == before


def test_headers_of_a_file_reordered_by_hand(tmp_path: Path) -> None:
    path = pool.store(candidate(), tmp_path)
    data = pool.load(path).to_json()
    path.write_text(json.dumps(dict(reversed(data.items())), ensure_ascii=False, indent=1), "utf-8")
    assert pool.load_header(path).id == path.stem


def test_a_thousand_candidates_list_quickly(tmp_path: Path) -> None:
    path = pool.store(candidate(), tmp_path)
    text = path.read_text("utf-8")
    for number in range(1000):
        (path.parent / f"S-{number}-{number:08x}.yaml").write_text(text.replace("S-02", f"S-{number}"), "utf-8")
    start = time.process_time()
    good, bad = pool.headers(tmp_path)
    assert (len(good), bad) == (1001, [])
    assert time.process_time() - start < 2.0


KILLED = """
import os, signal, sys
from pathlib import Path
sys.path.insert(0, sys.argv[2])
import test_pool_store as material
from adk_split_eval import pool
from adk_split_eval.record import jsonio
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
pool.store(material.candidate(run_id="r2", at="2026-12-01T00:00:00Z"), Path(sys.argv[1]))
"""


@pytest.mark.parametrize("known", [False, True])
@pytest.mark.parametrize("writes", [0, 1])
def test_killed_at_any_write_the_pool_is_whole(tmp_path: Path, known: bool, writes: int) -> None:
    before = pool.store(candidate(), tmp_path).read_bytes() if known else None
    command = [sys.executable, "-c", textwrap.dedent(KILLED), str(tmp_path), str(Path(__file__).parent), str(writes)]
    done = subprocess.run(command, env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}, check=False)
    good, bad = pool.headers(tmp_path)
    assert bad == []
    assert done.returncode == -signal.SIGKILL
    assert [c.path.read_bytes() for c in good if c.path] == ([before] if before else [])
    path = pool.store(candidate(run_id="r2", at="2026-12-01T00:00:00Z"), tmp_path)
    assert pool.load(path).seen.count == (2 if known else 1)
    assert [p.name for p in path.parent.iterdir()] == [path.name]


def test_the_criterion_that_says_most_is_the_one_the_candidate_is_about() -> None:
    names = ["goal_reached_v1", "tool_args_v1", "hallucinations_v1", "team_metric", "grounded_numbers_v1"]
    kinds = {"hallucinations_v1": "judged"}
    failed = [CriterionResult(n, kinds.get(n, "deterministic"), "failed") for n in names]  # type: ignore[arg-type]
    hit = build_hit(failed, conversation(), [])
    assert [hit.criterion, *hit.also] == [
        "team_metric", "grounded_numbers_v1", "tool_args_v1", "hallucinations_v1", "goal_reached_v1",
    ]  # fmt: skip


STORING = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[2])
import test_pool_store as material
from adk_split_eval import pool
for number in range(5):
    pool.store(material.candidate(run_id=f"{sys.argv[3]}-{number}"), Path(sys.argv[1]))
"""


def test_two_runs_at_once_lose_no_count(tmp_path: Path) -> None:
    here = str(Path(__file__).parent)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    running = [
        subprocess.Popen([sys.executable, "-c", STORING, str(tmp_path), here, name], env=environment) for name in "abc"
    ]
    assert [process.wait() for process in running] == [0, 0, 0]
    good, _ = pool.headers(tmp_path)
    assert [c.seen.count for c in good] == [15]
