"""Finds what a text states: amounts, counts, percentages, dates, times and identifiers, with their spans. Linear time.

Two ways of reading: of a *statement* only what is surely a number counts, and what needs no source is left out; a
*source* is read generously, so that "三天" or "three days" there grounds a stated "3 days".
"""

from __future__ import annotations

import re

from adk_split_eval.metrics.numbers.draft import Draft
from adk_split_eval.metrics.numbers.exempt import Span, numbering_spans, opaque_spans
from adk_split_eval.metrics.numbers.fold import fold
from adk_split_eval.metrics.numbers.generous import generous_drafts
from adk_split_eval.metrics.numbers.link import link
from adk_split_eval.metrics.numbers.reading import Mention
from adk_split_eval.metrics.numbers.scan import scan
from adk_split_eval.metrics.numbers.words import word_drafts


def extract(text: str, *, source: bool = False) -> list[Mention]:
    """Mentions in ``text``, in order of their start (of a source: in any order). Never raises, whatever the text holds."""
    folded = fold(text)
    drafts = _in_order(scan(folded.text), word_drafts(folded.text, source=source))
    drafts = link(folded.text, drafts)
    if not source and drafts:
        drafts = _needing_source(folded.text, drafts)
    if source:
        drafts += generous_drafts(folded.text)
    return [d.mention(folded) for d in drafts]


def _in_order(digits: list[Draft], words: list[Draft]) -> list[Draft]:
    """Both lists as one; where they overlap, digits win."""
    if not words:
        return digits
    ordered: list[Draft] = []
    for draft in sorted([*digits, *words], key=lambda d: (d.start, -d.end)):
        if not ordered or draft.start >= ordered[-1].end:
            ordered.append(draft)
    return ordered


def _needing_source(text: str, drafts: list[Draft]) -> list[Draft]:
    opaque = Spans(opaque_spans(text))
    numbering = Spans(numbering_spans(text))
    kept: list[Draft] = []
    for draft in drafts:
        if opaque.touch(draft.start, draft.end):
            continue
        if numbering.touch(draft.start, draft.end) and (draft.plain or numbering.cover(draft.start, draft.end)):
            continue
        kept.append(draft)
    return kept


class Spans:
    """Sorted spans, asked in ascending order only; so a whole text costs one pass."""

    def __init__(self, spans: list[Span]) -> None:
        self._spans: list[Span] = []
        for start, end in spans:
            if self._spans and start <= self._spans[-1][1]:
                self._spans[-1] = (self._spans[-1][0], max(end, self._spans[-1][1]))
            else:
                self._spans.append((start, end))
        self._next = 0

    def touch(self, start: int, end: int) -> bool:
        """Whether a span overlaps ``[start, end)``; ``start`` must not go back by more than one mention."""
        while self._next < len(self._spans) and self._spans[self._next][1] <= start:
            self._next += 1
        return self._next < len(self._spans) and self._spans[self._next][0] < end

    def cover(self, start: int, end: int) -> bool:
        """After :meth:`touch`: whether that span covers the whole of ``[start, end)``."""
        span = self._spans[self._next]
        return span[0] <= start and end <= span[1]


def ignored_spans(text: str, patterns: list[re.Pattern[str]]) -> list[Span]:
    """Spans of the original ``text`` that a team's own patterns let through, sorted."""
    return sorted(m.span() for p in patterns for m in p.finditer(text) if m.end() > m.start())
