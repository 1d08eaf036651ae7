"""A run as one HTML file: no script, no outside resource, every text of a conversation escaped.

The policy in the page's head forbids everything but its own style sheet, so even a missed escape could not run.
"""

from __future__ import annotations

from pathlib import Path

from adk_split_eval.record.case import CompiledPlan, Half
from adk_split_eval.record.jsonio import write_atomically
from adk_split_eval.record.result import CaseResult, RunResult
from adk_split_eval.report import view
from adk_split_eval.report.contrasts import Contrast, contrasts_of
from adk_split_eval.report.html_case import case_anchor, case_article, verdict_badge
from adk_split_eval.report.html_parts import element, escape, listing, pairs, tag
from adk_split_eval.report.html_style import POLICY, STYLE


def html_report(result: RunResult, compiled: CompiledPlan | None = None) -> str:
    """The whole page, ending in a newline."""
    title = f"{result.plan_id}: {view.counts_text(_all_counts(result)) or 'no case ran'}"
    known = view.sources(compiled)
    body = [_head(result)]
    body += [_half(half, cases, known) for half in view.HALVES if (cases := view.cases_of(result, half))]
    body.append(_contrasts(contrasts_of(result)))
    body.append(_end(result))
    head = (
        '<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{escape(POLICY)}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="referrer" content="no-referrer">\n'
        f"<title>{escape(title)}</title>\n<style>{STYLE}</style>"
    )
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n{head}\n</head>\n<body>\n'
        + "\n".join(body)
        + "\n</body>\n</html>\n"
    )


def write_html(result: RunResult, path: Path, compiled: CompiledPlan | None = None) -> None:
    """Write :func:`html_report` to ``path``, atomically.

    Raises:
        OSError: ``path`` cannot be written.
    """
    write_atomically(path, html_report(result, compiled))


def _all_counts(result: RunResult) -> dict[str, int]:
    totals: dict[str, int] = {}
    for counts in result.counts().values():
        for verdict, number in counts.items():
            totals[verdict] = totals.get(verdict, 0) + number
    return totals


def _head(result: RunResult) -> str:
    facts = [f"run {result.run_id}", result.started_at]
    facts += [f"google-adk {result.adk_version}" if result.adk_version else "", f"adk-split-eval {result.tool_version}"]
    colour = "banner" if result.exit_code == 0 else "banner red"
    return "\n".join(
        [
            element("h1", result.plan_id),
            element("div", " · ".join(fact for fact in facts if fact), "dim small"),
            element("div", f"exit code {result.exit_code}: {view.exit_text(result)}", colour),
        ]
    )


def _half(half: Half, cases: list[CaseResult], known: view.Sources) -> str:
    told = view.HALF_TEXT[half]
    counts: dict[str, int] = {}
    for case in cases:
        counts[case.verdict] = counts.get(case.verdict, 0) + 1
    never = "; ".join(f"{', '.join(names)}: {why}" for why, names in view.cannot_judge(half))
    facts = {
        "asks": told.asks,
        "can judge": told.can_judge,
        "cannot judge": f"{told.cannot_judge} ({never})",
        "judged here": ", ".join(view.used_criteria(cases)) or "nothing",
        "result": f"{view.counts_text(counts)} of {len(cases)}",
        "flaky": ", ".join(view.flaky_cases(cases)),
        "red means": told.red_means if any(case.verdict not in view.GREEN for case in cases) else "",
        "efficiency": view.efficiency(cases) and f"{view.efficiency(cases)} (mean of a case; informational)",
    }
    parts = [element("h2", f"{told.role}: {told.title}"), pairs(facts), _table(cases, known)]
    parts += [case_article(case, known) for case in cases]
    return tag("section", "\n".join(parts))


def _table(cases: list[CaseResult], known: view.Sources) -> str:
    names = ("verdict", "case", "scene", "checks", "judged", *(view.COUNTED[case.set][2].lower() for case in cases[:1]))
    heads = "".join(element("th", name) for name in names)
    rows = [tag("tr", heads)]
    for case in cases:
        cells = [
            tag("td", verdict_badge(case)),
            tag("td", f'<a href="#{case_anchor(case)}">{escape(case.case_id)}</a>'),
            element("td", view.describe(case, known)),
            element("td", view.tally(view.asked(case.criteria, "deterministic"))),
            element("td", view.tally(view.asked(case.criteria, "judged"))),
            element("td", view.counted(case) + (" flaky" if case.flaky else "")),
        ]
        rows.append(tag("tr", "".join(cells)))
    return tag("table", "\n".join(rows))


def _contrasts(found: list[Contrast]) -> str:
    if not found:
        return ""
    rows = [
        tag("tr", "".join(element("th", name) for name in ("verdict", "contrast", "cases", "differ in", "reasons")))
    ]
    for contrast in found:
        cells = (contrast.verdict, contrast.name, contrast.cases, contrast.differ_in, "; ".join(contrast.reasons))
        rows.append(tag("tr", "".join(element("td", cell) for cell in cells)))
    return element("h2", "Contrasts: two cases that differ in one input") + tag("table", "\n".join(rows))


def _end(result: RunResult) -> str:
    parts: list[str] = []
    if view.notes_of(result):
        parts += [element("h2", "Notes"), listing(view.notes_of(result))]
    if result.candidates:
        parts += [element("h2", "Candidates"), listing(map(view.shown_path, result.candidates))]
    actions = [a for a in view.next_actions(result) if "--html" not in a[0]]
    if actions:
        steps = [tag("li", f"{element('code', command)} {element('span', why, 'dim')}") for command, why in actions]
        parts += [element("h2", "What to do next"), tag("ol", "\n".join(steps))]
    return "\n".join(parts)
