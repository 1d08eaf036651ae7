"""What makes two hits the same fault: case, criterion, the reason without what varies, the calls that matter.

Numbers, ids, times and quoted sentences change from one improvised conversation to the next, so they are taken out of the
reason; what remains is the kind of fault and the names (tools, stages, evidence) it is about. A judge words its reason anew
every time, so a judged criterion counts without its reason.
"""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from collections.abc import Iterable, Sequence

from adk_split_eval.record import Turn

_UUID = r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
_TIME = r"\d{4}-\d\d-\d\d(?:[t ]\d\d:\d\d(?::\d\d)?(?:\.\d+)?(?:z|[+-]\d\d:?\d\d)?)?"
_VOLATILE = re.compile(rf"\b(?:{_UUID}|{_TIME}|(?:adk|call|invocation)[-_][0-9a-z-]*\d[0-9a-z-]*|[0-9a-f]{{12,}})\b")
_NUMBER = re.compile(r"[-+]?\d+(?:[.,:]\d+)*")
_QUOTES = re.compile(
    "\"([^\"]*)\"|\u201c([^\u201d]*)\u201d|\u00ab([^\u00bb]*)\u00bb|\u300c([^\u300d]*)\u300d|(?<!\\w)'([^']*)'(?!\\w)|`([^`]*)`"
)
_NAME = re.compile(r"[\w.:/-]{1,60}\Z", re.ASCII)
_BLANKS = re.compile(r"\s+")


def normalised_reason(reason: str) -> str:
    """``reason`` without what varies from run to run; quoted names stay, quoted sentences and amounts go."""
    text = unicodedata.normalize("NFKC", reason).casefold()
    text = _QUOTES.sub(_unquote, text)
    text = _VOLATILE.sub("#", text)
    text = _NUMBER.sub("#", text)
    return _BLANKS.sub(" ", text).strip()


def _unquote(match: re.Match[str]) -> str:
    inner = next((g for g in match.groups() if g is not None), "")
    return f"<{inner}>" if _NAME.match(inner) else "<...>"


def same_reason(first: Sequence[str], second: Sequence[str]) -> bool:
    """Whether two criteria complain of the same kind of thing; without words to compare they do."""
    ours, theirs = ({normalised_reason(r) for r in reasons} for reasons in (first, second))
    return not ours or not theirs or bool(ours & theirs)


def calls_that_matter(turn: Turn | None) -> list[str]:
    """Names of the failing turn's calls, in order and without immediate repeats; none when the turn is not known."""
    names: list[str] = []
    for call in turn.tool_calls if turn is not None else ():
        target = call.args.get("agent_name") if call.name == "transfer_to_agent" else None
        name = f"{call.name}({target})" if isinstance(target, str) else call.name
        if not names or names[-1] != name:
            names.append(name)
    return names


def kin(criterion: str, kind: str, reasons: Sequence[str], calls: Iterable[str]) -> str:
    """The fault without its case: equal kin in different cases are near-duplicates. 16 hex digits."""
    said = sorted({normalised_reason(r) for r in reasons}) if kind == "deterministic" else []
    return _digest([criterion, said, list(calls)])[:16]


def fingerprint(case_id: str, criterion: str, kind: str, reasons: Sequence[str], calls: Iterable[str]) -> str:
    """The fault in its case. 32 hex digits, the same on every machine and in every process."""
    return _digest([case_id, kin(criterion, kind, reasons, calls)])[:32]


def _digest(data: object) -> str:
    text = json.dumps(data, ensure_ascii=True, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def content_hash(data: object) -> str:
    """Hash of plain data that does not depend on the order of dict keys. 16 hex digits."""
    return _digest(data)[:16]
