"""A candidate: one hit of the probe, all that a person needs to judge it, and the draft of the fixed case."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, cast, get_args

from adk_split_eval.pool.reading import PoolError, refuse

Status = Literal["open", "approved", "rejected", "frozen"]
STATUSES: tuple[str, ...] = get_args(Status)
HOLE = "TODO"
MALFORMED = "ASE951"


@dataclass(slots=True)
class Hit:
    """What was hit and why.

    Attributes:
        criterion: the criterion that failed; "" for a recording without a known fault.
        kind: ``deterministic``, ``judged`` or ``recorded`` (nothing failed: a conversation worth keeping).
        reasons: the criterion's own sentences.
        sentence: what the agent said there, when the fault is in its words.
        turn: 1-based turn that first shows the failure; None when it cannot be placed.
        also: other criteria that failed in the same conversation.
    """

    criterion: str
    kind: str
    reasons: list[str] = field(default_factory=list[str])
    sentence: str | None = None
    turn: int | None = None
    also: list[str] = field(default_factory=list[str])


@dataclass(slots=True)
class Seen:
    """How often and when; ``runs`` holds the latest run ids, ``variants`` other sentences that showed the same fault."""

    count: int = 1
    first: str = ""
    last: str = ""
    runs: list[str] = field(default_factory=list[str])
    variants: list[str] = field(default_factory=list[str])


@dataclass(slots=True)
class Review:
    """Who decided, when and why."""

    by: str | None = None
    at: str | None = None
    why: str | None = None


@dataclass(slots=True)
class Candidate:
    """One file of the probe pool.

    Attributes:
        id: stem of the file: case and the first eight digits of the fingerprint.
        provenance: run, versions, models, fingerprint and kin.
        personal_data: ``user:``/``app:`` keys of the start state, and places where personal data may stand.
        transcript: the conversation as recorded, without call ids and clocks.
        notes: what the reviewer should know about the draft.
        draft: the fixed case in plan format, with holes (``TODO``); None with ``no_draft_because``.
        extra: keys this version does not know; they are kept.
    """

    id: str
    status: Status
    case_id: str
    hit: Hit
    seen: Seen = field(default_factory=Seen)
    provenance: dict[str, Any] = field(default_factory=dict[str, Any])
    review: Review = field(default_factory=Review)
    start_state: dict[str, Any] | None = None
    end_state: dict[str, Any] | None = None
    personal_data: list[str] = field(default_factory=list[str])
    transcript: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    near_duplicates: list[str] = field(default_factory=list[str])
    notes: list[str] = field(default_factory=list[str])
    no_draft_because: str | None = None
    draft: dict[str, Any] | None = None
    path: Path | None = None
    extra: dict[str, Any] = field(default_factory=dict[str, Any])

    @property
    def fingerprint(self) -> str:
        """The fault's fingerprint; the file's own name when somebody removed it."""
        return str(self.provenance.get("fingerprint") or self.id)

    @property
    def severity(self) -> int:
        """3 a deterministic hit with the simulator in order, 2 a judged one or a goal, 1 a suspect simulator, 0 a recording."""
        if self.hit.kind == "recorded":
            return 0
        if self.provenance.get("simulator_suspect"):
            return 1
        return 3 if self.hit.kind == "deterministic" and self.hit.criterion != "goal_reached_v1" else 2

    def to_json(self) -> dict[str, Any]:
        """The file's content, in file order."""
        hit: dict[str, Any] = {"criterion": self.hit.criterion or None, "kind": self.hit.kind, "turn": self.hit.turn}
        hit |= {"sentence": self.hit.sentence, "reasons": self.hit.reasons}
        if self.hit.also:
            hit["also"] = self.hit.also
        data: dict[str, Any] = {
            "candidate": self.id,
            "status": self.status,
            "case_id": self.case_id,
            "hit": hit,
            "seen": seen_json(self.seen),
            "provenance": self.provenance,
            "review": review_json(self.review),
            "start_state": self.start_state,
            "end_state": self.end_state,
            "personal_data": self.personal_data,
            "transcript": self.transcript,
            "near_duplicates": self.near_duplicates,
            "notes": self.notes,
        }
        if self.no_draft_because is not None:
            data["no_draft_because"] = self.no_draft_because
        return data | self.extra | {"draft": self.draft}

    @classmethod
    def from_json(cls, data: dict[str, Any], path: Path | None = None) -> Candidate:
        """Read a file's content. Raises PoolError that names the key at fault."""
        known = _Reader(data, str(path or ""))
        hit, seen, review = known.mapping("hit"), known.mapping("seen"), known.mapping("review")
        status = known.text("status")
        if status not in STATUSES:
            raise known.refuse("status", f"status is {status!r}; it may be {', '.join(STATUSES)}")
        return cls(
            id=known.text("candidate"),
            status=cast("Status", status),
            case_id=known.text("case_id"),
            hit=Hit(
                criterion=hit.text("criterion", ""),
                kind=hit.text("kind", "deterministic"),
                reasons=hit.texts("reasons"),
                sentence=hit.text("sentence", "") or None,
                turn=hit.number("turn"),
                also=hit.texts("also"),
            ),
            seen=Seen(
                count=seen.number("count") or 1,
                first=seen.text("first", ""),
                last=seen.text("last", ""),
                runs=seen.texts("runs"),
                variants=seen.texts("variants"),
            ),
            provenance=known.mapping("provenance").data,
            review=Review(review.text("by", "") or None, review.text("at", "") or None, review.text("why", "") or None),
            start_state=known.mapping("start_state").data if data.get("start_state") is not None else None,
            end_state=known.mapping("end_state").data if data.get("end_state") is not None else None,
            personal_data=known.texts("personal_data"),
            transcript=known.mappings("transcript"),
            near_duplicates=known.texts("near_duplicates"),
            notes=known.texts("notes"),
            no_draft_because=known.text("no_draft_because", "") or None,
            draft=known.mapping("draft").data if data.get("draft") is not None else None,
            path=path,
            extra={k: v for k, v in data.items() if k not in _KEYS},
        )


