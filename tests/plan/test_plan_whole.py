"""What only the plan as a whole shows: ids over spreads, trials against the gate, keys of the simulator."""

from __future__ import annotations

from pathlib import Path

import pytest

from adk_split_eval.plan.checking import check_document
from adk_split_eval.plan.reading import parse_document
from adk_split_eval.record import Finding

FIXED = "fixed_set: {cases: [{case_id: F-01, turns: [{user: hello, expect_tools: [look]}]}]}\n"
FREE = "starting_prompt: a, goal: b, goal_required: false"


def findings(text: str) -> list[Finding]:
    return check_document(parse_document("plan_id: demo\n" + text, "p"), Path("nowhere/p")).findings


def simulated(*cases: str, more: str = "") -> str:
    return f"sim_set: {{criteria: {{grounded_numbers_v1: 1.0}}, {more}cases: [{', '.join(cases)}]}}\n"


@pytest.mark.parametrize(
    ("spread", "other", "doubled"),
    [
        ("[hurried, complaining]", "S-hurried", True),
        ("[hurried, complaining]", "S-complaining", True),
        ("[hurried, complaining]", "S", False),
        ("[hurried, complaining]", "S-forgetful", False),
        ("[hurried, hurried]", "S-other", False),
        ("all", "S-complaining", True),
        ("all", "S-all", False),
        ("all", "S", False),
        ("all", "S-mine", True),
    ],
)
def test_ids_of_a_spread_are_taken(spread: str, other: str, doubled: bool) -> None:
    mine = "personas: {mine: {description: d, behaviors: [{name: n, description: d, behavior_instructions: [i]}]}}\n"
    text = mine + simulated(f"{{case_id: S, {FREE}, personas: {spread}}}", f"{{case_id: {other}, {FREE}}}")
    assert [f"{f.code} {f.message}" for f in findings(text)] == (
        [f"ASE020 the case_id '{other}' is there twice; the first is on line 3 of p"] if doubled else []
    )


@pytest.mark.parametrize(
    ("plan", "said"),
    [
        ("policy: {gate: {at_least: 2}}", "the gate asks for at_least 2, and the plan runs 1 trial"),
        ("trials: 1\npolicy: {gate: {pass_hat: 2}}", "the gate asks for pass_hat 2, and the plan runs 1 trial"),
        ("trials: 2\npolicy: {gate: {at_least: 3}}", "the gate asks for at_least 3, and the plan runs 2 trials"),
        ("trials: 2\npolicy: {gate: {at_least: 2}}", None),
        ("policy: {gate: {at_least: 1}}", None),
        ("policy: {gate: all}", None),
        ("trials: 3", None),
    ],
)
def test_the_gate_asks_for_no_more_trials_than_are_run(plan: str, said: str | None) -> None:
    found = findings(f"{plan}\n{FIXED}")
    assert [f.message for f in found] == ([said] if said else [])
    assert {f.code for f in found} <= {"ASE037"}


@pytest.mark.parametrize(
    ("options", "found"),
    [
        ("{include_function_calls: true}", []),
        ("{custom_instructions: be short, include_function_calls: false}", []),
        ("{include_function_calls: 1}", ["ASE011"]),
        ("{model: m}", ["ASE010"]),
        ("{custom_instructions: be short, max_allowed_invocations: 3, zzz: 1}", ["ASE010", "ASE010"]),
    ],
)
def test_options_of_the_simulator(options: str, found: list[str]) -> None:
    text = simulated(f"{{case_id: S, {FREE}}}", more=f"simulator: {options}, ")
    assert [f.code for f in findings(text)] == found


@pytest.mark.parametrize(
    ("response", "fits"),
    [
        ("{contains: [a]}", True),
        ("{excludes: [a]}", True),
        ("{matches: a}", True),
        ("{}", False),
        ("{contains: []}", False),
    ],
)
def test_a_response_asks_for_something(response: str, fits: bool) -> None:
    text = FIXED.replace("expect_tools: [look]", f"response: {response}")
    assert [f"{f.case_id} {f.code}" for f in findings(text)] == ([] if fits else ["F-01 ASE017"])


@pytest.mark.parametrize(
    ("criteria", "asks"),
    [
        ("{}", False),
        ("{tool_trajectory_avg_score: 1.0, response_match_score: 0.8}", False),
        ("{forbidden_tools_v1: 1.0}", False),
        ("{grounded_numbers_v1: 1.0}", True),
        ("{forbidden_tools_v1: 1.0, grounded_numbers_v1: 1.0}", True),
        ("{ours: 0.5}", True),
    ],
)
def test_a_case_may_be_judged_by_a_criterion_of_its_half_alone(criteria: str, asks: bool) -> None:
    metric = "custom_metrics: {ours: {function: team.ours, sets: [fixed]}}\n" if "ours" in criteria else ""
    cases = f"fixed_set: {{criteria: {criteria}, cases: [{{case_id: F-01, turns: [{{user: hello}}]}}]}}\n"
    assert [f.code for f in findings(metric + cases)] == ([] if asks else ["ASE038"])


