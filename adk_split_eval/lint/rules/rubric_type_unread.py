"""Rubric of a type no criterion reads.

## What it does
Reports a rubric on a case or turn whose type belongs to no configured criterion.

## Why is this bad?
It looks like a check and is none: every metric filters it out.

## Example
`"type": "TOOL_USE_QUALITY"` under a config with only `rubric_based_final_response_quality_v1`.

## Use instead
Configure the criterion that reads it, or correct the type.
"""

from collections.abc import Iterator

from adk_split_eval.lint.pairing import Pair
from adk_split_eval.lint.rule import Report, Rule
from adk_split_eval.lint.rules._common import (
    case_path,
    case_rubrics,
    governed_by,
    quoted,
    rubric_types,
    turn_path,
    turn_rubrics,
)
from adk_split_eval.lint.schema import nearest_name
from adk_split_eval.lint.views import case_id

_READERS = {
    "FINAL_RESPONSE_QUALITY": "rubric_based_final_response_quality_v1",
    "TOOL_USE_QUALITY": "rubric_based_tool_use_quality_v1",
    "TRAJECTORY_QUALITY": "rubric_based_multi_turn_trajectory_quality_v1",
}


def check(pair: Pair) -> Iterator[Report]:
    if not pair.set.survey.case_rubrics and not pair.set.survey.turn_rubrics:
        return
    read = rubric_types(pair)
    places = [(case_path(i, "rubrics", n), c, r) for i, c, n, r in case_rubrics(pair.set)]
    places += [(turn_path(i, t, "rubrics", n), c, r) for i, c, t, n, r in turn_rubrics(pair.set)]
    for path, case, rubric in places:
        kind = rubric.get("type")
        if not isinstance(kind, str) or not kind:
            continue
        base = kind.removesuffix(".turn")
        if base in read or (base not in _READERS and _a_custom_metric_may_read(pair, kind)):
            continue
        near = nearest_name(base.lower(), [k.lower() for k in _READERS]).upper()
        reader = _READERS.get(base) or (f"did you mean `{near}`?" if near else "")
        mend = f"configure `{reader}`" if base in _READERS else reader or "use a type that a configured criterion reads"
        yield Report(pair.set.document, (*path, "type"), f"no configured criterion reads rubrics of type `{quoted(kind)}` ({governed_by(pair)})",
                     mend, case_id=case_id(case), confidence="high" if pair.sure else "medium")  # fmt: skip


def _a_custom_metric_may_read(pair: Pair, kind: str) -> bool:
    """Whether some custom metric mentions the type in its file, or cannot be looked into."""
    from adk_split_eval.lint.functions import mentions, resolve

    folder = pair.config.document.folder if pair.config.document else ""
    for criterion in pair.config.criteria:
        if criterion.function is None or criterion.ours:
            continue
        found = resolve(criterion.function, folder, None)
        if not found.file or mentions(found.file, kind):
            return True
    return False


RULE = Rule(
    "ASE214", "rubric-type-unread", "Rubric of a type no criterion reads", "error", "pair", check, module=__name__
)
