"""Rubric text used twice.

## What it does
Reports two rubrics with the same text in one criterion, or on one case.

## Why is this bad?
ADK finds a rubric again by its text; of two with the same text one gets both verdicts and the other none, so its verdict is
lost without a word.

## Example
Two rubrics "The reply is polite." under different ids.

## Use instead
One rubric, or two that ask different things.
"""

from collections.abc import Iterator

from adk_split_eval.lint.documents import Document
from adk_split_eval.lint.json_source import Path
from adk_split_eval.lint.pairing import Pair
from adk_split_eval.lint.rule import Report, Rule
from adk_split_eval.lint.rules._common import case_path, is_ours, quoted, rubric_entries, rubric_text
from adk_split_eval.lint.views import Json, case_id


def check(pair: Pair) -> Iterator[Report]:
    document = pair.config.document
    texts: dict[str, set[str]] = {}
    for criterion in pair.config.criteria:
        if document is not None and criterion.rubrics:
            seen: set[str] = set()
            entries = list(enumerate(criterion.rubrics))
            yield from _repeated(document, (*criterion.path, "rubrics"), entries, seen, None)
            if criterion.metric and criterion.metric.rubric_type:
                texts[criterion.metric.rubric_type] = seen
    if pair.set.survey.case_rubrics:
        for index, case in pair.set.cases:
            entries = rubric_entries(case)
            for kind in dict.fromkeys(str(rubric.get("type")) for _, rubric in entries):  # a metric reads its own type
                alike = [(n, rubric) for n, rubric in entries if str(rubric.get("type")) == kind]
                own = set(texts.get(kind, ()))
                yield from _repeated(pair.set.document, case_path(index, "rubrics"), alike, own, case_id(case))


def _repeated(
    document: Document, path: Path, entries: list[tuple[int, Json]], seen: set[str], case: str | None
) -> Iterator[Report]:
    for index, rubric in entries:
        text = " ".join(rubric_text(rubric).split()).lower()
        if not text or is_ours(rubric.get("type")):
            continue
        if text in seen:
            yield Report(document, (*path, index, "rubric_content", "text_property"),
                         f"the rubric “{quoted(text)}” stands twice; only one of the two verdicts is kept", "remove one of them", case_id=case)  # fmt: skip
        seen.add(text)


RULE = Rule(
    "ASE218", "duplicate-rubric-text", "Rubric text used twice", "error", "pair", check, in_plans=True, module=__name__
)
