"""A run on the console: gate and probe apart, deterministic and judged criteria apart, and what to do next.

Plain text without colour when the output is no terminal or ``NO_COLOR`` is set; ASCII marks where the encoding has no
others. Nothing from a conversation is read as markup or reaches the terminal as a control character. This module imports
rich, so it is itself imported late.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass

from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.text import Text

from adk_split_eval.record.case import CompiledPlan, Half
from adk_split_eval.record.result import CaseResult, CriterionResult, RunResult
from adk_split_eval.record.text import one_line, safe_terminal, shorten
from adk_split_eval.report import view
from adk_split_eval.report.contrasts import Contrast, contrasts_of

PLAIN_WIDTH = 100
"""Width where no terminal says its own."""
MINIMUM_SCENE = 12
MAXIMUM_CASE_ID = 28
NARROW = 60
REASON_WIDTH = 600
"""Characters of one reason shown; the JSON and HTML have all of it."""

TEXT_WIDTH = 20_000
"""The same for the conversations shown with ``-vv``: nobody reads megabytes on a console, and wrapping them takes seconds."""

VERDICT_STYLE = {
    "PASS": "green",
    "OK": "green",
    "FAIL": "bold red",
    "ERROR": "bold red",
    "REJECTED": "bold magenta",
    "HIT": "bold yellow",
    "SIMULATOR": "cyan",
    "INCONCLUSIVE": "cyan",
}
_ASCII = {"·": "-", "…": "...", "→": "->", "✓": "+", "✗": "x", "–": "-", "≥": ">="}


def make_console(*, stderr: bool = False, width: int | None = None) -> Console:
    """A console that prints plainly unless it really is a terminal; honours ``NO_COLOR`` and ``COLUMNS``."""
    stream = sys.stderr if stderr else sys.stdout
    terminal = stream.isatty()
    if width is None and not terminal and not os.environ.get("COLUMNS"):
        width = PLAIN_WIDTH
    plain = not terminal or bool(os.environ.get("NO_COLOR"))
    return Console(
        file=stream,
        width=width,
        color_system=None if plain else "auto",
        force_terminal=None if terminal else False,
        highlight=False,
        markup=False,
        emoji=False,
        soft_wrap=False,
    )


def print_run(
    result: RunResult, compiled: CompiledPlan | None = None, *, console: Console | None = None, verbose: int = 0
) -> None:
    """Print a whole run.

    Args:
        result: what happened.
        compiled: the plan it came from, for scenes and personas that the result does not carry.
        console: where to; standard output when None.
        verbose: 1 lists every criterion of every case and the conversations of those that are not green, 2 all
            conversations; below 0 only counts and exit code.
    """
    page = Page(console or make_console())
    page.line(_heading(result), "bold")
    if verbose < 0:
        _print_summary(page, result)
        return
    known = view.sources(compiled)
    for half in view.HALVES:
        cases = view.cases_of(result, half)
        if cases:
            _print_half(page, half, cases, known, verbose)
    if not result.cases:
        page.blank()
        page.line("No case ran.", "bold")
    _print_contrasts(page, contrasts_of(result))
    _print_end(page, result)


def _print_summary(page: Page, result: RunResult) -> None:
    for half, counts in result.counts().items():
        if counts:
            page.line(f"{half}: {view.counts_text(counts)}")
    _print_exit(page, result)


def _print_exit(page: Page, result: RunResult) -> None:
    style = "green" if result.exit_code == 0 else "bold red"
    page.line(f"exit code {result.exit_code}: {view.exit_text(result)}", style)


@dataclass(slots=True)
class Page:
    """Writes safe, wrapped lines; the one place where text meets the console."""

    console: Console

    def safe(self, text: str) -> str:
        """One line without controls, in characters the output's encoding has."""
        text = one_line(safe_terminal(text.replace("\n", " ")))
        encoding = self.console.encoding or "utf-8"
        if encoding.lower().replace("-", "").startswith("utf"):
            return text
        for fancy, ascii_form in _ASCII.items():
            text = text.replace(fancy, ascii_form)
        return text.encode(encoding, "backslashreplace").decode(encoding)

    def blank(self) -> None:
        self.console.print()

    def line(self, text: str, style: str = "", indent: int = 0) -> None:
        """A paragraph, wrapped at the console's width."""
        self.hanging(" " * indent, "", text, style)

    def hanging(self, lead: str, lead_style: str, text: str, style: str = "") -> None:
        """``lead`` and then ``text``, wrapped so that its lines stand under each other."""
        offset = cell_len(lead)
        width = max(self.console.width - offset, 20)
        for number, part in enumerate(Text(self.safe(text), style=style).wrap(self.console, width)):
            part.rstrip()
            start = Text(lead, lead_style) if number == 0 else Text(" " * offset)
            self.console.print(start + part, soft_wrap=True)

    def unwrapped(self, lead: str, text: str, style: str = "") -> None:
        """A command or a path: one line however long, so that it can be copied."""
        self.console.print(Text(lead, "dim") + Text(self.safe(text), style), soft_wrap=True)

    def labelled(self, label: str, text: str, style: str = "", indent: int = 2, label_width: int = 14) -> None:
        self.hanging(" " * indent + label.ljust(label_width), "dim", text, style)


