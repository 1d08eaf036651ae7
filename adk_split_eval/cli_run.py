"""The verbs that run and score: options in, report and exit code out."""

from __future__ import annotations

import contextlib
import signal
import subprocess
import sys
from collections.abc import Callable, Generator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from adk_split_eval.cli_options import options_of, output_options, outputs, run_options
from adk_split_eval.report.outputs import OutputError, check_outputs, to_standard_output

if TYPE_CHECKING:
    from adk_split_eval.record import CompiledPlan, RunResult

USAGE = 2
INTERRUPTED = 130


def _stop(message: str, code: int = USAGE) -> NoReturn:
    click.echo(message, err=True)
    raise SystemExit(code)


@contextlib.contextmanager
def errors_for_people(*, resumed: bool = False) -> Generator[None]:
    """A user's mistake is a located message and exit code 2; an interruption says how to go on; a defect stays a traceback.

    Args:
        resumed: the same command takes up what an interruption leaves behind.
    """
    from adk_split_eval.plan import PlanError
    from adk_split_eval.record.runs import RunNotFoundError
    from adk_split_eval.run import RawInputError, RunError
    from adk_split_eval.run.journal import JournalError, JournalOpenError

    again = "the same command resumes" if resumed else "the same command starts anew"
    try:
        yield
    except (PlanError, RunError) as error:
        findings = getattr(error, "findings", [])
        for finding in findings:
            click.echo(finding.render(), err=True)
        _stop(str(error) if not findings else f"{len(findings)} problem(s): nothing was run")
    except (RawInputError, RunNotFoundError) as error:
        _stop(str(error))
    except JournalOpenError as error:
        _stop(str(error))
    except OutputError as error:
        _stop(f"{error}; nothing was run")
    except JournalError as error:
        _stop(f"{error}; {again}", INTERRUPTED)
    except KeyboardInterrupt as interruption:
        stored = f"{str(interruption) or 'finished units are stored'}, " if resumed else ""
        _stop(f"interrupted; {stored}{again}", INTERRUPTED)


def _terminate(_signal: int, _frame: Any) -> None:
    raise KeyboardInterrupt


def _show(result: RunResult, compiled: CompiledPlan | None, values: dict[str, Any]) -> None:
    from adk_split_eval.record.runs import run_folder
    from adk_split_eval.report.console import make_console, print_run
    from adk_split_eval.report.html import html_report
    from adk_split_eval.report.junit import junit_xml
    from adk_split_eval.report.outputs import write_output

    makers: dict[str, Callable[[], str]] = {
        # The stored result, byte for byte: of a large run the conversations are only there.
        "--json": lambda: run_folder(result.run_id).result.read_text(encoding="utf-8"),
        "--junit": lambda: junit_xml(result, fail_on_hit=bool(values.get("fail_on_hit"))),
        "--html": lambda: html_report(result),
    }
    lost: list[str] = []
    for option, path in outputs(values).items():
        try:
            if path:
                write_output(path, makers[option]())
        except OSError as error:
            lost.append(f"{error.filename or path}: cannot be written: {error.strerror or error}")
    verbose = -1 if values.get("quiet") else int(values.get("verbose") or 0)
    taken = any(map(to_standard_output, outputs(values).values()))
    print_run(result, compiled, console=make_console(stderr=taken), verbose=verbose)
    if lost:
        _stop("\n".join([*lost, f"the run itself is stored as {result.run_id}"]))


def _plans(paths: tuple[Path, ...]) -> list[Path]:
    from adk_split_eval.plan import find_plan

    if not paths:
        return [find_plan(Path.cwd())]
    return [find_plan(p) if p.is_dir() else p for p in paths]


def _foreign_prints(values: dict[str, Any]) -> contextlib.AbstractContextManager[Any]:
    """What an agent prints while a report goes to standard output, where it would stand in the middle of it."""
    taken = any(map(to_standard_output, outputs(values).values()))
    return contextlib.redirect_stdout(sys.stderr) if taken else contextlib.nullcontext()


