"""The flat form that teams circulate: both sets and the recorded conversations in one JSON file.

It differs from a plan in five ways: tool calls are not assigned to turns, ``order_rule`` is one rule, a persona is free
text, the recording itself states whether the goal was reached, and there is no starting prompt: the first recorded user
message stands in for it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeVar, cast

from pydantic import BaseModel, ValidationError

from adk_split_eval.build.compiling import compile_plan
from adk_split_eval.build.jsonfile import JsonFile, JsonPath, read_json
from adk_split_eval.build.personas import described_persona
from adk_split_eval.build.traces import traces_of
from adk_split_eval.personas import persona_ids
from adk_split_eval.plan import LoadedPlan, PlanError, RejectedCase
from adk_split_eval.plan.checks import Complaint
from adk_split_eval.plan.models import FixedCase, FixedSet, Plan, SimCase, SimSet
from adk_split_eval.record import CompiledPlan, Conversation, Finding

EXPECTING = ("expect_tools", "expect_response", "expect_trajectory", "order_rules", "order_rule", "turns")
"""Keys by which something is expected of a simulated case, which excludes it from that set."""

_TOP = ("fixed_set", "sim_set", "traces", "plan_id")
_HalfName = Literal["fixed", "simulated"]
Model = TypeVar("Model", bound=BaseModel)


@dataclass(slots=True)
class Flat:
    """A flat file, ready to be judged: its cases, and the conversations by case id."""

    compiled: CompiledPlan
    conversations: dict[str, Conversation] = field(default_factory=dict[str, Conversation])


def is_flat(path: str | Path) -> bool:
    """Whether the file is JSON with the keys of the flat form."""
    try:
        data = read_json(path).data
    except PlanError:
        return False
    return isinstance(data, dict) and "traces" in data and ("fixed_set" in data or "sim_set" in data)


def read_flat(path: str | Path) -> Flat:
    """Read a flat file.

    Raises:
        PlanError: the file cannot be used as a whole; a fault of one case only rejects that case.
    """
    file = read_json(path)
    top = file.mapping(file.data, (), "the file", _TOP)
    users = _scripted(file, top)
    conversations = traces_of(file, top.get("traces") or {}, ("traces",), users)
    loaded = _load(file, top, conversations)
    stated = {case_id for case_id, found in conversations.items() if found.goal_reached is not None}
    compiled = compile_plan(loaded, recorded=True, goals_stated=stated)
    _drop_trajectory(compiled)
    return Flat(compiled, conversations)


def _scripted(file: JsonFile, top: dict[str, Any]) -> dict[str, list[str]]:
    """Case id → the user's words of each fixed case, as far as they can be read."""
    found: dict[str, list[str]] = {}
    for _, data in _entries(file, top, "fixed_set"):
        turns: Any = data.get("turns")
        if isinstance(turns, list):
            words = [
                cast("dict[str, Any]", turn).get("user") for turn in cast("list[Any]", turns) if isinstance(turn, dict)
            ]
            found[str(data.get("case_id"))] = [word for word in words if isinstance(word, str)]
    return found


def _entries(file: JsonFile, top: dict[str, Any], section: str) -> list[tuple[JsonPath, dict[str, Any]]]:
    listed = file.sequence(top.get(section), (section,), section)
    return [
        ((section, number), file.mapping(entry, (section, number), "the case")) for number, entry in enumerate(listed)
    ]