def _heading(result: RunResult) -> str:
    parts = [result.plan_id, f"run {result.run_id}", result.started_at]
    parts += [f"google-adk {result.adk_version}" if result.adk_version else "", f"adk-split-eval {result.tool_version}"]
    return " · ".join(part for part in parts if part)


def _print_half(page: Page, half: Half, cases: list[CaseResult], known: view.Sources, verbose: int) -> None:
    told = view.HALF_TEXT[half]
    page.blank()
    page.line(f"{told.role}: {told.title}", "bold")
    page.labelled("asks", told.asks)
    page.labelled("can judge", told.can_judge)
    page.labelled("cannot judge", told.cannot_judge)
    for why, names in view.cannot_judge(half):
        page.labelled("", f"{', '.join(names)}: {why}", "dim")
    page.labelled("judged here", ", ".join(view.used_criteria(cases)) or "nothing")
    page.blank()
    _print_rows(page, cases, known, verbose)
    page.blank()
    page.labelled("result", f"{view.case_counts_text(cases)} of {len(cases)}", "bold")
    flaky = view.flaky_cases(cases)
    if flaky:
        page.labelled("flaky", ", ".join(flaky), "yellow")
    if any(case.verdict not in view.GREEN for case in cases):
        page.labelled("red means", told.red_means)
    numbers = view.efficiency(cases)
    if numbers:
        page.labelled("efficiency", f"{numbers} (mean of a case; informational)", "dim")


_HEADERS = ("VERDICT", "CASE", "SCENE", "CHECKS", "JUDGED")
_SCENE = 2


def _print_rows(page: Page, cases: list[CaseResult], known: view.Sources, verbose: int) -> None:
    rows = [_cells(page, case, known) for case in cases]
    headers = (*_HEADERS, view.COUNTED[cases[0].set][2])
    widths = _widths([headers, *rows], page.console.width)
    if widths is not None:
        page.console.print(_row(headers, widths, "dim", heading=True), soft_wrap=True)
    for case, cells in zip(cases, rows, strict=True):
        style = VERDICT_STYLE.get(case.verdict, "")
        if widths is None:
            page.hanging(f"  {cells[0]} ", style, f"{cells[1]}  {cells[_SCENE]}".rstrip())
            page.labelled(
                "",
                f"checks {cells[3]} · judged {cells[4]} · trials {_trials(case, words=True)}",
                indent=2,
                label_width=2,
            )
        else:
            page.console.print(_row(cells, widths, style), soft_wrap=True)
        _print_details(page, case, verbose)


def _cells(page: Page, case: CaseResult, known: view.Sources) -> tuple[str, ...]:
    verdict = case.verdict + (" (pending)" if view.is_pending(case) else "")
    return (
        verdict,
        shorten(page.safe(case.case_id), MAXIMUM_CASE_ID),
        page.safe(view.describe(case, known)),
        view.tally(view.asked(case.criteria, "deterministic")),
        view.tally(view.asked(case.criteria, "judged")),
        _trials(case),
    )


def _trials(case: CaseResult, *, words: bool = False) -> str:
    return (view.counted_text(case) if words else view.counted(case)) + (" flaky" if case.flaky else "")


def _widths(rows: Sequence[Sequence[str]], total: int) -> list[int] | None:
    """Column widths that fit into ``total``; the scene gives way first; None when even without it nothing fits."""
    widths = [max(cell_len(cell) for cell in column) for column in zip(*rows, strict=True)]
    least = min(widths[_SCENE], MINIMUM_SCENE)
    spare = total - 2 - sum(widths) - 2 * (len(widths) - 1)
    if spare < 0:
        widths[_SCENE] += spare
    if total < NARROW or widths[_SCENE] < least:
        return None
    return widths


