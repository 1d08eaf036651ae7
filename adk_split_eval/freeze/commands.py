"""The verbs ``pool`` and ``freeze``. What needs ADK is imported only when a case is really run."""

from __future__ import annotations

import contextlib
import datetime
import json
import shutil
from collections.abc import Generator
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from adk_split_eval.freeze import commands_modes as modes
from adk_split_eval.freeze.commands_modes import stop
from adk_split_eval.pool.candidate import STATUSES, Candidate
from adk_split_eval.pool.reading import PoolError, refuse
from adk_split_eval.record.text import safe_terminal

_plan_option = click.option(
    "--plan",
    "plan",
    type=click.Path(path_type=Path),
    help="The plan file or its folder (default: the only plan in the current folder).",
)
_by_option = click.option("--by", default=None, help="Who decides (default: ADK_SPLIT_EVAL_REVIEWER, or the account).")


@contextlib.contextmanager
def _errors_for_people() -> Generator[None, None, None]:
    """A user's mistake is a located message and exit code 2."""
    try:
        yield
    except PoolError as error:
        stop("\n".join(f.render() for f in error.findings))
    except OSError as error:
        stop(f"{error.filename or 'file'}: {error.strerror or error}")
    except Exception as error:
        from adk_split_eval.plan import PlanError

        if not isinstance(error, PlanError):
            raise
        stop("\n".join(f.render() for f in error.findings))


def _plan_file(given: Path | None) -> Path:
    if given is not None and not given.exists():
        raise refuse("ASE952", "does not exist", path=str(given), help="name a plan file or its folder")
    if given is not None and given.is_file():
        return given
    from adk_split_eval.plan import find_plan

    return find_plan(given or Path.cwd())


def _plan_dir(given: Path | None, name: str = "") -> Path:
    """The folder of the plan; a candidate named by its path says it itself, and a folder with a pool needs no plan."""
    from adk_split_eval.pool.files import FOLDER

    named = Path(name)
    if given is None and named.is_file() and named.parent.name == FOLDER:
        return named.parent.parent
    folder = given if given is not None and given.is_dir() else None if given is not None else Path.cwd()
    if folder is not None and (folder / FOLDER).is_dir():
        return folder
    return _plan_file(given).parent


@click.group(context_settings={"help_option_names": ["-h", "--help"]}, epilog="Example: adk-split-eval pool list")
def pool() -> None:
    """Candidates found by the probe: list, show, approve, reject.

    \b
    adk-split-eval pool list
    adk-split-eval pool show S-02-3c0fb7a4
    adk-split-eval pool approve S-02-3c0fb7a4 --why "the payout was invented"

    A candidate is a file under probe_pool/ beside the plan; editing and committing it by hand is just as good.
    """


@pool.command("list")
@_plan_option
@click.option("--status", type=click.Choice([*STATUSES, "all"]), default=None, help="Default: open and approved.")
@click.option("--sort", type=click.Choice(["severity", "age", "count"]), default="severity", show_default=True)
@click.option("--json", "as_json", is_flag=True, help="Machine-readable, one object.")
def list_(plan: Path | None, status: str | None, sort: str, as_json: bool) -> None:
    """What waits for review, most urgent first.

    \b
    adk-split-eval pool list --sort age
    """
    from adk_split_eval.freeze.views import list_rows, sorted_candidates, table
    from adk_split_eval.pool.files import headers, pool_dir

    with _errors_for_people():
        folder = _plan_dir(plan)
        good, bad = headers(folder)
    wanted = {"open", "approved"} if status is None else set(STATUSES) if status == "all" else {status}
    chosen = sorted_candidates([c for c in good if c.status in wanted], sort)
    if as_json:
        click.echo(json.dumps({"schema_version": 1, "candidates": [_summary(c) for c in chosen]}, indent=2))
    elif chosen:
        for line in table(list_rows(chosen, datetime.datetime.now(datetime.UTC))):
            click.echo(line)
    else:
        click.echo(f"no candidates to review in {safe_terminal(str(pool_dir(folder)))} ({len(good)} in all)")
    if bad:
        stop("\n".join(str(error) for error in bad))


def _summary(candidate: Candidate) -> dict[str, Any]:
    return {
        "id": candidate.id,
        "path": str(candidate.path),
        "status": candidate.status,
        "case_id": candidate.case_id,
        "criterion": candidate.hit.criterion or None,
        "kind": candidate.hit.kind,
        "severity": candidate.severity,
        "seen": {"count": candidate.seen.count, "first": candidate.seen.first, "last": candidate.seen.last},
        "fingerprint": candidate.fingerprint,
    }


