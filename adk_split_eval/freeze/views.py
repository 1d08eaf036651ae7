"""Candidates as text for a terminal: the list, and one with its transcript and draft side by side. Nothing is printed here."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from typing import Any, cast

from adk_split_eval.pool.candidate import Candidate
from adk_split_eval.pool.collect import TO_FILL
from adk_split_eval.pool.draft import holes
from adk_split_eval.pool.emit import as_list, as_mapping, emit, one_line
from adk_split_eval.record.text import safe_terminal, shorten

SEVERITY = {3: "high", 2: "medium", 1: "suspect", 0: "recorded"}
SORTS = ("severity", "age", "count")


def sorted_candidates(candidates: Sequence[Candidate], by: str) -> list[Candidate]:
    """Most urgent first: by severity (then count), by age (oldest first), or by how often it was seen."""
    if by == "age":
        return sorted(candidates, key=lambda c: (c.seen.first, c.id))
    if by == "count":
        return sorted(candidates, key=lambda c: (-c.seen.count, c.seen.first, c.id))
    return sorted(candidates, key=lambda c: (-c.severity, -c.seen.count, c.seen.first, c.id))


def age(first: str, today: datetime.datetime) -> str:
    """How long ago a fault was first seen, in days."""
    try:
        moment = datetime.datetime.fromisoformat(first)
    except ValueError:
        return "?"
    moment = moment if moment.tzinfo else moment.replace(tzinfo=datetime.UTC)
    return f"{max(0, (today - moment).days)}d"


def list_rows(candidates: Sequence[Candidate], today: datetime.datetime) -> list[tuple[str, ...]]:
    """One row a candidate: id, status, severity, times seen, age, criterion, what was said or why."""
    rows: list[tuple[str, ...]] = []
    for c in candidates:
        reason = c.hit.sentence or (c.hit.reasons[0] if c.hit.reasons else c.no_draft_because or "")
        cells = (
            c.id,
            c.status,
            SEVERITY[c.severity],
            str(c.seen.count),
            age(c.seen.first, today),
            c.hit.criterion or "recorded",
            shorten(" ".join(reason.split()), 60),
        )
        rows.append(tuple(safe_terminal(cell) for cell in cells))
    return rows


HEAD = ("candidate", "status", "severity", "seen", "age", "criterion", "what")


def table(rows: Sequence[tuple[str, ...]]) -> list[str]:
    """Rows under their heads, in columns."""
    from rich.cells import cell_len

    everything = [HEAD, *rows]
    widths = [max(cell_len(row[n]) for row in everything) for n in range(len(HEAD))]
    return [
        "  ".join(cell + " " * (widths[n] - cell_len(cell)) for n, cell in enumerate(row)).rstrip()
        for row in everything
    ]


def show(candidate: Candidate, width: int) -> list[str]:
    """One candidate: what was hit, then turn by turn what happened beside what the draft expects."""
    lines = _about(candidate)
    lines += ["", *_side_by_side(candidate, width)]
    rest = {k: v for k, v in as_mapping(candidate.draft).items() if k not in ("turns", "scene", "goal", "case_id")}
    if rest:
        lines += ["", "the draft also carries"]
        lines += [f"  {line}" for line in safe_terminal(emit(rest), newlines=True).splitlines()]
    lines += _advice(candidate)
    return lines


def _about(candidate: Candidate) -> list[str]:
    hit, known = candidate.hit, candidate.provenance
    count = "once" if candidate.seen.count == 1 else f"{candidate.seen.count} times"
    lines = [
        f"{candidate.id}  {candidate.status}, seen {count}, {SEVERITY[candidate.severity]}",
        f"hit by {hit.criterion or 'nothing: a recording'} ({hit.kind})" + (f" in turn {hit.turn}" if hit.turn else ""),
    ]
    lines += [f"  {reason}" for reason in hit.reasons]
    lines.append("first of all, the simulator: " + _simulator(candidate))
    models = (f"{name} {known[key]}" for name, key in _MODELS if known.get(key))
    lines.append("from " + ", ".join([f"run {known.get('run_id') or known.get('source') or 'unknown'}", *models]))
    if candidate.near_duplicates:
        lines.append("near-duplicates: " + ", ".join(candidate.near_duplicates))
    if candidate.review.by:
        lines.append(
            f"{candidate.status} by {candidate.review.by}, {candidate.review.at}: {candidate.review.why or ''}"
        )
    for earlier in (as_mapping(e) for e in as_list(candidate.extra.get("earlier_reviews"))):
        lines.append(
            f"before: {earlier.get('status')} by {earlier.get('by')}, {earlier.get('at')}: {earlier.get('why') or ''}"
        )
    lines += [f"personal data? {line}" for line in candidate.personal_data]
    return [safe_terminal(line) for line in lines]


_MODELS = (
    ("ADK", "adk_version"),
    ("agent", "agent_commit"),
    ("simulator", "simulator_model"),
    ("judge", "judge_model"),
)


def _simulator(candidate: Candidate) -> str:
    if candidate.hit.kind == "recorded":
        return "none was at work"
    if candidate.provenance.get("simulator_suspect"):
        return "SUSPECT, its own quality criterion failed"
    persona = candidate.provenance.get("persona")
    return f"nothing known against it; was it really {persona}?" if persona else "nothing known against it"


def _side_by_side(candidate: Candidate, width: int) -> list[str]:
    from rich.cells import cell_len

    column = max(24, (width - 3) // 2)
    drafted = [as_mapping(turn) for turn in as_list(as_mapping(candidate.draft).get("turns"))]
    title = (
        "what the draft expects" if candidate.draft is not None else f"no draft: {candidate.no_draft_because or '?'}"
    )
    pairs = [(["what happened"], _wrapped(title, column)), (["-" * column], ["-" * column])]
    place = 0
    for number, turn in enumerate(candidate.transcript, 1):
        right: list[str] = []
        if place < len(drafted) and drafted[place].get("user") == turn.get("user"):
            right = _expected(drafted[place], column)
            place += 1
        mark = "  << here" if number == candidate.hit.turn else ""
        pairs.append((_happened(turn, number, mark, column), right))
    lines: list[str] = []
    for left, right in pairs:
        for n in range(max(len(left), len(right))):
            one = left[n] if n < len(left) else ""
            other = right[n] if n < len(right) else ""
            lines.append(f"{one}{' ' * (column - cell_len(one))} | {other}".rstrip())
    return lines


def _happened(turn: dict[str, Any], number: int, mark: str, width: int) -> list[str]:
    lines = _wrapped(f"{number} user: {turn.get('user', '')}", width)
    for call in (as_mapping(c) for c in as_list(turn.get("tool_calls"))):
        answer = f" -> {_short(call['response'])}" if "response" in call else ""
        lines += _wrapped(f"  {call.get('name')} {_short(call.get('args') or {})}{answer}", width)
    for text in (as_mapping(t) for t in as_list(turn.get("intermediate"))):
        lines += _wrapped(f"  {text.get('author')}: {text.get('text')}", width)
    return [*lines, *_wrapped(f"  agent: {turn.get('response') or ''}{mark}", width), ""]


def _expected(turn: dict[str, Any], width: int) -> list[str]:
    lines = _wrapped("the same words", width)
    for key, value in turn.items():
        if key == "expect_tools" and value and isinstance(value, list):
            lines.append("  expect_tools:")
            for step in as_list(cast("Any", value)):
                lines += _wrapped(f"  - {_short(step)}", width)
        elif key not in ("user", "tool_results"):
            lines += _wrapped(f"  {key}: {_short(value)}", width)
    return lines


def _short(value: Any) -> str:
    return value if isinstance(value, str) else one_line(value)


def _wrapped(text: str, width: int) -> list[str]:
    """``text`` in lines of at most ``width`` cells, broken at blanks where there are some; wide characters count twice."""
    lines: list[str] = []
    for line in safe_terminal(text, newlines=True).replace("\t", "  ").split("\n"):
        indent = "    " if line.startswith(" ") else "  "
        rest = line
        while True:
            head, rest = _cut(rest, width)
            lines.append(head)
            if not rest:
                break
            rest = indent + rest
    return lines


def _cut(line: str, width: int) -> tuple[str, str]:
    from rich.cells import cell_len

    used, blank = 0, 0
    for place, c in enumerate(line):
        used += cell_len(c)
        if used > width:
            end = blank if blank > width // 3 else max(place, 1)
            return line[:end].rstrip(), line[end:].lstrip()
        if c == " ":
            blank = place
    return line.rstrip(), ""


def _advice(candidate: Candidate) -> list[str]:
    lines: list[str] = []
    filled = candidate.draft is not None and not holes(candidate.draft)
    notes = [note for note in candidate.notes if not (filled and note.startswith(TO_FILL))]
    if notes:
        lines += ["", "notes", *(f"  {safe_terminal(note)}" for note in notes)]
    if candidate.draft is not None and candidate.status in ("open", "approved"):
        open_places = holes(candidate.draft)
        if open_places:
            where = safe_terminal(str(candidate.path or candidate.id))
            lines += ["", f"next: fill {', '.join(open_places)} in {where}"]
        elif candidate.status == "open":
            lines += ["", f'next: adk-split-eval pool approve {candidate.id} --why "..."']
        else:
            lines += ["", f"next: adk-split-eval freeze {candidate.id}"]
    return lines
