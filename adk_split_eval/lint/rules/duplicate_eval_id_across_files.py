"""Case id used in two files of a folder.

## What it does
Reports the same `eval_id` in two sets of one folder.

## Why is this bad?
Reports and selectors name cases by id; which of the two failed is then a guess.

## Example
`refund` in `a.evalset.json` and in `b.evalset.json`.

## Use instead
Ids unique in the folder.
"""

from collections.abc import Iterator

from adk_split_eval.lint.project import Project
from adk_split_eval.lint.rule import Report, Rule
from adk_split_eval.lint.rules._common import case_path, quoted
from adk_split_eval.lint.views import EvalSet, case_id


def check(project: Project) -> Iterator[Report]:
    folders: dict[str, list[EvalSet]] = {}
    for eval_set in project.sets:
        folders.setdefault(eval_set.document.folder, []).append(eval_set)
    for sets in folders.values():
        seen: dict[str, tuple[EvalSet, int]] = {}
        for eval_set in sets if len(sets) > 1 else []:
            here: dict[str, int] = {}
            for index, case in eval_set.cases:
                name = case_id(case)
                if name is None or name in here:
                    continue
                here[name] = index
                if name in seen:
                    other, other_index = seen[name]
                    yield Report(eval_set.document, case_path(index, "eval_id"), f"`{quoted(name)}` is also a case of {other.document.path}", "make ids unique in the folder",
                                 case_id=name, related=[(other.document, case_path(other_index, "eval_id"), "the other one")])  # fmt: skip
            for name, index in here.items():
                seen.setdefault(name, (eval_set, index))


RULE = Rule(
    "ASE501",
    "duplicate-eval-id-across-files",
    "Case id used in two files of a folder",
    "info",
    "project",
    check,
    module=__name__,
)