@pool.command()
@click.argument("name", metavar="ID")
@_plan_option
@click.option("--width", type=click.IntRange(60, 400), default=None, help="Columns (default: the terminal's).")
def show(name: str, plan: Path | None, width: int | None) -> None:
    """One candidate: transcript and draft side by side.

    \b
    adk-split-eval pool show S-02-3c0fb7a4
    """
    from adk_split_eval.freeze.views import show as view
    from adk_split_eval.pool.files import find

    with _errors_for_people():
        candidate = find(_plan_dir(plan, name), name)
    columns = width or shutil.get_terminal_size((120, 40)).columns
    for line in view(candidate, columns):
        click.echo(line)


@pool.command()
@click.argument("names", metavar="ID...", nargs=-1, required=True)
@_plan_option
@_by_option
@click.option("--why", default="", help="Why: one sentence for whoever reads the frozen case later.")
@click.option("--redact", is_flag=True, help="Replace e-mail, phone, card and id numbers in states and user id.")
def approve(names: tuple[str, ...], plan: Path | None, by: str | None, why: str, redact: bool) -> None:
    """The agent is at fault and the draft says what it should have done.

    \b
    adk-split-eval pool approve S-02-3c0fb7a4 --why "the payout was invented"
    """
    for candidate in _decide(names, plan, "approved", by, why, redact):
        from adk_split_eval.pool.draft import holes

        click.echo(f"{safe_terminal(candidate.id)} approved by {safe_terminal(candidate.review.by or '')}")
        for line in candidate.personal_data:
            click.echo(
                f"  personal data? {safe_terminal(line)}" + ("" if redact else " (--redact replaces what it can)")
            )
        if open_places := holes(candidate.draft or {}):
            click.echo(f"  before freezing, fill {', '.join(open_places)} in {safe_terminal(str(candidate.path))}")


@pool.command()
@click.argument("names", metavar="ID...", nargs=-1, required=True)
@_plan_option
@_by_option
@click.option("--why", required=True, help="Why it is no fault of the agent's.")
def reject(names: tuple[str, ...], plan: Path | None, by: str | None, why: str) -> None:
    """No fault of the agent's; the same hit will not come back as new.

    \b
    adk-split-eval pool reject S-04-91be02aa --why "the simulated user spoke as the agent"
    """
    for candidate in _decide(names, plan, "rejected", by, why, redact=False):
        click.echo(f"{safe_terminal(candidate.id)} rejected by {safe_terminal(candidate.review.by or '')}")


def _decide(
    names: tuple[str, ...], plan: Path | None, status: Any, by: str | None, why: str, redact: bool
) -> list[Candidate]:
    from adk_split_eval.pool.review import decide, reviewer

    with _errors_for_people():
        return [
            decide(_plan_dir(plan, name), name, status, by=by or reviewer(), why=why, redact=redact) for name in names
        ]


@pool.command()
@click.argument("name", metavar="ID")
@_plan_option
@click.option("--prefix", is_flag=True, help="Only the turns up to and including the first that shows the failure.")
@click.option("--overwrite", is_flag=True, help="Even when the draft was edited by hand.")
def draft(name: str, plan: Path | None, prefix: bool, overwrite: bool) -> None:
    """Draft an open candidate again from its transcript.

    \b
    adk-split-eval pool draft S-03-77aa01c2 --prefix
    """
    from adk_split_eval.pool.review import redraft

    with _errors_for_people():
        candidate = redraft(_plan_dir(plan, name), name, prefix=prefix, overwrite=overwrite)
    click.echo(f"{safe_terminal(candidate.id)} drafted; fill its holes in {safe_terminal(str(candidate.path))}")


