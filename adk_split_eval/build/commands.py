"""The verbs of this room on the command line: ``build``, ``init``, ``import``, ``split``, ``schema``."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import click

from adk_split_eval.record import CompiledPlan, Finding
from adk_split_eval.record.jsonio import write_atomically
from adk_split_eval.record.text import safe_terminal

if TYPE_CHECKING:
    from adk_split_eval.build.writing import BuildReport

USAGE = 2
"""Exit code: input that cannot be used."""


def _say(text: str, *, error: bool = False) -> None:
    click.echo(safe_terminal(text, newlines=True), err=error)


def _refuse(findings: Sequence[Finding]) -> NoReturn:
    for finding in findings:
        _say(finding.render(), error=True)
    sys.exit(USAGE)


def _fail_on(error: OSError) -> NoReturn:
    _say(f"{error.filename or ''}: cannot be read or written: {error.strerror or error}", error=True)
    sys.exit(USAGE)


@click.command("build", epilog="Example: adk-split-eval build refund_desk.plan.yaml --check")
@click.argument("plans", nargs=-1, metavar="[PLAN]...")
@click.option(
    "--check", is_flag=True, help="Write nothing; exit 1 when the files on disk are not what the plan asks for."
)
@click.option("--web", is_flag=True, help="Also put copies into the agent's folder, where adk web lists them.")
@click.option("-v", "--verbose", is_flag=True, help="Say what was decided, and why.")
def build(plans: tuple[str, ...], check: bool, web: bool, verbose: bool) -> None:
    """Generate the fixed and simulated sets of a plan, each with the config ADK pairs it with.

    PLAN defaults to the only plan in the current folder. Cases with an error are left out and said so (exit 3).
    """
    from adk_split_eval.plan import PlanError, find_plan
    from adk_split_eval.plan.checking import check_alone

    worst = 0
    try:
        chosen = plans or (str(find_plan()),)
        for plan in chosen:  # all before any: a refusal of the second must not leave the first one's files
            check_alone(plan)
        for plan in chosen:
            worst = max(worst, _build_one(Path(plan), check=check, web=web, verbose=verbose))
    except PlanError as error:
        _refuse(error.findings)
    except OSError as error:
        _fail_on(error)
    sys.exit(worst)


def _build_one(path: Path, *, check: bool, web: bool, verbose: bool) -> int:
    from adk_split_eval.build.compiling import compile_plan
    from adk_split_eval.build.writing import write_sets
    from adk_split_eval.plan import PlanError, load_plan

    compiled = compile_plan(load_plan(path))
    errors = [finding for finding in compiled.findings if finding.level == "error" and finding.case_id is None]
    if errors:
        raise PlanError(errors)
    for finding in [*compiled.findings, *(f for case in compiled.cases for f in case.findings if not case.rejected)]:
        _say(finding.render(), error=True)
    own = [f for case in compiled.cases if case.rejected for f in case.findings if f not in compiled.findings]
    for finding in own:
        _say(finding.render(), error=True)
    if verbose:
        _explain(compiled)
    report = write_sets(compiled, check=check, web=web)
    _tell(report, check=check)
    if not report.ok:
        return 1
    rejected = [case.case_id for case in compiled.cases if case.rejected]
    if rejected:
        _say(f"rejected, in no set: {', '.join(rejected)}", error=True)
        return 3
    return 0


def _explain(compiled: CompiledPlan) -> None:
    for made in compiled.sets:
        _say(f"{made.directory}/ holds {', '.join(made.case_ids)}; judged by {', '.join(made.config['criteria'])}")
    for decision in compiled.decisions:
        _say(decision)


def _tell(report: BuildReport, *, check: bool) -> None:
    for note in report.notes:
        _say(note, error=True)
    labels = ("written", "removed", "stale", "missing", "leftover")
    for label in labels:
        for path in getattr(report, label):
            _say(f"{label}: {path}")
    if check and report.ok:
        _say(f"up to date: {len(report.unchanged)} files")
    elif check:
        _say("run `adk-split-eval build` and commit what it writes", error=True)
    elif not (report.written or report.removed):
        _say(f"nothing to do: {len(report.unchanged)} files are up to date")


@click.command("init", epilog="Example: adk-split-eval init evals/refund_desk")
@click.argument("folder", default=".", metavar="[DIR]", type=click.Path(file_okay=False, path_type=Path))
@click.option("--plan-id", help="Id of the plan (letters, digits, underscores); default: the folder's name.")
def init(folder: Path, plan_id: str | None) -> None:
    """A working plan, an agent stub and CI snippets to start from. Runs offline as it is; overwrites nothing."""
    from adk_split_eval.build.scaffold import write_scaffold
    from adk_split_eval.plan import PlanError

    try:
        written = write_scaffold(folder, plan_id)
    except PlanError as error:
        _refuse(error.findings)
    except OSError as error:
        _fail_on(error)
    for path in written:
        _say(f"written: {path}")
    _say(f"next: cd {shlex.quote(str(folder))} && adk-split-eval run")


@click.command(
    "import", epilog="Example: adk-split-eval import old.evalset.json --config test_config.json -o old.plan.yaml"
)
@click.argument("sets", nargs=-1, required=True, metavar="SET...")
@click.option(
    "--config", metavar="FILE", help="ADK config that governs them; default: test_config.json beside the first."
)
@click.option("--plan-id", help="Id of the plan; default: made of the first set's id.")
@click.option("-o", "--output", metavar="FILE", help="Where to write the plan; default, and -: standard output.")
def import_(sets: tuple[str, ...], config: str | None, plan_id: str | None, output: str | None) -> None:
    """Existing ADK eval sets, mixed ones too, as a plan. Comments in it say what was not carried over."""
    from adk_split_eval.build.importing import import_sets
    from adk_split_eval.plan import PlanError

    try:
        text = import_sets(sets, config, plan_id)
        if output in (None, "-"):
            click.echo(text.encode("utf-8"), nl=False)
            return
        if Path(output).exists():
            _refuse(
                [Finding("ASE620", "error", "the file exists, and nothing is overwritten", output, help="name another")]
            )
        write_atomically(Path(output), text)
    except PlanError as error:
        _refuse(error.findings)
    except OSError as error:
        _fail_on(error)
    _say(f"written: {output}")


@click.command("split", epilog="Example: adk-split-eval split mixed.evalset.json --config eval_config.json -o evals")
@click.argument("eval_set", metavar="SET")
@click.option("--config", metavar="FILE", help="ADK config that governs it; default: test_config.json beside it.")
@click.option("-o", "--output", metavar="DIR", default=".", show_default=True, help="Folder for fixed/ and simulated/.")
def split(eval_set: str, config: str | None, output: str) -> None:
    """One mixed ADK set into two, each with a config whose criteria can judge it."""
    from adk_split_eval.build.splitting import split_set
    from adk_split_eval.plan import PlanError

    if output == "-":
        raise click.UsageError("-o takes a folder for four files; standard output holds one")
    try:
        result = split_set(eval_set, config)
        files = {Path(output) / name: text for name, text in result.files().items()}
        standing = next((path for path in files if path.exists()), None)
        if standing is not None:
            message = "the file exists, and nothing is overwritten"
            _refuse([Finding("ASE620", "error", message, str(standing), help="choose another folder with -o")])
        for path, text in files.items():
            write_atomically(path, text)
            _say(f"written: {path}")
    except PlanError as error:
        _refuse(error.findings)
    except OSError as error:
        _fail_on(error)
    for note in result.notes:
        _say(f"note: {note}")


@click.command("schema", epilog="Example: adk-split-eval schema > adk-split-eval.plan.schema.json")
def schema() -> None:
    """The JSON Schema of plans, for editors (the yaml-language-server line) and other tools."""
    from adk_split_eval.plan import plan_json_schema

    click.echo(json.dumps(plan_json_schema(), indent=2, ensure_ascii=False))


COMMANDS: tuple[click.Command, ...] = (build, init, import_, split, schema)
"""What the command line mounts."""
