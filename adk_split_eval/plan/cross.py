"""What no single value shows: ids, personas, sessions, goals without a judge, cases that ask for nothing."""

from __future__ import annotations

from typing import Any

from adk_split_eval.criteria.catalogue import CATALOGUE
from adk_split_eval.personas import persona_ids
from adk_split_eval.plan.checked import SECTIONS, CheckedPlan, Entry, spread_id
from adk_split_eval.plan.checks import list_in, mapping_in, shown
from adk_split_eval.plan.cross_criteria import check_criteria, goal_has_judge
from adk_split_eval.plan.cross_process import check_process, merge_process
from adk_split_eval.plan.nodes import DocumentPath
from adk_split_eval.plan.structure import nearest
from adk_split_eval.record import Related

TURN_EXPECTATIONS = ("expect_tools", "expect_intermediate_responses", "expect_response", "response")
CASE_EXPECTATIONS = ("order_rules", "forbidden_tools", "expect_state", "interrupt")
PROCESS_SECTIONS = ("stages", "questions", "evidence", "ending", "report")
SIMULATOR_KEYS = (
    "type",
    "model_configuration",
    "custom_instructions",
    "include_function_calls",
    "live_model_config",
)


def check_ids(checked: CheckedPlan) -> None:
    """No case id twice, over both halves, the frozen file and the spreads."""
    seen: dict[str, Entry] = {}
    for entry in checked.entries:
        for case_id in _ids(checked, entry):
            first = seen.setdefault(case_id, entry)
            if first is entry:
                continue
            place = first.document.place((*first.path, "case_id"))
            checked.errors.append(
                entry.document.place((*entry.path, "case_id")).finding(
                    "ASE020",
                    f"the case_id {shown(case_id)} is there twice; the first is on line {place.line} of {place.path}",
                    "give each case an id of its own",
                    related=(Related(place.path, place.line, place.column, "first used here"),),
                )
            )
            break


def check_across(checked: CheckedPlan) -> None:
    """All checks that need a plan whose shape is right."""
    check_criteria(checked)
    _check_halves(checked)
    _check_simulator(checked)
    _check_policy(checked)
    _check_sessions(checked)
    check_process(checked)
    for entry in list(checked.sound("simulated")):
        _check_simulated(checked, entry)
    for entry in list(checked.sound("fixed")):
        _check_fixed(checked, entry)


def known_personas(checked: CheckedPlan) -> list[str]:
    """Ids a case may name: shipped ones, then the plan's own."""
    own = checked.root.child("personas")
    return list(dict.fromkeys([*persona_ids(), *(own.fields if own else ())]))


def _ids(checked: CheckedPlan, entry: Entry) -> list[str]:
    spread = entry.spread()
    if not spread:
        return [entry.case_id]
    personas = known_personas(checked) if spread == ["all"] else [str(one) for one in dict.fromkeys(spread)]
    return [spread_id(entry.case_id, persona) for persona in personas]


def _check_halves(checked: CheckedPlan) -> None:
    for half, section in SECTIONS.items():
        if checked.value(section) is not None and not any(entry.half == half for entry in checked.entries):
            message = f"{section} has no cases: nothing of it would ever be judged"
            checked.complain((section,), "ASE039", message, "add a case, or remove the section", key=True)
    if not checked.entries and all(checked.value(section) is None for section in SECTIONS.values()):
        checked.complain((), "ASE039", "the plan has no cases", "add fixed_set or sim_set with cases")


def _check_simulator(checked: CheckedPlan) -> None:
    simulator = checked.mapping("sim_set", "simulator")
    for key in simulator:
        path = ("sim_set", "simulator", key)
        if key == "model":
            message, help = "the simulator's model is pinned under models", "write it as models.simulator"
        elif key == "max_allowed_invocations":
            message, help = "the limit of turns has its own key", "write it as sim_set.max_turns"
        elif key not in SIMULATOR_KEYS:
            message = f"ADK's simulator has no option `{shown(key)[1:-1]}`: it would be dropped silently"
            help = nearest(key, list(SIMULATOR_KEYS))
        else:
            continue
        checked.complain(path, "ASE010", message, help, key=True)
    calls = simulator.get("include_function_calls")
    if calls is not None and not isinstance(calls, bool):
        path = ("sim_set", "simulator", "include_function_calls")
        checked.complain(path, "ASE011", "`include_function_calls` takes true or false", "write true or false")


def _check_policy(checked: CheckedPlan) -> None:
    trials = checked.value("trials") or 1
    for key in ("at_least", "pass_hat"):
        wanted = checked.value("policy", "gate", key)
        if isinstance(wanted, int) and wanted > trials:
            message = f"the gate asks for {key} {wanted}, and the plan runs {trials} trial{'s' if trials > 1 else ''}"
            checked.complain(("policy", "gate", key), "ASE037", message, f"write trials: {wanted} or more")


