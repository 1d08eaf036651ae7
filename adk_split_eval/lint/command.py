"""The ``lint`` and ``explain`` verbs. Imports stay small: a hook pays for them on every commit."""

# os functions instead of pathlib: this room starts cold on every commit.
# ruff: noqa: PTH112, PTH118

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from adk_split_eval.lint.engine import LintResult

_FORMATS = ("text", "json", "sarif", "github")


@click.command()
@click.argument("paths", nargs=-1, type=click.Path())
@click.option(
    "--format",
    "output_format",
    type=click.Choice(_FORMATS),
    default="text",
    show_default=True,
    help="How findings are written.",
)
@click.option(
    "--adk-version",
    metavar="X.Y",
    help="The google-adk version to assume (default: the project's pin, the installed one, the newest known).",
)
@click.option(
    "--config", type=click.Path(), help="The config that governs all sets, as with `adk eval --config_file_path`."
)
@click.option(
    "--select", multiple=True, metavar="CODES", help="Only these rules: codes, prefixes or names, separated by commas."
)
@click.option("--ignore", multiple=True, metavar="CODES", help="Not these rules.")
@click.option("--strict", is_flag=True, help="Exit with 1 on warnings too.")
@click.option("--fix", is_flag=True, help="Apply safe mends.")
@click.option("--unsafe-fixes", is_flag=True, help="Apply mends that may change what is judged, too.")
@click.option("--diff", is_flag=True, help="Show what the mends would change; write nothing.")
@click.option("--statistics", is_flag=True, help="Count findings by rule.")
@click.option(
    "--command",
    "adk_command",
    metavar="LINE|FILE",
    help="An `adk eval …` command line, or a Makefile or CI file that holds some.",
)
def lint(
    paths: tuple[str, ...],
    output_format: str,
    adk_version: str | None,
    config: str | None,
    select: tuple[str, ...],
    ignore: tuple[str, ...],
    strict: bool,
    fix: bool,
    unsafe_fixes: bool,
    diff: bool,
    statistics: bool,
    adk_command: str | None,
) -> None:
    """Say which checks have never run: in plans, ADK eval sets, configs and whole folders.

    Imports neither google-adk nor the project's code. Exit code 1 on error findings (with --strict on warnings too), 2 on
    what cannot be read or mended, and on a folder or --command that holds nothing to look at.

    Example: adk-split-eval lint tests/eval --format github
    """
    from adk_split_eval.lint.api import lint_paths
    from adk_split_eval.lint.output.text import printable
    from adk_split_eval.lint.settings import Options, SettingsError

    if output_format != "text" and (statistics or diff):
        raise click.UsageError(f"{'--statistics' if statistics else '--diff'} is text; leave --format out")
    if statistics and diff:
        raise click.UsageError("--statistics and --diff are two reports; ask for one")
    if not paths and not adk_command:
        paths = (".",)
    _known(_codes(select), "--select")
    _known(_codes(ignore), "--ignore")
    options = Options(
        adk_version=_version(adk_version),
        config=config,
        select=_codes(select),
        ignore=_codes(ignore),
        command=adk_command,
    )
    try:
        result = lint_paths(paths, options)
        refused: set[str] = set()
        shown = ""
        if diff:
            shown = _diff(result, unsafe_fixes, lambda: lint_paths(paths, options))
        elif fix or unsafe_fixes:
            for _ in range(_ROUNDS):
                if not _write_fixes(result, unsafe_fixes, refused):
                    break
                result = lint_paths(paths, options)
    except SettingsError as error:
        click.echo(f"error: {error}", err=True)
        sys.exit(2)
    if diff:
        click.echo(shown, nl=False)
    elif statistics:
        from adk_split_eval.lint.output.statistics import render

        click.echo(render(result), nl=False)
    else:
        click.echo(_render(result, output_format), nl=False)
    empty = _folders_without_files(paths, result.files)
    for folder in empty:
        click.echo(f"error: {printable(folder)}: {_NOTHING_HERE}", err=True)
    if adk_command and _holds_no_command(adk_command):
        click.echo(f"error: --command {printable(adk_command)}: {_NO_COMMAND}", err=True)
        empty.append(adk_command)
    sys.exit(2 if empty or refused else exit_code(result, strict))


_ROUNDS = 10
"""Mends make room for further ones; after so many rounds nothing is left that a mend could change."""
_NOTHING_HERE = (
    "this folder holds no plan (*.plan.yaml, *.plan.yml), no ADK eval set and no config: nothing was looked at; "
    "check the path, or name the files"
)


_NO_COMMAND = "no `adk eval AGENT SET` stands there: nothing was looked at; check the path, or give the line itself"


