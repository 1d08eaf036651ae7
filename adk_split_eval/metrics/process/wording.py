"""Comparing words: normalised text, whether a quotation stands in a text, how alike two questions are.

Texts are compared after Unicode normalisation (NFKC), case folding, and with every run of white space and punctuation as
one blank. Whole texts, never a prefix of them: two questions that begin alike are two questions.

The measure of likeness is rapidfuzz's: the normalised indel similarity of the characters, or of the words in sorted
order where the words were merely moved, whichever is greater, 0 to 1. Texts in scripts without blanks are compared by
characters; their sorted words are their sorted characters.
"""

from __future__ import annotations

import functools
import re
import unicodedata
from dataclasses import dataclass

MOVED_WORDS = 0.98
"""Weight of the measure on sorted words: the same words in another order are a little less than the same text."""

LONGEST = 5_000
"""Characters up to which texts are measured; the measure's cost is quadratic, and nobody asks a question of that length."""

_WORD = re.compile(r"[^\W_]+(?:['’.][^\W_]+)*")
_UNSPACED = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u0e00-\u0e7f"
_PIECES = re.compile(rf"[{_UNSPACED}]|[^\W_{_UNSPACED}]+(?:['’.][^\W_{_UNSPACED}]+)*")
_QUOTED = re.compile(r"[\"“”「」『』«»]([^\"“”「」『』«»]{1,80})[\"“”「」『』«»]")
_NAME = re.compile(r"(?<![.!?。！？:：]\s)(?<!^)\b[A-Z][\w-]*")


class MeasureMissingError(Exception):
    """rapidfuzz, which measures how alike two texts are, is not installed."""

    def __init__(self) -> None:
        super().__init__(
            "comparing questions in other words needs rapidfuzz, which the extra brings: pip install 'adk-split-eval[adk]'"
        )


@functools.lru_cache(maxsize=16384)
def normalised(text: str) -> str:
    """``text`` for comparison: NFKC, case folded, words joined by single blanks, punctuation gone."""
    return " ".join(_WORD.findall(unicodedata.normalize("NFKC", text).casefold()))


def stands_in(quotation: str, text: str) -> bool:
    """Whether the words of ``quotation`` stand in ``text`` in this order and without gaps. Blank quotations stand nowhere.

    Where blanks separate words the quotation begins and ends with a word; in scripts without blanks anywhere.
    """
    wanted, found = " ".join(_pieces(quotation)), " ".join(_pieces(text))
    return bool(wanted) and f" {wanted} " in f" {found} "


def _pieces(text: str) -> list[str]:
    return _PIECES.findall(unicodedata.normalize("NFKC", text).casefold())


@functools.lru_cache(maxsize=16384)
def names(text: str) -> frozenset[str]:
    """What a question is about by name: words with digits, capitalised words inside a sentence, words in quotes."""
    found = {word.casefold() for word in _WORD.findall(text) if any(c.isdigit() for c in word)}
    found |= {match.group().casefold() for match in _NAME.finditer(text)} - {"i"}
    return frozenset(found | {normalised(match.group(1)) for match in _QUOTED.finditer(text)})


@dataclass(frozen=True, slots=True)
class Likeness:
    """How alike two texts are; ``named_apart``: each names something the other does not."""

    score: float
    named_apart: bool


def likeness(left: str, right: str, *, at_least: float = 0.0) -> Likeness:
    """The measure of two texts; a score below ``at_least`` may be given as 0, and so is that of texts over LONGEST.

    Raises:
        MeasureMissingError: rapidfuzz is not installed.
    """
    fuzz = _fuzz()
    one, two = normalised(left), normalised(right)
    if one == two:
        return Likeness(1.0, False)
    if max(len(one), len(two)) > LONGEST:
        return Likeness(0.0, False)
    floor = at_least * 100
    score = max(
        fuzz.ratio(one, two, score_cutoff=floor),
        fuzz.ratio(_sorted(left), _sorted(right), score_cutoff=floor) * MOVED_WORDS,
    )
    if score < floor:
        return Likeness(0.0, False)
    mine, theirs = names(left), names(right)
    return Likeness(score / 100, bool(mine - theirs) and bool(theirs - mine))


@functools.lru_cache(maxsize=16384)
def _sorted(text: str) -> str:
    return " ".join(sorted(_pieces(text)))


@functools.cache
def _fuzz():
    try:
        from rapidfuzz import fuzz
    except ModuleNotFoundError as missing:
        raise MeasureMissingError from missing
    return fuzz


def rare_pieces(text: str) -> frozenset[str]:
    """The pieces by which alike texts are found among many: words, and characters of scripts without blanks."""
    return frozenset(_pieces(text))
