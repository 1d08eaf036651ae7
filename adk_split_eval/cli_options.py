"""Options of the verbs that run and score: what they are called, what is refused, and what they come to."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast

import click

from adk_split_eval.report.outputs import FILE

if TYPE_CHECKING:
    from adk_split_eval.run.asked import RunOptions


class _Seconds(click.FloatRange):
    """A time limit: above 0 and finite, or it would end everything at once or could not be waited for."""

    name = "seconds"

    def __init__(self) -> None:
        super().__init__(min=0, min_open=True, max=31 * 24 * 3600)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        number = super().convert(value, param, ctx)
        if number != number:
            self.fail(f"{value} is no number of seconds", param, ctx)
        return number


SECONDS = _Seconds()

_OUTPUTS = (
    click.option("--json", "json_file", type=FILE, help="Write the machine-readable result; - is standard output."),
    click.option("--junit", "junit_file", type=FILE, help="Write a JUnit XML report; - is standard output."),
    click.option("--html", "html_file", type=FILE, help="Write an HTML report; - is standard output."),
)


def output_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """The reports that a verb writes."""
    for option in reversed(_OUTPUTS):
        function = option(function)
    return function


def outputs(values: dict[str, Any]) -> dict[str, str | None]:
    """Where each report goes, by option."""
    return {"--json": values["json_file"], "--junit": values["junit_file"], "--html": values["html_file"]}


def run_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """What ``run``, ``gate`` and ``probe`` have in common."""
    for option in reversed(
        [
            click.option("--case", "cases", multiple=True, metavar="ID", help="Only this case; may be repeated."),
            click.option("--trials", type=click.IntRange(1, 1000), help="Trials of each case (default: the plan's)."),
            click.option(
                "--jobs", type=click.IntRange(1, 1000), help="Units in flight at once (default: adapts, 16 to 64)."
            ),
            click.option(
                "--processes",
                type=click.IntRange(1, 64),
                help="Processes that units run in (default: one, and when that is the limit up to 4, one for each processor).",
            ),
            *_OUTPUTS,
            click.option("--fresh", is_flag=True, help="Start anew instead of resuming an interrupted run."),
            click.option(
                "--resume",
                metavar="RUN",
                help="Take up this run (`latest`) whatever has changed: what a change touches and what ended in an ERROR runs again.",
            ),
            click.option("--fail-on-hit", is_flag=True, help="Exit 1 when the probe has a hit."),
            click.option(
                "--shared-agent", is_flag=True, help="One agent object for all units, for agents that cannot be copied."
            ),
            click.option(
                "--unit-timeout", type=SECONDS, default=1800.0, show_default=True, help="Seconds for one conversation."
            ),
            click.option(
                "--call-timeout", type=SECONDS, default=300.0, show_default=True, help="Seconds for one model call."
            ),
            click.option(
                "--model-limit",
                "limits",
                multiple=True,
                metavar="MODEL=N",
                help="At most N concurrent calls of a model.",
            ),
            click.option(
                "-v",
                "--verbose",
                count=True,
                help="Every criterion, and the conversations of cases that are not green; twice: all of them.",
            ),
            click.option("-q", "--quiet", is_flag=True, help="Only what is not green."),
        ]
    ):
        function = option(function)
    return function


def _limits(pairs: tuple[str, ...]) -> dict[str, int]:
    limits: dict[str, int] = {}
    for pair in pairs:
        model, _, number = pair.rpartition("=")
        if not model or not number.isdecimal() or int(number) < 1:
            raise click.UsageError(f"--model-limit takes MODEL=N with N of at least 1, not {pair!r}")
        if limits.get(model, int(number)) != int(number):
            raise click.UsageError(f"--model-limit is given twice for {model}: {limits[model]} and {number}")
        limits[model] = int(number)
    return limits


def options_of(values: dict[str, Any], only: str | None) -> RunOptions:
    """The run that the values of :func:`run_options` ask for."""
    from adk_split_eval.run.asked import RunOptions
    from adk_split_eval.run.engine import EngineOptions
    from adk_split_eval.run.observe import CallPolicy

    policy = CallPolicy(timeout=values["call_timeout"], limits=_limits(values["limits"]))
    return RunOptions(
        only=cast("Any", only),
        case_ids=values["cases"],
        trials=values["trials"],
        jobs=values["jobs"],
        processes=values["processes"],
        fresh=values["fresh"],
        resume=values["resume"],
        fail_on_hit=values["fail_on_hit"],
        shared_agent=values["shared_agent"],
        engine=EngineOptions(unit_timeout=values["unit_timeout"], policy=policy),
    )
