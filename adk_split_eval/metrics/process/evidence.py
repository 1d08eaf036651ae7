"""Questions that build on a document: what they cite, what they quote, and whether that stands there."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, cast

from adk_split_eval.metrics.base import mapping, only, text
from adk_split_eval.metrics.differences import is_number
from adk_split_eval.metrics.process.events import NOTHING, Seen, Selector, Timeline, check_path, optional_path
from adk_split_eval.metrics.process.wording import stands_in
from adk_split_eval.metrics.text import quote
from adk_split_eval.metrics.values import ParameterError, compiled, matches, require_sound

EVIDENCE_KEYS = {"event", "cites", "document", "version", "quote", "text", "claims_where", "claims_pattern", "source"}


@dataclass(frozen=True, slots=True)
class Source:
    """The document of a case: its id, version and fragments (id → text)."""

    id: str
    version: str
    fragments: dict[str, str]

    def __str__(self) -> str:
        return f"{quote(self.id, 60)} version {quote(self.version, 40)}" if self.version else quote(self.id, 60)


@dataclass(frozen=True, slots=True)
class EvidenceRules:
    """The parameters of ``evidence_links_v1``, read."""

    event: Selector
    cites: str
    document: str | None
    version: str | None
    quote: str | None
    text: str | None
    claims_where: dict[str, Any]
    claims_pattern: re.Pattern[str] | None
    source: Source | None

    @classmethod
    def parse(cls, value: Any, where: str) -> EvidenceRules:
        """Read the section ``evidence`` of a plan's ``process``, with the case's document as ``source``.

        Raises:
            ParameterError: it makes no sense.
        """
        params = mapping(value, where)
        only(params, EVIDENCE_KEYS, where)
        event = Selector.parse(params.get("event"), f"{where}.event")
        cites = optional_path(params, "cites", event, where)
        if cites is None:
            raise ParameterError(f"{where} needs cites, the path of the cited fragment")
        claims = mapping(params.get("claims_where") or {}, f"{where}.claims_where")
        for path, expected in claims.items():
            check_path(path, event.kind, f"{where}.claims_where")
            require_sound(expected, f"{where}.claims_where.{path}")
        pattern = params.get("claims_pattern")
        source = params.get("source")
        return cls(
            event,
            cites,
            optional_path(params, "document", event, where),
            optional_path(params, "version", event, where),
            optional_path(params, "quote", event, where),
            optional_path(params, "text", event, where),
            claims,
            None if pattern is None else compiled(text(pattern, f"{where}.claims_pattern")),
            None if source is None else _source(source, f"{where}.source"),
        )


def _source(value: Any, where: str) -> Source:
    entry = mapping(value, where)
    only(entry, {"id", "version", "fragments"}, where)
    fragments = {
        str(key): text(words, f"{where}.fragments.{key}")
        for key, words in mapping(entry.get("fragments"), f"{where}.fragments").items()
    }
    return Source(text(entry.get("id"), f"{where}.id"), _plain(entry.get("version")) or "", fragments)


@dataclass(frozen=True, slots=True)
class Link:
    """One asking event with what it cites and quotes, and what is wrong about that."""

    seen: Seen
    cited: list[str]
    words: str
    faults: list[str]


def links(timeline: Timeline, rules: EvidenceRules) -> list[Link]:
    """Every asking event in raw order, judged."""
    return [_link(seen, rules) for seen in rules.event.select(timeline.kept)]


def _link(seen: Seen, rules: EvidenceRules) -> Link:
    cited = _listed(seen.pick(rules.cites))
    quoted = _listed(seen.pick(rules.quote)) if rules.quote else []
    words = seen.word(rules.text) or ""
    claims = _claims(seen, rules, words)
    shown = f" {quote(words, 100)}" if words else ""
    faults: list[str] = []
    if rules.source is None:
        if cited:
            faults.append(f"cites {_names(cited)}, but no document was given")
        elif quoted or claims:
            faults.append("builds on a document, but none was given")
    elif not cited:
        if quoted:
            faults.append(f"quotes {quote(quoted[0], 80)} and cites no fragment")
        elif claims:
            faults.append("claims to build on the document and cites no fragment of it")
    else:
        faults = [*_wrong_document(seen, rules, rules.source), *_wrong_fragments(cited, quoted, rules.source)]
    return Link(seen, cited, words, [f"turn {seen.turn + 1}: the question{shown} {fault}" for fault in faults])


def _claims(seen: Seen, rules: EvidenceRules, words: str) -> bool:
    if rules.claims_pattern is not None and rules.claims_pattern.search(words):
        return True
    if not rules.claims_where:
        return False
    picked = [(expected, seen.pick(path)) for path, expected in rules.claims_where.items()]
    return all(value is not NOTHING and matches(expected, value) for expected, value in picked)


def _wrong_document(seen: Seen, rules: EvidenceRules, source: Source) -> list[str]:
    faults: list[str] = []
    for path, due, what in ((rules.document, source.id, "document"), (rules.version, source.version, "version")):
        if path is None or not due:  # a document without a version has none to be compared
            continue
        stated = _plain(seen.pick(path))
        if stated != due:
            said = "states no" if stated is None else f"cites {what} {quote(stated, 60)}, not the"
            faults.append(f"{said} {what}" + (f" {quote(due, 60)} of this case" if stated is not None else " it cites"))
    return faults


def _wrong_fragments(cited: list[str], quoted: list[str], source: Source) -> list[str]:
    unknown = [name for name in cited if name not in source.fragments]
    if unknown:
        return [f"cites {_names(unknown)}, and the document {source} has no such fragment"]
    texts = [source.fragments[name] for name in cited]
    return [
        f"quotes {quote(words, 80)}, which does not stand in {_names(cited)}: {quote(texts[0], 120)}"
        for words in quoted
        if not any(stands_in(words, found) for found in texts)
    ]


def _listed(value: Any) -> list[str]:
    """One value or a list of them as texts; blank ones are none."""
    items = cast(list[Any], value) if isinstance(value, list) else [value]
    return [word for item in items if (word := _plain(item))]


def _plain(value: Any) -> str | None:
    if isinstance(value, str):
        return value.strip() or None
    return str(value) if is_number(value) else None


def _names(cited: list[str]) -> str:
    return ", ".join(quote(name, 60) for name in cited)