def _load(file: JsonFile, top: dict[str, Any], conversations: dict[str, Conversation]) -> LoadedPlan:
    rejected: list[RejectedCase] = []
    fixed: list[FixedCase] = []
    simulated: list[SimCase] = []
    seen: set[str] = set()
    for section, half in (("fixed_set", "fixed"), ("sim_set", "simulated")):
        for at, data in _entries(file, top, section):
            case_id = file.string(data.get("case_id"), (*at, "case_id"), "case_id")
            if case_id in seen:
                file.refuse(
                    "ASE020", f"the case_id {case_id!r} stands twice", (*at, "case_id"), "rename one of the two"
                )
            seen.add(case_id)
            name: _HalfName = "fixed" if half == "fixed" else "simulated"
            if name == "fixed":
                made: FixedCase | SimCase | list[Finding] = _fixed(file, at, data)
            else:
                made = _simulated(file, at, data, conversations.get(case_id))
            if isinstance(made, FixedCase):
                fixed.append(made)
            elif isinstance(made, SimCase):
                simulated.append(made)
            else:
                rejected.append(RejectedCase(name, case_id, made))
    # Goal, forbidden tools and grounded numbers are on by default; naming one of them says that no judge is expected.
    criteria: dict[str, Any] = {"grounded_numbers_v1": 1.0}
    plan = Plan(
        plan_id=_plan_id(file, top),
        fixed_set=FixedSet(cases=fixed) if "fixed_set" in top else None,
        sim_set=SimSet(criteria=criteria, cases=simulated) if "sim_set" in top else None,
    )
    return LoadedPlan(path=file.path, plan=plan, rejected=rejected)


def _plan_id(file: JsonFile, top: dict[str, Any]) -> str:
    given = top.get("plan_id")
    if given is not None:
        return file.string(given, ("plan_id",), "plan_id")
    return re.sub(r"[^a-zA-Z0-9_]+", "_", file.path.name.split(".")[0]) or "flat"


def _fixed(file: JsonFile, at: JsonPath, data: dict[str, Any]) -> FixedCase | list[Finding]:
    case = dict(data)
    rule = case.pop("order_rule", None)
    if rule is not None:
        case["order_rules"] = [*(case.get("order_rules") or []), rule]
    return _validated(FixedCase, file, at, case)


def _simulated(
    file: JsonFile, at: JsonPath, data: dict[str, Any], conversation: Conversation | None
) -> SimCase | list[Finding]:
    case = dict(data)
    case_id = str(case["case_id"])
    excluded = [key for key in EXPECTING if key in case]
    if excluded:
        return [
            file.finding(
                "ASE101",
                f"{case_id} expects something ({key}) of a conversation nobody scripted; a simulated user may take any way, "
                "so what is expected step by step cannot be judged here",
                (*at, key),
                "move it to fixed_set, or state an invariant: forbidden_tools, with `until` where an order matters",
                case_id,
            )
            for key in excluded
        ]
    if "starting_prompt" not in case:
        if conversation is None or not conversation.turns or not conversation.turns[0].user:
            mend = "add starting_prompt, or a recording whose first user message can stand in for it"
            return [file.finding("ASE013", f"{case_id} has no starting_prompt and no recording", at, mend, case_id)]
        case["starting_prompt"] = conversation.turns[0].user
    persona = case.get("persona")
    if isinstance(persona, str) and persona not in persona_ids():
        case["persona"] = described_persona(case_id, persona)
    return _validated(SimCase, file, at, case)


def _validated(model: type[Model], file: JsonFile, at: JsonPath, data: dict[str, Any]) -> Model | list[Finding]:
    try:
        return model.model_validate(data)
    except ValidationError as error:
        return [
            _complaint(file, at, str(data["case_id"]), cast("dict[str, Any]", detail))
            for detail in error.errors(include_url=False, include_input=False)
        ]


def _complaint(file: JsonFile, at: JsonPath, case_id: str, detail: dict[str, Any]) -> Finding:
    """A complaint of the plan's models; its own code and mend where it has them."""
    cause = cast("dict[str, Any]", detail.get("ctx") or {}).get("error")
    where = (*at, *detail["loc"])
    if isinstance(cause, Complaint):
        return file.finding(cause.code, f"{case_id}: {cause.message}", where, cause.help, case_id)
    mend = "see docs/generated-sets.md, The flat form"
    return file.finding("ASE611", f"{case_id}: {detail['msg']}", where, mend, case_id)


def _drop_trajectory(compiled: CompiledPlan) -> None:
    """ADK compares calls turn by turn; ours compares those of a flat recording over the whole conversation."""
    for case in compiled.cases:
        case.criteria = [criterion for criterion in case.criteria if criterion.name != "tool_trajectory_avg_score"]
    compiled.decisions.append(
        "tool calls of a flat recording belong to no turn: tool_args_v1 compares them over the whole conversation, "
        "tool_trajectory_avg_score is left out"
    )
