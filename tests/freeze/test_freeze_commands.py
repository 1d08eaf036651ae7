"""The verbs ``pool`` and ``freeze`` as a person meets them: output, exit codes, located errors, no ADK for ``pool``."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

sys.path.insert(0, str(Path(__file__).parent))
import freeze_desk as desk

from adk_split_eval import pool
from adk_split_eval.cli import main
from adk_split_eval.freeze.views import age, show
from adk_split_eval.pool.candidate import Hit

Ask = Callable[..., Result]


@pytest.fixture
def plan(tmp_path: Path) -> Path:
    return desk.make_plan(tmp_path)


@pytest.fixture
def ask(plan: Path, monkeypatch: pytest.MonkeyPatch) -> Ask:
    monkeypatch.chdir(plan.parent)
    monkeypatch.setenv("ADK_SPLIT_EVAL_REVIEWER", "reviewer")
    return lambda *args: CliRunner().invoke(main, [str(a) for a in args])


def fill(path: Path) -> None:
    text = path.read_text("utf-8").replace("expect_tools: TODO", "expect_tools: [quote]")
    path.write_text(text, "utf-8")


def test_list_by_severity_age_and_count(ask: Ask, plan: Path) -> None:
    pool.store(desk.hit_candidate("S-02"), plan.parent)
    for run in ("r1", "r2", "r3"):
        pool.store(desk.hit_candidate("S-03", run_id=run), plan.parent)
    suspect = desk.hit_candidate("S-01")
    suspect.provenance["simulator_suspect"] = True
    pool.store(suspect, plan.parent)
    lines = ask("pool", "list").output.splitlines()
    assert lines[0].split() == ["candidate", "status", "severity", "seen", "age", "criterion", "what"]
    assert [line.split()[0][:4] for line in lines[1:]] == ["S-03", "S-02", "S-01"]
    assert lines[1].split()[1:4] == ["open", "high", "3"] and lines[1].endswith("It pays 25 yuan.")
    listed = json.loads(ask("pool", "list", "--sort", "count", "--json").output)
    assert [c["seen"]["count"] for c in listed["candidates"]] == [3, 1, 1]
    assert "no candidates to review" in ask("pool", "list", "--status", "rejected").output


def test_show_has_transcript_and_draft_side_by_side(ask: Ask, plan: Path) -> None:
    path = pool.store(desk.hit_candidate(), plan.parent)
    shown = ask("pool", "show", path.stem, "--width", "110")
    assert shown.exit_code == 0
    golden = Path(__file__).parent / "data" / "show.expected.txt"
    text = shown.output.replace(str(plan.parent), "PLAN")
    if os.environ.get("ADK_SPLIT_EVAL_UPDATE_GOLDEN"):
        golden.write_text(text, "utf-8")
    assert text == golden.read_text("utf-8")
    assert ask("pool", "show", str(path)).exit_code == 0


def test_hostile_text_is_harmless_on_a_terminal() -> None:
    candidate = desk.hit_candidate()
    candidate.transcript[0]["user"] = "\x1b[2J\u202eevil\ud800\n\x07"
    candidate.hit = Hit("\x1b]0;x\x07", "deterministic", ["\x1b[31m"], "\x9b", 1)
    text = "\n".join(show(candidate, 100))
    assert not [c for c in text if ord(c) < 32 and c != "\n"] and "\u202e" not in text and "\x9b" not in text
    text.encode("utf-8")


def test_approve_reject_and_draft_write_who_when_and_why(ask: Ask, plan: Path) -> None:
    path = pool.store(desk.hit_candidate(stop_reason="max_turns"), plan.parent)
    refused = ask("pool", "approve", "S-02", "--why", "x")
    assert refused.exit_code == 2 and "no draft to approve" in refused.output and "--prefix" in refused.output
    assert ask("pool", "draft", "S-02", "--prefix").exit_code == 0
    done = ask("pool", "approve", "S-02", "--why", "invented payout", "--by", "someone")
    assert done.exit_code == 0 and "before freezing, fill turns[2].expect_tools" in done.output
    review = pool.load(path).review
    assert (review.by, review.why) == ("someone", "invented payout") and review.at
    assert ask("pool", "reject", "S-02").exit_code == 2
    assert ask("pool", "reject", "S-02", "--why", "no fault").exit_code == 0
    assert pool.load(path).review.by == "reviewer" and pool.load(path).status == "rejected"


def test_usage_errors_are_exit_code_two(ask: Ask, plan: Path, tmp_path: Path) -> None:
    for args in (
        ("pool", "show", "nope"),
        ("pool", "list", "--plan", "nowhere"),
        ("freeze", "nope"),
        ("freeze", "--check", "--trim"),
        ("freeze", "--pending", "me"),
        ("freeze", "--pending", "me", "--until", "soon"),
        ("freeze", "--pending", "me", "--until", "2001-01-01"),
        ("freeze", "--update", "F-9"),
        ("freeze", "--reason", "x"),
        ("freeze", "--budget", "3"),
        ("freeze", "--check", "--trials", "5"),
        ("freeze", "--case", "x"),
        ("freeze", "--from", "nothing.json"),
    ):
        result = ask(*args)
        assert result.exit_code == 2, (args, result.output)
        assert "Traceback" not in result.output
    plan.write_text("plan_id: [", "utf-8")
    broken = ask("freeze")
    assert broken.exit_code == 2 and "desk.plan.yaml:" in broken.output


def test_no_agent_at_hand_is_exit_code_two(ask: Ask, plan: Path) -> None:
    pytest.importorskip("google.adk")
    desk.approved(plan.parent)
    result = ask("freeze")
    assert result.exit_code == 2 and "no such agent folder" in result.output
    plan.write_text(desk.PLAN.replace("agent: desk_agent\n", ""), "utf-8")
    result = ask("freeze")
    assert result.exit_code == 2 and "names no agent" in result.output
    assert not (plan.parent / "desk.frozen.yaml").exists()


def test_freeze_tells_what_it_did(ask: Ask, plan: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from adk_split_eval.freeze import procedure, proving

    path = pool.store(desk.hit_candidate(), plan.parent)
    assert "nothing approved waits" in ask("freeze").output
    assert ask("pool", "approve", "S-02", "--why", "w").exit_code == 0
    holes = ask("freeze")
    assert holes.exit_code == 1 and "ASE956" in holes.output
    fill(path)
    real = procedure.FreezeOptions
    monkeypatch.setattr(
        procedure, "FreezeOptions", lambda **o: real(**o | {"runner": desk.runner(desk.broken), "tools_of": None})
    )
    waiting = ask("freeze", "--check")
    assert waiting.exit_code == 1 and "ASE963" in waiting.output
    done = ask("freeze", "--pending", "shop-team", "--until", "2099-01-31")
    assert done.exit_code == 0 and "frozen as F-S-02 (red 3/3)" in done.output
    assert ask("freeze", "--check").exit_code == 0
    monkeypatch.setattr(proving, "real_runner", desk.runner(desk.broken))
    for refused in (ask("freeze", "--promote", "F-S-02"), ask("freeze", "--update", "F-S-02", "--reason", "x")):
        assert refused.exit_code == 1 and "red for its own reason" in refused.output
    monkeypatch.setattr(proving, "real_runner", desk.runner(desk.mended))
    assert ask("freeze", "--promote", "F-S-02").exit_code == 0
    assert ask("freeze", path.stem).output.strip().endswith("frozen already")


def test_a_hole_that_was_filled_is_not_asked_for_any_more(ask: Ask, plan: Path) -> None:
    path = pool.store(desk.hit_candidate(), plan.parent)
    assert "to fill before freezing" in ask("pool", "show", path.stem).output
    fill(path)
    assert "to fill before freezing" not in ask("pool", "show", path.stem).output


def test_from_a_recording(ask: Ask, plan: Path) -> None:
    source = Path(__file__).parent / "data" / "recorded_session.json"
    result = ask("freeze", "--from", source)
    assert result.exit_code == 0
    assert ask("pool", "list", "--json").output.count('"recorded"') == 1


def test_every_help_has_an_example() -> None:
    for verb in (("freeze",), ("pool",), *(("pool", name) for name in ("list", "show", "approve", "reject", "draft"))):
        result = CliRunner().invoke(main, [*verb, "--help"])
        assert result.exit_code == 0
        assert f"adk-split-eval {' '.join(verb)}" in result.output


def test_pool_and_check_import_no_adk(plan: Path) -> None:
    path = pool.store(desk.hit_candidate(), plan.parent)
    code = (
        "import sys; from adk_split_eval.cli import main\n"
        f"for args in (['pool', 'list'], ['pool', 'show', '{path.stem}'], ['pool', 'reject', '{path.stem}', '--why', 'x'],"
        " ['freeze', '--check']):\n"
        "    try: main(args)\n"
        "    except SystemExit as stop: assert not stop.code, (args, stop.code)\n"
        "    assert not [m for m in sys.modules if m.startswith('google.adk')], args\n"
    )
    environment: dict[str, Any] = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    subprocess.run([sys.executable, "-c", code], cwd=plan.parent, env=environment, check=True, capture_output=True)


def test_age_in_days() -> None:
    import datetime

    now = datetime.datetime(2026, 12, 3, tzinfo=datetime.UTC)
    assert [age(t, now) for t in ("2026-11-30T00:00:00Z", "2026-12-02T12:00:00", "never")] == ["3d", "0d", "?"]
