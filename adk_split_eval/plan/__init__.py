"""What a team writes: models, loading with positions, JSON Schema. Names load on demand, so that lint pays only for what it uses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from adk_split_eval.rooms import on_demand

if TYPE_CHECKING:
    from adk_split_eval.plan.loading import LoadedPlan, PlanError, RejectedCase, find_plan, load_plan
    from adk_split_eval.plan.models import Plan
    from adk_split_eval.plan.schema import plan_json_schema

_HOMES = {
    "LoadedPlan": "loading",
    "PlanError": "loading",
    "RejectedCase": "loading",
    "find_plan": "loading",
    "load_plan": "loading",
    "Plan": "models",
    "plan_json_schema": "schema",
}

__all__ = ["LoadedPlan", "Plan", "PlanError", "RejectedCase", "find_plan", "load_plan", "plan_json_schema"]

__getattr__ = on_demand(__name__, _HOMES)