def _holds_no_command(given: str) -> bool:
    """Whether neither the file nor the line named has anything to look at: it must not be green either."""
    from adk_split_eval.lint.commands import read_commands

    return not read_commands(given)


def _folders_without_files(paths: tuple[str, ...], files: list[str]) -> list[str]:
    """Named folders below which no file was looked at: a wrong path in CI must not be green."""
    found = [os.path.realpath(file) for file in files]
    empty: list[str] = []
    for path in paths:
        above = os.path.join(os.path.realpath(path), "")
        if os.path.isdir(path) and not any(file.startswith(above) for file in found):
            empty.append(path)
    return empty


def _known(chosen: tuple[str, ...], option: str) -> None:
    """Refuses a code, prefix or name that no rule has: it would choose nothing, in silence."""
    if not chosen:
        return
    from adk_split_eval.lint.rule import problem_of_name

    for one in chosen:
        problem = problem_of_name(one)
        if problem:
            raise click.BadParameter(problem, param_hint=option)


def exit_code(result: LintResult, strict: bool) -> int:
    """2 when a named path cannot be read, 1 on errors (on warnings too when strict), else 0."""
    if result.unreadable:
        return 2
    return 1 if result.count("error") or (strict and result.count("warning")) else 0


@click.command()
@click.argument("code")
def explain(code: str) -> None:
    """Explain a finding's CODE: what it means, why it is bad, and the mend.

    Example: adk-split-eval explain ASE102
    """
    from adk_split_eval.lint.explain import explanation

    text = explanation(code)
    if text is None:
        click.echo(
            f"error: there is no code {code!r}; `adk-split-eval lint --help` shows how rules are named", err=True
        )
        sys.exit(2)
    click.echo(text)


def _codes(values: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(code.strip() for value in values for code in value.split(",") if code.strip())


def _version(value: str | None) -> str | None:
    if value is not None and not all(part.isdigit() for part in value.split(".")[:2]):
        raise click.BadParameter(f"{value!r} is no version such as 2.13", param_hint="--adk-version")
    return value


def _render(result: LintResult, output_format: str) -> str:
    if output_format == "json":
        from adk_split_eval.lint.output import json_format

        return json_format.render(result)
    if output_format == "sarif":
        from adk_split_eval.lint.output import sarif

        return sarif.render(result)
    if output_format == "github":
        from adk_split_eval.lint.output import github

        return github.render(result)
    from adk_split_eval.lint.output import text

    return text.render(result, colour=sys.stdout.isatty())


def _write_fixes(result: LintResult, unsafe: bool, refused: set[str]) -> int:
    """Writes one round of mends; paths that could not be written are said and added to ``refused``."""
    from adk_split_eval.lint.fixes import fixed_texts, in_the_way, write
    from adk_split_eval.lint.output.text import printable

    texts, _ = fixed_texts(result.findings, result.sources, unsafe)
    for finding in result.findings:
        there = in_the_way(finding.fix) if unsafe and finding.fix is not None and finding.path not in refused else []
        if finding.fix is not None and 0 < len(there) < len(finding.fix.new_files):
            refused.add(finding.path)
            click.echo(
                f"error: {printable(finding.path)}: not mended: {printable(there[0])} is there already", err=True
            )
    changed = 0
    mended: set[str] = set()
    for path, (old, new) in texts.items():
        target = os.path.realpath(path)
        if old == new or path in refused or target in mended:  # two names of one file
            continue
        mended.add(target)
        problem = write(path, old, new)
        if problem:
            refused.add(path)
            click.echo(f"error: {printable(path)}: not mended: {problem}", err=True)
        else:
            changed += 1
            click.echo(f"mended {printable(path)}" if old else f"wrote {printable(path)}", err=True)
    return changed


def _diff(result: LintResult, unsafe: bool, again: Callable[[], LintResult]) -> str:
    """What all rounds of mends together would change; nothing is written."""
    from adk_split_eval.lint.documents import mended_texts
    from adk_split_eval.lint.fixes import diff, fixed_texts

    changes: dict[str, tuple[str, str]] = {}
    try:
        for _ in range(_ROUNDS):
            texts, _ = fixed_texts(result.findings, result.sources, unsafe)
            news = {
                path: (old, new) for path, (old, new) in texts.items() if old != new and (old or path not in changes)
            }
            if not news:
                break
            for path, (old, new) in news.items():
                changes[path] = (changes[path][0] if path in changes else old, new)
                if old:
                    mended_texts[path] = new.encode()
            result = again()
    finally:
        mended_texts.clear()
    return "".join(diff(path, old, new) for path, (old, new) in sorted(changes.items()))
