"""The console report against golden pages, and what must never reach a terminal."""

import io
import os
from pathlib import Path

import pytest
from rich.console import Console

from adk_split_eval.record.case import Case, CompiledPlan, Half
from adk_split_eval.record.conversation import Turn
from adk_split_eval.record.result import CaseResult, CriterionResult, RunResult, TrialResult, Verdict
from adk_split_eval.record.runs import read_result
from adk_split_eval.report.console import make_console, print_run
from adk_split_eval.report.progress import progress

DATA = Path(__file__).parent / "data"


class Stream(io.TextIOWrapper):
    """A text stream over memory with an encoding and, when asked, the air of a terminal."""

    def __init__(self, encoding: str = "utf-8", terminal: bool = False) -> None:
        super().__init__(io.BytesIO(), encoding=encoding, newline="\n")
        self.terminal = terminal

    def isatty(self) -> bool:
        return self.terminal

    def text(self) -> str:
        self.flush()
        return self.buffer.getvalue().decode(self.encoding)  # type: ignore[attr-defined]


def printed(
    monkeypatch: pytest.MonkeyPatch, result: RunResult, stream: Stream, width: int, verbose: int = 0,
    compiled: CompiledPlan | None = None,
) -> str:  # fmt: skip
    monkeypatch.setattr("sys.stdout", stream)
    print_run(result, compiled, console=make_console(width=width), verbose=verbose)
    return stream.text()


def check(name: str, text: str) -> None:
    """Compare with the golden file; UPDATE_GOLDEN=1 writes it anew."""
    golden = DATA / name
    if os.environ.get("UPDATE_GOLDEN"):
        golden.write_text(text, encoding="utf-8", newline="\n")
    assert text == golden.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("name", "width", "verbose"), [("console_100.txt", 100, 0), ("console_50.txt", 50, 0), ("console_80_vv.txt", 80, 2)]
)
def test_golden(monkeypatch: pytest.MonkeyPatch, name: str, width: int, verbose: int) -> None:
    check(name, printed(monkeypatch, read_result(DATA / "run.json"), Stream(), width, verbose))


def test_golden_where_the_output_has_only_ascii(monkeypatch: pytest.MonkeyPatch) -> None:
    text = printed(monkeypatch, read_result(DATA / "run.json"), Stream("ascii"), 80)
    assert text.isascii()
    check("console_80_ascii.txt", text)


@pytest.mark.parametrize("width", [40, 60, 80, 120])
def test_only_commands_and_paths_are_wider_than_the_console(monkeypatch: pytest.MonkeyPatch, width: int) -> None:
    from rich.cells import cell_len

    text = printed(monkeypatch, read_result(DATA / "run.json"), Stream(), width, 2)
    wide = [line for line in text.splitlines() if cell_len(line) > width]
    assert all("adk-split-eval " in line or "candidate" in line for line in wide), wide


def test_a_pipe_gets_no_escape_sequence_and_a_terminal_gets_only_our_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    result = read_result(DATA / "run.json")
    assert "\x1b" not in printed(monkeypatch, result, Stream(), 100, 2)
    coloured = printed(monkeypatch, result, Stream(terminal=True), 100, 2)
    assert "\x1b[1;31mFAIL" in coloured
    assert "\\x1b[31mred" in coloured
    assert "\u202e" not in coloured


def test_no_color_is_honoured_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm-256color")
    assert "\x1b" not in printed(monkeypatch, read_result(DATA / "run.json"), Stream(terminal=True), 100)


def one_case(case: CaseResult, exit_code: int = 0) -> RunResult:
    return RunResult("r1", "p", "2026-01-01T00:00:00Z", "2.13.0", "0.1.0", exit_code, [case])


def test_markup_in_a_conversation_is_text(monkeypatch: pytest.MonkeyPatch) -> None:
    case = CaseResult("fixed", "[red]F[/red]", "FAIL", ["[link=http://x]click[/link] :smile: [/]"])
    text = printed(monkeypatch, one_case(case, 1), Stream(), 100)
    assert "[red]F[/red]" in text
    assert "[link=http://x]click[/link] :smile: [/]" in text


