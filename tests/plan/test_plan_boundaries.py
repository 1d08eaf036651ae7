"""Where a plan is just right and where it just is not: values at their limits, what stands beside a mistake, exact places."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from adk_split_eval.plan import PlanError, load_plan
from adk_split_eval.plan.checking import check_alone, check_document, check_plan
from adk_split_eval.plan.cross_process import merge_process
from adk_split_eval.plan.loading import build_models
from adk_split_eval.plan.reading import parse_document

FIXED = "fixed_set: {cases: [{case_id: F-01, turns: [{user: hello, expect_tools: [look]}]}]}\n"
SIMULATED_BY_EVIDENCE = "sim_set: {{criteria: {{grounded_numbers_v1: 1.0}}, cases: [{}]}}\n"
SIMULATED = "sim_set: {cases: [{case_id: S-01, starting_prompt: a, goal: b, goal_required: false}]}\n"


def codes(text: str) -> list[str]:
    """Codes found in a plan, those of rejected cases with the case."""
    try:
        document = parse_document(text, "demo.plan.yaml")
    except PlanError as error:
        return [finding.code for finding in error.findings]
    checked = check_document(document, Path("nowhere") / "demo.plan.yaml")
    return [f"{f.case_id} {f.code}" if f.case_id else f.code for f in checked.findings]


def plan(*more: str) -> list[str]:
    return codes("plan_id: demo\n" + "".join(more))


def fixed_case(more: str) -> str:
    return f"fixed_set: {{cases: [{{case_id: F-01, turns: [{{user: hello}}], {more}}}]}}\n"


def test_a_rejected_case_takes_no_other_with_it(tmp_path: Path) -> None:
    cases = "[{case_id: F-01}, {case_id: F-02, turns: [{user: hello, expect_tools: [look]}]}, {case_id: F-03}]"
    simulated = "[{case_id: S-01, goal: b}, {case_id: S-02, starting_prompt: a, goal: b}]"
    path = tmp_path / "demo.plan.yaml"
    path.write_text(
        f"plan_id: demo\nmodels: {{judge: j}}\nfixed_set: {{cases: {cases}}}\nsim_set: {{cases: {simulated}}}\n",
        "utf-8",
    )
    loaded = load_plan(path)
    assert loaded.plan.fixed_set and loaded.plan.sim_set
    assert [case.case_id for case in loaded.plan.fixed_set.cases] == ["F-02"]
    assert [case.case_id for case in loaded.plan.sim_set.cases] == ["S-02"]
    assert [(one.set, one.case_id) for one in loaded.rejected] == [
        ("fixed", "F-01"),
        ("fixed", "F-03"),
        ("simulated", "S-01"),
    ]
    assert loaded.place(loaded.plan.fixed_set.cases[0]).column == 38
    assert loaded.root == tmp_path


def test_a_plan_of_one_half_has_no_other(tmp_path: Path) -> None:
    path = tmp_path / "demo.plan.yaml"
    path.write_text(
        "plan_id: demo\n"
        + SIMULATED_BY_EVIDENCE.format("{case_id: S, starting_prompt: a, goal: b, goal_required: false}"),
        "utf-8",
    )
    loaded = load_plan(path)
    assert loaded.plan.fixed_set is None and loaded.plan.sim_set is not None
    place = loaded.place(loaded.plan.sim_set.cases[0], "goal")
    assert (place.path, place.line) == (str(path), 2) and place.column > 60


def test_a_file_that_is_no_plan_excuses_no_frozen_file(tmp_path: Path) -> None:
    (tmp_path / "lost.frozen.yaml").write_text("plan_id: lost\ncases: []\n", "utf-8")
    (tmp_path / "compose.yml").write_text("services: {}\n", "utf-8")
    (tmp_path / "demo.plan.yaml").write_text("plan_id: demo\n" + FIXED, "utf-8")
    assert [finding.code for finding in check_plan(tmp_path / "demo.plan.yaml").errors] == ["ASE045"]
    (tmp_path / "other.plan.yml").write_text("services: {}\n", "utf-8")  # a plan whose plan_id is still to come
    assert check_plan(tmp_path / "demo.plan.yaml").errors == []


def test_a_plan_id_of_a_wrong_type_blames_no_frozen_file(tmp_path: Path) -> None:
    (tmp_path / "12.frozen.yaml").write_text("plan_id: other\ncases: []\n", "utf-8")
    (tmp_path / "demo.plan.yaml").write_text("plan_id: 12\n" + FIXED, "utf-8")
    assert [finding.code for finding in check_plan(tmp_path / "demo.plan.yaml").errors] == ["ASE011"]


def test_a_plan_id_that_names_no_file_blames_no_frozen_file(tmp_path: Path) -> None:
    (tmp_path / "demo.frozen.yaml").write_text("plan_id: demo\ncases: [3]\n", "utf-8")
    (tmp_path / "demo.plan.yaml").write_text("plan_id: re-named\n" + FIXED, "utf-8")
    assert [finding.code for finding in check_plan(tmp_path / "demo.plan.yaml").errors] == ["ASE021"]


def test_errors_of_the_plan_hide_none_of_the_frozen_file(tmp_path: Path) -> None:
    (tmp_path / "demo.frozen.yaml").write_text("plan_id: demo\ncases: [3]\n", "utf-8")
    (tmp_path / "demo.plan.yaml").write_text("plan_id: demo\nzzz: 1\n" + FIXED, "utf-8")
    found = [(finding.code, Path(finding.path).name) for finding in check_plan(tmp_path / "demo.plan.yaml").findings]
    assert found == [("ASE010", "demo.plan.yaml"), ("ASE011", "demo.frozen.yaml")]


def test_a_case_id_of_blanks_is_one_error_of_the_plan() -> None:
    case = "{case_id: ' ', turns: [{user: hello, expect_tools: [look]}]}"
    assert plan(f"fixed_set: {{cases: [{case}, {case}]}}\n") == ["ASE021", "ASE021"]


def test_a_plan_alone_in_its_folder_is_alone(tmp_path: Path) -> None:
    plan = tmp_path / "demo.plan.yaml"
    check_alone(plan)
    plan.write_text("plan_id: demo\n" + FIXED, "utf-8")
    check_alone(plan)
    (tmp_path / "other.plan.yml").write_text("plan_id: other\n" + FIXED, "utf-8")
    with pytest.raises(PlanError, match=r"ASE041 .*other\.plan\.yml"):
        check_alone(plan)
    check_alone(tmp_path / "gone.plan.yaml")


@pytest.mark.parametrize(
    ("share", "fits"),
    [
        ('"1%"', True),
        ('"0.5%"', True),
        ('"100%"', True),
        ('" 7 % "', True),
        ('"0%"', False),
        ('"100.5%"', False),
        ('"ten"', False),
        ("2", False),
        ("0.5", True),
    ],
)
def test_shares_at_their_limits(share: str, fits: bool) -> None:
    assert plan(f"policy: {{audit: {share}}}\n", FIXED) == ([] if fits else ["ASE013"])


@pytest.mark.parametrize(
    ("samples", "fits"), [("1", True), ("3", True), ("0", False), ("-1", False), ("2", False), ("true", False)]
)
def test_samples_of_a_judge_at_their_limits(samples: str, fits: bool) -> None:
    criteria = (
        f"  criteria: {{hallucinations_v1: {{judge_model_options: {{judge_model: j, num_samples: {samples}}}}}}}\n"
    )
    cases = "fixed_set:\n" + criteria + "  cases: [{case_id: F-01, turns: [{user: hello, expect_tools: [look]}]}]\n"
    assert plan(cases) == ([] if fits else ["ASE037"])


def test_a_judged_criterion_that_is_switched_off_needs_no_judge() -> None:
    criteria = "criteria: {hallucinations_v1: , per_turn_user_simulator_quality_v1: , grounded_numbers_v1: 1.0}"
    case = "cases: [{case_id: S-01, starting_prompt: a, goal: b, goal_required: false}]"
    assert plan(f"sim_set: {{{criteria}, {case}}}\n") == []
    assert plan(f"sim_set: {{{criteria.replace('hallucinations_v1: ', 'hallucinations_v1: 0.5')}, {case}}}\n") == [
        "ASE036"
    ]


def test_a_case_that_leaves_the_plans_process_and_expects_nothing_is_rejected() -> None:
    process = "process: {events: {done: {tool: finish}}, ending: {event: done}}\n"
    case = "fixed_set: {cases: [{case_id: F-01, turns: [{user: hello}]%s}]}\n"
    assert plan(process, case % "") == []
    assert plan(process, case % ", process: false") == ["F-01 ASE038"]


def test_a_process_that_is_neither_rules_nor_false() -> None:
    document = parse_document("plan_id: demo\n" + SIMULATED.replace("}]}", ", process: 5}]}"), "p")
    (finding,) = check_document(document, Path("p")).findings
    assert (finding.code, finding.message) == (
        "ASE011",
        "`process` in case S-01 takes a mapping or false, not the number 5",
    )


def test_what_only_the_models_refuse_is_an_error_at_its_place(tmp_path: Path) -> None:
    """The checks come first, so this takes a plan whose errors nobody has looked at."""
    path = tmp_path / "demo.plan.yaml"
    path.write_text("plan_id: demo\nmodels:\n  judge: 7\n", "utf-8")
    checked = check_plan(path)
    checked.errors.clear()
    with pytest.raises(PlanError) as caught:
        build_models(checked)
    (finding,) = caught.value.findings
    assert (finding.code, finding.path, finding.line, finding.column) == ("ASE011", str(path), 3, 10)


@pytest.mark.parametrize(
    "matcher",
    [
        "{any: true}",
        "{regex: a+}",
        "{one_of: [1]}",
        "{approx: 1, within: 0}",
        "{approx: -1.5, within: 0.5}",
        "{contains: }",
        "{gt: 0}",
        "{lt: -2}",
        "{gt: 1, lt: 2.5}",
        "{equals: {approx: x}}",
        "{a: 1, approx: x}",
        "{}",
        "[{any: true}, {a: {gt: 1}}]",
    ],
)
def test_matchers_that_say_what_they_mean(matcher: str) -> None:
    assert plan(fixed_case(f"expect_state: {{x: {matcher}}}")) == []


@pytest.mark.parametrize(
    ("matcher", "code"),
    [
        ("{any: false}", "ASE016"),
        ("{any: 1}", "ASE016"),
        ("{regex: 1}", "ASE016"),
        ("{regex: (}", "ASE015"),
        ("{one_of: []}", "ASE016"),
        ("{one_of: a}", "ASE016"),
        ("{approx: 1}", "ASE016"),
        ("{within: 1}", "ASE016"),
        ("{approx: a, within: 1}", "ASE016"),
        ("{approx: true, within: 1}", "ASE016"),
        ("{approx: 1, within: -0.1}", "ASE016"),
        ("{approx: 1, within: }", "ASE016"),
        ("{gt: a}", "ASE016"),
        ("{lt: [1]}", "ASE016"),
        ("{gt: 1, lt: true}", "ASE016"),
        ("{gt: 1, contains: 2}", "ASE016"),
        ("[1, {a: {gt: x}}]", "ASE016"),
        ("{one_of: [{regex: (}]}", "ASE015"),
    ],
)
def test_matchers_that_would_never_match(matcher: str, code: str) -> None:
    assert plan(fixed_case(f"expect_state: {{x: {matcher}}}")) == [f"F-01 {code}"]


@pytest.mark.parametrize(
    ("ending", "found"),
    [
        ("{event: {tool: end}, reason: args.reason, reasons: [done]}", []),
        ("{event: {tool: end}, reason: args.reason}", []),
        ("{event: {tool: end}, reasons: [done]}", ["ASE017"]),
        ("{reason: args.reason}", ["ASE017"]),
        ("{reasons: [done]}", ["ASE017"]),
        ("{reason: args.reason, reasons: [done]}", ["ASE017"]),
    ],
)
def test_end_reasons_need_their_event_and_their_path(ending: str, found: list[str]) -> None:
    assert plan(f"process: {{ending: {ending}}}\n", FIXED) == found


def test_a_pinned_session_is_found_behind_cases_that_pin_none() -> None:
    free, pinned = "starting_prompt: a, goal: b, goal_required: false", "session_input: {session_id: mine}"
    cases = f"{{case_id: A, {free}}}, {{case_id: B, {free}, {pinned}}}, {{case_id: C, {free}}}, {{case_id: D, {free}, {pinned}}}"
    assert plan(SIMULATED_BY_EVIDENCE.format(cases)) == ["ASE029"]
    assert plan(SIMULATED_BY_EVIDENCE.format(f"{{case_id: B, {free}, {pinned}}}")) == []
    assert plan(SIMULATED_BY_EVIDENCE.format(f"{{case_id: B, {free}, {pinned}, personas: all}}")) == ["ASE029"]


@pytest.mark.parametrize(
    ("after", "limit", "found"), [(4, 5, []), (5, 5, ["S ASE034"]), (11, None, []), (12, None, ["S ASE034"])]
)
def test_an_interrupt_comes_before_the_cap_on_turns(after: int, limit: int | None, found: list[str]) -> None:
    case = f"{{case_id: S, starting_prompt: a, goal: b, goal_required: false, interrupt: {{after_turn: {after}}}}}"
    cap = f"sim_set: {{max_turns: {limit}, criteria" if limit else "sim_set: {criteria"
    assert plan(SIMULATED_BY_EVIDENCE.format(case).replace("sim_set: {criteria", cap)) == found


@pytest.mark.parametrize(("turns", "words"), [(1, "1 turn:"), (2, "2 turns:"), (3, "3 turns:")])
def test_an_interrupt_comes_before_the_last_turn(turns: int, words: str) -> None:
    said = ", ".join(["{user: hello, expect_tools: [look]}"] * turns)
    text = (
        f"plan_id: demo\nfixed_set: {{cases: [{{case_id: F, interrupt: {{after_turn: {turns}}}, turns: [{said}]}}]}}\n"
    )
    (finding,) = check_document(parse_document(text, "p"), Path("p")).findings
    assert finding.code == "ASE034" and f"the case has {words} nothing would follow" in finding.message
    if turns > 1:
        assert codes(text.replace(f"after_turn: {turns}", f"after_turn: {turns - 1}")) == []


@pytest.mark.parametrize(
    ("sets", "found"), [("", []), (", sets: [fixed]", []), (", sets: [simulated]", ["F-01 ASE038"])]
)
def test_a_metric_of_the_team_asks_for_something_of_the_sets_it_judges(sets: str, found: list[str]) -> None:
    metric = f"custom_metrics: {{ours: {{function: team.ours{sets}}}}}\n"
    assert plan(metric, "fixed_set: {cases: [{case_id: F-01, turns: [{user: hello}]}]}\n") == found


def test_a_judge_named_by_the_criterion_itself_can_judge_the_goal() -> None:
    judged = "rubric_based_multi_turn_trajectory_quality_v1: {judge_model_options: {judge_model: j}}"
    text = SIMULATED_BY_EVIDENCE.format("{case_id: S, starting_prompt: a, goal: b}")
    assert plan(text) == ["S ASE035"]
    assert plan(text.replace("criteria: {", f"criteria: {{{judged}, ")) == []


@pytest.mark.parametrize(
    ("criterion", "code"),
    [
        ("hallucination_v1", "ASE024"),
        ("ours", "ASE044"),
        ("tool_call_count_v1", "ASE044"),
        ("goal_reached_v1", "ASE044"),
    ],
)
def test_a_criterion_that_may_not_stand_there_is_told_so_and_no_more(criterion: str, code: str) -> None:
    metric = "custom_metrics: {ours: {function: team.ours, sets: [simulated]}}\n"
    assert plan(metric, FIXED.replace("{cases", f"{{criteria: {{{criterion}: 7}}, cases")) == [code]


def test_an_option_of_the_judge_is_sent_to_its_place_and_only_that() -> None:
    text = FIXED.replace("{cases", "{criteria: {hallucinations_v1: {num_samples: 3, thresold: 1}}, cases")
    document = parse_document("plan_id: demo\nmodels: {judge: j}\n" + text, "p")
    found = check_document(document, Path("p")).findings
    assert [(f.code, f.help) for f in found] == [
        ("ASE025", "put it under judge_model_options"),
        ("ASE025", "did you mean `threshold`?"),
    ]


def test_a_case_replaces_sections_of_the_plans_process() -> None:
    whole = {"events": {"a": {"tool": "x"}, "b": {"tool": "y"}}, "ending": {"event": "a"}, "report": {"from": "b"}}
    own = {"events": {"a": {"tool": "z"}}, "ending": {"event": "b"}, "report": None}
    events = {"a": {"tool": "z"}, "b": {"tool": "y"}}
    assert merge_process(whole, own) == {"events": events, "ending": {"event": "b"}, "report": {"from": "b"}}
    assert merge_process(whole, None) == whole
    assert merge_process(whole, False) == {}
    assert merge_process({"ending": {"event": {"tool": "x"}}}, {}) == {"ending": {"event": {"tool": "x"}}}
    assert merge_process({}, {"events": {}}) == {"events": {}}


@pytest.mark.parametrize(
    ("case_id", "fits"),
    [
        ("F-01", True),
        ("F.01", True),
        ("...", True),
        ("a b", True),
        ("退款", True),
        (".", False),
        ("..", False),
        ("", False),
        (" F", False),
        ("F ", False),
        ("a/b", False),
        ("a\\\\b", False),
        ("a,b", False),
        ("a:b", False),
        ("a\\tb", False),
        ("a\\x7fb", False),
    ],
)
def test_case_ids_that_can_name_a_file_and_be_selected(case_id: str, fits: bool) -> None:
    found = plan(FIXED.replace("F-01", f'"{case_id}"'))
    assert [code.split()[-1] for code in found] == ([] if fits else ["ASE021"])


def test_values_and_matchers_are_loaded_as_they_are_written(tmp_path: Path) -> None:
    state = {"a": {"one_of": [1, "x"]}, "b": [{"gt": 1}, None], "c": {"d": {"regex": "^a"}}, "e": 2.5}
    path = tmp_path / "demo.plan.yaml"
    path.write_text(json.dumps({"plan_id": "demo", "fixed_set": {"cases": [
        {"case_id": "F", "turns": [{"user": "a", "expect_tools": [{"name": "t", "args": state}]}], "expect_state": state}
    ]}}), "utf-8")  # fmt: skip
    loaded = load_plan(path).plan.fixed_set
    assert loaded and loaded.cases[0].expect_state == state
    steps = loaded.cases[0].turns[0].expect_tools
    assert steps and steps[0].calls[0].args == state


@pytest.mark.parametrize(
    ("ban", "found"),
    [
        ("{name: pay, until: pay}", ["F-01 ASE032"]),
        ("{name: pay, until: look}", []),
        ("{name: pay, args: {a: 1}, until: pay}", ["F-01 ASE032"]),
        ("{name: pay, args: {a: 1}, until: {name: pay, args: {a: 1}}}", ["F-01 ASE032"]),
        ("{name: pay, args: {a: 1}, until: {name: pay, args: {a: 2}}}", []),
        ("{name: pay, until: {name: pay, args: {a: 2}}}", []),
    ],
)
def test_a_tool_forbidden_until_itself(ban: str, found: list[str]) -> None:
    assert plan(fixed_case(f"forbidden_tools: [{ban}]")) == found


@pytest.mark.parametrize(
    ("stage", "found"),
    [
        ("min_turns: 2, max_turns: 2", []),
        ("min_turns: 2, max_turns: 1", ["ASE013"]),
        ("max_turns: 1", []),
        ("min_turns: 3", []),
    ],
)
def test_turns_of_a_stage(stage: str, found: list[str]) -> None:
    assert plan(f"process: {{stages: {{event: {{tool: go}}, order: [{{name: a, {stage}}}]}}}}\n", FIXED) == found


@pytest.mark.parametrize(
    ("similarity", "found"),
    [
        ("same: 0.8, grey: 0.8", []),
        ("grey: 0.9", []),
        ("grey: 0.91", ["ASE013"]),
        ("same: 0.75", []),
        ("same: 0.74", ["ASE013"]),
    ],
)
def test_grey_is_no_more_than_same(similarity: str, found: list[str]) -> None:
    questions = f"{{event: {{tool: ask}}, id: args.id, similarity: {{{similarity}}}}}"
    assert plan(f"process: {{questions: {questions}}}\n", FIXED) == found
