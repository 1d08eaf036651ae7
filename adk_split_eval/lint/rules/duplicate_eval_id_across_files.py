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
        seen: dict[str, EvalSet] = {}
        for eval_set in sets if len(sets) > 1 else []:
            ids = eval_set.survey.ids
            if not seen.keys().isdisjoint(ids):
                yield from _repeated(eval_set, seen)
            for name in ids:
                seen.setdefault(name, eval_set)


def _repeated(eval_set: EvalSet, seen: dict[str, EvalSet]) -> Iterator[Report]:
    done: set[str] = set()
    for index, case in eval_set.cases:
        name = case_id(case)
        if name and name in seen and name not in done:
            done.add(name)
            other = seen[name]
            place = next(i for i, c in other.cases if case_id(c) == name)
            yield Report(eval_set.document, case_path(index, "eval_id"), f"`{quoted(name)}` is also a case of {other.document.path}", "make ids unique in the folder",
                         case_id=name, related=[(other.document, case_path(place, "eval_id"), "the other one")])  # fmt: skip


RULE = Rule(
    "ASE501",
    "duplicate-eval-id-across-files",
    "Case id used in two files of a folder",
    "info",
    "project",
    check,
    module=__name__,
)
