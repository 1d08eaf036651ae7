"""The verb that looks at an installation: what a run here would need, and whether it is there."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from adk_split_eval.plan.loading import LoadedPlan

KEYS = ("GOOGLE_API_KEY", "GEMINI_API_KEY", "GOOGLE_CLOUD_PROJECT", "OPENAI_API_KEY")


@click.command(epilog="Example: adk-split-eval doctor")
@click.option("--no-import", is_flag=True, help="Do not import the agent; then nothing is said of whether it can be.")
def doctor(no_import: bool) -> None:
    """Check the installation: Python, google-adk and its eval extra, this folder's plan, its agent and its models.

    The agent is imported as a run imports it; no model is called. Exit code 1 when something a run needs is not there.
    """
    from adk_split_eval import __version__
    from adk_split_eval.run import adk as border

    click.echo(f"adk-split-eval {__version__}, Python {sys.version.split()[0]}")
    broken = 0
    usable = True
    try:
        version = border.adk_version()
        border.load()
        click.echo(f"ok    google-adk {version} with its eval extra")
    except border.AdkMissingError as error:
        broken, usable = 1, False
        click.echo(f"FAIL  {error}")
    broken += _check_plan(look_into_agent=usable and not no_import)
    keys = [key for key in KEYS if os.environ.get(key)]
    click.echo(f"info  model credentials in the environment: {', '.join(keys) or 'none (scripted models need none)'}")
    raise SystemExit(1 if broken else 0)


def _check_plan(*, look_into_agent: bool) -> int:
    from adk_split_eval.plan import PlanError, find_plan, load_plan

    try:
        path = find_plan(Path.cwd())
    except PlanError as error:
        # A folder without a plan is no broken installation.
        for finding in error.findings:
            click.echo(f"info  {finding.render()}")
        return 0
    try:
        loaded = load_plan(path)
    except PlanError as error:
        for finding in error.findings:
            click.echo(f"FAIL  {finding.render()}")
        return 1
    click.echo(f"ok    plan {path.name}")
    if loaded.plan.agent is None:
        return 0
    return _check_agent(path.parent / loaded.plan.agent, loaded, look_into_agent=look_into_agent)


def _check_agent(folder: Path, loaded: LoadedPlan, *, look_into_agent: bool) -> int:
    name = loaded.plan.agent
    if not (folder / "__init__.py").is_file():
        click.echo(f"FAIL  agent folder {name} {'has no __init__.py' if folder.is_dir() else 'does not exist'}")
        return 1
    click.echo(f"ok    agent folder {name}")
    if not look_into_agent:
        click.echo(
            "info  the agent was not imported: whether it can be, and whether its models are known, is not checked"
        )
        return 0
    from adk_split_eval.run.agents import AgentLoadError, load_agent

    try:
        load_agent(folder)
    except AgentLoadError as error:
        click.echo(f"FAIL  ASE904 {error}")
        return 1
    click.echo("ok    the agent can be imported and offers an agent")
    models = loaded.plan.models
    named = {"simulator": models.simulator, "judge": models.judge} if models is not None else {}
    return sum(_check_model(role, model) for role, model in named.items() if model)


def _check_model(role: str, model: str) -> int:
    from google.adk.models.registry import LLMRegistry

    try:
        LLMRegistry.resolve(model)
    except Exception as error:  # noqa: BLE001 - whatever a provider's package raises, this model cannot be had
        click.echo(f"FAIL  models.{role}: {model}: no installed model answers to that name ({error})")
        return 1
    click.echo(f"ok    models.{role}: {model}")
    return 0
