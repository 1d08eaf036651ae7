"""Id that ADK or its web UI refuses.

## What it does
Reports an `eval_set_id` with a path separator or other characters the web UI refuses, an empty `eval_id`, and ids that a
selector (`set.json:a,b`) cannot name.

## Why is this bad?
A set id with "/" fails only after everything ran, with nothing saved; a case id with a comma can never be selected.

## Example
`"eval_set_id": "desk/refunds"`

## Use instead
Letters, digits and underscores.
"""

from collections.abc import Iterator

from adk_split_eval.lint.patterns import lazy
from adk_split_eval.lint.rule import Report, Rule
from adk_split_eval.lint.rules._common import case_path, quoted
from adk_split_eval.lint.views import EvalSet, case_id

_WEB = lazy(r"[a-zA-Z0-9_]+")


def check(eval_set: EvalSet) -> Iterator[Report]:
    value = eval_set.data.get("eval_set_id")
    if isinstance(value, str):
        if not value.strip() or "/" in value or "\\" in value or value in (".", ".."):
            yield Report(eval_set.document, ("eval_set_id",), f"ADK refuses the set id `{quoted(value)}`, and only after everything ran" if value.strip() else "the set id is empty",
                         "use letters, digits and underscores")  # fmt: skip
        elif not _WEB.fullmatch(value):
            yield Report(
                eval_set.document,
                ("eval_set_id",),
                f"`adk web` refuses the set id `{quoted(value)}`",
                "use letters, digits and underscores",
                level="info",
            )
    if all(_WEB.fullmatch(name) for name in eval_set.survey.ids):
        return
    for index, case in eval_set.cases:
        name = case_id(case)
        if name is not None and (not name.strip() or name != name.strip() or "," in name or ":" in name):
            empty = not name.strip()
            yield Report(eval_set.document, case_path(index, "eval_id"), "the case id is empty" if empty else f"no selector can name the case id `{quoted(name)}`",
                         "use letters, digits and underscores", level=None if empty else "warning", case_id=name)  # fmt: skip


RULE = Rule("ASE504", "refused-id", "Id that ADK or its web UI refuses", "error", "set", check, module=__name__)
