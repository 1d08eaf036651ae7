"""The command line's reading verbs: report, diff, history, criteria, personas. Rich is loaded by the verb, not by --help."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Any, NoReturn

import click

from adk_split_eval.criteria.catalogue import CATALOGUE, CriterionInfo
from adk_split_eval.record.jsonio import dumps
from adk_split_eval.record.result import RunResult
from adk_split_eval.record.runs import RunNotFoundError, load_result
from adk_split_eval.report import view
from adk_split_eval.report.history import DRY_SPELL, LAST
from adk_split_eval.report.outputs import FILE, OutputError, check_outputs, to_standard_output, write_output

if TYPE_CHECKING:
    from adk_split_eval.report.console import Page
    from adk_split_eval.report.diff import RunDiff
    from adk_split_eval.report.history import History


class InputError(click.ClickException):
    """A user's mistake: one message, exit code 2."""

    exit_code = 2


def _fail(message: str) -> NoReturn:
    raise InputError(message)


def _load(reference: str | None) -> RunResult:
    try:
        return load_result(reference)
    except RunNotFoundError as error:
        _fail(str(error))


def _page() -> Page:
    from adk_split_eval.report.console import Page, make_console

    return Page(make_console())


def _write(path: str, text: str, what: str) -> None:
    try:
        write_output(path, text)
    except OSError as error:
        _fail(f"{path}: cannot be written ({error.strerror or error})")
    if not to_standard_output(path):
        click.echo(f"{what} written to {path}", err=True)


@click.command("report", epilog="Example: adk-split-eval report --html report.html --junit junit.xml")
@click.argument("run", required=False)
@click.option("--html", "html_file", type=FILE, help="One self-contained page with every transcript.")
@click.option("--junit", "junit_file", type=FILE, help="JUnit XML for CI.")
@click.option("--json", "json_file", type=FILE, help="The result as JSON (schema_version 1).")
@click.option("--github", is_flag=True, help="Workflow annotations on standard output.")
@click.option("--fail-on-hit", is_flag=True, help="A HIT is a failure in JUnit and an error in annotations.")
@click.option(
    "-v",
    "--verbose",
    count=True,
    help="Every criterion, and the conversations of cases that are not green; twice: all conversations.",
)
def report(
    run: str | None,
    html_file: str | None,
    junit_file: str | None,
    json_file: str | None,
    github: bool,
    fail_on_hit: bool,
    verbose: int,
) -> None:
    """Show a stored run again, or write it as HTML, JUnit or JSON.

    RUN is a run id (its beginning is enough), a run folder or a result file; the latest run when left out.
    A FILE of - is standard output.
    """
    try:
        check_outputs(
            {"--html": html_file, "--junit": junit_file, "--json": json_file, "--github": "-" if github else None}
        )
    except OutputError as error:
        _fail(str(error))
    result = _load(run)
    if html_file:
        from adk_split_eval.report.html import html_report

        _write(html_file, html_report(result), "HTML")
    if junit_file:
        from adk_split_eval.report.junit import junit_xml

        _write(junit_file, junit_xml(result, fail_on_hit=fail_on_hit), "JUnit XML")
    if json_file:
        from adk_split_eval.report.json_report import result_json

        _write(json_file, result_json(result), "JSON")
    if github:
        from adk_split_eval.report.github import annotation_lines

        for line in annotation_lines(result, fail_on_hit=fail_on_hit):
            click.echo(line.encode("utf-8", "backslashreplace"))
    if not (html_file or junit_file or json_file or github):
        from adk_split_eval.report.console import print_run

        print_run(result, verbose=verbose)


@click.command("diff", epilog="Example: adk-split-eval diff 20261129 latest")
@click.argument("first")
@click.argument("second", default="latest")
@click.option("--json", "as_json", is_flag=True, help="As JSON (schema_version 1).")
def diff(first: str, second: str, as_json: bool) -> None:
    """What changed from run FIRST to run SECOND (the latest when left out): verdicts, hits, criteria, scores."""
    from adk_split_eval.report.diff import diff_runs

    found = diff_runs(_load(first), _load(second))
    if as_json:
        _write("-", dumps(found.to_json()) + "\n", "JSON")
    else:
        _print_diff(_page(), found)


