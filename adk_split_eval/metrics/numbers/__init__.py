"""Numbers in text: what is stated, in any script and notation, as values that can be compared."""

from adk_split_eval.metrics.numbers.exempt import own_list_lengths
from adk_split_eval.metrics.numbers.extract import Spans, extract, ignored_spans
from adk_split_eval.metrics.numbers.reading import CONTEXT, Kind, Mention, Reading
from adk_split_eval.metrics.numbers.sources import Sources

__all__ = ["CONTEXT", "Kind", "Mention", "Reading", "Sources", "Spans", "extract", "ignored_spans", "own_list_lengths"]
