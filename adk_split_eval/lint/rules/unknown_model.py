"""Model that ADK cannot resolve.

## What it does
Reports a judge or simulator whose name matches none of the models ADK resolves by itself, unless Python code near registers
models of its own.

## Why is this bad?
A judge that cannot be resolved leaves its criterion NOT_EVALUATED; a simulator fails the case.

## Example
`"judge_model": "gpt4"`

## Use instead
`gemini-…`, `claude-…`, `provider/model`, or a model the project registers.
"""

from collections.abc import Iterator

from adk_split_eval.lint.project import Project
from adk_split_eval.lint.rule import Report, Rule
from adk_split_eval.lint.rules._common import quoted
from adk_split_eval.lint.rules._judges import models, resolvable


def check(project: Project) -> Iterator[Report]:
    for config in project.configs:
        if config.document is None:
            continue
        for path, name, whose in models(config):
            if resolvable(name):
                continue
            from adk_split_eval.lint.functions import registers_models

            if not registers_models(config.document.folder, project.options.agent_dir):
                yield Report(config.document, path, f"the {whose} is `{quoted(name)}`, which ADK cannot resolve" + (": it stays NOT_EVALUATED" if "judge" in whose else ""),
                             "name a model ADK resolves, or register it in agent.py")  # fmt: skip


RULE = Rule(
    "ASE414",
    "unknown-model",
    "Model that ADK cannot resolve",
    "error",
    "project",
    check,
    confidence="medium",
    rejects=False,
    in_plans=True,
    module=__name__,
)
