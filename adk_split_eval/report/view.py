"""What every report says of a result, as plain words and numbers: no terminal, no markup, no escaping.

Console, HTML, JUnit and annotations all draw on this, so that a case reads the same wherever it is read.
"""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any, Literal, cast

from adk_split_eval.criteria.catalogue import CATALOGUE, CriterionInfo
from adk_split_eval.record.case import Case, CompiledPlan, Half
from adk_split_eval.record.result import CaseResult, CriterionResult, RunResult
from adk_split_eval.report.contrasts import contrasts_of

HALVES: tuple[Half, ...] = ("fixed", "simulated")
GREEN = frozenset({"PASS", "OK"})
VERDICT_ORDER = ("FAIL", "HIT", "ERROR", "REJECTED", "SIMULATOR", "INCONCLUSIVE", "PASS", "OK")
BLOCKING = frozenset({"FAIL", "ERROR", "REJECTED"})


@dataclass(frozen=True, slots=True)
class HalfText:
    """How one half introduces itself."""

    role: str
    title: str
    asks: str
    can_judge: str
    cannot_judge: str
    red_means: str


HALF_TEXT: dict[Half, HalfText] = {
    "fixed": HalfText(
        "GATE",
        "fixed set",
        "was the right thing done, in the right order, with the right arguments?",
        "expected tool trajectory, intermediate and final responses, order rules, key arguments, forbidden tools, "
        "grounded numbers, end state",
        "how the agent copes with other wording",
        "the agent regressed or the baseline is out of date: look at the agent's change",
    ),
    "simulated": HalfText(
        "PROBE",
        "simulated set",
        "does the agent survive a user nobody scripted?",
        'goal reached, hallucination, forbidden tools and "until" invariants, process rules, the simulator\'s own quality',
        "which tool at which step, the wording of any response",
        "first ask whether the simulator was ill, then the agent",
    ),
}

STATUS_WORDS = {
    "failed": "failed",
    "not_evaluated": "not judged",
    "passed": "passed",
    "not_applicable": "nothing declared",
    "informational": "informational",
}

EFFICIENCY = {
    "tool_call_count_v1": "tool calls a turn",
    "inference_call_count_v1": "model calls a turn",
    "token_usage_v1": "tokens",
    "invocation_duration_v1": "seconds",
}

UNREADABLE = frozenset({"unreadable", "not_evaluated"})
"""Votes that say neither yes nor no."""

COUNTED: dict[Half, tuple[str, str, str]] = {"fixed": ("PASS", "passed", "PASSED"), "simulated": ("HIT", "hit", "HITS")}
"""What is counted over the trials of a case, as word and as column: the gate's passes, the probe's hits."""

AskedKind = Literal["deterministic", "judged", "informational"]


def cases_of(result: RunResult, half: Half) -> list[CaseResult]:
    """The cases of one half, in the plan's order."""
    return [case for case in result.cases if case.set == half]


Sources = Mapping[tuple[Half, str], Case]
"""The compiled cases by set and id: where scene and persona stand when the result does not carry them."""


def sources(compiled: CompiledPlan | None) -> Sources:
    """The compiled cases of a plan, when it is at hand."""
    return {} if compiled is None else {(case.set, case.case_id): case for case in compiled.cases}


def describe(case: CaseResult, known: Sources) -> str:
    """The line for people: the scene, and for a simulated case its persona too."""
    source = known.get((case.set, case.case_id))
    scene = case.scene or (source.scene if source else "")
    persona = persona_of(case, source)
    if persona and scene:
        return f"{persona}: {scene}"
    return persona or scene


def persona_of(case: CaseResult, source: Case | None = None) -> str:
    """The persona's id: of the result's ``persona``, else of the compiled scenario; empty when unknown."""
    known: Any = case.extra.get("persona")
    if known is None and source is not None:
        scenario: Any = source.eval_case.get("conversation_scenario")
        known = cast("dict[str, Any]", scenario).get("user_persona") if isinstance(scenario, dict) else None
    if isinstance(known, dict):
        known = cast("dict[str, Any]", known).get("id")
    return known if isinstance(known, str) else ""


