"""What everything else speaks of: findings, conversations, cases and results. Plain data, no behaviour beyond it."""

from adk_split_eval.record.case import Case, CompiledPlan, CompiledSet, Criterion, Half
from adk_split_eval.record.conversation import Call, Conversation, Event, StopReason, Text, Turn
from adk_split_eval.record.finding import Edit, Finding, Fix, Level, Related
from adk_split_eval.record.judgement import Judgement, Row, Status
from adk_split_eval.record.result import (
    CaseResult,
    CriterionResult,
    FixedVerdict,
    RunResult,
    SimulatedVerdict,
    TrialResult,
)

__all__ = [
    "Call",
    "Case",
    "CaseResult",
    "CompiledPlan",
    "CompiledSet",
    "Conversation",
    "Criterion",
    "CriterionResult",
    "Edit",
    "Event",
    "Finding",
    "Fix",
    "FixedVerdict",
    "Half",
    "Judgement",
    "Level",
    "Related",
    "Row",
    "RunResult",
    "SimulatedVerdict",
    "Status",
    "StopReason",
    "Text",
    "TrialResult",
    "Turn",
]
