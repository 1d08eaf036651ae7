"""Selector that names no case.

## What it does
Reads `adk eval` command lines (`lint --command`) and reports ids that the named set does not hold.

## Why is this bad?
Beside one valid id ADK drops the others without a word: the case someone wanted to run was not run.

## Example
`adk eval desk a.evalset.json:refund,adress`

## Use instead
The id as it stands in the set.
"""

from collections.abc import Iterator

from adk_split_eval.lint.project import Project
from adk_split_eval.lint.rule import Report, Rule
from adk_split_eval.lint.rules._common import quoted
from adk_split_eval.lint.schema import nearest_name


def check(project: Project) -> Iterator[Report]:
    from adk_split_eval.lint.selected import selected_sets

    for command, selector, eval_set in selected_sets(project):
        if eval_set is None:
            continue
        known = [name for name in eval_set.survey.ids if name]
        for name in selector.ids:
            if name not in known:
                near = nearest_name(name.strip(), known) or (name.strip() if name.strip() in known else "")
                yield Report(command.document, (), f"{selector.path} holds no case `{quoted(name)}`; ADK drops it without a word",
                             f"did you mean `{near}`?" if near else "name a case of the set", span=command.locate(selector.written))  # fmt: skip


RULE = Rule(
    "ASE703", "selector-matches-nothing", "Selector that names no case", "error", "command", check, module=__name__
)