def asked(criteria: Iterable[CriterionResult], kind: AskedKind) -> list[CriterionResult]:
    """Criteria of one kind: informational ones are a kind of their own, and what nothing was declared for is left out."""
    chosen: list[CriterionResult] = []
    for criterion in criteria:
        if criterion.status == "not_applicable":
            continue
        if ("informational" if criterion.status == "informational" else criterion.kind) == kind:
            chosen.append(criterion)
    return chosen


def votes_text(criterion: CriterionResult) -> str:
    """``2/3``: how many of the judge's votes agree with the criterion's status; empty without votes.

    Of a criterion that was not judged, how many could be read at all: ``0/3 readable``.
    """
    votes = criterion.votes or []
    if not votes:
        return ""
    if criterion.status == "not_evaluated":
        return f"{sum(vote not in UNREADABLE for vote in votes)}/{len(votes)} readable"
    same = votes.count(criterion.status) or Counter(votes).most_common(1)[0][1]
    return f"{same}/{len(votes)}"


def tally(criteria: list[CriterionResult]) -> str:
    """``1 failed, 3 passed``; judged criteria with their votes, ``1 failed (2/3)``; ``-`` when there are none."""
    parts: list[str] = []
    for status in ("failed", "not_evaluated", "passed"):
        those = [c for c in criteria if c.status == status]
        if not those:
            continue
        votes = ", ".join(v for v in map(votes_text, those) if v)
        parts.append(f"{len(those)} {STATUS_WORDS[status]}" + (f" ({votes})" if votes else ""))
    return ", ".join(parts) or "-"


def counted(case: CaseResult) -> str:
    """``2/3``: the gate's trials that passed, the probe's trials that hit, of all; ``-`` when nothing ran."""
    if not case.trials:
        return "-"
    good = COUNTED[case.set][0]
    return f"{sum(t.verdict == good for t in case.trials)}/{len(case.trials)}"


def counted_text(case: CaseResult) -> str:
    """``2/3 passed``, ``1/3 hit``: the same where no column says what is counted."""
    numbers = counted(case)
    return numbers if numbers == "-" else f"{numbers} {COUNTED[case.set][1]}"


def trial_verdicts(case: CaseResult) -> str:
    """``2 PASS, 1 FAIL`` over the trials of a case."""
    return counts_text(Counter(t.verdict for t in case.trials), ", ")


def counts_text(counts: dict[str, int] | Counter[Any], separator: str = " · ") -> str:
    """Verdict counts, the worst first."""
    known = [v for v in VERDICT_ORDER if counts.get(v)]
    return separator.join(f"{counts[v]} {v}" for v in known)


def case_counts_text(cases: Sequence[CaseResult]) -> str:
    """Verdict counts of ``cases``, with how many of the failures are pending and block nothing."""
    text = counts_text(Counter(case.verdict for case in cases))
    failed, pending = sum(c.verdict == "FAIL" for c in cases), sum(map(is_pending, cases))
    if not pending:
        return text
    told = "pending" if pending == failed else f"{pending} pending"
    return text.replace(f"{failed} FAIL", f"{failed} FAIL ({told})", 1)


def is_pending(case: CaseResult) -> bool:
    """Whether a failing case is reported without blocking: frozen as a known fault whose date still holds."""
    return case.verdict == "FAIL" and bool(case.extra.get("not_blocking"))


def rate_text(case: CaseResult) -> str:
    """``hits 2 of 3 (95 % interval 21 % to 94 %)`` where the run computed it over several trials; else empty."""
    for key, noun in (("pass_rate", "passes"), ("hit_rate", "hits")):
        rate: Any = case.extra.get(key)
        if isinstance(rate, dict):
            known = cast("dict[str, Any]", rate)
            low, high = known.get("low"), known.get("high")
            if isinstance(low, int | float) and isinstance(high, int | float):
                interval = f"95 % interval {low:.0%} to {high:.0%}".replace("%", " %").replace("95  %", "95 %")
                return f"{noun} {known.get('count')} of {known.get('trials')} ({interval})"
    return ""