_KEYS = frozenset(
    (
        *("candidate", "status", "case_id", "hit", "seen", "provenance", "review", "start_state", "end_state"),
        *("personal_data", "transcript", "near_duplicates", "notes", "no_draft_because", "draft"),
    )
)


def seen_json(seen: Seen) -> dict[str, Any]:
    """The ``seen`` block as it stands in the file."""
    data: dict[str, Any] = {"count": seen.count, "first": seen.first, "last": seen.last, "runs": seen.runs}
    return data | ({"variants": seen.variants} if seen.variants else {})


def review_json(review: Review) -> dict[str, Any]:
    """The ``review`` block as it stands in the file."""
    return {"by": review.by, "at": review.at, "why": review.why}


class _Reader:
    """One mapping of the file, its values asked for by key and type."""

    def __init__(self, data: dict[str, Any], path: str) -> None:
        self.data = data
        self._path = path

    def refuse(self, key: str, message: str) -> PoolError:
        mend = f"mend `{key}` by hand, or restore the file from version control"
        return refuse(MALFORMED, message, path=self._path, help=mend)

    def text(self, key: str, default: str | None = None) -> str:
        value = self.data.get(key)
        if value is None and default is not None:
            return default
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            return str(value)
        if not isinstance(value, str):
            raise self.refuse(key, f"`{key}` must be text" if key in self.data else f"`{key}` is missing")
        return value

    def number(self, key: str) -> int | None:
        value = self.data.get(key)
        if value is not None and (isinstance(value, bool) or not isinstance(value, int)):
            raise self.refuse(key, f"`{key}` must be a whole number")
        return value

    def texts(self, key: str) -> list[str]:
        value = self.data.get(key)
        if value is None:
            return []
        if not isinstance(value, list):
            raise self.refuse(key, f"`{key}` must be a list")
        return [v if isinstance(v, str) else str(v) for v in cast("list[Any]", value)]

    def mapping(self, key: str) -> _Reader:
        value = self.data.get(key)
        if value is None:
            return _Reader({}, self._path)
        if not isinstance(value, dict):
            raise self.refuse(key, f"`{key}` must be a mapping")
        return _Reader(cast("dict[str, Any]", value), self._path)

    def mappings(self, key: str) -> list[dict[str, Any]]:
        value = self.data.get(key)
        if value is None:
            return []
        if not isinstance(value, list) or not all(isinstance(v, dict) for v in cast("list[Any]", value)):
            raise self.refuse(key, f"`{key}` must be a list of mappings")
        return cast("list[dict[str, Any]]", value)
