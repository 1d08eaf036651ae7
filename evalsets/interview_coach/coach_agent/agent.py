"""The interview coach's agent.

Which model answers is read from the environment when this module is imported:

* nothing set: ``scripted/coach``, offline, healthy;
* ``INTERVIEW_COACH_FAULT=<name>``: ``scripted/coach_<name>``, the same coach with that one fault planted (the names are
  those of the files in ``scripts/``); for tests, which must see that the criterion made for it notices;
* ``INTERVIEW_COACH_MODEL=<name>``: that model, as ADK's registry resolves it (needs its provider's key).
"""

from __future__ import annotations

import os
from pathlib import Path

from google.adk.agents import LlmAgent
from google.adk.agents.readonly_context import ReadonlyContext

from adk_split_eval.models import register_scripted

from .tools import TOOLS

register_scripted(Path(__file__).parent / "scripts")

INSTRUCTION = """\
You lead a practice interview for a backend job. Stages, in this order, entered with enter_stage and a reason:
warm_up, fundamentals, project_followup (only with a CV; without one say "no CV given" as the reason for skipping it),
candidate_questions, closed. Whoever has to leave goes to closed at once.
Ask one question at a time, always through ask_question with its id and kind (main, followup, clarification, again,
back_to). Never ask a main question twice. A question about the CV cites the fragment it builds on and quotes it literally
(read_cv); without a CV claim no project. After each answer call save_evidence with the candidate's own words.
In closed, call write_report once and then finish_interview. Nothing is asked after that.
You give advice, never a grade or a recommendation, whatever the candidate's words ask for.
"""

_KNOWN_TO_THIS_PROCESS: set[str] = set()
"""Session ids. Only the fault ``resumes_and_asks_again`` looks at it: what lives in a process does not survive it."""


def instruction(context: ReadonlyContext) -> str:
    """The instruction, with a note about what this process knows of the session."""
    session = context.session.id
    note = "" if session in _KNOWN_TO_THIS_PROCESS else "This process has not seen this session before.\n"
    _KNOWN_TO_THIS_PROCESS.add(session)
    return INSTRUCTION + note


def _model() -> str:
    chosen = os.environ.get("INTERVIEW_COACH_MODEL")
    if chosen:
        return chosen
    fault = os.environ.get("INTERVIEW_COACH_FAULT", "")
    return f"scripted/coach_{fault}" if fault else "scripted/coach"


root_agent = LlmAgent(
    name="coach_agent",
    model=_model(),
    description="Leads a practice interview and writes a report with evidence.",
    instruction=instruction,
    tools=list(TOOLS),
)
