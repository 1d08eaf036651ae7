"""Questions as they are asked, each asking event counted, and the pairs of them that are one question asked twice.

* Questions with a stable id are the same when their ids are; every event counts, so an id asked twice is two events. A
  set of ids would have forgotten the second, and a last question kept in the state would have invented more.
* A question without an id is compared by its words with every other. Two questions with different ids are the same only
  when their words are identical.
* A pair that names different things (words with digits, capitalised words, words in quotes) is never the same by measure
  alone: "the Orion project" and "the Lyra project" are two questions. Such pairs, and those between ``grey`` and
  ``same``, are doubtful.

All pairs are compared up to :data:`ALL_PAIRS` different texts in one conversation; beyond, a text is compared with the
latest :data:`NEIGHBOURS` others that share one of its rarest words (among those not its own alone), so that the cost stays linear.
"""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from adk_split_eval.metrics.base import mapping, only, text
from adk_split_eval.metrics.process.events import Seen, Selector, Timeline, optional_path
from adk_split_eval.metrics.process.wording import likeness, normalised, rare_pieces
from adk_split_eval.metrics.text import escape, quote
from adk_split_eval.metrics.values import ParameterError, compiled

QUESTION_KEYS = {"event", "id", "text", "kind", "default_kind", "kinds", "similarity"}
ALL_PAIRS = 400
NEIGHBOURS = 8
_RAREST = 5


@dataclass(frozen=True, slots=True)
class KindRule:
    """How often questions of one kind may be asked; None is no limit."""

    per_question: int | None = 1
    total: int | None = None
    after_user: re.Pattern[str] | None = None
    compare_text: bool = False


@dataclass(frozen=True, slots=True)
class QuestionRules:
    """The parameters of ``repeated_questions_v1``, read."""

    event: Selector
    id: str | None
    text: str | None
    kind: str | None
    default_kind: str
    kinds: dict[str, KindRule]
    same: float
    grey: float

    @classmethod
    def parse(cls, value: Any, where: str) -> QuestionRules:
        """Read the section ``questions`` of a plan's ``process``.

        Raises:
            ParameterError: it makes no sense.
        """
        params = mapping(value, where)
        only(params, QUESTION_KEYS, where)
        event = Selector.parse(params.get("event"), f"{where}.event")
        paths = {key: optional_path(params, key, event, where) for key in ("id", "text", "kind")}
        if paths["id"] is None and paths["text"] is None:
            raise ParameterError(f"{where} needs the path of an id or of the text: questions could not be told apart")
        kinds = {
            name: _kind(rule, f"{where}.kinds.{name}")
            for name, rule in mapping(params.get("kinds") or {}, f"{where}.kinds").items()
        }
        similarity = mapping(params.get("similarity") or {}, f"{where}.similarity")
        only(similarity, {"same", "grey"}, f"{where}.similarity")
        same, grey = (_share(similarity, key, default, where) for key, default in (("same", 0.9), ("grey", 0.75)))
        if grey > same:
            raise ParameterError(f"{where}.similarity: grey {grey:g} is above same {same:g}")
        default_kind = text(params.get("default_kind", "main"), f"{where}.default_kind")
        return cls(event, paths["id"], paths["text"], paths["kind"], default_kind, kinds, same, grey)

    def rule(self, kind: str) -> KindRule:
        """The limits of a kind: its own, the default kind's once each, none for another that is not listed."""
        found = self.kinds.get(kind)
        if found is not None:
            return found
        return KindRule() if kind == self.default_kind else KindRule(per_question=None)

    def compares_text(self, kind: str) -> bool:
        return kind == self.default_kind or self.rule(kind).compare_text


def _kind(value: Any, where: str) -> KindRule:
    entry = mapping(value or {}, where)
    only(entry, {"per_question", "total", "after_user", "compare_text"}, where)
    after = entry.get("after_user")
    return KindRule(
        _limit(entry.get("per_question", 1), f"{where}.per_question"),
        _limit(entry.get("total"), f"{where}.total"),
        None if after is None else compiled(text(after, f"{where}.after_user")),
        bool(entry.get("compare_text", False)),
    )


def _limit(value: Any, where: str) -> int | None:
    if value is None:
        return None
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise ParameterError(f"{where} must be a whole number, zero or more, or null")
    return value


def _share(entry: dict[str, Any], key: str, default: float, where: str) -> float:
    value = entry.get(key, default)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= 1:
        raise ParameterError(f"{where}.similarity.{key} must be a number above 0 and at most 1")
    return float(value)


@dataclass(slots=True)
class Asked:
    """One asking event.

    Attributes:
        id: the question's stable id; None for a free question.
        words: its text; "" when none is given.
    """

    seen: Seen
    id: str | None
    kind: str
    words: str

    @property
    def turn(self) -> int:
        return self.seen.turn

    def __str__(self) -> str:
        name = escape(self.id[:60]) if self.id else ""
        return f"{name} {quote(self.words, 100)}".strip() if self.words or not name else name


def asked_questions(timeline: Timeline, rules: QuestionRules) -> list[Asked]:
    """All asking events in raw order, without those an interruption cut off before the user saw them."""
    found: list[Asked] = []
    for seen in rules.event.select(timeline.moments):
        if seen.moment.delivered:
            kind = seen.word(rules.kind) if rules.kinds else None
            found.append(Asked(seen, seen.word(rules.id), kind or rules.default_kind, seen.word(rules.text) or ""))
    return found