def _run_one(plan: Path, only: str | None, values: dict[str, Any]) -> int:
    from adk_split_eval import api
    from adk_split_eval.report.progress import progress

    options = options_of(values, only)
    with progress() as report_progress, _foreign_prints(values):
        options.progress = report_progress
        result = api.run(plan, options=options)
    _show(result, None, values)
    return result.exit_code


def _run_others(plans: list[Path], given: tuple[Path, ...]) -> int:
    """Each plan in a process of its own: ADK imports every agent folder under the same module name."""
    worst = 0
    severity = [0, 3, 1, 2, INTERRUPTED]
    chosen = set(map(str, given))
    verb, *rest = [a for a in sys.argv[1:] if str(Path(a)) not in chosen]
    for plan in plans:
        click.echo(f"== {plan}")
        code = subprocess.run(
            [sys.executable, "-m", "adk_split_eval.cli", verb, *rest, str(plan)], check=False
        ).returncode
        worst = max(worst, code if code in severity else 2, key=severity.index)
    return worst


@click.command(epilog="Example: adk-split-eval run refund_desk.plan.yaml --trials 3 --json out.json")
@click.argument("plans", nargs=-1, metavar="[PLAN]…", type=click.Path(path_type=Path))
@click.option("--only", type=click.Choice(["fixed", "simulated"]), help="Run one half only.")
@click.option("--agent", type=click.Path(path_type=Path), help="Run ADK eval sets as they are with this agent folder.")
@click.option(
    "--config",
    type=click.Path(path_type=Path),
    help="With --agent: the eval config (default: test_config.json beside the set).",
)
@run_options
def run(plans: tuple[Path, ...], only: str | None, agent: Path | None, config: Path | None, **values: Any) -> None:
    """Lint, build, infer, judge and report: the gate (fixed set) and the probe (simulated set) of a plan.

    PLAN defaults to the only plan in the current folder. With --agent DIR the arguments are ADK eval sets
    (SET or SET:case,case): the honest `adk eval`. An interrupted run of the same inputs is resumed.
    """
    raise SystemExit(_dispatch(plans, only, agent, config, values))


@click.command(epilog="Example: adk-split-eval gate --json gate.json")
@click.argument("plans", nargs=-1, metavar="[PLAN]…", type=click.Path(path_type=Path))
@run_options
def gate(plans: tuple[Path, ...], **values: Any) -> None:
    """Run the fixed set only. Exit 1 when a case FAILs: red blocks the merge."""
    raise SystemExit(_dispatch(plans, "fixed", None, None, values))


@click.command(epilog="Example: adk-split-eval probe --trials 5")
@click.argument("plans", nargs=-1, metavar="[PLAN]…", type=click.Path(path_type=Path))
@run_options
def probe(plans: tuple[Path, ...], **values: Any) -> None:
    """Run the simulated set only. A hit opens a candidate and never blocks (unless --fail-on-hit)."""
    raise SystemExit(_dispatch(plans, "simulated", None, None, values))


def _dispatch(
    plans: tuple[Path, ...], only: str | None, agent: Path | None, config: Path | None, values: dict[str, Any]
) -> int:
    signal.signal(signal.SIGTERM, _terminate)
    if values["fresh"] and values["resume"] is not None:
        raise click.UsageError("--fresh starts anew and --resume takes up a stored run; give one of them")
    with errors_for_people(resumed=True):
        check_outputs(outputs(values))
        if agent is not None:
            return _run_sets(plans, only, agent, config, values)
        if config is not None:
            raise click.UsageError("--config goes with --agent; a plan generates its own configs")
        found = _plans(plans)
        if len(found) > 1:
            named = [option for option, path in outputs(values).items() if path]
            if named:
                raise click.UsageError(
                    f"{named[0]} names one place and there are {len(found)} plans; run them one by one"
                )
            return _run_others(found, plans)
        return _run_one(found[0], only, values)


def _run_sets(
    sets: tuple[Path, ...], only: str | None, agent: Path, config: Path | None, values: dict[str, Any]
) -> int:
    from adk_split_eval import api
    from adk_split_eval.report.progress import progress

    if not sets:
        raise click.UsageError("name at least one eval set: adk-split-eval run --agent DIR SET…")
    options = options_of(values, only)
    with progress() as report_progress, _foreign_prints(values):
        options.progress = report_progress
        result = api.run_sets([str(s) for s in sets], agent, config, options)
    _show(result, None, values)
    return result.exit_code


