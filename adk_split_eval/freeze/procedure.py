"""The freeze itself: prove, write the case, rebuild the sets, mark the candidate. Each step can be cut off and taken up."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from adk_split_eval import __version__
from adk_split_eval.freeze.frozen_file import add_case, fingerprint_of, frozen_path, hash_of, read_cases, sealed
from adk_split_eval.freeze.naive import hit_in, refuse_blind
from adk_split_eval.freeze.preparing import frozen_id, prepare, refuse_unknown_tools, taken_ids, validated
from adk_split_eval.freeze.proving import Proof, Runner, compile_with, prove, real_runner, verdict_of
from adk_split_eval.freeze.shrinking import shrink
from adk_split_eval.pool import files
from adk_split_eval.pool.candidate import Candidate
from adk_split_eval.pool.emit import as_list, as_mapping
from adk_split_eval.pool.fingerprint import content_hash
from adk_split_eval.pool.reading import PoolError, refuse
from adk_split_eval.pool.review import now
from adk_split_eval.record.text import visible_surrogates

if TYPE_CHECKING:
    from adk_split_eval.plan import LoadedPlan

Kind = Literal["frozen", "recovered", "skipped", "refused"]
Progress = Callable[[str], None]

TWICE, NOT_APPROVED, NOT_RED = "ASE953", "ASE960", "ASE961"


@dataclass(slots=True)
class FreezeOptions:
    """How to freeze.

    Attributes:
        trials: of the proof.
        prefix: only the turns up to the one that failed.
        pending: (owner, ISO date): a known bug that must not block merges until then.
        shrink_budget: model calls that shrinking may cost; None does not shrink.
        runner: what runs the case (tests put their own here).
        tools_of: the agent's tool names, to find an expected call that nothing could make; None does not look.
    """

    trials: int = 3
    allow_flaky: bool = False
    already_fixed: bool = False
    pending: tuple[str, str] | None = None
    replay_tools: bool = False
    prefix: bool = False
    shrink_budget: int | None = None
    runner: Runner = real_runner
    tools_of: Callable[[LoadedPlan], Collection[str] | None] | None = None
    progress: Progress | None = None


@dataclass(slots=True)
class Frozen:
    """What became of one candidate.

    Attributes:
        case_id: of the frozen case, when there is one.
        red: red trials of the proof, as ``3/3``.
        errors: why it was refused.
        notes: what a person should know.
    """

    candidate: str
    kind: Kind
    case_id: str = ""
    red: str = ""
    errors: PoolError | None = None
    notes: list[str] = field(default_factory=list[str])


@dataclass(slots=True)
class FreezeReport:
    """All candidates of one call, and the files written."""

    outcomes: list[Frozen] = field(default_factory=list[Frozen])
    written: list[str] = field(default_factory=list[str])

    @property
    def exit_code(self) -> int:
        """1 when a candidate was refused."""
        return 1 if any(o.kind == "refused" for o in self.outcomes) else 0


def freeze_candidates(plan: str | Path, ids: Sequence[str] = (), **options: Any) -> FreezeReport:
    """Freeze the named candidates, or every approved one.

    Raises:
        PlanError: the plan cannot be used.
        PoolError: an id means no candidate, or a file of the pool cannot be read.
        NoAgentError: there is no agent to prove the case against.
    """
    from adk_split_eval.plan import load_plan

    chosen = FreezeOptions(**options)
    path = Path(plan)
    loaded = load_plan(path)
    target = frozen_path(path, loaded.plan.plan_id)
    report = FreezeReport()
    for candidate in _selected(path.parent, ids):
        report.outcomes.append(_freeze_one(candidate, loaded, target, chosen))
        if report.outcomes[-1].kind in ("frozen", "recovered"):
            loaded = load_plan(path)
    if target.is_file():
        report.written = rebuild(loaded)
    return report


def _selected(plan_dir: Path, ids: Sequence[str]) -> list[Candidate]:
    if ids:
        return [files.find(plan_dir, name) for name in ids]
    good, bad = files.headers(plan_dir)
    if bad:
        raise PoolError(*(finding for error in bad for finding in error.findings))
    return [files.load(c.path) for c in good if c.status == "approved" and c.path is not None]


def _freeze_one(candidate: Candidate, loaded: LoadedPlan, target: Path, options: FreezeOptions) -> Frozen:
    path = str(candidate.path or "")
    known = next((c for c in read_cases(target) if fingerprint_of(c) == candidate.fingerprint), None)
    if known is not None and candidate.status in ("approved", "frozen"):
        try:
            return _already_there(candidate, known)
        except PoolError as error:
            return Frozen(candidate.id, "refused", errors=error)
    try:
        if candidate.status != "approved":
            raise _not_approved(candidate)
        drafted = candidate.draft
        if options.prefix:
            _cut(candidate)
        notes: list[str] = []
        if options.shrink_budget is not None:
            notes = shrink(candidate, loaded, options.shrink_budget, options.runner, options.replay_tools)
        case = prepare(candidate, loaded.plan, replay_tools=options.replay_tools)
        _, found = compile_with(loaded, case, path)
        refuse_blind(candidate, case, found)
        refuse_unknown_tools(candidate, case, options.tools_of(loaded) if options.tools_of else None)
        if options.progress:
            options.progress(f"{candidate.id}: running {case['case_id']} {options.trials} times")
        hit = hit_in(candidate, case)
        proof = prove(loaded, case, hit, trials=options.trials, runner=options.runner, where=path)
        because = verdict_of(proof, hit, allow_flaky=options.allow_flaky, already_fixed=options.already_fixed)
        if because:
            raise refuse(NOT_RED, f"{candidate.id} is not frozen: {because}", path=path)
        _write(candidate, case, proof, loaded, target, options, drafted)
    except PoolError as error:
        return Frozen(candidate.id, "refused", errors=error)
    return Frozen(
        candidate.id, "frozen", case["case_id"], proof.summary, notes=[*notes, *_remarks(candidate, case, proof)]
    )


def _cut(candidate: Candidate) -> None:
    """Cut the draft after the failing turn, in memory: the file follows when the freeze succeeds."""
    if candidate.draft is None:
        return
    turn = hit_in(candidate, candidate.draft).turn
    if turn is not None:
        candidate.draft = candidate.draft | {"turns": as_list(candidate.draft.get("turns"))[:turn]}


def _not_approved(candidate: Candidate) -> PoolError:
    path = str(candidate.path or "")
    if candidate.status == "frozen":
        message = f"{candidate.id} is marked frozen, but its case is not in the frozen file"
        mend = "restore the frozen file from version control, or set the status back to approved"
        return refuse(NOT_APPROVED, message, path=path, help=mend)
    if candidate.draft is None and candidate.hit.turn is not None:
        mend = f"draft what shows the failure: adk-split-eval pool draft {candidate.id} --prefix; then review it"
        return refuse(NOT_APPROVED, f"{candidate.id} is {candidate.status}, not approved", path=path, help=mend)
    mend = f'review it: adk-split-eval pool show {candidate.id}, then pool approve {candidate.id} --why "..."'
    return refuse(NOT_APPROVED, f"{candidate.id} is {candidate.status}, not approved", path=path, help=mend)


def _already_there(candidate: Candidate, known: dict[str, Any]) -> Frozen:
    """The case is in the file: nothing to do, or only the mark that a crash prevented."""
    case_id = str(known.get("case_id"))
    if candidate.status == "frozen":
        return Frozen(candidate.id, "skipped", case_id, notes=["frozen already"])
    stated = as_mapping(known.get("provenance"))
    if stated.get("draft_hash") not in (None, content_hash(candidate.draft)):
        message = f"{candidate.id}: {case_id} guards this fault already, frozen from another draft ({stated.get('candidate')})"
        mend = f"change what it expects: adk-split-eval freeze --update {case_id}; and remove the copy of the candidate"
        raise refuse(TWICE, message, path=str(candidate.path or ""), help=mend)
    assert candidate.path is not None
    with files.locked(candidate.path.parent.parent):
        _mark(candidate, case_id, str(stated.get("red") or ""))
    return Frozen(
        candidate.id, "recovered", case_id, notes=["the case was written before; its candidate is marked now"]
    )


def _write(
    candidate: Candidate,
    case: dict[str, Any],
    proof: Proof,
    loaded: LoadedPlan,
    target: Path,
    options: FreezeOptions,
    drafted: dict[str, Any] | None,
) -> None:
    """Case first, mark last: whatever is cut off in between is found by its fingerprint the next time."""
    with files.locked(target.parent):
        cases = read_cases(target)
        if any(fingerprint_of(c) == candidate.fingerprint for c in cases):
            return
        taken = taken_ids(loaded.plan) | {str(c.get("case_id")) for c in cases}
        case["case_id"] = frozen_id(candidate.case_id, taken)
        if options.pending:
            case["pending"] = {"owner": options.pending[0], "until": options.pending[1]}
        provenance = provenance_of(candidate, case, proof) | {"draft_hash": content_hash(drafted)}
        case["provenance"] = sealed(provenance, case)
        validated(case, candidate)  # whatever stands in the frozen file must load with the plan
        add_case(target, loaded.plan.plan_id, case)
        redrawn = candidate.draft != drafted
        shrunk = {"shrunk": candidate.extra["shrunk"]} if redrawn and "shrunk" in candidate.extra else {}
        _mark(candidate, case["case_id"], proof.summary, shrunk | ({"draft": candidate.draft} if redrawn else {}))


def _mark(candidate: Candidate, case_id: str, red: str, also: dict[str, Any] | None = None) -> None:
    assert candidate.path is not None
    frozen = {"case_id": case_id, "at": now(), "red": red}
    files.replace_blocks(candidate.path, {"status": "frozen", "frozen": frozen, **(also or {})})


def provenance_of(candidate: Candidate, case: dict[str, Any], proof: Proof) -> dict[str, Any]:
    """What the frozen case came from; ``content_hash`` makes edits without a word visible."""
    known, hit = candidate.provenance, candidate.hit
    users = [str(t.get("user")) for t in candidate.transcript]
    data: dict[str, Any] = {
        "candidate": candidate.path.name if candidate.path else candidate.id,
        "fingerprint": candidate.fingerprint,
        "case_id": candidate.case_id,
        "run_id": known.get("run_id"),
        "criterion": hit.criterion or None,
        "kind": hit.kind,
        "turn": hit_in(candidate, case).turn,
        "reason": hit.reasons[0] if hit.reasons else None,
        "reasons": hit.reasons[1:] or None,
        "persona": known.get("persona"),
        "adk_version": known.get("adk_version"),
        "agent_commit": known.get("agent_commit"),
        "simulator_model": known.get("simulator_model"),
        "judge_model": known.get("judge_model"),
        "source": known.get("source"),
        "approved_by": candidate.review.by,
        "approved_at": candidate.review.at,
        "why": candidate.review.why,
        "frozen_at": now(),
        "frozen_with": __version__,
        "red": proof.summary,
        "turns_edited": True if any(str(t["user"]) not in users for t in case["turns"]) else None,
        "content_hash": hash_of(case),
    }
    return {
        key: value if key in ("turn", "turns_edited") else _shown(value)
        for key, value in data.items()
        if value is not None
    }


def _shown(value: Any) -> Any:
    return [_shown(v) for v in as_list(value)] if isinstance(value, list) else visible_surrogates(str(value))


def _remarks(candidate: Candidate, case: dict[str, Any], proof: Proof) -> list[str]:
    notes: list[str] = []
    if 0 < proof.red < len(proof.outcomes):
        notes.append(f"flaky reproduction: red in {proof.summary} trials")
    users = [str(t.get("user")) for t in candidate.transcript]
    if any(str(t["user"]) not in users for t in case["turns"]):
        notes.append("a user turn was changed by hand and is no longer what was said")
    if case.get("replay_tools"):
        notes.append("its tools are replayed, so only our runner runs it; plain adk eval does not see it")
    return notes


def check_date(text: str) -> str:
    """``text`` as YYYY-MM-DD when it is an ISO date that is not over. Raises PoolError."""
    try:
        day = datetime.date.fromisoformat(text)
    except ValueError as error:
        raise refuse("ASE962", f"--until takes a date like 2027-01-31, not {text!r}") from error
    if day < datetime.datetime.now(datetime.UTC).date():
        raise refuse("ASE962", f"--until {text} is over already", help="name a day to come")
    return day.isoformat()


def rebuild(loaded: LoadedPlan) -> list[str]:
    """Write the generated sets; returns what changed. A plan that cannot be built is left for `build` to complain about."""
    from adk_split_eval.build import compile_plan, write_sets

    compiled = compile_plan(loaded)
    if any(f.level == "error" and f.case_id is None for f in compiled.findings):
        return []
    report = write_sets(compiled)
    return [*report.written, *report.removed]
