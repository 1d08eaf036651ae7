"""Trials of one case as one result: gate policy, statistics, pending cases, owner and next step."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Any

from adk_split_eval.record import Case, CaseResult, CompiledPlan, TrialResult
from adk_split_eval.record.result import Verdict
from adk_split_eval.record.triage import triage
from adk_split_eval.run.codes import UNKNOWN_NAME
from adk_split_eval.run.statistics import too_few, wilson
from adk_split_eval.run.verdicts import QUALITY, combine_fixed, worst


def rejected(case: Case) -> CaseResult:
    """The result of a case lint refuses: it is never run."""
    errors = [f for f in case.findings if f.level == "error"]
    owner, step = triage(case.set, "REJECTED", [], [])
    return CaseResult(
        case.set,
        case.case_id,
        "REJECTED",
        reasons=[f"{f.place()}: {f.code} {f.message}" if f.place() else f"{f.code} {f.message}" for f in errors],
        warnings=[f.help for f in errors if f.help],
        owner=owner,
        next_step=step,
        scene=case.scene,
    )


def combine(case: Case, trials: list[TrialResult], compiled: CompiledPlan) -> CaseResult:
    """All trials of one case as one result; turns and criteria are those of the trial that decided the verdict."""
    verdicts: list[Verdict] = [t.verdict for t in trials]
    notes: list[str] = []
    if case.set == "fixed":
        verdict, notes = combine_fixed(verdicts, compiled.gate)
    else:
        verdict = worst("simulated", verdicts)
    decisive = next((t for t in trials if t.verdict == verdict), trials[0])
    result = CaseResult(
        case.set,
        case.case_id,
        verdict,
        reasons=[*decisive.reasons, *notes] if verdict not in ("PASS", "OK") else [],
        warnings=list(dict.fromkeys(w for t in trials for w in t.warnings)),
        flaky=len(set(verdicts)) > 1,
        error=decisive.error,
        stop_reason=decisive.stop_reason,
        turns=decisive.turns,
        criteria=decisive.criteria,
        trials=trials,
        simulator_suspect=decisive.simulator_suspect,
        scene=case.scene,
    )
    _statistics(case, result, verdicts)
    apply_pending(case, result)
    failing = [c.name for c in decisive.criteria if c.status in ("failed", "not_evaluated")]
    result.owner, result.next_step = triage(case.set, result.verdict, failing, flags_of(result, decisive))
    _describe(case, result)
    return result


def _describe(case: Case, result: CaseResult) -> None:
    """What reports show beside the verdict: whose persona it was, where the case stands."""
    scenario: dict[str, Any] = case.eval_case.get("conversation_scenario") or {}
    persona: str | dict[str, Any] | None = scenario.get("user_persona")
    if persona:
        result.extra["persona"] = str(persona.get("id", "")) if isinstance(persona, dict) else str(persona)
    if case.runner.get("place"):
        result.extra["place"] = case.runner["place"]


def _statistics(case: Case, result: CaseResult, verdicts: list[Verdict]) -> None:
    if len(verdicts) < 2:
        return
    good = "PASS" if case.set == "fixed" else "HIT"
    count = sum(v == good for v in verdicts)
    low, high = wilson(count, len(verdicts))
    key = "pass_rate" if case.set == "fixed" else "hit_rate"
    result.extra[key] = {"count": count, "trials": len(verdicts), "low": round(low, 4), "high": round(high, 4)}
    doubt = too_few(count, len(verdicts)) if case.set == "fixed" else None
    if doubt is not None:
        result.warnings.append(
            f"{count}/{len(verdicts)} passed: with so few trials that is compatible with a pass rate of {doubt:.0%} "
            "(95 % Wilson interval)"
        )


def few_trials_note(results: Sequence[CaseResult]) -> str | None:
    """What no hit at all says about a simulated set, when there were too few trials to say much."""
    rates = [r.extra["hit_rate"] for r in results if r.set == "simulated" and "hit_rate" in r.extra]
    without = [rate for rate in rates if rate["count"] == 0 and rate["high"] > 0.1]
    if not without:
        return None
    most = max(without, key=lambda rate: rate["high"])
    return (
        f"no hit in {most['trials']} trials of a simulated case is compatible with a hit rate of up to "
        f"{most['high']:.0%} (95 % Wilson interval)"
    )


def apply_pending(case: Case, result: CaseResult) -> None:
    """A frozen case that is expected to fail: reported, not blocking, strict about the day it turns green or expires."""
    pending: dict[str, Any] | None = (case.provenance or {}).get("pending") or case.runner.get("pending")
    if not pending:
        return
    until = date.fromisoformat(str(pending["until"]))
    result.extra["pending"] = {"owner": pending["owner"], "until": until.isoformat()}
    if result.verdict == "PASS":
        result.verdict = "FAIL"
        result.extra["pending"]["state"] = "pending_green"
        result.reasons = [
            f"expected to fail until {until}, but it passes: end its time of grace, so that it guards from now on: "
            f"adk-split-eval freeze --promote {case.case_id}"
        ]
    elif result.verdict == "FAIL" and date.today() <= until:
        result.extra["not_blocking"] = True
        result.warnings.append(f"expected to fail until {until} ({pending['owner']}); it does not block")
    elif result.verdict == "FAIL":
        result.extra["pending"]["state"] = "pending_expired"
        result.reasons.insert(0, f"was expected to fail until {until}; the date has passed and it blocks now")


def flags_of(result: CaseResult, trial: TrialResult) -> list[str]:
    """What triage wants to know beside the criteria."""
    flags: list[str] = []
    if trial.error and trial.stop_reason not in ("timeout", "simulator_error"):
        flags.append("agent_error")
    if trial.stop_reason in ("agent_error", "timeout", "simulator_error", "max_turns", "empty_turn"):
        flags.append(trial.stop_reason)
    text = " ".join(trial.reasons)
    if "repeated the opening" in text:
        flags.append("opening_repeated")
    if "glued to the stop signal" in text:
        flags.append("glued_text")
    for c in trial.criteria:
        if c.name == QUALITY and c.status == "failed":
            flags.append("quality_failed")
        if c.status == "not_evaluated" and not any(code in reason for code in UNKNOWN_NAME for reason in c.reasons):
            flags.append("judge_error" if c.kind == "judged" else "metric_error")
    if result.flaky:
        flags.append("flaky")
    if trial.simulator_suspect:
        flags.append("simulator_suspect")
    if "pending" in result.extra:
        flags.append(result.extra["pending"].get("state", "pending"))
    return list(dict.fromkeys(flags))
