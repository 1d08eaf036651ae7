"""One case on the HTML page: reasons and next step, criteria in two columns, transcript, and its trials folded."""

from __future__ import annotations

import hashlib
from itertools import groupby
from typing import Any

from adk_split_eval.record.conversation import Call, Turn
from adk_split_eval.record.jsonio import dumps
from adk_split_eval.record.result import CaseResult, CriterionResult, TrialResult
from adk_split_eval.report import view
from adk_split_eval.report.html_parts import element, escape, folded, listing, pairs, tag


def case_anchor(case: CaseResult) -> str:
    """A fragment id that is unique to the case and safe whatever its name."""
    digest = hashlib.sha256(f"{case.set}/{case.case_id}".encode("utf-8", "backslashreplace")).hexdigest()
    return f"case-{digest[:16]}"


def verdict_badge(case: CaseResult | TrialResult) -> str:
    pending = " (pending)" if isinstance(case, CaseResult) and view.is_pending(case) else ""
    return element("span", case.verdict + pending, f"verdict v-{case.verdict}")


def case_article(case: CaseResult, known: view.Sources) -> str:
    """The whole case; open when it is not green."""
    scene = view.describe(case, known)
    summary = verdict_badge(case) + element("span", case.case_id, "id") + element("span", scene, "dim")
    summary += element("span", f" {view.counted_text(case)}{' flaky' if case.flaky else ''}", "dim")
    green = case.verdict in view.GREEN
    parts = [_findings(case), _criteria(case.criteria)]
    if case.turns:
        parts.append(folded("Conversation", transcript(case.turns), is_open=not green))
    if len(case.trials) > 1:
        parts += [_trial(number, trial) for number, trial in enumerate(case.trials, 1)]
    body = folded(summary, "\n".join(part for part in parts if part), is_open=not green)
    return f'<article id="{case_anchor(case)}">{body}</article>'


def _findings(case: CaseResult) -> str:
    parts: list[str] = []
    reasons = view.reasons_of(case)
    if reasons:
        parts.append(listing(reasons))
    if case.next_step:
        parts.append(tag("div", pairs({"owner": case.owner, "next": case.next_step}), "next"))
    label, advice = view.advice(case)
    facts = {
        "stopped": case.stop_reason or "",
        "suspect": "the simulator's quality failed in this conversation" if case.simulator_suspect else "",
        "rate": view.rate_text(case),
        f"{label}s": "; ".join(advice),
        "efficiency": view.efficiency([case]),
    }
    if any(facts.values()):
        parts.append(pairs(facts))
    return "\n".join(parts)


def _criteria(criteria: list[CriterionResult]) -> str:
    checks, judged = view.asked(criteria, "deterministic"), view.asked(criteria, "judged")
    if not checks and not judged:
        return ""
    columns = [_column("Checks (deterministic)", checks), _column("Judged by a model", judged)]
    return tag("div", "\n".join(columns), "criteria")


def _column(title: str, criteria: list[CriterionResult]) -> str:
    if not criteria:
        return tag("div", element("h3", title) + element("p", "none", "dim"))
    return tag("div", element("h3", title) + "\n".join(map(_criterion, criteria)))


def _criterion(criterion: CriterionResult) -> str:
    votes = view.votes_text(criterion)
    facts = [view.score_text(criterion), f"votes {votes}" if votes else ""]
    line = [
        element("code", criterion.name),
        element("strong", view.STATUS_WORDS[criterion.status], f"s-{criterion.status}"),
        element("span", ", ".join(fact for fact in facts if fact), "dim"),
    ]
    reasons = listing(criterion.reasons) if criterion.reasons else ""
    return tag("div", " ".join(line) + reasons, "criterion")


def _trial(number: int, trial: TrialResult) -> str:
    summary = (
        element("span", f"Trial {number} ", "dim")
        + verdict_badge(trial)
        + element("span", f" seed {trial.seed}", "dim")
    )
    reasons = [*trial.reasons, *([f"error: {trial.error}"] if trial.error else [])]
    parts = [
        listing(reasons) if reasons else "",
        pairs({"stopped": trial.stop_reason or "", "warnings": "; ".join(trial.warnings)}),
        _criteria(trial.criteria),
        folded("Conversation", transcript(trial.turns)) if trial.turns else "",
    ]
    return folded(summary, "\n".join(part for part in parts if part))


def transcript(turns: list[Turn]) -> str:
    """The conversation, turn by turn: user, steps with their parallel calls, what was said on the way, the response."""
    return "\n".join(_turn(number, turn) for number, turn in enumerate(turns, 1))


def _turn(number: int, turn: Turn) -> str:
    parts = [element("div", f"turn {number} · user", "who"), element("div", turn.user or "(empty)", "said user")]
    for step, calls in groupby(turn.tool_calls, key=lambda call: call.step):
        parts.append(_step(step, list(calls)))
    for said in turn.intermediate:
        parts += [
            element("div", f"{said.author or 'agent'}, on the way", "who"),
            element("div", said.text, "said agent"),
        ]
    parts += [element("div", "agent", "who"), element("div", turn.response or "(no final response)", "said agent")]
    if turn.error:
        parts.append(element("div", f"error: {turn.error}", "s-failed"))
    return tag("div", "\n".join(parts), "turn")


def _step(step: int, calls: list[Call]) -> str:
    parallel = f", {len(calls)} in parallel" if len(calls) > 1 else ""
    shown = [element("div", f"step {step}{parallel}", "who")]
    for call in calls:
        lines = f"{call.name}({_value(call.args)})"
        answer = (
            f"\n→ {_value(call.response)}" if call.answered or call.response is not None else "\n→ no response recorded"
        )
        shown.append(f"<pre>{escape(lines + answer)}</pre>")
    return tag("div", "\n".join(shown), "step")


def _value(value: Any) -> str:
    return dumps(value, indent=None)
