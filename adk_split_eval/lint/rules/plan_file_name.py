"""Plan file that is not named after its plan_id.

## What it does
Points out a plan `<name>.plan.yaml` whose `plan_id` is another name.

## Why is this bad?
Everything that belongs to a plan is named after its `plan_id`: the generated sets, `<plan_id>.frozen.yaml`, runs and history.
Beside a plan file of another name nobody finds them by the file they edit; a copied plan whose `plan_id` was forgotten shows
its runs as those of the first. Nothing is judged otherwise for it.

## Example
`refund.plan.yaml` with `plan_id: refund_desk`.

## Use instead
`refund_desk.plan.yaml`, or `plan_id: refund`.
"""

from collections.abc import Iterator

from adk_split_eval.lint.plan_view import PlanView
from adk_split_eval.lint.project import Project
from adk_split_eval.lint.rule import Report, Rule
from adk_split_eval.lint.rules._common import quoted

_ENDINGS = (".plan.yaml", ".plan.yml")


def check(project: Project) -> Iterator[Report]:
    """ADK takes eval sets by any name."""
    return iter(())


def check_plan(plan: PlanView) -> Iterator[Report]:
    name, plan_id = plan.document.name, plan.data.get("plan_id")
    ending = next((e for e in _ENDINGS if name.endswith(e)), None)
    if ending is None or not isinstance(plan_id, str) or name == plan_id + ending:
        return
    yield Report(
        plan.document, ("plan_id",),
        f"the file is named {quoted(name)} and the plan `{quoted(plan_id)}`: what belongs to it is found under `{quoted(plan_id)}` alone",
        f"rename the file to {quoted(plan_id)}{ending}, or correct plan_id",
    )  # fmt: skip


RULE = Rule(
    "ASE637",
    "plan-file-name",
    "Plan file that is not named after its plan_id",
    "info",
    "project",
    check,
    plan_check=check_plan,
    rejects=False,
    module=__name__,
)