def test_deterministic_and_judged_criteria_have_columns_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    criteria = [
        CriterionResult("tool_args_v1", "deterministic", "passed", 1.0, 1.0),
        CriterionResult("hallucinations_v1", "judged", "failed", 0.4, 0.8, ["failed", "passed", "failed"]),
        CriterionResult("grounded_numbers_v1", "deterministic", "not_applicable"),
    ]
    case = CaseResult("fixed", "F-01", "FAIL", ["why"], criteria=criteria, trials=[TrialResult("FAIL", 1)])
    text = printed(monkeypatch, one_case(case, 1), Stream(), 100)
    row = next(line for line in text.splitlines() if line.startswith("  FAIL"))
    assert [cell.strip() for cell in row.split("  ") if cell][-3:] == ["1 passed", "1 failed (2/3)", "0/1"]


def test_persona_and_scene_come_from_the_plan_where_the_result_has_none(monkeypatch: pytest.MonkeyPatch) -> None:
    source = Case(
        "simulated", "S-01", {"conversation_scenario": {"user_persona": {"id": "hurried"}}}, scene="wants money back"
    )
    compiled = CompiledPlan("p", None, ".", cases=[source])
    text = printed(monkeypatch, one_case(CaseResult("simulated", "S-01", "OK")), Stream(), 100, compiled=compiled)
    assert "hurried: wants money back" in text


def test_red_is_never_without_a_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    text = printed(monkeypatch, one_case(CaseResult("fixed", "F-01", "ERROR"), 3), Stream(), 100)
    assert "no reason was recorded" in text
    assert "exit code 3: 1 case could not be judged" in text


def test_a_pending_fault_is_marked_and_not_counted_as_the_cause(monkeypatch: pytest.MonkeyPatch) -> None:
    case = CaseResult("fixed", "F-S-02", "FAIL", ["49.5 has no source"], extra={"not_blocking": True})
    text = printed(monkeypatch, one_case(case), Stream(), 100)
    assert "FAIL (pending)" in text
    assert "1 FAIL (pending) of 1" in text and "the only fixed case that failed is pending" in " ".join(text.split())
    assert "exit code 0: nothing blocks" in text


@pytest.mark.parametrize(
    ("notes", "said"), [([], "1 hit to review"), (["S-02-1: known, rejected by me"], "1 hit, known already")]
)
def test_a_known_hit_is_nothing_to_review(monkeypatch: pytest.MonkeyPatch, notes: list[str], said: str) -> None:
    result = one_case(CaseResult("simulated", "S-02", "HIT", ["25 has no source"]))
    result.notes = notes
    assert said in " ".join(printed(monkeypatch, result, Stream(), 100).split())


def test_no_case_at_all_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    text = printed(monkeypatch, RunResult("r", "p", "", "", "0", 130), Stream(), 100)
    assert "No case ran." in text
    assert "resumes where it stopped" in text


def test_plain_progress_is_sparse_and_ends_at_the_end() -> None:
    stream = io.StringIO()
    with progress("running", console=Console(file=stream, width=80)) as show:
        for done in range(1001):
            show(done, 1000, "S-01 \x1b[2J trial 1")
    lines = stream.getvalue().splitlines()
    assert len(lines) == 11
    assert lines[-1] == "running: 1000 of 1000  S-01 \\x1b[2J trial 1"


def test_plain_progress_over_nothing_and_little() -> None:
    stream = io.StringIO()
    with progress("running", console=Console(file=stream, width=80)) as show:
        show(0, 0, "")
        show(0, 2, "a")
        show(1, 2, "b")
        show(2, 2, "c")
    assert stream.getvalue().splitlines() == ["running: 1 of 2  b", "running: 2 of 2  c"]


def test_a_bar_on_a_terminal_takes_hostile_labels() -> None:
    stream = io.StringIO()
    console = Console(file=stream, width=80, force_terminal=True, legacy_windows=False)
    with progress("running", console=console) as show:
        show(1, 2, "[red]\x1b]0;title\x07[/nope]")
    assert "\x1b]0;" not in stream.getvalue()


