"""Blank in a selector.

## What it does
Reports ids of a selector with a blank beside the comma.

## Why is this bad?
ADK compares them with the blank: ` b` is no case, and it is dropped.

## Example
`adk eval desk "a.evalset.json:a, b"`

## Use instead
`a.evalset.json:a,b`
"""

from collections.abc import Iterator

from adk_split_eval.lint.project import Project
from adk_split_eval.lint.rule import Report, Rule


def check(project: Project) -> Iterator[Report]:
    from adk_split_eval.lint.selected import selected_sets

    for command, selector, _ in selected_sets(project):
        if selector.blank:
            yield Report(
                command.document,
                (),
                f"a blank in `{selector.written}` makes an id that matches nothing",
                "remove the blank",
                span=command.locate(selector.written),
            )


RULE = Rule("ASE704", "selector-blank", "Blank in a selector", "error", "command", check, module=__name__)
