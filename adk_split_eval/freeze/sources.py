"""``freeze --from FILE``: what was recorded elsewhere becomes candidates by the same rules."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from adk_split_eval import __version__
from adk_split_eval.criteria import catalogue
from adk_split_eval.freeze.known_rules import KnownRules
from adk_split_eval.freeze.recordings import (
    case_conversation,
    field_of,
    invocation_turn,
    session_conversation,
    turns_conversation,
)
from adk_split_eval.pool import files
from adk_split_eval.pool.candidate import Candidate, Hit
from adk_split_eval.pool.collect import assemble, build_hit
from adk_split_eval.pool.draft import Material
from adk_split_eval.pool.emit import as_list, as_mapping
from adk_split_eval.pool.fingerprint import content_hash
from adk_split_eval.pool.reading import read_text, refuse
from adk_split_eval.pool.review import now
from adk_split_eval.record import Conversation, CriterionResult

UNKNOWN_SOURCE = "ASE966"
FAILED = frozenset({2, "FAILED", "failed"})
PASSED = frozenset({1, "PASSED", "passed"})


@dataclass(slots=True)
class Recorded:
    """One conversation of a source file, with what failed in it."""

    case_id: str
    conversation: Conversation
    failed: list[CriterionResult] = field(default_factory=list[CriterionResult])
    user_id: str | None = None
    app_name: str | None = None
    passed: bool = False
    unusable: str = ""


def candidates_of(
    path: Path,
    plan_dir: Path,
    plan_id: str,
    *,
    case_ids: tuple[str, ...] = (),
    prefix: bool = False,
    agent: str | None = None,
    rules: KnownRules | None = None,
    tell: Callable[[str], None] | None = None,
) -> list[tuple[Path, Candidate]]:
    """Store every conversation of ``path`` as a candidate of the plan; of an ``adk eval`` result only what failed.

    Args:
        case_ids: only these; a passed case of a result is taken when it is named.
        prefix: draft up to the first turn that shows the failure.
        agent: the plan's agent folder, to say when the recording is another agent's.
        rules: of the plan: they judge what nobody judged, and go along with what failed.
        tell: told of each conversation that is left out.

    Raises:
        PoolError: the file is none of the known kinds, or holds none of the cases named.
    """
    recorded = list(read_source(path))
    chosen = [r for r in recorded if (r.case_id in case_ids if case_ids else not r.passed)]
    if missing := set(case_ids) - {r.case_id for r in chosen}:
        known = ", ".join(r.case_id for r in recorded[:8]) or "none"
        raise refuse(UNKNOWN_SOURCE, f"holds no case {sorted(missing)[0]!r}; there are: {known}", path=str(path))
    if not recorded:
        raise refuse(UNKNOWN_SOURCE, "holds no case at all", path=str(path), help="was the recording saved?")
    unusable = [r for r in chosen if r.unusable]
    chosen = [r for r in chosen if not r.unusable]
    if unusable and (case_ids or not chosen):
        raise refuse(
            UNKNOWN_SOURCE, unusable[0].unusable, path=str(path), help="run it and freeze what the run recorded"
        )
    for one in unusable:
        if tell:
            tell(f"left out: {one.unusable}")
    if not chosen:
        message = "every case in it passed, so there is nothing to freeze from"
        raise refuse(UNKNOWN_SOURCE, message, path=str(path), help="name one with --case ID to keep it as it is")
    stored: list[tuple[Path, Candidate]] = []
    for one in chosen:
        candidate = _candidate(one, path, plan_id, prefix, rules)
        if agent and one.app_name and one.app_name != Path(agent).name:
            candidate.notes.append(f"the recording is of agent {one.app_name}, the plan's is {Path(agent).name}")
        stored.append((files.store(candidate, plan_dir), candidate))
    return stored


def _candidate(recorded: Recorded, path: Path, plan_id: str, prefix: bool, rules: KnownRules | None) -> Candidate:
    failed, notes = recorded.failed, list[str]()
    if not failed and not recorded.passed and rules is not None:
        failed = rules.judge(recorded.case_id, recorded.conversation)
        notes += [f"judged when it was read: {c.name} fails" for c in failed]
    hit = build_hit(failed, recorded.conversation, []) if failed else Hit("", "recorded")
    carries = {"grounded_numbers": True} if any(c.name == "grounded_numbers_v1" for c in failed) else {}
    if rules is not None and failed:
        carries |= rules.carried(recorded.case_id, failed)
        notes += rules.missing(failed, carries)
    material = Material(
        case_id=recorded.case_id,
        conversation=recorded.conversation,
        hit=hit,
        carries=carries,
        scene=f"from {path.name}: {recorded.case_id} ({hit.criterion or 'recorded'})",
        user_id=recorded.user_id,
    )
    provenance = {"plan_id": plan_id, "set": None, "run_id": None, "tool_version": __version__, "source": path.name}
    candidate = assemble(material, provenance, now(), prefix=prefix)
    # The same file read again is the same sighting, not another one.
    candidate.seen.runs = [f"{path.name}#{content_hash(read_text(path))}"]
    candidate.notes += notes
    return candidate


def read_source(path: Path) -> Iterator[Recorded]:
    """The conversations of a file, whatever kind it is. Raises PoolError."""
    data = _json(path)
    if isinstance(data, str):  # results of older ADK versions are JSON inside a JSON string
        data = _parsed(data, path)
    top = as_mapping(data)
    results = field_of(top, "eval_case_results")
    cases = field_of(top, "eval_cases")
    if results is not None:
        yield from (_result(as_mapping(r)) for r in as_list(results))
    elif cases is not None:
        yield from (_eval_case(as_mapping(c)) for c in as_list(cases))
    elif field_of(top, "eval_id") is not None and "conversation" in top:
        yield _eval_case(top)
    elif isinstance(top.get("events"), list):
        yield _session(top, path, session_conversation(top))
    elif isinstance(top.get("turns"), list):
        yield _session(top, path, turns_conversation(top))
    else:
        message = "is no session export, no result of adk eval and no eval case"
        mend = "give an export of `adk run --save_session`, an *.evalset_result.json, or an eval case of adk web"
        raise refuse(UNKNOWN_SOURCE, message, path=str(path), help=mend, line=1, column=1)


def _json(path: Path) -> Any:
    return _parsed(read_text(path), path)


def _parsed(text: str, path: Path) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise refuse(
            UNKNOWN_SOURCE, f"is no JSON: {error.msg}", path=str(path), line=error.lineno, column=error.colno
        ) from error
    except RecursionError as error:
        raise refuse(UNKNOWN_SOURCE, "is nested too deeply to be read", path=str(path)) from error


def _session(data: dict[str, Any], path: Path, conversation: Conversation) -> Recorded:
    name = data.get("id")
    case_id = str(name) if name else path.name.partition(".")[0]
    return Recorded(case_id, conversation, [], field_of(data, "user_id"), field_of(data, "app_name"))


def _eval_case(case: dict[str, Any]) -> Recorded:
    case_id = str(field_of(case, "eval_id") or "")
    if not case.get("conversation"):
        message = f"case {case_id!r} holds no conversation (a scenario is improvised: there is nothing recorded in it)"
        return Recorded(case_id, Conversation([]), unusable=message)
    session = as_mapping(field_of(case, "session_input"))
    return Recorded(case_id, case_conversation(case), [], field_of(session, "user_id"), field_of(session, "app_name"))


def _result(result: dict[str, Any]) -> Recorded:
    rows = [as_mapping(r) for r in as_list(field_of(result, "eval_metric_result_per_invocation"))]
    turns = [invocation_turn(as_mapping(field_of(row, "actual_invocation"))) for row in rows]
    conversation = Conversation(turns)
    session = as_mapping(field_of(result, "session_details"))
    if session:
        known = session_conversation(session)
        conversation.state_before, conversation.state_after = known.state_before, known.state_after
        for turn, other in zip(turns, known.turns, strict=False):
            turn.events = other.events
    overall = [as_mapping(m) for m in as_list(field_of(result, "overall_eval_metric_results"))]
    failed = [_criterion(m, rows) for m in overall if field_of(m, "eval_status") in FAILED]
    return Recorded(
        str(field_of(result, "eval_id") or ""),
        conversation,
        failed,
        field_of(result, "user_id"),
        field_of(session, "app_name") if session else None,
        passed=not failed and field_of(result, "final_eval_status") in PASSED,
    )


def _criterion(metric: dict[str, Any], rows: list[dict[str, Any]]) -> CriterionResult:
    name = str(field_of(metric, "metric_name") or "")
    info = catalogue.get(name)
    details = as_mapping(metric.get("details"))
    scores = [as_mapping(s) for s in as_list(field_of(details, "rubric_scores"))]
    reasons = [str(s["rationale"]) for s in scores if s.get("rationale") and s.get("score") != 1.0]
    bad = [n for n, row in enumerate(rows, 1) if _failed_here(row, name)]
    score, threshold = metric.get("score"), metric.get("threshold")
    if not reasons:
        reasons = [f"turn {n}: {name} failed" for n in bad] or [f"{name} scored {score}, threshold {threshold}"]
    elif bad and not any("turn " in r for r in reasons):
        reasons = [f"turn {bad[0]}: {reasons[0]}", *reasons[1:]]
    kind = info.kind if info else "deterministic"
    return CriterionResult(name, kind, "failed", score, threshold, None, reasons)


def _failed_here(row: dict[str, Any], name: str) -> bool:
    metrics = (as_mapping(m) for m in as_list(field_of(row, "eval_metric_results")))
    return any(field_of(m, "metric_name") == name and field_of(m, "eval_status") in FAILED for m in metrics)