@click.command(epilog="Example: adk-split-eval score refund_desk.plan.yaml --traces traces.json --json out.json")
@click.argument("source", required=False, type=click.Path(path_type=Path))
@click.option("--traces", type=click.Path(path_type=Path), help="Recorded conversations, one per case id.")
@click.option("--run", "run_reference", metavar="RUN", help="Judge the conversations of this stored run anew.")
@output_options
@click.option("--case", "cases", multiple=True, metavar="ID", help="Only this case; may be repeated.")
@click.option("--no-pool", is_flag=True, help="Do not write hits into the probe pool.")
@click.option("--fail-on-hit", is_flag=True, help="Exit 1 on a hit.")
@click.option(
    "-v",
    "--verbose",
    count=True,
    help="Every criterion, and the conversations of cases that are not green; twice: all of them.",
)
@click.option("-q", "--quiet", is_flag=True, help="Only what is not green.")
def score(
    source: Path | None,
    traces: Path | None,
    run_reference: str | None,
    cases: tuple[str, ...],
    no_pool: bool,
    **values: Any,
) -> None:
    """Judge recorded conversations with the criteria of a plan; no model is asked to act.

    SOURCE is a plan (with --traces FILE), or one file in the flat form that holds both sets and the traces. With
    --run RUN the stored conversations of a run are judged anew with the plan as it is now.
    """
    from adk_split_eval import api
    from adk_split_eval.run.asked import RunOptions

    with errors_for_people():
        check_outputs(outputs(values))
        options = RunOptions(case_ids=cases, write_candidates=not no_pool, fail_on_hit=values["fail_on_hit"])
        if run_reference is not None and traces is not None:
            raise click.UsageError("--traces and --run are two sources of conversations; give one of them")
        if run_reference is not None:
            result = api.score_run(run_reference, source, options=options)
        elif source is None:
            raise click.UsageError("name a plan (with --traces FILE), a flat file, or --run RUN")
        elif not source.exists():
            _stop(f"{source}: no such file")
        elif traces is None and source.suffix in (".yaml", ".yml"):
            raise click.UsageError(f"{source} is a plan; add --traces FILE, or use `run` to let the agent act")
        else:
            result = api.score(source, traces, options=options)
        _show(result, None, values)
        raise SystemExit(result.exit_code)


@click.command(epilog="Example: adk-split-eval audit latest --share 10   then   audit --agree audit.yaml")
@click.argument("run_reference", required=False, metavar="[RUN]")
@click.option("--share", type=click.FloatRange(0, 100, min_open=True), default=10.0, show_default=True, help="Percent.")
@click.option(
    "--agree",
    "answers",
    multiple=True,
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Answered samples, one a person; may be repeated.",
)
@click.option(
    "--threshold",
    type=click.FloatRange(-1, 1),
    default=0.8,
    show_default=True,
    help="Krippendorff's alpha under which every later report names the judge.",
)
def audit(run_reference: str | None, share: float, answers: tuple[Path, ...], threshold: float) -> None:
    """Draw a sample of a run's judged verdicts for people to check, or read what they answered.

    RUN defaults to the latest. The same verdicts are drawn every time. Exit 1 when a judge is under the threshold.
    """
    from adk_split_eval.record.runs import resolve_run
    from adk_split_eval.run.audit import AuditError, draw_sample, take_answers

    with errors_for_people():
        try:
            if answers:
                found = take_answers(answers, threshold=threshold)
                for agreement in found:
                    click.echo(f"{'DOUBTFUL' if agreement.doubtful else 'ok      '}  {agreement.sentence()}")
                raise SystemExit(1 if any(a.doubtful for a in found) else 0)
            path = draw_sample(resolve_run(run_reference), share / 100)
        except AuditError as error:
            _stop(str(error))
        click.echo(str(path) if path is not None else "this run holds no judged verdict, there is nothing to draw")