@click.command(context_settings={"help_option_names": ["-h", "--help"]}, epilog="Example: adk-split-eval freeze")
@click.argument("ids", metavar="[ID]...", nargs=-1)
@_plan_option
@_by_option
@click.option("--trials", type=click.IntRange(1, 100), default=3, show_default=True, help="Trials of the proof.")
@click.option("--allow-flaky", is_flag=True, help="Freeze what is red in some trials only.")
@click.option("--already-fixed", is_flag=True, help="Freeze what is green: the bug is gone, the case guards.")
@click.option(
    "--pending", metavar="OWNER", default=None, help="A known bug: expected to fail, not blocking, until --until."
)
@click.option("--until", metavar="DATE", default=None, help="Last day of --pending, as 2027-01-31.")
@click.option("--replay-tools", is_flag=True, help="Pin the recorded tool results; only our runner runs such a case.")
@click.option("--shrink", "shrinking", is_flag=True, help="Drop user turns while it stays red for the same reason.")
@click.option(
    "--budget", type=click.IntRange(1, 100_000), default=60, show_default=True, help="Model calls of --shrink."
)
@click.option(
    "--prefix", is_flag=True, help="With --from or ID: only the turns up to the first that shows the failure."
)
@click.option(
    "--from", "source", type=click.Path(path_type=Path), default=None, help="Make candidates from a recording."
)
@click.option("--case", "cases", multiple=True, metavar="ID", help="With --from: only this case; may be repeated.")
@click.option("--check", "checking", is_flag=True, help="For CI: is all that is approved frozen, and nothing edited?")
@click.option(
    "--update", "updating", metavar="CASE", default=None, help="Take over a legitimate change; needs --reason."
)
@click.option(
    "--promote", "promoting", metavar="CASE", default=None, help="End the pending time of a case that is green."
)
@click.option("--reason", default=None, help="Why the expectation changes.")
@click.option("--trim", "trimming", is_flag=True, help="List frozen cases whose tools or persona no longer exist.")
def freeze(ids: tuple[str, ...], plan: Path | None, source: Path | None, **values: Any) -> None:
    """Approved candidates become fixed cases that guard for ever: red first, for the same reason.

    \b
    adk-split-eval freeze                                all that is approved
    adk-split-eval freeze S-02-3c0fb7a4 --pending shop-team --until 2027-01-31
    adk-split-eval freeze --check                        in CI
    adk-split-eval freeze --from session.json            a recording becomes a candidate
    adk-split-eval freeze --update F-S-02 --reason "the shop now asks before it submits"

    Exit codes: 0 done, 1 something was refused or --check found something, 2 usage, or no agent at hand.
    """
    from adk_split_eval.freeze.proving import NoAgentError

    named = [m for m in ("checking", "updating", "promoting", "trimming") if values[m]] + (["from"] if source else [])
    if len(named) > 1 or (named and ids):
        raise click.UsageError("--check, --update, --promote, --trim, --from and IDs exclude each other")
    _refuse_idle_options(named[0] if named else "")
    if bool(values["pending"]) != bool(values["until"]):
        raise click.UsageError("--pending OWNER and --until DATE go together")
    if values["pending"] and values["already_fixed"]:
        raise click.UsageError("--pending is for a bug that is still there, --already-fixed for one that is gone")
    try:
        with _errors_for_people():
            path = _plan_file(plan)
            code = _freeze_mode(named[0] if named else "", path, ids, source, values)
    except NoAgentError as error:
        stop(str(error))
    raise SystemExit(code)


_FREEZING = (
    "trials",
    "allow_flaky",
    "already_fixed",
    "pending",
    "until",
    "replay_tools",
    "shrinking",
    "budget",
    "prefix",
)
_OPTIONS: dict[str, tuple[str, ...]] = {
    "": _FREEZING,
    "checking": (),
    "updating": ("by", "trials", "reason"),
    "promoting": ("trials",),
    "trimming": (),
    "from": ("source", "cases", "prefix"),
}


def _refuse_idle_options(mode: str) -> None:
    """An option that does nothing here was meant to do something."""
    context = click.get_current_context()
    for parameter in context.command.params:
        name = parameter.name or ""
        given = context.get_parameter_source(name) is ParameterSource.COMMANDLINE
        if given and name not in (*_OPTIONS[mode], mode, "ids", "plan"):
            raise click.UsageError(f"{parameter.opts[0]} does nothing {_WHERE.get(name, 'here')}")
        if given and name == "budget" and not context.params["shrinking"]:
            raise click.UsageError("--budget does nothing without --shrink")


_WHERE = {"reason": "without --update", "by": "without --update", "cases": "without --from"}


def _freeze_mode(mode: str, plan: Path, ids: tuple[str, ...], source: Path | None, values: dict[str, Any]) -> int:
    if mode == "checking":
        return modes.check_all(plan)
    if mode == "updating":
        return modes.update_case(plan, values)
    if mode == "promoting":
        return modes.promote_case(plan, values)
    if mode == "trimming":
        return modes.list_trimmable(plan)
    if source is not None:
        return modes.take_from(plan, source, values)
    return modes.freeze_all(plan, ids, values)
