"""Simulator instructions without their placeholders.

## What it does
Reports `custom_instructions` that lack `{{ stop_signal }}`, `{{ conversation_plan }}` or `{{ conversation_history }}`, and
`{{ persona }}` where a governed scenario has a persona.

## Why is this bad?
ADK refuses the config, or, for the persona, fails the case.

## Example
`"custom_instructions": "You are a customer."`

## Use instead
All placeholders, in Jinja syntax.
"""

import re
from collections.abc import Iterator

from adk_split_eval.lint.project import Project
from adk_split_eval.lint.rule import Report, Rule

REQUIRED = ("stop_signal", "conversation_plan", "conversation_history")


def mentions(text: str, name: str) -> bool:
    return bool(re.search(r"\{[{%][^{}]*\b" + name + r"\b", text[:100_000]))


def check(project: Project) -> Iterator[Report]:
    with_persona = {
        id(p.config)
        for p in project.pairs
        if any(s.get("user_persona") is not None for _, _, s in p.set.simulated_cases())
    }
    for config in project.configs:
        text = config.simulator.get("custom_instructions")
        if config.document is None or not isinstance(text, str):
            continue
        wanted = (*REQUIRED, "persona") if id(config) in with_persona else REQUIRED
        missing = [name for name in wanted if not mentions(text, name)]
        if missing:
            yield Report(config.document, (*config.simulator_path, "custom_instructions"),
                         "the instructions lack " + ", ".join(f"{{{{ {m} }}}}" for m in missing) + ": ADK refuses them", "add the placeholders")  # fmt: skip


RULE = Rule(
    "ASE409",
    "instructions-without-placeholders",
    "Simulator instructions without their placeholders",
    "error",
    "project",
    check,
    in_plans=True,
    module=__name__,
)
