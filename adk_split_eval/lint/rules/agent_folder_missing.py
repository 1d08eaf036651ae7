"""Agent folder that is not there.

## What it does
Reports a plan whose `agent` names no folder beside the plan, or one without `__init__.py`.

## Why is this bad?
`run` cannot load the agent. A plan whose recorded conversations are only scored needs none, so this is a warning; with
`--strict` it fails.

## Example
```yaml
agent: refund_agnet
```

## Use instead
The folder's path, relative to the plan; leave `agent` out of a plan that is only scored.
"""
# os functions instead of pathlib: this room starts cold on every commit.
# ruff: noqa: PTH112, PTH113, PTH118, PTH120, PTH208

import os
from collections.abc import Iterator

from adk_split_eval.lint.plan_view import PlanView
from adk_split_eval.lint.project import Project
from adk_split_eval.lint.rule import Report, Rule
from adk_split_eval.lint.rules._common import quoted

_MEND = "name the agent's folder relative to the plan; a plan that is only scored needs none"


def check(project: Project) -> Iterator[Report]:
    """Eval sets name no agent."""
    return iter(())


def check_plan(plan: PlanView) -> Iterator[Report]:
    agent = plan.data.get("agent")
    if not isinstance(agent, str) or not agent.strip() or "\0" in agent:
        return
    folder = os.path.join(plan.document.folder, agent)
    if not os.path.isdir(folder):
        close = _nearest(folder)
        message = f"there is no agent folder `{quoted(agent)}` beside the plan: it can be scored, not run"
        help = f"did you mean `{quoted(os.path.join(os.path.dirname(agent), close))}`?" if close else _MEND
    elif not os.path.isfile(os.path.join(folder, "__init__.py")):
        message = f"the agent folder `{quoted(agent)}` has no __init__.py: ADK cannot load it"
        help = "add an __init__.py that says `from . import agent`"
    else:
        return
    yield Report(plan.document, ("agent",), message, help)


def _nearest(folder: str) -> str:
    """The neighbouring folder whose name is most alike, one that holds a package before all others."""
    import difflib

    parent, name = os.path.split(folder.rstrip("/\\"))
    try:
        neighbours = [one for one in sorted(os.listdir(parent or ".")) if os.path.isdir(os.path.join(parent, one))]
    except OSError:
        return ""
    packages = [one for one in neighbours if os.path.isfile(os.path.join(parent, one, "__init__.py"))]
    close = difflib.get_close_matches(name, packages, 1) or difflib.get_close_matches(name, neighbours, 1)
    return close[0] if close else packages[0] if len(packages) == 1 else ""


RULE = Rule(
    "ASE635",
    "agent-folder-missing",
    "Agent folder that is not there",
    "warning",
    "project",
    check,
    plan_check=check_plan,
    module=__name__,
)
