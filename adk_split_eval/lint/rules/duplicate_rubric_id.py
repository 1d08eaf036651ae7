"""Rubric id used twice.

## What it does
Reports two rubrics with one `rubric_id` that meet in one evaluation: within a criterion, within a case and its turns, or in
a criterion and a case that it governs.

## Why is this bad?
ADK raises while it gathers the rubrics: on a case the whole run aborts with nothing saved, in the criterion the metric stays
NOT_EVALUATED.

## Example
`"rubric_id": "short"` in the criterion and on a case of the type it reads.

## Use instead
Unique ids.
"""

from collections.abc import Iterator

from adk_split_eval.lint.pairing import Pair
from adk_split_eval.lint.rule import Report, Rule
from adk_split_eval.lint.rules._common import case_path, quoted, rubric_entries, turn_path
from adk_split_eval.lint.shapes import objects
from adk_split_eval.lint.views import case_id


def check(pair: Pair) -> Iterator[Report]:
    document = pair.config.document
    inside: dict[str, set[str]] = {}
    for criterion in pair.config.criteria:
        wanted = criterion.metric.rubric_type if criterion.metric else None
        if document is None or not wanted:
            continue
        ids = inside.setdefault(wanted, set())
        for index, rubric in enumerate(criterion.rubrics):
            name = str(rubric.get("rubric_id"))
            if name in ids:
                yield Report(document, (*criterion.path, "rubrics", index, "rubric_id"),
                             f"rubric id `{quoted(name)}` stands twice in `{criterion.name}`: the metric stays NOT_EVALUATED", "give each rubric an id of its own")  # fmt: skip
            ids.add(name)
    if pair.set.survey.case_rubrics or pair.set.survey.turn_rubrics:
        yield from _cases(pair, inside)


def _cases(pair: Pair, inside: dict[str, set[str]]) -> Iterator[Report]:
    for index, case in pair.set.cases:
        seen: set[str] = set()
        places = [(case_path(index, "rubrics", n), r) for n, r in rubric_entries(case)]
        per_turn = [
            [(turn_path(index, t, "rubrics", n), r) for n, r in rubric_entries(turn)]
            for t, turn in objects(case.get("conversation"))
        ]
        for path, rubric in places:
            name = str(rubric.get("rubric_id"))
            if name in seen or name in inside.get(str(rubric.get("type")), ()):
                yield _report(pair, path, name, case_id(case))
            seen.add(name)
        for entries in per_turn:
            here = set(seen)
            for path, rubric in entries:
                name = str(rubric.get("rubric_id"))
                if name in here or name in inside.get(str(rubric.get("type")), ()):
                    yield _report(pair, path, name, case_id(case))
                here.add(name)


def _report(pair: Pair, path: tuple[str | int, ...], name: str, case: str | None) -> Report:
    return Report(pair.set.document, (*path, "rubric_id"), f"rubric id `{quoted(name)}` is already used for this case: ADK raises instead of judging",
                  "give each rubric an id of its own", case_id=case)  # fmt: skip


RULE = Rule(
    "ASE217", "duplicate-rubric-id", "Rubric id used twice", "error", "pair", check, in_plans=True, module=__name__
)