def test_help_names_no_criterion_that_may_not_stand_there() -> None:
    found = findings(FIXED.replace("{cases", "{criteria: {tool_call_count_v2: 1.0, hallucination_v1: 1.0}, cases"))
    assert [(f.code, f.help) for f in found] == [
        ("ASE024", "correct the name, or declare it under custom_metrics"),
        ("ASE024", "did you mean `hallucinations_v1`?"),
    ]


def test_an_option_a_criterion_has_not_got_is_told_once() -> None:
    found = findings(FIXED.replace("{cases", "{criteria: {tool_args_v1: {match_type: SUPERSET, method: x}}, cases"))
    assert [f.code for f in found] == ["ASE025", "ASE025"]


@pytest.mark.parametrize(
    ("stages", "found"),
    [
        ("event: {tool: go}", []),
        ("event: {state: stage}", ["ASE027"]),
        ("event: {state: stage}, stage: value", []),
        ("event: {tool: go}, stage: value", ["ASE027"]),
        ("event: {says: hello}, stage: text, reason: args.why", ["ASE027"]),
    ],
)
def test_where_a_stage_is_read(stages: str, found: list[str]) -> None:
    process = f"process: {{stages: {{{stages}, order: [{{name: a}}]}}}}\n"
    assert [f.code for f in findings(process + FIXED)] == found


def test_a_document_is_told_its_first_fault_only(tmp_path: Path) -> None:
    (tmp_path / "cv.yaml").write_text("{id: 1, fragments: [], zzz: 1}\n", "utf-8")
    process = "process: {evidence: {event: {tool: ask}, cites: args.id, source: {file: cv.yaml}}}\n"
    document = parse_document("plan_id: demo\n" + process + FIXED, "p")
    (finding,) = check_document(document, tmp_path / "p").findings
    assert finding.code == "ASE027" and "`id` takes text" in finding.message


@pytest.mark.parametrize(
    ("text", "code", "case", "help"),
    [
        (simulated(f"{{case_id: S, {FREE}, gaol: x}}"), "ASE010", None, "did you mean `goal`?"),
        (simulated(f"{{case_id: S, {FREE}, reference: x}}"), "ASE101", "S", "move the case to fixed_set"),
        (simulated(f"{{case_id: S, {FREE}, pending: x}}"), "ASE010", None, "known here: "),
        (FIXED.replace("turns:", "pending: x, turns:"), "ASE010", None, "keep it in <plan_id>.frozen.yaml"),
        (FIXED.replace("turns:", "expect_tool: x, turns:"), "ASE010", None, "write `expect_tools` on each turn"),
        (FIXED.replace("turns:", "zzzzz: x, turns:"), "ASE010", None, "known here: "),
        (FIXED.replace("turns:", "turn: x, turns:"), "ASE010", None, "did you mean `turns`?"),
        ("TRIALS: 1\n" + FIXED, "ASE010", None, "did you mean `trials`?"),
        (FIXED.replace("turns:", "order_rule: x, turns:"), "ASE010", None, "did you mean `order_rules`?"),
    ],
)
def test_an_unknown_key_and_its_mend(text: str, code: str, case: str | None, help: str) -> None:
    (found,) = findings(text)
    assert (found.code, found.case_id) == (code, case)
    assert found.help.startswith(help)


@pytest.mark.parametrize("key", ["args..a", "zzz.a", ""])
def test_the_keys_of_where_are_paths(key: str) -> None:
    (found,) = findings(f"process: {{events: {{a: {{tool: ask, where: {{args.a: 1, '{key}': 2}}}}}}}}\n{FIXED}")
    assert (found.code, found.line, found.column) == ("ASE013", 2, 54)


@pytest.mark.parametrize(
    ("metric", "found"),
    [
        ("function: team.ours", []),
        ("function: team.metrics.ours_2", []),
        ("function: ours", ["ASE013"]),
        ("function: team.2ours", ["ASE013"]),
        ("function: team.ours()", ["ASE013"]),
        ("function: team.ours, threshold: 0.01", []),
        ("function: team.ours, threshold: 1", []),
        ("function: team.ours, threshold: 0", ["ASE014"]),
        ("function: team.ours, threshold: 1.01", ["ASE014"]),
        ("function: team.ours, threshold: high", ["ASE014"]),
        ("function: team.ours, sets: []", ["ASE013"]),
        ("function: team.ours, sets: [both]", ["ASE013"]),
    ],
)
def test_a_metric_of_the_team_as_it_is_declared(metric: str, found: list[str]) -> None:
    assert [f.code for f in findings(f"custom_metrics: {{ours: {{{metric}}}}}\n{FIXED}")] == found
