"""The verbs as Python functions; the command line is a thin face over them.

``from adk_split_eval import load_plan, build, lint, run, score, freeze``
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from adk_split_eval.lint import LintResult
    from adk_split_eval.plan.loading import LoadedPlan
    from adk_split_eval.record import CompiledPlan, Finding, RunResult
    from adk_split_eval.run.asked import RunOptions


def load_plan(path: str | Path) -> LoadedPlan:
    """Read a plan and the frozen cases beside it.

    Raises:
        adk_split_eval.plan.PlanError: the plan as a whole cannot be used; its ``findings`` say where and why.
    """
    from adk_split_eval.plan import load_plan as load

    return load(Path(path))


def compile_plan(plan: str | Path | LoadedPlan, *, recorded: bool = False) -> CompiledPlan:
    """Turn a plan into sets and cases without writing anything; case-level lint findings are attached to their cases.

    Args:
        recorded: conversations are recorded already, so nothing that only acting needs is asked of the plan.
    """
    from adk_split_eval.build import compile_plan as compile_loaded

    # Lint comes first and is done with before the plan is read again: of a long one there is one tree at a time.
    findings = _lint_of(Path(plan) if isinstance(plan, str | Path) else plan.path)
    loaded = load_plan(plan) if isinstance(plan, str | Path) else plan
    compiled = compile_loaded(loaded, recorded=recorded)
    _attach_lint(compiled, findings)
    return compiled


def _lint_of(path: Path) -> list[Finding]:
    """What lint says of the plan itself; whether sets on disk are stale is no matter where they are written next, and
    whether the agent is there only where it is loaded, which says so; and a run goes by the plan's id, not its file."""
    from adk_split_eval.lint import lint_paths

    return lint_paths([path], ignore=("ASE630", "ASE635", "ASE637")).findings


def _attach_lint(compiled: CompiledPlan, findings: list[Finding]) -> None:
    from adk_split_eval.lint import rejecting_codes

    rejecting = rejecting_codes()
    cases = {c.case_id: c for c in compiled.cases}
    for finding in findings:
        if finding.level == "error" and finding.code not in rejecting:
            continue
        case = cases.get(finding.case_id or "")
        target = case.findings if case is not None else compiled.findings
        if all((f.code, f.place()) != (finding.code, finding.place()) for f in target):
            target.append(finding)


def _placed(compiled: CompiledPlan) -> CompiledPlan:
    """The plan with the place before each remark about it as a whole: a run's notes are the bare messages, each once."""
    told: dict[tuple[str, str], Finding] = {}
    for finding in compiled.findings:
        place = finding.place()
        if finding.level != "error" and finding.case_id is None and place:
            finding = replace(finding, message=f"{place}: {finding.message}")
        told.setdefault((finding.code, finding.message), finding)
    return replace(compiled, findings=list(told.values()))


def build(plan: str | Path | LoadedPlan, *, check: bool = False, web: bool = False) -> Any:
    """Write the plan's sets (or, with ``check``, compare them with what is on disk). Returns a ``BuildReport``."""
    from adk_split_eval.build import compile_plan as compile_loaded
    from adk_split_eval.build import write_sets

    loaded = load_plan(plan) if isinstance(plan, str | Path) else plan
    return write_sets(compile_loaded(loaded), check=check, web=web)


def lint(*paths: str | Path, **options: Any) -> LintResult:
    """Lint plans, sets, configs and folders; imports neither ADK nor the project's code."""
    from adk_split_eval.lint import lint_paths

    return lint_paths([Path(p) for p in paths], **options)


def run(
    plan: str | Path | LoadedPlan,
    *,
    only: Literal["fixed", "simulated"] | None = None,
    case_ids: Sequence[str] = (),
    trials: int | None = None,
    options: RunOptions | None = None,
) -> RunResult:
    """Lint, build, infer, judge: one plan, both halves (or ``only`` one).

    Raises:
        adk_split_eval.plan.PlanError, adk_split_eval.run.RunError: it cannot start.
    """
    from adk_split_eval.run import RunOptions, run_compiled

    options = options or RunOptions()
    options.only = only or options.only
    options.case_ids = case_ids or options.case_ids
    options.trials = trials or options.trials
    file = Path(plan) if isinstance(plan, str | Path) else None
    return run_compiled(_read_apart(lambda: _ready(plan, options), [file] if file else [], options), options)


def _read_apart(read: Callable[[], CompiledPlan], files: Sequence[Path], options: RunOptions) -> CompiledPlan:
    """What is to be run is read in a process of its own, if there may be several: what is long leaves no memory behind,
    and while what is short is read, google-adk is imported."""
    from adk_split_eval.run import adk as border
    from adk_split_eval.run.apart import apart, long
    from adk_split_eval.run.packed import pack_plan

    if options.processes == 1:
        return read()

    def read_and_pack() -> CompiledPlan:
        compiled = read()
        pack_plan(compiled)
        return compiled

    return apart(read_and_pack, () if long(*files) else (border.load_models, border.load))