def test_quiet_progress_shows_nothing() -> None:
    stream = io.StringIO()
    with progress("running", console=Console(file=stream), quiet=True) as show:
        show(1, 1, "x")
    assert stream.getvalue() == ""


def test_quiet_is_counts_and_exit_code(monkeypatch: pytest.MonkeyPatch) -> None:
    text = printed(monkeypatch, read_result(DATA / "run.json"), Stream(), 100, -1)
    assert text.splitlines()[-3:] == [
        "fixed: 1 FAIL · 1 ERROR · 1 PASS",
        "simulated: 1 HIT · 1 REJECTED · 1 OK",
        "exit code 1: 1 fixed case failed: the gate is red",
    ]


def test_a_rate_over_trials_is_shown_with_its_interval(monkeypatch: pytest.MonkeyPatch) -> None:
    rate = {"count": 2, "trials": 3, "low": 0.2077, "high": 0.9385}
    case = CaseResult("simulated", "S-02", "HIT", ["49.5"], flaky=True, extra={"hit_rate": rate})
    assert "hits 2 of 3 (95 % interval 21 % to 94 %)" in printed(monkeypatch, one_case(case), Stream(), 100)


def test_candidates_below_the_working_directory_are_shown_relative(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    result = RunResult("r", "p", "", "", "0", candidates=[str(tmp_path / "pool" / "S-02-ab.yaml")])
    text = printed(monkeypatch, result, Stream(), 60)
    assert "candidate  pool/S-02-ab.yaml\n" in text
    assert "adk-split-eval pool show S-02-ab\n" in text


@pytest.mark.parametrize(
    ("half", "verdict", "trials", "heading", "cell", "words"),
    [
        ("fixed", "FAIL", ["FAIL", "FAIL", "PASS", "PASS", "FAIL"], "PASSED", "2/5 flaky", "passes 2 of 5"),
        ("simulated", "HIT", ["HIT", "OK", "OK", "OK", "OK"], "HITS", "1/5 flaky", "hits 1 of 5"),
    ],
)
def test_column_and_rate_count_the_same(
    monkeypatch: pytest.MonkeyPatch,
    half: Half,
    verdict: Verdict,
    trials: list[Verdict],
    heading: str,
    cell: str,
    words: str,
) -> None:
    rate = {"count": int(cell[0]), "trials": 5, "low": 0.1, "high": 0.8}
    key = "pass_rate" if half == "fixed" else "hit_rate"
    case = CaseResult(
        half, "C", verdict, ["why"], trials=[TrialResult(t, 1) for t in trials], flaky=True, extra={key: rate}
    )
    lines = printed(monkeypatch, one_case(case, 1), Stream(), 100).splitlines()
    assert next(line for line in lines if "VERDICT" in line).endswith(heading)
    assert next(line for line in lines if line.startswith(f"  {verdict}")).endswith(cell)
    assert any(words in line for line in lines)
    assert f"trials {cell.split()[0]} {heading.lower().rstrip('s')}" in printed(
        monkeypatch, one_case(case, 1), Stream(), 50
    )


def test_votes_nobody_could_read_are_not_counted_as_agreement(monkeypatch: pytest.MonkeyPatch) -> None:
    def row(*votes: str) -> str:
        judged = CriterionResult("hallucinations_v1", "judged", "not_evaluated", None, 0.8, list(votes))
        case = CaseResult("fixed", "F-01", "ERROR", ["why"], criteria=[judged], trials=[TrialResult("ERROR", 1)])
        return printed(monkeypatch, one_case(case, 3), Stream(), 100, 1)

    assert "1 not judged (0/3 readable)" in row("unreadable", "unreadable", "unreadable")
    assert "votes 1/3 readable" in row("unreadable", "passed", "unreadable")


def test_help_of_a_rejected_case_is_a_mend(monkeypatch: pytest.MonkeyPatch) -> None:
    case = CaseResult("simulated", "S-01", "REJECTED", ["plan:3:5: ASE101 why"], warnings=["move it", "move it"])
    text = printed(monkeypatch, one_case(case, 3), Stream(), 100)
    assert "mend      move it" in text and "warning" not in text and text.count("move it") == 1


def test_efficiency_holds_only_efficiency(monkeypatch: pytest.MonkeyPatch) -> None:
    criteria = [
        CriterionResult("goal_reached_v1", "deterministic", "informational", 1.0),
        CriterionResult("tool_call_count_v1", "deterministic", "informational", 2.0),
    ]
    case = CaseResult("simulated", "S-01", "OK", criteria=criteria, trials=[TrialResult("OK", 1)])
    text = printed(monkeypatch, one_case(case), Stream(), 100)
    (line,) = [line for line in text.splitlines() if "efficiency" in line]
    assert "tool calls a turn 2.00 (mean" in line and "goal_reached_v1" not in line


@pytest.mark.parametrize(("verbose", "shown"), [(0, ""), (1, "red"), (2, "red green")])
def test_verbose_shows_red_conversations_first_and_then_all(
    monkeypatch: pytest.MonkeyPatch, verbose: int, shown: str
) -> None:
    cases = [
        CaseResult("fixed", word, verdict, ["why"], turns=[Turn(user=f"says {word}")], trials=[TrialResult(verdict, 1)])
        for word, verdict in (("red", "FAIL"), ("green", "PASS"))
    ]
    result = one_case(cases[0], 1)
    result.cases = cases
    text = printed(monkeypatch, result, Stream(), 100, verbose)
    assert [word for word in ("red", "green") if f"user: says {word}" in text] == shown.split()


def test_each_note_once(monkeypatch: pytest.MonkeyPatch) -> None:
    result = one_case(CaseResult("fixed", "F-01", "PASS", trials=[TrialResult("PASS", 1)]))
    result.notes = ["config:1:2: one", "config:1:2: one", "config:9:2: one"]
    assert printed(monkeypatch, result, Stream(), 100).count("note  ") == 2


def _criterion(name: str, status: str, reason: str) -> CriterionResult:
    return CriterionResult(name, "deterministic", status, 0.0, 1.0, reasons=[reason])  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("verdict", "reasons", "shown"),
    [
        (
            "INCONCLUSIVE",
            ["stopped at max_turns (8) with the goal open"],
            "goal_reached_v1 failed: pay is never called",
        ),
        ("HIT", ["forbidden_tools_v1: turn 1: charge is called"], "goal_reached_v1 failed: pay is never called"),
        ("HIT", ["goal_reached_v1: pay is never called"], ""),
        ("SIMULATOR", ["the user repeated the opening"], ""),
    ],
)
def test_why_the_goal_was_missed_is_said_whatever_the_verdict_rests_on(
    monkeypatch: pytest.MonkeyPatch, verdict: Verdict, reasons: list[str], shown: str
) -> None:
    from adk_split_eval.report.junit import junit_xml

    case = CaseResult("simulated", "S-01", verdict, reasons=reasons)
    case.criteria = [_criterion("goal_reached_v1", "failed", "pay is never called")]
    result = RunResult("run", "plan", "2026-11-30T12:00:00+00:00", "2.13.0", "0.1.0", cases=[case])
    text = " ".join(printed(monkeypatch, result, Stream(), 120).split())
    assert (f"also {shown}" in text) if shown else (" also " not in text)
    assert (f"also: {shown}" in junit_xml(result)) if shown else ("also:" not in junit_xml(result))


def test_what_could_not_be_judged_beside_a_failure_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    case = CaseResult("fixed", "F-01", "FAIL", reasons=["response_text_v1: turn 1: paid is missing"])
    case.criteria = [_criterion("response_text_v1", "failed", "turn 1: paid is missing")]
    case.criteria.append(_criterion("politeness", "not_evaluated", "no such metric"))
    result = RunResult("run", "plan", "2026-11-30T12:00:00+00:00", "2.13.0", "0.1.0", cases=[case])
    assert "also politeness not judged: no such metric" in " ".join(printed(monkeypatch, result, Stream(), 120).split())
    case.error = "the agent broke"
    assert " also " not in printed(monkeypatch, result, Stream(), 120)