def _check_sessions(checked: CheckedPlan) -> None:
    if checked.value("session_input", "session_id") is not None:
        message = "a session_id pinned for the whole plan is shared by its cases: the second would start in the first one's session"
        checked.complain(
            ("session_input", "session_id"), "ASE029", message, "remove it; every case gets a fresh session", key=True
        )
    pinned: dict[str, Entry] = {}
    for entry in checked.entries:
        session = entry.node.child("session_input")
        node = session.child("session_id") if session is not None else None
        if node is None or not isinstance(node.value, str):
            continue
        first = pinned.setdefault(node.value, entry)
        if first is not entry or entry.spread():
            message = f"the session_id {shown(node.value)} is pinned by case {shown(first.case_id)} as well: they would share a session"
            place = entry.document.place((*entry.path, "session_input", "session_id"))
            checked.errors.append(place.finding("ASE029", message, "remove it; every case gets a fresh session"))


def _check_simulated(checked: CheckedPlan, entry: Entry) -> None:
    data: dict[str, Any] = entry.node.data()
    known = known_personas(checked)
    named: list[tuple[DocumentPath, str]] = []
    if isinstance(data.get("persona"), str):
        named.append((("persona",), data["persona"]))
    named += [(("personas", index), str(one)) for index, one in enumerate(list_in(data, "personas"))]
    for path, persona in named:
        if persona not in known:
            entry.reject(path, "ASE022", f"no persona is named {shown(persona)}", nearest(persona, known))
    if data.get("goal_required", True) and not data.get("goal_evidence") and not goal_has_judge(checked):
        entry.reject(
            ("goal",),
            "ASE035",
            f"the goal of case {shown(entry.case_id)} has no evidence, and the plan names no judge: nobody could say whether it was reached",
            "add goal_evidence, or pin models.judge, or write goal_required: false",
        )
    for index, piece in enumerate(list_in(data, "goal_evidence")):
        _check_pattern(entry, ("goal_evidence", index, "says"), piece.get("says"))
    after = mapping_in(data, "interrupt").get("after_turn")
    limit = checked.value("sim_set", "max_turns") or 12
    if after is not None and after >= limit:
        message = f"interrupt.after_turn is {after}, and the conversation ends at max_turns {limit}"
        entry.reject(("interrupt", "after_turn"), "ASE034", message, "interrupt earlier")


def _check_fixed(checked: CheckedPlan, entry: Entry) -> None:
    data: dict[str, Any] = entry.node.data()
    turns: list[dict[str, Any]] = data["turns"]
    if data.get("match_type") is not None and turns[0].get("expect_tools") is None:
        message = "match_type says how tool calls are compared, and the case states none"
        entry.reject(
            ("match_type",), "ASE034", message, "add expect_tools on every turn, or remove match_type", key=True
        )
    _check_empty_list(entry, turns)
    for number, turn in enumerate(turns):
        _check_pattern(entry, ("turns", number, "response", "matches"), mapping_in(turn, "response").get("matches"))
    if not _asks_for_something(checked, data, turns):
        entry.reject(
            (),
            "ASE038",
            f"case {shown(entry.case_id)} asks for nothing: whatever the agent did would pass",
            "add expect_tools, response, forbidden_tools or another expectation",
        )


def _check_empty_list(entry: Entry, turns: list[dict[str, Any]]) -> None:
    for number, turn in enumerate(turns):
        if turn.get("expect_intermediate_responses") == []:
            message = "expect_intermediate_responses is an empty list: it expects nothing, and would never be checked"
            path = ("turns", number, "expect_intermediate_responses")
            entry.reject(path, "ASE034", message, "say what agents must say on the way, or remove the key", key=True)


def _check_pattern(entry: Entry, path: DocumentPath, pattern: Any) -> None:
    if isinstance(pattern, str) and not pattern.strip():
        message = "the pattern is empty: it is found in every text"
        entry.reject(path, "ASE031", message, "write what must be said, or remove the entry")


def _asks_for_something(checked: CheckedPlan, data: dict[str, Any], turns: list[dict[str, Any]]) -> bool:
    if any(turn.get(key) is not None for turn in turns for key in TURN_EXPECTATIONS):
        return True
    if any(data.get(key) for key in CASE_EXPECTATIONS) or data.get("grounded_numbers") not in (None, False):
        return True
    process = merge_process(checked.mapping("process"), data.get("process"))
    if any(process.get(section) for section in PROCESS_SECTIONS):
        return True
    criteria = checked.mapping("fixed_set", "criteria")
    general = [CATALOGUE[name] for name in criteria if name in CATALOGUE]
    if any(not row.reference_based and row.name != "forbidden_tools_v1" for row in general):
        return True
    metrics = checked.mapping("custom_metrics")
    return any("fixed" in metric.get("sets", ["fixed"]) for metric in metrics.values())
