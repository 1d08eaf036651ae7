"""The command line: a thin face over the verbs. A verb's code is imported only when that verb is called."""

from __future__ import annotations

import importlib
import sys
from typing import Any

import click

from adk_split_eval import __version__

_VERBS: dict[str, tuple[str, str]] = {
    "init": ("adk_split_eval.build.commands:init", "A working plan, an agent stub and CI snippets to start from."),
    "build": ("adk_split_eval.build.commands:build", "Plan to ADK eval sets and configs."),
    "lint": (
        "adk_split_eval.lint.command:lint",
        "Which checks never run, never fail or contradict each other, and where.",
    ),
    "run": ("adk_split_eval.cli_run:run", "Lint, build, infer, judge, report: gate and probe."),
    "gate": ("adk_split_eval.cli_run:gate", "Run the fixed set only: red blocks the merge."),
    "probe": ("adk_split_eval.cli_run:probe", "Run the simulated set only: a hit opens a candidate."),
    "score": ("adk_split_eval.cli_run:score", "Judge recorded conversations; no model is asked to act."),
    "audit": ("adk_split_eval.cli_run:audit", "A sample of judged verdicts for people, and how far they agree."),
    "pool": ("adk_split_eval.freeze.commands:pool", "Candidates found by the probe: list, show, approve, reject."),
    "freeze": ("adk_split_eval.freeze.commands:freeze", "Approved candidates to frozen fixed cases, red first."),
    "import": ("adk_split_eval.build.commands:import_", "Existing ADK eval sets to a plan."),
    "split": ("adk_split_eval.build.commands:split", "A mixed ADK eval set to two sets with two configs."),
    "report": ("adk_split_eval.report.commands:report", "HTML, JUnit or JSON of a run."),
    "diff": ("adk_split_eval.report.commands:diff", "What changed between two runs."),
    "history": ("adk_split_eval.report.commands:history", "Trend over runs, flaky cases, dry spells."),
    "personas": ("adk_split_eval.report.commands:personas", "Ready-made simulated users."),
    "criteria": ("adk_split_eval.report.commands:criteria", "Which criterion works in which set, and why."),
    "schema": ("adk_split_eval.build.commands:schema", "JSON Schema of the plan, for editors."),
    "explain": ("adk_split_eval.lint.command:explain", "What a code means and how to mend it."),
    "doctor": ("adk_split_eval.cli_doctor:doctor", "Check the installation: Python, ADK, models, project."),
}


class _LazyGroup(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        entry = _VERBS.get(cmd_name)
        if entry is None:
            return None
        module, _, attribute = entry[0].partition(":")
        command: click.Command = getattr(importlib.import_module(module), attribute)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, summary) for name, (_, summary) in _VERBS.items()])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0] if args else ""
        if name and name not in _VERBS and not name.startswith("-"):
            import difflib

            near = difflib.get_close_matches(name, _VERBS, 1)
            hint = f" Did you mean {near[0]}?" if near else ""
            raise click.UsageError(f"No such command {name!r}.{hint}", ctx)
        return super().resolve_command(ctx, args)


@click.group(cls=_LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="adk-split-eval")
def main() -> None:
    """Two evaluation sets from one plan for Google ADK agents: a fixed set that gates, a simulated set that probes.

    \b
    adk-split-eval init my_eval          a plan to start from
    adk-split-eval run                   gate and probe of the plan in this folder
    adk-split-eval lint evals/           what never runs, with line and column

    Exit codes of run and score: 0 nothing below applies, 1 a fixed case FAILed, 3 an ERROR or REJECTED case and no FAIL,
    2 usage or input that cannot be used, 130 interrupted (the same command resumes).
    """


def entry(argv: list[str] | None = None) -> Any:
    """Run the command line; returns what click returns (tests call this)."""
    return main.main(args=argv, prog_name="adk-split-eval", standalone_mode=True)


if __name__ == "__main__":
    sys.exit(entry())
