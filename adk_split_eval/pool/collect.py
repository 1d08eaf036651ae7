"""From a run's hit to a candidate: pure, no file is touched."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

from adk_split_eval.criteria import catalogue
from adk_split_eval.pool import personal
from adk_split_eval.pool.candidate import Candidate, Hit, Seen
from adk_split_eval.pool.draft import Draft, Material, holes, make_draft
from adk_split_eval.pool.emit import as_list, as_mapping, plain_data
from adk_split_eval.pool.fingerprint import calls_that_matter, content_hash, fingerprint, kin
from adk_split_eval.pool.locate import failing_turn, guilty_sentence
from adk_split_eval.pool.transcript import to_transcript
from adk_split_eval.record import Case, CaseResult, Conversation, CriterionResult, RunResult

DEFAULT_USER = "user"
"""What `build` writes when a plan names no user; a draft need not repeat it."""

GOAL = "goal_reached_v1"
ABOUT_CALLS = frozenset(
    {
        "forbidden_tools_v1",
        "tool_args_v1",
        "tool_order_v1",
        "tool_trajectory_avg_score",
        "stage_flow_v1",
        "recovery_v1",
        "final_state_v1",
        GOAL,
    }
)
"""Criteria whose failure is in what the agent did, not in what it said."""

_SAFE_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,79}\Z")
_DEVICES = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|\Z)", re.IGNORECASE)
_DEFAULT_SOURCES = ["tools", "user"]


def candidates_from(
    result: RunResult,
    case: Case,
    case_result: CaseResult,
    conversation: Conversation,
    *,
    plan_dir: Path,
    context: dict[str, Any],
) -> Candidate | None:
    """The candidate that a case's HIT becomes; None for any other verdict.

    Args:
        conversation: of the trial that decided the verdict.
        plan_dir: the plan's folder (the agent's commit is the caller's to find; nothing is read here).
        context: run_id, started_at, adk_version, tool_version, agent_commit, simulator_model, judge_model; optionally
            ``authored``: the simulated case as the plan spells it, for keys that travel as they are (``process``).
    """
    del plan_dir
    if case_result.verdict != "HIT":
        return None
    failed = [c for c in case_result.criteria if c.status == "failed"]
    hit = build_hit(failed, conversation, case_result.reasons)
    session = as_mapping(case.eval_case.get("session_input"))
    if conversation.state_before is None:
        conversation = _with_start(conversation, session.get("state"))
    material = Material(
        case_id=case.case_id,
        conversation=conversation,
        hit=hit,
        carries=carried(case, failed, context.get("authored")),
        scene=_scene(case, hit),
        goal=_goal(case),
        user_id=session.get("user_id") if session.get("user_id") != DEFAULT_USER else None,
        suspect=case_result.simulator_suspect,
    )
    provenance = {"plan_id": result.plan_id, "set": case.set, **_provenance(result, context)}
    provenance["persona"] = _persona(case)
    return assemble(material, provenance, str(context.get("started_at") or result.started_at))


def build_hit(failed: Sequence[CriterionResult], conversation: Conversation, reasons: Sequence[str]) -> Hit:
    """Which of the failed criteria the candidate is about: an invariant first (it says what the fault is), then one that
    compares with a reference, then a judged one, the goal last."""
    ranked = sorted(failed, key=_rank)
    if not ranked:
        return Hit("", "deterministic", list(reasons))
    chief = ranked[0]
    said = chief.reasons or list(reasons)
    turn = failing_turn(said, conversation.turns) if chief.name != GOAL else None
    blamed = conversation.turns[turn - 1] if turn is not None else None
    sentence = None if chief.name in ABOUT_CALLS else guilty_sentence(said, blamed)
    return Hit(chief.name, chief.kind, list(said), sentence, turn, [c.name for c in ranked[1:]])


def _rank(criterion: CriterionResult) -> int:
    if criterion.name == GOAL:
        return 3
    if criterion.kind == "judged":
        return 2
    info = catalogue.get(criterion.name)
    return 1 if info is not None and info.reference_based else 0


def assemble(material: Material, provenance: dict[str, Any], when: str, *, prefix: bool = False) -> Candidate:
    """The candidate made of ``material``."""
    hit, conversation = material.hit, material.conversation
    blamed = conversation.turns[hit.turn - 1] if hit.turn is not None else None
    calls = calls_that_matter(blamed) if hit.kind != "judged" and not conversation.flat else []
    if hit.kind == "recorded":  # no fault to tell recordings apart by, so their content does
        calls = [content_hash([[t.user, [c.name for c in t.tool_calls]] for t in conversation.turns])]
    mark = fingerprint(material.case_id, hit.criterion, hit.kind, hit.reasons, calls)
    draft = make_draft(material, prefix=prefix)
    state = conversation.state_before
    start = None if state is None else personal.start_state(state)
    run_id = str(provenance.get("run_id") or "")
    candidate = Candidate(
        id=f"{file_stem(material.case_id)}-{mark[:8]}",
        status="open",
        case_id=material.case_id,
        hit=hit,
        seen=Seen(1, when, when, [run_id] if run_id else []),
        provenance={
            **provenance,
            "fingerprint": mark,
            "kin": kin(hit.criterion, hit.kind, hit.reasons, calls),
            "simulator_suspect": material.suspect,
            "ended": {
                "stop_reason": conversation.stop_reason,
                "glued_text": conversation.glued_text,
                "error": conversation.error,
                "flat": conversation.flat,
            },
            "session_user": material.user_id,
            "scene": material.scene,
            "goal": material.goal,
            "carries": material.carries,
        },
        start_state=cast("dict[str, Any] | None", plain_data(start)),
        end_state=_end_state(conversation),
        transcript=to_transcript(conversation),
    )
    candidate.personal_data = personal_data_of(candidate)
    apply_draft(candidate, draft)
    return candidate


def _end_state(conversation: Conversation) -> dict[str, Any] | None:
    after = conversation.state_after
    return None if after is None else as_mapping(plain_data(personal.start_state(after)))


def personal_data_of(candidate: Candidate) -> list[str]:
    """Every place of a candidate that a reviewer must look at before it is committed."""
    users = [str(turn.get("user") or "") for turn in candidate.transcript]
    start, user_id = candidate.start_state, candidate.provenance.get("session_user")
    return [
        *personal.report(start or {}, users),
        *personal.elsewhere(candidate.end_state, user_id, candidate.transcript, start),
    ]


def apply_draft(candidate: Candidate, draft: Draft) -> None:
    """Put ``draft`` into the candidate, with what the reviewer must know about it."""
    candidate.draft = cast("dict[str, Any] | None", plain_data(draft.case))
    candidate.no_draft_because = draft.because
    candidate.notes = list(draft.notes)
    if draft.observed_calls:
        candidate.extra["observed_calls"] = draft.observed_calls
    if draft.case is not None and (open_places := holes(draft.case)):
        candidate.notes.append(f"{TO_FILL}{', '.join(open_places)}")
    if draft.case is not None and not keeps_criterion(candidate.hit.criterion, draft.case):
        candidate.notes.append(_what_stands_in(candidate.hit.criterion))


TO_FILL = "to fill before freezing: "


def _what_stands_in(criterion: str) -> str:
    info = catalogue.get(criterion)
    if info is not None and "fixed" not in info.sets:
        return f"{criterion} judges no fixed case: state here what the agent must say or do"
    return (
        f"{criterion or 'the criterion'} cannot be switched on by a key of the case: keep it in fixed_set.criteria, or"
        " state here what the agent must say or do"
    )


_KEYS: dict[str, str] = {
    "grounded_numbers_v1": "grounded_numbers",
    "forbidden_tools_v1": "forbidden_tools",
    "tool_order_v1": "order_rules",
    "final_state_v1": "expect_state",
    "stage_flow_v1": "process",
    "repeated_questions_v1": "process",
    "evidence_links_v1": "process",
    "ending_v1": "process",
    "repeated_meaning_v1": "process",
    "evidence_meaning_v1": "process",
    "report_review_v1": "process",
}


def keeps_criterion(criterion: str, case: dict[str, Any]) -> bool:
    """Whether the case itself switches on the criterion that hit (process rules may also stand on the whole plan)."""
    key = _KEYS.get(criterion)
    if criterion in ("tool_args_v1", "tool_trajectory_avg_score"):
        turns = (as_mapping(turn) for turn in as_list(case.get("turns")))
        return any("expect_tools" in turn for turn in turns)
    if key is None:
        return False
    return key == "process" or bool(case.get(key))


def carried(case: Case, failed: Sequence[CriterionResult], authored: Any = None) -> dict[str, Any]:
    """What goes along with the turns, in plan format: the criterion that hit, and what the case forbids anyway."""
    names = {c.name for c in failed}
    carries: dict[str, Any] = {}
    for criterion in case.criteria:
        if criterion.name == "grounded_numbers_v1" and criterion.name in names:
            carries["grounded_numbers"] = _grounded(criterion.params)
        elif criterion.name == "forbidden_tools_v1" and criterion.params.get("forbidden"):
            carries["forbidden_tools"] = [_short(tool) for tool in criterion.params["forbidden"]]
        elif criterion.name == "tool_order_v1" and criterion.name in names:
            rules = (as_mapping(rule) for rule in as_list(criterion.params.get("rules")))
            carries["order_rules"] = [{key: _short(rule[key]) for key in ("before", "after")} for rule in rules]
        elif criterion.name == "final_state_v1" and criterion.name in names:
            carries["expect_state"] = criterion.params.get("expect")
    if process := as_mapping(authored).get("process"):
        carries["process"] = process
    return carries


def _grounded(params: dict[str, Any]) -> Any:
    options = {key: params[key] for key in ("sources", "ignore") if params.get(key)}
    if options.get("sources") == _DEFAULT_SOURCES:
        del options["sources"]
    return options or True


def _short(tool: Any) -> Any:
    """A pattern in its short form: the name alone when there is nothing else."""
    if not isinstance(tool, dict):
        return tool
    pattern = {k: v for k, v in cast("dict[str, Any]", tool).items() if v is not None}
    if "until" in pattern:
        pattern["until"] = _short(pattern["until"])
    return pattern["name"] if set(pattern) == {"name"} else pattern


def _goal(case: Case) -> str | None:
    for criterion in case.criteria:
        if criterion.name == GOAL and isinstance(criterion.params.get("goal"), str):
            return criterion.params["goal"]
    return None


def _persona(case: Case) -> str | None:
    persona: Any = as_mapping(case.eval_case.get("conversation_scenario")).get("user_persona")
    if isinstance(persona, dict):
        persona = as_mapping(persona).get("id")
    return persona if isinstance(persona, str) else None


def _scene(case: Case, hit: Hit) -> str:
    about = f": {case.scene}" if case.scene else ""
    return f"from {case.case_id}{about} ({hit.criterion or 'recorded'})"


def _provenance(result: RunResult, context: dict[str, Any]) -> dict[str, Any]:
    keys = ("run_id", "started_at", "adk_version", "tool_version", "agent_commit", "simulator_model", "judge_model")
    known = {"run_id": result.run_id, "started_at": result.started_at}
    known |= {"adk_version": result.adk_version, "tool_version": result.tool_version}
    return {key: context.get(key, known.get(key)) for key in keys}


def _with_start(conversation: Conversation, given: Any) -> Conversation:
    if not isinstance(given, dict):
        return conversation
    copy = Conversation.from_json(conversation.to_json())
    copy.state_before = cast("dict[str, Any]", given)
    return copy


def file_stem(case_id: str) -> str:
    """A file name that hostile text cannot steer: the id itself when it is harmless, else its hash."""
    if _SAFE_NAME.match(case_id) and not _DEVICES.match(case_id):
        return case_id
    return "case-" + hashlib.sha256(case_id.encode("utf-8", "surrogatepass")).hexdigest()[:10]