def _ready(plan: str | Path | LoadedPlan, options: RunOptions) -> CompiledPlan:
    """The plan as it is run: without errors, its sets written."""
    from adk_split_eval.build import write_sets
    from adk_split_eval.run import RunError

    compiled = compile_plan(plan)
    errors = [f for f in compiled.findings if f.level == "error" and f.case_id is None]
    if errors:
        raise RunError("the plan cannot be run", errors)
    _need_simulator(compiled, options)
    try:
        write_sets(compiled)
    except OSError as error:
        compiled.decisions.append(f"the sets could not be written: {error}")
    return _placed(compiled)


def _need_simulator(compiled: CompiledPlan, options: RunOptions) -> None:
    """A simulated case cannot act without a simulator model; a pinned one, never ADK's default by accident."""
    from adk_split_eval.run import RunError

    acting = [c for c in compiled.cases if c.set == "simulated" and not c.rejected and options.only != "fixed"]
    if acting and not compiled.models.get("simulator"):
        raise RunError(
            "ASE402 the simulated set needs a model that plays the user: add `models: {simulator: MODEL}` to the plan, "
            "or run the gate alone"
        )


def run_sets(
    sets: Sequence[str], agent: str | Path, config: str | Path | None = None, options: RunOptions | None = None
) -> RunResult:
    """Any ADK eval sets as they are, with our verdicts.

    Raises:
        adk_split_eval.run.RunError, adk_split_eval.run.RawInputError: it cannot start.
    """
    from adk_split_eval.run import RunOptions, run_compiled

    options = options or RunOptions()
    options.write_candidates = False
    # `SET:case,case` names cases; how long the file is, is asked of the part before it.
    files = [Path(s if Path(s).is_file() else s.rpartition(":")[0] or s) for s in sets]
    return run_compiled(_read_apart(lambda: _ready_sets(sets, agent, config), files, options), options)


def _ready_sets(sets: Sequence[str], agent: str | Path, config: str | Path | None) -> CompiledPlan:
    """ADK eval sets as they are run: with what lint says of them and of their configs."""
    from adk_split_eval.lint import lint_sets, refusing_codes, rejecting_codes
    from adk_split_eval.run import RunError
    from adk_split_eval.run.codes import UNKNOWN_NAME
    from adk_split_eval.run.raw import compile_sets, load_sets

    chosen = Path(config) if config is not None else None
    raw = load_sets(list(sets), chosen)
    found = lint_sets([s.path for s in raw], chosen, agent_dir=agent)
    configs, refusing = {str(s.config_path) for s in raw}, refusing_codes()
    refused = [
        f for f in found if f.level == "error" and f.code in refusing and f.case_id is None and f.path in configs
    ]
    if refused:
        raise RunError("a config declares what would not be judged", refused)
    rejecting = rejecting_codes()
    findings = [f for f in found if f.level != "error" or (f.case_id is not None and f.code in rejecting)]
    unknown = [f for f in found if f.code in UNKNOWN_NAME]
    compiled = compile_sets(raw, Path(agent).absolute(), findings, unknown)
    raw.clear()
    return _placed(compiled)


def score(source: str | Path, traces: str | Path | None = None, *, options: RunOptions | None = None) -> RunResult:
    """Judge recorded conversations: a plan with a trace file, or one file in the flat form.

    Raises:
        adk_split_eval.plan.PlanError, adk_split_eval.run.RunError: it cannot start.
    """
    from adk_split_eval.build import read_flat, read_traces, scripted_users
    from adk_split_eval.run import RunError
    from adk_split_eval.run.score import score_compiled

    path = Path(source)
    if traces is None:
        flat = read_flat(path)
        compiled, recorded = flat.compiled, flat.conversations
    else:
        compiled = compile_plan(path, recorded=True)
        recorded = read_traces(Path(traces), scripted_users(compiled))
    errors = [f for f in compiled.findings if f.level == "error" and f.case_id is None]
    if errors:
        raise RunError("the plan cannot be scored", errors)
    return score_compiled(_placed(compiled), recorded, options)


def score_run(
    run: str | Path | None = None, plan: str | Path | None = None, *, options: RunOptions | None = None
) -> RunResult:
    """Judge the conversations of a stored run anew, with the plan as it is now.

    Raises:
        adk_split_eval.record.runs.RunNotFoundError: no such run.
        adk_split_eval.run.RunError: it holds no conversations, or is another plan's.
    """
    from adk_split_eval.record.runs import resolve_run
    from adk_split_eval.run import RunError, RunOptions
    from adk_split_eval.run.rejudge import score_stored
    from adk_split_eval.run.score import stored_plan_path

    folder = resolve_run(run)
    source = str(plan) if plan is not None else stored_plan_path(folder)
    if not source:
        raise RunError(f"ASE909 {folder.path}: the run does not say which plan it was made from; name the plan")
    compiled = compile_plan(source, recorded=True)
    errors = [f for f in compiled.findings if f.level == "error" and f.case_id is None]
    if errors:
        raise RunError("the plan cannot be scored", errors)
    return score_stored(_placed(compiled), folder, options or RunOptions())


def freeze(plan: str | Path, ids: Sequence[str] = (), **options: Any) -> Any:
    """Turn approved candidates into frozen fixed cases; see ``adk_split_eval.freeze``."""
    from adk_split_eval.freeze import freeze_candidates

    return freeze_candidates(Path(plan), list(ids), **options)