def shown_path(path: str, start: Path | None = None) -> str:
    """``path`` relative to the working directory when it lies below it; with forward slashes."""
    try:
        return Path(path).relative_to(start or Path.cwd()).as_posix()
    except ValueError:
        return path


def advice(case: CaseResult) -> tuple[str, list[str]]:
    """``warning`` and the warnings of a case; of a rejected one ``mend`` and how its errors are mended."""
    return ("mend" if case.verdict == "REJECTED" else "warning"), list(dict.fromkeys(case.warnings))


def notes_of(result: RunResult) -> list[str]:
    """The notes of a run, each once."""
    return list(dict.fromkeys(result.notes))


def reasons_of(case: CaseResult) -> list[str]:
    """Reasons, with the error's message among them, and never none for a case that is not green."""
    reasons = list(dict.fromkeys(case.reasons))
    if case.error and not any(case.error in reason for reason in reasons):
        reasons.append(f"error: {case.error}")
    if not reasons and case.verdict not in GREEN:
        reasons = [
            f"{c.name}: {r}" for c in case.criteria if c.status in ("failed", "not_evaluated") for r in c.reasons
        ]
    return reasons or (["no reason was recorded"] if case.verdict not in GREEN else [])


def also_of(case: CaseResult) -> list[str]:
    """What else did not hold where the verdict rests on something weightier: a goal not reached, a criterion not judged."""
    if case.verdict not in ("FAIL", "HIT", "INCONCLUSIVE"):
        return []
    told = reasons_of(case)
    return [
        f"{c.name} {STATUS_WORDS[c.status]}: {'; '.join(c.reasons)}"
        for c in case.criteria
        if c.status in ("failed", "not_evaluated")
        and c.reasons
        and not any(reason.startswith(f"{c.name}:") for reason in told)
        # What an error cut off is said once, by the error.
        and not (case.error and c.status == "not_evaluated")
    ]


def score_text(criterion: CriterionResult) -> str:
    """``0.50, needs 1.00``; empty when there is no score."""
    if criterion.score is None:
        return ""
    needs = "" if criterion.threshold is None else f", needs {number_text(criterion.threshold)}"
    return number_text(criterion.score) + needs


def number_text(value: float) -> str:
    """A number for people: whole ones without decimals above ten, else two decimals; never rounded up to a round 1."""
    if value != value or value in (float("inf"), float("-inf")):
        return str(value)
    if abs(value) >= 10:
        return f"{value:,.0f}" if value == int(value) else f"{value:,.1f}"
    text = f"{value:.2f}"
    return text if abs(float(text) - value) < 1e-9 or text not in ("1.00", "0.00") else f"{value:.6g}"


def efficiency(cases: list[CaseResult]) -> str:
    """ADK's efficiency numbers of a half, each the mean over the cases that have it; empty when there are none."""
    found: dict[str, list[float]] = {}
    for case in cases:
        for criterion in asked(case.criteria, "informational"):
            if criterion.score is not None and criterion.name in EFFICIENCY:
                found.setdefault(criterion.name, []).append(criterion.score)
    return " · ".join(f"{EFFICIENCY[name]} {number_text(sum(values) / len(values))}" for name, values in found.items())


def used_criteria(cases: list[CaseResult]) -> list[str]:
    """Names of the criteria that judged something in these cases, deterministic ones first."""
    names: dict[str, None] = {}
    kinds: tuple[AskedKind, ...] = ("deterministic", "judged")
    for kind in kinds:
        for case in cases:
            names.update(dict.fromkeys(c.name for c in asked(case.criteria, kind)))
    return list(names)


def cannot_judge(half: Half) -> list[tuple[str, list[str]]]:
    """The criteria a half may never use, grouped by the reason in few words, from the catalogue."""
    groups: dict[str, list[str]] = {}
    for row in CATALOGUE.values():
        if half not in row.sets:
            groups.setdefault(why_not(row, half), []).append(row.name)
    return list(groups.items())


