"""What a plan already says about a recording that no run of its own made: its invariants judge it, its rules go along."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from adk_split_eval.freeze.proving import switch_of
from adk_split_eval.metrics.registry import METRICS
from adk_split_eval.pool.collect import carried
from adk_split_eval.pool.emit import as_list
from adk_split_eval.record import Case, CompiledPlan, Conversation, Criterion, CriterionResult

if TYPE_CHECKING:
    from adk_split_eval.plan import LoadedPlan

_GROUNDED, _FORBIDDEN, _ORDER = "grounded_numbers_v1", "forbidden_tools_v1", "tool_order_v1"
_PROCESS = ("stage_flow_v1", "repeated_questions_v1", "evidence_links_v1", "ending_v1")


class KnownRules:
    """The rules of one plan, as far as they hold for any conversation with its agent."""

    def __init__(self, loaded: LoadedPlan) -> None:
        from adk_split_eval.build import compile_plan

        self._loaded = loaded
        self._compiled: CompiledPlan = compile_plan(loaded)

    def judge(self, case_id: str, conversation: Conversation) -> list[CriterionResult]:
        """The invariants that the recording breaks; those of the case of the same name where the plan has one."""
        failed: list[CriterionResult] = []
        for criterion in self._invariants(case_id):
            if criterion.name == _GROUNDED and not _answered(conversation):
                continue  # a number may come from a result that was not recorded
            threshold = criterion.threshold or 1.0
            found = METRICS[criterion.name](conversation, criterion.params, threshold)
            if found.status == "failed":
                failed.append(
                    CriterionResult(
                        criterion.name, "deterministic", "failed", found.score, threshold, None, found.reasons
                    )
                )
        return failed

    def carried(self, case_id: str, failed: Sequence[CriterionResult]) -> dict[str, Any]:
        """What goes along with a recording in which ``failed`` failed, in plan format."""
        case = self._case(case_id) or Case("fixed", case_id, {}, self._invariants(case_id))
        return carried(case, failed, self._authored(case_id))

    def missing(self, failed: Sequence[CriterionResult], carries: dict[str, Any]) -> list[str]:
        """What a person must write into the draft, because the plan does not know the rule that failed."""
        keys = ((c.name, switch_of(c.name)) for c in failed)
        return [
            f"{name} failed, and its rules are not in this plan: write them into the draft under {key}"
            for name, key in keys
            if key is not None and key not in carries and not self._governs(name)
        ]

    def _governs(self, name: str) -> bool:
        plan = self._loaded.plan
        return switch_of(name) == "process" and plan.process is not None

    def _case(self, case_id: str) -> Case | None:
        return next((c for c in self._compiled.cases if c.case_id == case_id and not c.rejected), None)

    def _authored(self, case_id: str) -> dict[str, Any]:
        plan = self._loaded.plan
        cases = [*(plan.fixed_set.cases if plan.fixed_set else []), *(plan.sim_set.cases if plan.sim_set else [])]
        process: Any = next((c.process for c in cases if c.case_id == case_id), None)
        return {"process": process.model_dump(by_alias=True, exclude_defaults=True)} if process else {}

    def _invariants(self, case_id: str) -> list[Criterion]:
        names = (_GROUNDED, _FORBIDDEN, _ORDER, *_PROCESS)
        if case := self._case(case_id):
            return [c for c in case.criteria if c.name in names]
        cases = [c for c in self._compiled.cases if c.set == "simulated" and not c.rejected]
        if not cases:
            return []
        return [c for name in names for c in _in_every_case(cases, name)]


def _in_every_case(cases: list[Case], name: str) -> list[Criterion]:
    """The criterion as all ``cases`` have it; of forbidden tools those that every one of them forbids."""
    found = [c for case in cases for c in case.criteria if c.name == name]
    if len(found) < len(cases):
        return []
    if name != _FORBIDDEN:
        return found[:1] if len({_spelt(c.params) for c in found}) == 1 else []
    forbidden = [as_list(c.params.get("forbidden")) for c in found]
    shared = [tool for tool in forbidden[0] if all(tool in tools for tools in forbidden)]
    return [replace(found[0], params={"forbidden": shared})] if shared else []


def _spelt(data: Any) -> str:
    return json.dumps(data, sort_keys=True, default=str)


def _answered(conversation: Conversation) -> bool:
    return all(call.answered for turn in conversation.turns for call in turn.tool_calls)
