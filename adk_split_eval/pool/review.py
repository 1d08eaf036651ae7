"""A person's decision about a candidate, written into its file; everything else in the file stays as it was."""

from __future__ import annotations

import datetime
import getpass
import os
from pathlib import Path
from typing import Any

from adk_split_eval.pool import personal
from adk_split_eval.pool.candidate import Candidate, Review, Status
from adk_split_eval.pool.collect import apply_draft
from adk_split_eval.pool.draft import Material, make_draft
from adk_split_eval.pool.emit import as_mapping
from adk_split_eval.pool.files import find, load, locked, replace_blocks, set_review
from adk_split_eval.pool.reading import refuse
from adk_split_eval.pool.transcript import from_transcript
from adk_split_eval.record import Conversation

DECIDED = "ASE954"


def reviewer() -> str:
    """Who reviews, when nobody says: ``ADK_SPLIT_EVAL_REVIEWER``, else the name of the account."""
    named = os.environ.get("ADK_SPLIT_EVAL_REVIEWER")
    if named:
        return named
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return "unknown"


def now() -> str:
    """The moment of a decision, in UTC, to the second."""
    return datetime.datetime.now(datetime.UTC).replace(microsecond=0).isoformat().replace("+00:00", "Z")


def decide(
    plan_dir: Path, name: str, status: Status, *, by: str, why: str, at: str | None = None, redact: bool = False
) -> Candidate:
    """Approve, reject or re-open a candidate.

    Args:
        redact: replace e-mail addresses, phone, card and id numbers in the start state (in the draft too).

    Raises:
        PoolError: unknown or unreadable candidate, one that is frozen, or an approval of what has no draft.
    """
    with locked(plan_dir):
        candidate = find(plan_dir, name)
        assert candidate.path is not None
        if candidate.status == "frozen":
            mend = "to change what it expects: adk-split-eval freeze --update ID; to drop it: remove the frozen case"
            raise refuse(DECIDED, f"{candidate.id} is frozen already", path=str(candidate.path), help=mend)
        if status == "approved" and candidate.draft is None:
            because = candidate.no_draft_because or "the file holds none"
            mend = "reject it, write the draft by hand, or try: adk-split-eval pool draft ID --prefix"
            message = f"{candidate.id} has no draft to approve: {because}"
            raise refuse(DECIDED, message, path=str(candidate.path), help=mend)
        candidate.status = status
        candidate.review = Review(by, at or now(), why)
        if redact:
            _redact(candidate)
        set_review(candidate.path, candidate)
        return candidate


def _redact(candidate: Candidate) -> None:
    assert candidate.path is not None
    changes: dict[str, Any] = {"start_state": personal.redact(candidate.start_state)}
    session = as_mapping(as_mapping(candidate.draft).get("session_input"))
    if candidate.draft is not None and session.get("state"):
        state = personal.redact(session["state"])
        candidate.draft = candidate.draft | {"session_input": session | {"state": state}}
        changes["draft"] = candidate.draft
    users = [str(turn.get("user") or "") for turn in candidate.transcript]
    changes["personal_data"] = personal.report(as_mapping(changes["start_state"]), users)
    candidate.start_state = changes["start_state"]
    candidate.personal_data = changes["personal_data"]
    replace_blocks(candidate.path, changes)


def redraft(plan_dir: Path, name: str, *, prefix: bool = False) -> Candidate:
    """Draft an open candidate again from its transcript. Raises PoolError, with the reason when no draft can be made."""
    with locked(plan_dir):
        candidate = find(plan_dir, name)
        assert candidate.path is not None
        if candidate.status != "open":
            message = f"{candidate.id} is {candidate.status}; only an open candidate is drafted again"
            raise refuse(DECIDED, message, path=str(candidate.path), help="set its status back to open first")
        draft = make_draft(material_of(candidate), prefix=prefix)
        if draft.case is None:
            raise refuse(DECIDED, f"no draft of {candidate.id}: {draft.because}", path=str(candidate.path))
        apply_draft(candidate, draft)
        changes: dict[str, Any] = {"notes": candidate.notes, "no_draft_because": None, "draft": candidate.draft}
        replace_blocks(candidate.path, changes)
        return load(candidate.path)


def conversation_of(candidate: Candidate) -> Conversation:
    """The recorded conversation, as far as a candidate keeps it."""
    ended = as_mapping(candidate.provenance.get("ended"))
    return Conversation(
        turns=from_transcript(candidate.transcript),
        stop_reason=ended.get("stop_reason"),
        glued_text=ended.get("glued_text"),
        error=ended.get("error"),
        flat=bool(ended.get("flat")),
        state_before=candidate.start_state,
        state_after=candidate.provenance.get("end_state"),
    )


def material_of(candidate: Candidate) -> Material:
    """What a draft of this candidate is made of."""
    known = candidate.provenance
    return Material(
        case_id=candidate.case_id,
        conversation=conversation_of(candidate),
        hit=candidate.hit,
        carries=as_mapping(known.get("carries")),
        scene=str(known.get("scene") or ""),
        goal=known.get("goal"),
        user_id=known.get("session_user"),
        suspect=bool(known.get("simulator_suspect")),
    )