def why_not(row: CriterionInfo, half: Half) -> str:
    """Why a half may never use a criterion, in few words that fit one criterion and several."""
    if half == "fixed":
        return "made for an improvised conversation; here the user's words are written"
    if row.reference_based:
        return "compared with a reference, and an improvised conversation has none"
    return row.why


def flaky_cases(cases: list[CaseResult]) -> list[str]:
    """``F-03 (2 PASS, 1 FAIL)`` for each case whose trials disagree."""
    return [f"{c.case_id} ({trial_verdicts(c)})" if c.trials else c.case_id for c in cases if c.flaky]


def exit_text(result: RunResult) -> str:
    """The exit code in words."""
    counts = result.counts()
    failed = sum(1 for c in result.cases if c.verdict == "FAIL" and not is_pending(c))
    unjudged = sum(half.get(v, 0) for half in counts.values() for v in ("ERROR", "REJECTED"))
    hits = counts["simulated"].get("HIT", 0)
    match result.exit_code:
        case 0:
            pending = sum(1 for c in result.cases if is_pending(c))
            fixed = (
                f"the only fixed case{'s' if pending > 1 else ''} that failed {'are' if pending > 1 else 'is'} pending"
            )
            text = (
                f"nothing blocks: {fixed if pending else 'no fixed case failed'}, and everything declared was evaluated"
            )
            known = sum(1 for note in result.notes if ": known, " in note)
            if hits and (known < hits or not known):
                text += f"; {_many(hits - known, 'hit')} to review, which never blocks"
            elif hits:
                text += f"; {_many(hits, 'hit')}, known already"
        case 1 if not failed and any(c.outcome() == "failure" for c in contrasts_of(result)):
            text = "a contrast between two cases does not hold: the gate is red"
        case 1 if failed or not hits:
            text = f"{_many(failed, 'fixed case')} failed: the gate is red"
        case 1:
            text = f"{_many(hits, 'hit')}, and --fail-on-hit was given"
        case 2:
            text = "usage, or input that cannot be used: nothing was judged"
        case 3 if not unjudged:
            text = "a contrast between two cases could not be judged: not green until it is"
        case 3:
            text = f"{_many(unjudged, 'case')} could not be judged (ERROR or REJECTED): not green until they are"
        case 130:
            text = "interrupted: the same command resumes where it stopped"
        case _:
            text = "see the notes"
    return text


def candidate_ids(result: RunResult) -> list[str]:
    """Pool ids of the candidates written: the names of their files."""
    return [PurePath(path).stem for path in result.candidates]


def next_actions(result: RunResult) -> list[tuple[str, str]]:
    """``(command, why)``: what to do now, in order; empty when there is nothing to do."""
    actions: list[tuple[str, str]] = []
    if any(c.verdict in BLOCKING for c in result.cases):
        actions.append(
            (f"adk-split-eval report {result.run_id} --html report.html", "every transcript beside its verdict")
        )
    ids = candidate_ids(result)
    if ids:
        one = ids[0] if len(ids) == 1 else "ID"
        where = _plan_option(result.candidates[0])
        if len(ids) > 1:
            actions.append(
                (f"adk-split-eval pool list{where}", f"the {len(ids)} candidates by age, count and severity")
            )
        actions += [
            (
                f"adk-split-eval pool show {one}{where}",
                "transcript and draft side by side: was the simulated user in order?",
            ),
            (
                f"adk-split-eval pool approve {one}{where}",
                "the agent is at fault: fill the draft's holes, then approve",
            ),
            (f"adk-split-eval freeze{where}", "run it red once, then it guards in the fixed set"),
        ]
    return actions


def _plan_option(candidate: str) -> str:
    """`` --plan FOLDER`` when the pool is not that of the working directory, so that the command works where it is read."""
    folder = PurePath(candidate).parent.parent
    if str(folder) in (".", "") or Path(folder).absolute() == Path.cwd():
        return ""
    return f" --plan {shlex.quote(shown_path(str(folder)))}"


def _many(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