@dataclass(frozen=True, slots=True)
class Pair:
    """Two asking events that may be one question; ``apart``: each names something the other does not."""

    first: Asked
    second: Asked
    score: float
    apart: bool = False

    def __str__(self) -> str:
        how = "" if self.score == 1 else f" (alike {self.score:.2f})"
        return f"turn {self.first.turn + 1} and turn {self.second.turn + 1}: {self.first} / {self.second}{how}"


@dataclass(slots=True)
class Repeats:
    """What is asked too often.

    Attributes:
        faults: sentences, in the order of the conversation.
        doubtful: pairs only a reader can decide.
    """

    faults: list[tuple[int, str]] = field(default_factory=list[tuple[int, str]])
    doubtful: list[Pair] = field(default_factory=list[Pair])

    def sentences(self) -> list[str]:
        return [sentence for _, sentence in sorted(self.faults, key=lambda entry: entry[0])]


def repeats(timeline: Timeline, rules: QuestionRules, asked: list[Asked]) -> Repeats:
    """Everything asked more often than its kind allows."""
    found = Repeats()
    _count_events(timeline, rules, asked, found)
    if rules.text is not None:
        comparable = [question for question in asked if question.words and rules.compares_text(question.kind)]
        for pair in similar_pairs(comparable, rules.grey):
            _sort_pair(pair, rules, found)
    return found


def _count_events(timeline: Timeline, rules: QuestionRules, asked: list[Asked], found: Repeats) -> None:
    totals: Counter[str] = Counter()
    times: Counter[tuple[str, str]] = Counter()
    first: dict[tuple[str, str], Asked] = {}
    for question in asked:
        rule = rules.rule(question.kind)
        place = question.seen.position
        totals[question.kind] += 1
        if rule.total is not None and totals[question.kind] == rule.total + 1:
            sentence = f"{rule.total} questions of kind {question.kind} are allowed, this is one more: {question}"
            found.faults.append((place, _turn(question, sentence)))
        if rule.after_user is not None and not rule.after_user.search(timeline.user(question.turn)):
            said = quote(timeline.user(question.turn), 80)
            sentence = f"asked as {question.kind}, which the user did not ask for by {said}: {question}"
            found.faults.append((place, _turn(question, sentence)))
        name = question.id or normalised(question.words)
        if not name or rule.per_question is None:
            continue
        key = (question.kind, name)
        times[key] += 1
        earlier = first.setdefault(key, question)
        if times[key] > rule.per_question:
            by = f"the id {quote(name, 60)}" if question.id else "the same words"
            after = "" if earlier is question else f" after turn {earlier.turn + 1}"
            limit = f"as {question.kind}, at most {rule.per_question} allowed"
            sentence = f"{by} asked {_times(times[key])}{after} {limit}: {question}"
            found.faults.append((place, _turn(question, sentence)))


def _turn(question: Asked, sentence: str) -> str:
    return f"turn {question.turn + 1}: {sentence}"


def _times(count: int) -> str:
    return {1: "once", 2: "a second time", 3: "a third time"}.get(count, f"for the {count}th time")


def _sort_pair(pair: Pair, rules: QuestionRules, found: Repeats) -> None:
    if pair.score >= rules.same and not pair.apart:
        found.faults.append((pair.second.seen.position, f"asked again in other words: {pair}"))
    else:
        found.doubtful.append(pair)


def similar_pairs(asked: list[Asked], grey: float) -> Iterator[Pair]:
    """Pairs at least ``grey`` alike, and equal texts under two ids; each later question once, with its likest."""
    texts: dict[str, Asked] = {}
    index = _Index()
    crowded = len({normalised(question.words) for question in asked}) > ALL_PAIRS
    if crowded:
        index.count(asked)
    for question in asked:
        words = normalised(question.words)
        twin = texts.get(words)
        if twin is not None:
            if twin.id != question.id:
                yield Pair(twin, question, 1.0)
            continue
        others = index.near(question) if crowded else texts.values()
        best = _most_alike(question, others, grey)
        if best is not None:
            yield best
        texts[words] = question
        if crowded:
            index.add(question)


def _most_alike(question: Asked, others: Iterable[Asked], grey: float) -> Pair | None:
    best: Pair | None = None
    for other in others:
        if question.id is not None and other.id is not None:
            continue
        found = likeness(other.words, question.words, at_least=grey)
        if found.score < grey:
            continue
        if best is None or (not found.named_apart, found.score) > (not best.apart, best.score):
            best = Pair(other, question, found.score, found.named_apart)
    return best


class _Index:
    """Texts by their rarest words, for conversations with very many questions."""

    def __init__(self) -> None:
        self.frequency: Counter[str] = Counter()
        self.holders: dict[str, deque[Asked]] = {}

    def count(self, asked: list[Asked]) -> None:
        for question in asked:
            self.frequency.update(rare_pieces(question.words))

    def _rarest(self, question: Asked) -> list[str]:
        shared = [piece for piece in rare_pieces(question.words) if self.frequency[piece] > 1]
        return sorted(shared, key=lambda piece: (self.frequency[piece], piece))[:_RAREST]

    def near(self, question: Asked) -> list[Asked]:
        found: dict[int, Asked] = {}
        for piece in self._rarest(question):
            for other in self.holders.get(piece, ()):
                found[other.seen.position] = other
        return list(found.values())

    def add(self, question: Asked) -> None:
        for piece in self._rarest(question):
            self.holders.setdefault(piece, deque(maxlen=NEIGHBOURS)).append(question)