def _row(cells: Sequence[str], widths: list[int], style: str, *, heading: bool = False) -> Text:
    line = Text("  ")
    for number, (cell, width) in enumerate(zip(cells, widths, strict=True)):
        if number == len(cells) - 1:
            line.append(cell, style if heading else "")
            continue
        fitted = cell if cell_len(cell) <= width else set_cell_size(cell, width - 3).rstrip() + "..."
        line.append(set_cell_size(fitted, width), style if number == 0 or heading else "")
        line.append("  ")
    line.rstrip()
    return line


def _print_details(page: Page, case: CaseResult, verbose: int) -> None:
    indent, width = 4, 10
    if case.verdict not in view.GREEN:
        for reason in view.reasons_of(case):
            page.labelled("reason", _cut(reason, verbose), indent=indent, label_width=width)
        for line in view.also_of(case):
            page.labelled("also", _cut(line, verbose), indent=indent, label_width=width)
        if case.simulator_suspect:
            page.labelled(
                "suspect", "the simulator's quality failed in this conversation", indent=indent, label_width=width
            )
        if case.stop_reason:
            page.labelled("stopped", case.stop_reason, indent=indent, label_width=width)
    rate = view.rate_text(case)
    if rate and (case.flaky or case.verdict not in view.GREEN):
        page.labelled("rate", rate, indent=indent, label_width=width)
    label, advice = view.advice(case)
    for warning in advice:
        page.labelled(label, _cut(warning, verbose), "yellow", indent=indent, label_width=width)
    if case.owner and case.verdict not in view.GREEN:
        page.labelled("owner", case.owner, indent=indent, label_width=width)
    if case.next_step:
        page.labelled("next", case.next_step, indent=indent, label_width=width)
    if verbose:
        _print_criteria(page, case, verbose)
    if verbose > (1 if case.verdict in view.GREEN else 0):
        _print_turns(page, case)


def _cut(text: str, verbose: int) -> str:
    return shorten(text, REASON_WIDTH if verbose < 2 else TEXT_WIDTH)


def _print_criteria(page: Page, case: CaseResult, verbose: int) -> None:
    kinds: tuple[tuple[view.AskedKind, str], ...] = (("deterministic", "check"), ("judged", "judged"))
    for kind, label in kinds:
        for criterion in view.asked(case.criteria, kind):
            page.labelled(label, _criterion_text(criterion, verbose), indent=4, label_width=10)


def _criterion_text(criterion: CriterionResult, verbose: int) -> str:
    votes = view.votes_text(criterion)
    facts = [view.score_text(criterion), f"votes {votes}" if votes else ""]
    text = f"{criterion.name} {view.STATUS_WORDS[criterion.status]}"
    told = ", ".join(fact for fact in facts if fact)
    if told:
        text += f" ({told})"
    if criterion.reasons:
        text += ": " + "; ".join(_cut(reason, verbose) for reason in criterion.reasons)
    return text


def _print_turns(page: Page, case: CaseResult) -> None:
    for number, turn in enumerate(case.turns, 1):
        lines = [f"user: {turn.user}"]
        lines += [f"step {call.step}: {call.name}({call.args}) → {call.response}" for call in turn.tool_calls]
        lines += [f"{said.author}: {said.text}" for said in turn.intermediate]
        lines.append(f"agent: {turn.response}")
        for index, line in enumerate(lines):
            label = "" if index else f"turn {number}"
            page.labelled(label, shorten(line, TEXT_WIDTH), indent=4, label_width=10)


def _print_contrasts(page: Page, found: list[Contrast]) -> None:
    if not found:
        return
    page.blank()
    page.line("CONTRASTS: two cases that differ in one input", "bold")
    for contrast in found:
        colour = {"PASS": "green", "SKIPPED": "dim"}.get(contrast.verdict, "red")
        page.hanging(f"  {contrast.verdict:<8} ", colour, f"{contrast.name} ({contrast.cases})")
        if contrast.verdict in ("FAIL", "ERROR"):
            for reason in contrast.reasons:
                page.labelled("reason", shorten(reason, REASON_WIDTH), indent=4, label_width=10)
            page.labelled("next", contrast.next_step, indent=4, label_width=10)


def _print_end(page: Page, result: RunResult) -> None:
    page.blank()
    for note in view.notes_of(result):
        page.hanging("note  ", "dim", note)
    for path in result.candidates:
        page.unwrapped("candidate  ", view.shown_path(path))
    actions = view.next_actions(result)
    if actions:
        page.line("What to do next", "bold")
        for number, (command, why) in enumerate(actions, 1):
            page.unwrapped(f"  {number}. ", command, "bold")
            page.line(why, "dim", indent=5)
    _print_exit(page, result)
