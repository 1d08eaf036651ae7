"""Persona that ADK does not have.

## What it does
Reports a persona given by an id that ADK's registry lacks.

## Why is this bad?
The file does not load.

## Example
`"user_persona": "HURRIED"`

## Use instead
One of ADK's ids, or a whole persona.
"""

from collections.abc import Iterator

from adk_split_eval.lint.project import Project
from adk_split_eval.lint.rule import Report, Rule
from adk_split_eval.lint.rules._common import case_path, quoted
from adk_split_eval.lint.schema import nearest_name
from adk_split_eval.lint.views import case_id


def check(project: Project) -> Iterator[Report]:
    known = project.knowledge.personas
    for eval_set in [*project.sets, *project.stand_ins]:
        for index, case, scenario in eval_set.simulated_cases():
            persona = scenario.get("user_persona")
            if isinstance(persona, str) and persona not in known:
                near = nearest_name(persona.lower(), [k.lower() for k in known]).upper()
                yield Report(eval_set.document, case_path(index, "conversation_scenario", "user_persona"), f"ADK knows no persona `{quoted(persona)}`: the file does not load",
                             f"did you mean `{near}`?" if near else "use one of " + ", ".join(known) + ", or write the persona out", case_id=case_id(case))  # fmt: skip


RULE = Rule("ASE410", "unknown-persona", "Persona that ADK does not have", "error", "project", check, module=__name__)
