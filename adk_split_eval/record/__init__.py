"""What everything else speaks of: findings, conversations, cases and results. Plain data, no behaviour beyond it.

Names load on demand, so that lint pays only for what it uses.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from adk_split_eval.rooms import on_demand

if TYPE_CHECKING:
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

_HOMES = {
    "Case": "case",
    "CompiledPlan": "case",
    "CompiledSet": "case",
    "Criterion": "case",
    "Half": "case",
    "Call": "conversation",
    "Conversation": "conversation",
    "Event": "conversation",
    "StopReason": "conversation",
    "Text": "conversation",
    "Turn": "conversation",
    "Edit": "finding",
    "Finding": "finding",
    "Fix": "finding",
    "Level": "finding",
    "Related": "finding",
    "Judgement": "judgement",
    "Row": "judgement",
    "Status": "judgement",
    "CaseResult": "result",
    "CriterionResult": "result",
    "FixedVerdict": "result",
    "RunResult": "result",
    "SimulatedVerdict": "result",
    "TrialResult": "result",
}

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

__getattr__ = on_demand(__name__, _HOMES)
