"""A person's decision about a candidate, written into its file; everything else in the file stays as it was."""

from __future__ import annotations

import datetime
import getpass
import os
from pathlib import Path
from typing import Any

from adk_split_eval.pool import personal
from adk_split_eval.pool.candidate import Candidate, Review, Status, review_json
from adk_split_eval.pool.collect import apply_draft, personal_data_of
from adk_split_eval.pool.draft import Material, make_draft
from adk_split_eval.pool.emit import as_list, as_mapping, plain_data
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
        redact: replace e-mail addresses, phone, card and id numbers in the states, the user id and what tools wrote to the
            state, in recording and draft; what was said, and what tools were given and answered, stays and is reported.

    Raises:
        PoolError: unknown or unreadable candidate, one that is frozen, or an approval of what has no draft.
    """
    with locked(plan_dir):
        candidate = find(plan_dir, name)
        assert candidate.path is not None
        if candidate.status == "frozen":
            mend = "to change what it expects: adk-split-eval freeze --update ID; to drop it: remove the frozen case"
            raise refuse(DECIDED, f"{candidate.id} is frozen already", path=str(candidate.path), help=mend)
        if status == "rejected" and not why.strip():
            mend = 'say why it is no fault of the agent: --why "..."'
            raise refuse(
                DECIDED, f"{candidate.id} is not rejected without a reason", path=str(candidate.path), help=mend
            )
        if status == "approved" and candidate.draft is None:
            because = candidate.no_draft_because or "the file holds none"
            mend = "reject it, write the draft by hand, or try: adk-split-eval pool draft ID --prefix"
            message = f"{candidate.id} has no draft to approve: {because}"
            raise refuse(DECIDED, message, path=str(candidate.path), help=mend)
        if candidate.status != status and candidate.status in ("approved", "rejected"):
            remember(candidate)
        candidate.status = status
        candidate.review = Review(by, at or now(), why)
        if redact:
            _redact(candidate)
        set_review(candidate.path, candidate)
        return candidate


def remember(candidate: Candidate) -> None:
    """Keep the decision that is about to be overruled."""
    assert candidate.path is not None
    before = {"status": candidate.status, **review_json(candidate.review)}
    candidate.extra["earlier_reviews"] = [*as_list(candidate.extra.get("earlier_reviews")), before]
    replace_blocks(candidate.path, {"earlier_reviews": candidate.extra["earlier_reviews"]})


def _redact(candidate: Candidate) -> None:
    """Replace personal data in every state, in the user id and in what the tools wrote; nobody's words are rewritten."""
    assert candidate.path is not None
    candidate.start_state = personal.redact(candidate.start_state)
    candidate.end_state = personal.redact(candidate.end_state)
    candidate.provenance = candidate.provenance | {
        "session_user": personal.redact(candidate.provenance.get("session_user"))
    }
    candidate.transcript = [_without_personal_writes(turn) for turn in candidate.transcript]
    changes: dict[str, Any] = {
        "start_state": candidate.start_state,
        "end_state": candidate.end_state,
        "provenance": candidate.provenance,
        "transcript": candidate.transcript,
    }
    if candidate.draft is not None:
        cleaned = {
            k: personal.redact(candidate.draft[k]) for k in ("session_input", "expect_state") if k in candidate.draft
        }
        if cleaned != {k: candidate.draft[k] for k in cleaned}:
            candidate.draft = changes["draft"] = candidate.draft | cleaned
    candidate.personal_data = changes["personal_data"] = personal_data_of(candidate)
    replace_blocks(candidate.path, changes)


def _without_personal_writes(turn: dict[str, Any]) -> dict[str, Any]:
    if not any("state" in as_mapping(call) for call in as_list(turn.get("tool_calls"))):
        return turn
    calls = [
        call | {"state": personal.redact(call["state"])} if "state" in call else call
        for call in map(as_mapping, as_list(turn["tool_calls"]))
    ]
    return turn | {"tool_calls": calls}


def redraft(plan_dir: Path, name: str, *, prefix: bool = False, overwrite: bool = False) -> Candidate:
    """Draft an open candidate again from its transcript.

    Args:
        overwrite: even when the draft was edited by hand.

    Raises:
        PoolError: with the reason when no draft can be made, or when one would overwrite what a person wrote.
    """
    with locked(plan_dir):
        candidate = find(plan_dir, name)
        assert candidate.path is not None
        if candidate.status != "open":
            message = f"{candidate.id} is {candidate.status}; only an open candidate is drafted again"
            raise refuse(DECIDED, message, path=str(candidate.path), help="set its status back to open first")
        material = material_of(candidate)
        if not overwrite and candidate.draft is not None and not _machine_made(candidate, material):
            message = f"the draft of {candidate.id} was edited by hand, and drafting again would overwrite it"
            mend = "keep it and edit it further; or drop the edits: adk-split-eval pool draft ID --overwrite"
            raise refuse(DECIDED, message, path=str(candidate.path), help=mend)
        draft = make_draft(material, prefix=prefix)
        if draft.case is None:
            raise refuse(DECIDED, f"no draft of {candidate.id}: {draft.because}", path=str(candidate.path))
        apply_draft(candidate, draft)
        changes: dict[str, Any] = {"notes": candidate.notes, "no_draft_because": None, "draft": candidate.draft}
        replace_blocks(candidate.path, changes)
        return load(candidate.path)


def _machine_made(candidate: Candidate, material: Material) -> bool:
    drafts = (plain_data(make_draft(material, prefix=prefix).case) for prefix in (False, True))
    return any(candidate.draft == draft for draft in drafts)


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
        state_after=candidate.end_state,
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
