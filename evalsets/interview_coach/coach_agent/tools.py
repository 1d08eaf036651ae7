"""What the coach can do. Everything it must not forget is kept in session state, so that it survives a restart."""

from __future__ import annotations

import os
from typing import Any

from google.adk.tools.tool_context import ToolContext

STAGES = ("warm_up", "fundamentals", "project_followup", "candidate_questions", "closed")
TOPICS = {
    "f1": "explained in your own words how a hash map works",
    "f2": "reasoned about what happens when two requests write at once",
    "p1": "told what you decided yourself in a project of yours",
    "p2": "described what you would do differently now",
}


def enter_stage(stage: str, reason: str, tool_context: ToolContext) -> dict[str, Any]:
    """Enters a stage of the interview and records why."""
    if stage not in STAGES:
        return {"error": "no such stage", "stages": list(STAGES)}
    tool_context.state["stage"] = stage
    _remember_last(tool_context)
    return {"stage": stage}


def ask_question(
    question_id: str,
    kind: str,
    text: str,
    tool_context: ToolContext,
    about: str = "general",
    fragment_id: str = "",
    quote: str = "",
    cv_id: str = "",
    cv_version: str = "",
) -> dict[str, Any]:
    """Asks the candidate a question. Say the returned text to them, word for word."""
    asked: dict[str, str] = dict(tool_context.state.get("asked") or {})
    asked.setdefault(question_id, text)
    tool_context.state["asked"] = asked
    _remember_last(tool_context, question_id)
    return {"asked": question_id, "text": text, "plain": asked[question_id]}


def save_evidence(question_id: str, kind: str, quote: str, tool_context: ToolContext) -> dict[str, Any]:
    """Keeps what the candidate said: kind answer, or gap when they could not answer."""
    evidence: dict[str, Any] = dict(tool_context.state.get("evidence") or {})
    evidence[question_id] = {"kind": kind, "quote": quote, "turn": _turn(tool_context)}
    tool_context.state["evidence"] = evidence
    _remember_last(tool_context)
    return {"saved": question_id, "kind": kind}


def read_cv(tool_context: ToolContext) -> dict[str, Any]:
    """Reads the projects in the candidate's CV, if they gave one."""
    cv = tool_context.state.get("cv")
    if not cv:
        return {"cv": "none"}
    projects = [
        {"fragment_id": name, "text": text} for name, text in cv["fragments"].items() if name.startswith("project")
    ]
    return {"cv": "given", "id": cv["id"], "version": cv["version"], "projects": projects}


def write_report(
    advice: list[str], tool_context: ToolContext, strengths: list[dict[str, Any]] | None = None
) -> dict[str, Any]:
    """Writes the report: strengths with the words and turns they rest on (from the evidence saved, unless given), gaps,
    advice."""
    evidence: dict[str, Any] = tool_context.state.get("evidence") or {}
    answered = {name: entry for name, entry in evidence.items() if name in TOPICS and entry["kind"] == "answer"}
    found = [
        {"text": f"You {TOPICS[name]}.", "quote": entry["quote"], "evidence_turn_ids": [entry["turn"]]}
        for name, entry in answered.items()
    ]
    gaps = [f"You could not answer: {TOPICS[name]}." for name in evidence if name in TOPICS and name not in answered]
    report = {"strengths": found if strengths is None else strengths, "gaps": gaps, "advice": advice}
    tool_context.state["report"] = report
    return {"report": report}


def finish_interview(reason: str, tool_context: ToolContext) -> dict[str, Any]:
    """Ends the interview: completed or candidate_left."""
    tool_context.state["finished"] = reason
    return {"finished": reason}


def _turn(context: ToolContext) -> int:
    """Which of the candidate's messages is being answered. One sent again, because the first got no answer, counts once."""
    count, waiting = 0, ""
    for event in context.session.events:
        words = "".join(part.text or "" for part in (event.content.parts if event.content else None) or [])
        if event.author != "user":
            waiting = "" if words else waiting
        elif words:
            count += words != waiting
            waiting = words
    return count


def _remember_last(context: ToolContext, question_id: str | None = None) -> None:
    """A trap, not a fault: the last question stays in the state and is written again with everything that happens."""
    if os.environ.get("INTERVIEW_COACH_FAULT") == "keeps_last_question":
        last = question_id or context.state.get("last_question")
        context.state["last_question"] = last
        context.state["last_seen"] = {"question_id": last, "at": len(context.state.get("asked") or {})}


TOOLS = [enter_stage, ask_question, save_evidence, read_cv, write_report, finish_interview]
