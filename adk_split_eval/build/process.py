"""Rules about the course of events, compiled into criteria of one case."""

from __future__ import annotations

from adk_split_eval.plan.models import FixedCase, Plan, SimCase
from adk_split_eval.record import Criterion


def process_criteria(plan: Plan, case: FixedCase | SimCase) -> list[Criterion]:
    """The process criteria that govern ``case``: the plan's ``process`` with the case's own sections over it."""
    del plan, case
    return []