def _print_diff(page: Page, found: RunDiff) -> None:
    from adk_split_eval.report.console import VERDICT_STYLE
    from adk_split_eval.report.diff import CHANGE_ORDER, CHANGE_WORDS

    page.line(f"{found.first} → {found.second}", "bold")
    for circumstance in found.circumstances:
        page.labelled("differs too", circumstance)
    for kind in CHANGE_ORDER:
        changes = [change for change in found.changes if change.kind == kind]
        if not changes:
            continue
        page.blank()
        page.line(CHANGE_WORDS[kind], "bold")
        for change in changes:
            verdicts = f"{change.before or '-'} → {change.after or '-'}"
            page.line(f"{change.set} {change.case_id}: {verdicts}", VERDICT_STYLE.get(change.after or "", ""), indent=2)
            for criterion in change.criteria:
                page.line(criterion.text(), indent=4)
            for reason in change.reasons:
                page.labelled("reason", reason, indent=4, label_width=8)
    page.blank()
    page.line(
        f"{len(found.changes)} changed, {found.unchanged} unchanged; exit code {found.exit_before} → {found.exit_after}"
    )


@click.command("history", epilog="Example: adk-split-eval history --plan refund_desk --last 30")
@click.option("--plan", "plan_id", help="Only runs of this plan id.")
@click.option("--last", default=LAST, show_default=True, type=click.IntRange(min=1), help="How many runs to show.")
@click.option(
    "--dry-spell",
    default=DRY_SPELL,
    show_default=True,
    type=click.IntRange(min=0),
    help="Warn after so many probe runs in a row without a hit; 0 never warns.",
)
@click.option("--json", "as_json", is_flag=True, help="As JSON (schema_version 1).")
def history(plan_id: str | None, last: int, dry_spell: int, as_json: bool) -> None:
    """The trend over the stored runs: verdicts, hit rate, flaky cases, dry spells of the probe."""
    from adk_split_eval.report.history import read_history

    trend = read_history(plan_id=plan_id, last=last, dry_spell=dry_spell)
    if not trend.runs and not as_json:
        for warning in trend.warnings:
            click.echo(warning, err=True)
        _fail(
            "no finished run here" + (f" of plan {plan_id!r}" if plan_id else "") + ": `adk-split-eval run` makes one"
        )
    if as_json:
        _write("-", dumps(trend.to_json()) + "\n", "JSON")
    else:
        _print_history(_page(), trend)


def _print_history(page: Page, trend: History) -> None:
    for run in trend.runs:
        rate = "" if run.hit_rate is None else f"; hit rate {run.hits} of {run.probed} ({run.hit_rate:.0%})"
        halves = [
            f"{view.HALF_TEXT[half].role.lower()} {view.counts_text(run.counts[half], ', ')}"
            for half in view.HALVES
            if run.counts.get(half)
        ]
        flaky = f"; {len(run.flaky)} flaky" if run.flaky else ""
        text = f"{run.plan_id}, exit {run.exit_code}: {'; '.join(halves) or 'no case ran'}{rate}{flaky}"
        page.hanging(
            f"{page.safe(run.started_at)}  {page.safe(run.run_id)}  ", "dim", text, "" if run.exit_code == 0 else "red"
        )
    flaky_cases = trend.flaky()
    if flaky_cases:
        page.blank()
        page.line("Flaky (runs in which the trials disagreed)", "bold")
        for name, count in flaky_cases.items():
            page.line(f"{name}: {count} of {len(trend.runs)}", indent=2)
    for warning in trend.warnings:
        page.blank()
        page.hanging("warning  ", "yellow", warning)


