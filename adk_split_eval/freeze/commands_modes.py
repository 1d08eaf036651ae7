"""What each mode of ``freeze`` does and says: check, update, promote, trim, read a recording, freeze."""

from __future__ import annotations

import contextlib
from collections.abc import Generator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from adk_split_eval.pool.reading import PoolError
from adk_split_eval.record.text import safe_terminal

if TYPE_CHECKING:
    from adk_split_eval.freeze.procedure import FreezeReport

REFUSED, USAGE = 1, 2
_DECISIONS = frozenset({"ASE957", "ASE958", "ASE959", "ASE968"})


def stop(message: str, code: int = USAGE) -> NoReturn:
    click.echo(safe_terminal(message, newlines=True), err=True)
    raise SystemExit(code)


def check_all(plan: Path) -> int:
    from adk_split_eval.freeze.checking import check
    from adk_split_eval.freeze.frozen_file import plan_id_of

    findings = check(plan.parent, plan.parent / f"{plan_id_of(plan)}.frozen.yaml")
    for finding in findings:
        click.echo(safe_terminal(finding.render(), newlines=True))
    if not findings:
        click.echo("nothing approved is left unfrozen, and no frozen case was changed without a reason")
    return REFUSED if findings else 0


def update_case(plan: Path, values: dict[str, Any]) -> int:
    from adk_split_eval.freeze.updating import update
    from adk_split_eval.pool.review import reviewer

    case_id = str(values["updating"])
    with _refusals_are_findings():
        changed = update(plan, case_id, why=values["reason"], by=values["by"] or reviewer(), trials=values["trials"])
    for line in changed.diff:
        click.echo(safe_terminal(line))
    if changed.done:
        click.echo(f"{case_id} updated: {safe_terminal(values['reason'])}")
        return 0
    if not changed.diff and not changed.by_hand:
        click.echo(f"{case_id} expects what the agent does; nothing to update")
        return 0
    what = "the edit made by hand" if changed.by_hand else "the change"
    stop(f'{case_id}: {what} needs a reason to be taken over: --reason "..."')


def promote_case(plan: Path, values: dict[str, Any]) -> int:
    from adk_split_eval.freeze.updating import promote

    case_id = str(values["promoting"])
    with _refusals_are_findings():
        promote(plan, case_id, trials=values["trials"])
    click.echo(f"{case_id} is green and no longer pending: it blocks from now on")
    return 0


@contextlib.contextmanager
def _refusals_are_findings() -> Generator[None, None, None]:
    """What was understood and refused is exit code 1; what was not understood stays 2."""
    try:
        yield
    except PoolError as error:
        if not {finding.code for finding in error.findings} & _DECISIONS:
            raise
        stop("\n".join(f.render() for f in error.findings), REFUSED)


def list_trimmable(plan: Path) -> int:
    from adk_split_eval.freeze.maintaining import trim

    found = trim(plan)
    for case in found:
        click.echo(f"{safe_terminal(case.case_id)}: {safe_terminal('; '.join(case.why))}")
    if found:
        click.echo("remove them from the frozen file, or update them: adk-split-eval freeze --update CASE")
    else:
        click.echo("every frozen case names tools and personas that exist")
    return 0


def take_from(plan: Path, source: Path, values: dict[str, Any]) -> int:
    from adk_split_eval.freeze.known_rules import KnownRules
    from adk_split_eval.freeze.sources import candidates_of
    from adk_split_eval.plan import load_plan

    loaded = load_plan(plan)
    stored = candidates_of(
        source,
        plan.parent,
        loaded.plan.plan_id,
        case_ids=values["cases"],
        prefix=values["prefix"],
        agent=loaded.plan.agent,
        rules=KnownRules(loaded),
        tell=_progress,
    )
    for path, candidate in stored:
        click.echo(safe_terminal(str(path)))
        if candidate.no_draft_because:
            click.echo(f"  no draft: {safe_terminal(candidate.no_draft_because)}")
    click.echo("next: adk-split-eval pool show ID, then pool approve ID")
    return 0


def freeze_all(plan: Path, ids: tuple[str, ...], values: dict[str, Any]) -> int:
    from adk_split_eval.freeze.maintaining import agent_tools
    from adk_split_eval.freeze.procedure import check_date, freeze_candidates

    pending = (str(values["pending"]), check_date(values["until"])) if values["pending"] else None
    report = freeze_candidates(
        plan,
        ids,
        trials=values["trials"],
        allow_flaky=values["allow_flaky"],
        already_fixed=values["already_fixed"],
        pending=pending,
        replay_tools=values["replay_tools"],
        shrink_budget=values["budget"] if values["shrinking"] else None,
        prefix=values["prefix"],
        tools_of=agent_tools,
        progress=_progress,
    )
    _tell(report, plan)
    return report.exit_code


def _progress(line: str) -> None:
    click.echo(safe_terminal(line), err=True)


def _tell(report: FreezeReport, plan: Path) -> None:
    for outcome in report.outcomes:
        name = safe_terminal(outcome.candidate)
        if outcome.errors is not None:
            click.echo(safe_terminal("\n".join(f.render() for f in outcome.errors.findings), newlines=True), err=True)
        elif outcome.kind == "frozen":
            click.echo(f"{name} frozen as {safe_terminal(outcome.case_id)} (red {outcome.red})")
        else:
            click.echo(f"{name} is {safe_terminal(outcome.case_id)}")
        for note in outcome.notes:
            click.echo(f"  {safe_terminal(note)}")
    if not report.outcomes:
        click.echo(f"nothing approved waits to be frozen beside {safe_terminal(str(plan))}")
    for path in report.written:
        click.echo(f"wrote {safe_terminal(path)}")