@click.command("criteria", epilog="Example: adk-split-eval criteria forbidden_tools_v1")
@click.argument("name", required=False)
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
def criteria(name: str | None, as_json: bool) -> None:
    """Every criterion: which set may use it, and why."""
    rows = list(CATALOGUE.values())
    if name is not None:
        rows = [row for row in rows if row.name == name]
        if not rows:
            near = difflib.get_close_matches(name, list(CATALOGUE), n=1)
            _fail(f"no criterion {name!r}" + (f": did you mean {near[0]}?" if near else "; `criteria` lists them"))
    if as_json:
        _write("-", dumps([_criterion_json(row) for row in rows]) + "\n", "JSON")
        return
    page = _page()
    for source, title in (("adk", "ADK's own"), ("ours", "of adk-split-eval")):
        for number, row in enumerate(r for r in rows if r.source == source):
            if number == 0:
                page.line(title, "bold")
            _print_criterion(page, row)


def _criterion_json(row: CriterionInfo) -> dict[str, Any]:
    return {
        "name": row.name,
        "source": row.source,
        "kind": row.kind,
        "sets": [half for half in view.HALVES if half in row.sets],
        "why": row.why,
        "why_not": {half: view.why_not(row, half) for half in view.HALVES if half not in row.sets},
        "plan_key": row.plan_key,
        "google_cloud": row.google_cloud,
        "informational": row.informational,
        "runner_only": row.runner_only,
    }


def _print_criterion(page: Page, row: CriterionInfo) -> None:
    sets = " and ".join(half for half in view.HALVES if half in row.sets)
    marks = [sets, "informational" if row.informational else row.kind]
    marks += ["needs Google Cloud"] if row.google_cloud else []
    marks += ["our runner only"] if row.runner_only else []
    marks += [f"key `{row.plan_key}`"] if row.plan_key else []
    page.line(f"{row.name}  ({', '.join(marks)})", indent=2)
    page.line(row.why, "dim", indent=6)
    for half in view.HALVES:
        if half not in row.sets:
            page.line(f"not {half}: {view.why_not(row, half)}", "dim", indent=6)


@click.command("personas", epilog="Example: adk-split-eval personas hurried --json")
@click.argument("persona_id", required=False, metavar="[ID]")
@click.option("--json", "as_json", is_flag=True, help="As ADK's UserPersona JSON, to use anywhere.")
def personas(persona_id: str | None, as_json: bool) -> None:
    """The ready-made simulated users: what each is like, and the kind of fault it tends to expose."""
    from adk_split_eval.personas import load_personas, to_adk

    known = load_personas()
    if persona_id is not None and persona_id not in known:
        near = difflib.get_close_matches(persona_id, list(known), n=1)
        _fail(f"no persona {persona_id!r}" + (f": did you mean {near[0]}?" if near else "; `personas` lists them"))
    chosen = [persona for name, persona in known.items() if persona_id in (None, name)]
    if as_json:
        shown: Any = [to_adk(persona) for persona in chosen]
        _write("-", dumps(shown if persona_id is None else shown[0]) + "\n", "JSON")
        return
    page = _page()
    for persona in chosen:
        _print_persona(page, persona, str(persona.get("exposes", "")), whole=persona_id is not None)


def _print_persona(page: Page, persona: dict[str, Any], exposes: str, *, whole: bool) -> None:
    page.line(str(persona["id"]), "bold")
    page.line(str(persona["description"]), indent=2)
    if exposes:
        page.labelled("exposes", exposes, "dim", label_width=9)
    behaviors: list[dict[str, Any]] = persona["behaviors"] if whole else []
    for behavior in behaviors:
        page.line(f"{behavior['name']}: {behavior['description']}", indent=2)
        for key, label in (("behavior_instructions", "does"), ("violation_rubrics", "violated")):
            texts: list[str] = behavior[key]
            for text in texts:
                page.labelled(label, str(text), indent=4, label_width=10)


COMMANDS: tuple[click.Command, ...] = (report, diff, history, criteria, personas)
"""The verbs of this room."""
