"""Which criteria govern which case, at what threshold, in which group, and what is refused as never judged."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from adk_split_eval.record import Case, CompiledPlan, Criterion

Compile = Callable[[str], CompiledPlan]
MODELS = "models: {simulator: scripted/user, judge: scripted/judge}\n"


def case_of(compiled: CompiledPlan, case_id: str) -> Case:
    return next(case for case in compiled.cases if case.case_id == case_id)


def criterion_of(compiled: CompiledPlan, case_id: str, name: str) -> Criterion:
    return next(criterion for criterion in case_of(compiled, case_id).criteria if criterion.name == name)


def names_of(compiled: CompiledPlan, case_id: str) -> list[str]:
    return [criterion.name for criterion in case_of(compiled, case_id).criteria]


def fixed(cases: str, criteria: str = "{}") -> str:
    return f"fixed_set:\n  criteria: {criteria}\n  cases:\n{cases}"


def simulated(case: str, criteria: str | None = None, models: str = MODELS) -> str:
    stated = "" if criteria is None else f"  criteria: {criteria}\n"
    return f"{models}sim_set:\n{stated}  cases:\n    - {{case_id: S, starting_prompt: hi, {case}}}\n"


class TestExpectedTools:
    def test_names_go_to_adk_and_arguments_to_our_metric(self, compiled: Compile) -> None:
        made = compiled(fixed("    - {case_id: A, turns: [{user: hi, expect_tools: [{name: f, args: {x: 1}}]}]}\n"))
        assert criterion_of(made, "A", "tool_trajectory_avg_score").options == {
            "threshold": 1.0,
            "match_type": "EXACT",
            "ignore_args": True,
        }
        assert criterion_of(made, "A", "tool_args_v1").params == {
            "match_type": "EXACT",
            "turns": [{"expect": [{"calls": [{"name": "f", "args": {"x": 1}}]}]}],
        }

    @pytest.mark.parametrize(
        ("args", "ignored"),
        [
            ("{name: f, args: {x: 1}, args_exact: true}", False),
            ("{name: f, args: {x: {equals: {any: true}}}, args_exact: true}", False),
            ("{name: f, args: {}, args_exact: true}", False),
            ("{name: f, args: {x: 1}}", True),
            ("{name: f, args: {x: {gt: 1}}, args_exact: true}", True),
            ("f", True),
        ],
    )
    def test_adk_compares_arguments_only_where_all_are_stated(
        self, compiled: Compile, args: str, ignored: bool
    ) -> None:
        declared = "{tool_trajectory_avg_score: {threshold: 1.0, ignore_args: false}}"
        made = compiled(fixed(f"    - {{case_id: A, turns: [{{user: hi, expect_tools: [{args}]}}]}}\n", declared))
        assert criterion_of(made, "A", "tool_trajectory_avg_score").options["ignore_args"] is ignored
        assert any("names only" in text for text in made.decisions) is ignored

    def test_the_threshold_of_the_trajectory_governs_arguments_too(self, compiled: Compile) -> None:
        case = "    - {case_id: A, turns: [{user: hi, expect_tools: [f]}]}\n"
        made = compiled(fixed(case, "{tool_trajectory_avg_score: 0.5}"))
        assert criterion_of(made, "A", "tool_args_v1").threshold == 0.5
        made = compiled(fixed(case, "{tool_trajectory_avg_score: 0.5, tool_args_v1: 0.75}"))
        assert criterion_of(made, "A", "tool_args_v1").threshold == 0.75

    @pytest.mark.parametrize(("match_type", "adk_judges"), [("EXACT", True), ("IN_ORDER", False), ("ANY_ORDER", False)])
    def test_calling_nothing_is_left_to_our_metric_where_adk_cannot_fail_it(
        self, compiled: Compile, match_type: str, adk_judges: bool
    ) -> None:
        made = compiled(
            fixed(f"    - {{case_id: A, match_type: {match_type}, turns: [{{user: hi, expect_tools: []}}]}}\n")
        )
        assert ("tool_trajectory_avg_score" in names_of(made, "A")) is adk_judges
        assert "tool_args_v1" in names_of(made, "A")

    def test_parallel_calls_are_left_to_our_metric(self, compiled: Compile) -> None:
        made = compiled(fixed("    - {case_id: A, turns: [{user: hi, expect_tools: [[f, g]]}]}\n"))
        assert names_of(made, "A") == ["tool_args_v1"]
        # A list of one call is no parallel step.
        made = compiled(fixed("    - {case_id: A, turns: [{user: hi, expect_tools: [[f]]}]}\n"))
        assert "tool_trajectory_avg_score" in names_of(made, "A")


class TestGroups:
    def test_one_group_has_no_suffix_whatever_it_is(self, compiled: Compile) -> None:
        made = compiled(fixed("    - {case_id: A, match_type: ANY_ORDER, turns: [{user: hi, expect_tools: [f]}]}\n"))
        assert [(s.group, s.directory, s.eval_set_id) for s in made.sets] == [("", "fixed", "desk_fixed")]

    def test_no_adk_criterion_governs_a_case_it_cannot_judge(self, compiled: Compile) -> None:
        made = compiled(
            fixed(
                "    - {case_id: A, turns: [{user: hi, expect_tools: [f]}]}\n"
                "    - {case_id: B, turns: [{user: hi, expect_response: yes please}]}\n"
                "    - {case_id: C, turns: [{user: hi, expect_tools: [f], expect_response: yes please}]}\n"
                "    - {case_id: D, match_type: IN_ORDER, turns: [{user: hi, expect_tools: [f]}]}\n",
                "{tool_trajectory_avg_score: 1.0, response_match_score: 0.8}",
            )
        )
        assert {s.group: s.case_ids for s in made.sets} == {
            "": ["A"],
            "no_tools_references": ["B"],
            "references": ["C"],
            "in_order": ["D"],
        }
        for made_set in made.sets:
            adk = {name for name in made_set.config["criteria"] if not name.endswith("_v1")}
            for case in made_set.eval_set["eval_cases"]:
                for turn in case["conversation"]:
                    assert ("tool_trajectory_avg_score" in adk) <= ("intermediate_data" in turn)
                    assert ("response_match_score" in adk) <= ("final_response" in turn)

    def test_default_of_the_half_is_the_group_without_suffix(self, compiled: Compile) -> None:
        made = compiled(
            fixed(
                "    - {case_id: A, turns: [{user: hi, expect_tools: [f]}]}\n"
                "    - {case_id: B, match_type: EXACT, turns: [{user: hi, expect_tools: [f]}]}\n",
                "{tool_trajectory_avg_score: {threshold: 1.0, match_type: IN_ORDER}}",
            )
        )
        assert {s.group: s.case_ids for s in made.sets} == {"": ["A"], "exact": ["B"]}


class TestReferences:
    BOTH = "    - {case_id: A, turns: [{user: a, expect_response: x}, {user: b, expect_response: y}]}\n"
    SOME = "    - {case_id: A, turns: [{user: a, expect_response: x}, {user: b, response: {contains: [y]}}]}\n"

    def test_on_every_turn_they_go_to_adk(self, compiled: Compile) -> None:
        made = compiled(fixed(self.BOTH, "{response_match_score: 0.6}"))
        assert names_of(made, "A") == ["response_match_score"]

    def test_on_some_turns_they_go_to_ours_with_the_declared_method(self, compiled: Compile) -> None:
        made = compiled(MODELS + fixed(self.SOME, "{final_response_match_v2: 0.6}"))
        criterion = criterion_of(made, "A", "expected_response_v1")
        assert (criterion.kind, criterion.threshold) == ("judged", 0.6)
        assert criterion.params == {
            "method": "final_response_match_v2",
            "options": {"judge_model_options": {"judge_model": "scripted/judge", "num_samples": 3}},
            "turns": [{"text": "x"}, None],
        }
        assert [finding.code for finding in made.findings] == []

    @pytest.mark.parametrize("case", [BOTH, SOME])
    def test_without_a_declared_criterion_adks_default_applies(self, compiled: Compile, case: str) -> None:
        made = compiled(fixed(case))
        criterion = criterion_of(made, "A", "expected_response_v1")
        assert (criterion.params["method"], criterion.threshold) == ("response_match_score", 0.8)
        assert any("expected_response_v1 applies response_match_score" in text for text in made.decisions)

    def test_two_methods_cannot_both_judge_single_turns(self, compiled: Compile) -> None:
        made = compiled(MODELS + fixed(self.SOME, "{final_response_match_v2: 0.6, response_match_score: 0.6}"))
        assert case_of(made, "A").rejected
        assert [finding.code for finding in case_of(made, "A").findings] == ["ASE205"]
        assert made.sets == []


class TestNeverJudged:
    @pytest.mark.parametrize(
        ("criteria", "why"),
        [
            ("{response_match_score: 0.8}", "no case has references"),
            ("{tool_order_v1: 1.0}", "no case has order_rules"),
            ("{forbidden_tools_v1: 0.5}", "no case has forbidden_tools"),
        ],
    )
    def test_declared_without_a_case_is_an_error_of_the_plan(self, compiled: Compile, criteria: str, why: str) -> None:
        made = compiled(fixed("    - {case_id: A, turns: [{user: hi, expect_tools: [f]}]}\n", criteria))
        (finding,) = made.findings
        assert (finding.code, finding.level, finding.case_id) == ("ASE203", "error", None)
        assert why in finding.message
        assert finding.line > 0

    def test_with_every_case_rejected_it_is_only_a_warning(self, compiled: Compile) -> None:
        case = "goal: x, goal_evidence: [{says: x}], expect_tools: [f]"
        made = compiled(simulated(case, "{goal_reached_v1: 0.5}"))
        assert {finding.level for finding in made.findings if finding.code == "ASE203"} == {"warning"}

    def test_a_team_metric_governs_only_the_sets_it_names(self, compiled: Compile) -> None:
        metrics = "custom_metrics: {nice: {function: custom_metrics.x.nice, sets: [fixed], threshold: 0.4}}\n"
        made = compiled(metrics + fixed("    - {case_id: A, turns: [{user: hi}]}\n"))
        criterion = criterion_of(made, "A", "nice")
        assert (criterion.source, criterion.threshold) == ("team", 0.4)
        assert criterion.function == "adk_split_eval.metrics.team.custom_metrics.x.nice"
        made = compiled(metrics + fixed("    - {case_id: A, turns: [{user: hi}]}\n", "{nice: 0.7}"))
        assert made.sets[0].config["criteria"] == {"nice": 0.7}


class TestSimulated:
    EVIDENCE = "goal: g, goal_evidence: [{says: x}]"

    def test_the_defaults_with_a_judge(self, compiled: Compile) -> None:
        made = compiled(simulated(self.EVIDENCE))
        assert names_of(made, "S") == [
            "grounded_numbers_v1",
            "goal_reached_v1",
            "hallucinations_v1",
            "per_turn_user_simulator_quality_v1",
        ]
        judged = made.sets[0].config["criteria"]["hallucinations_v1"]
        assert judged["judge_model_options"] == {"judge_model": "scripted/judge", "num_samples": 3}

    def test_without_a_judge_the_deterministic_ones_and_what_is_listed(self, compiled: Compile) -> None:
        made = compiled(simulated(self.EVIDENCE, "{grounded_numbers_v1: 0.5}", models="models: {simulator: m}\n"))
        assert names_of(made, "S") == ["grounded_numbers_v1", "goal_reached_v1"]
        assert criterion_of(made, "S", "grounded_numbers_v1").threshold == 0.5

    def test_null_switches_a_default_off_and_says_so(self, compiled: Compile) -> None:
        made = compiled(simulated(self.EVIDENCE, "{hallucinations_v1: null, grounded_numbers_v1: null}"))
        assert names_of(made, "S") == ["goal_reached_v1", "per_turn_user_simulator_quality_v1"]
        assert "hallucinations_v1 is switched off for the simulated set, as the plan says" in made.decisions

    def test_what_a_case_asks_for_is_never_switched_off(self, compiled: Compile) -> None:
        made = compiled(simulated(self.EVIDENCE + ", grounded_numbers: true", "{grounded_numbers_v1: null}"))
        assert "grounded_numbers_v1" in names_of(made, "S")
        assert [(finding.code, finding.level) for finding in made.findings] == [("ASE203", "warning")]

    def test_a_goal_without_evidence_is_judged(self, compiled: Compile) -> None:
        made = compiled(simulated("goal: g"))
        criterion = criterion_of(made, "S", "rubric_based_multi_turn_trajectory_quality_v1")
        assert criterion.params["goal"] == "g" and not criterion.runner_only
        (case,) = made.sets[0].eval_set["eval_cases"]
        assert next(rubric["type"] for rubric in case["rubrics"]) == "TRAJECTORY_QUALITY"

    @pytest.mark.parametrize("evidence", ["", ", goal_evidence: [{says: x}]"])
    def test_a_goal_that_is_not_required_stays_out_of_plain_adk(self, compiled: Compile, evidence: str) -> None:
        made = compiled(simulated(f"goal: g, goal_required: false{evidence}"))
        goal = [criterion for criterion in case_of(made, "S").criteria if "goal" in criterion.params]
        assert [(criterion.runner_only, criterion.params["required"]) for criterion in goal] == [(True, False)]
        assert goal[0].name not in made.sets[0].config["criteria"]

    def test_evidence_in_the_state_stays_with_our_runner(self, compiled: Compile) -> None:
        made = compiled(simulated("goal: g, goal_evidence: [{state: {a: 1}}, {says: x}]"))
        assert criterion_of(made, "S", "goal_reached_v1").params["evidence"] == [{"state": {"a": 1}}, {"says": "x"}]
        assert '{"says":"x"}' in str(made.sets[0].eval_set) and "state" not in made.sets[0].eval_set["eval_cases"][0]
        assert '"a":1' not in str(made.sets[0].eval_set)

    def test_a_missing_simulator_model_is_said(self, compiled: Compile) -> None:
        made = compiled(simulated(self.EVIDENCE, models="models: {judge: m}\n"))
        assert [(finding.code, finding.level) for finding in made.findings] == [("ASE402", "warning")]
        assert "model" not in made.simulator


def test_what_only_our_runner_can_do_is_in_no_set(compiled: Compile) -> None:
    made = compiled(
        fixed(
            "    - {case_id: A, turns: [{user: a, expect_tools: [f]}, {user: b, expect_tools: []}], interrupt: {after_turn: 1}}\n"
            "    - {case_id: B, turns: [{user: a}], expect_state: {k: 1}}\n"
            "    - {case_id: C, turns: [{user: a, expect_tools: [f]}], expect_state: {k: 1}}\n"
        )
    )
    assert [s.case_ids for s in made.sets] == [["C"]]
    assert {case.case_id: case.group for case in made.cases} == {"A": "runner_only", "B": "runner_only", "C": ""}
    assert case_of(made, "A").eval_case["conversation"] and case_of(made, "A").runner == {
        "interrupt": {"after_turn": 1}
    }
    assert "final_state_v1" not in made.sets[0].config["criteria"]
    assert sum("our runner" in text for text in made.decisions) == 4


def test_a_metric_of_the_set_is_silenced_for_cases_that_declare_nothing(compiled: Compile) -> None:
    made = compiled(
        fixed(
            "    - {case_id: A, grounded_numbers: true, turns: [{user: a, response: {contains: [x]}}]}\n"
            "    - {case_id: B, turns: [{user: a, response: {contains: [x]}}]}\n"
        )
    )
    (only,) = made.sets
    quiet = only.eval_set["eval_cases"][1]["rubrics"]
    assert [(rubric["rubric_id"], rubric["rubric_content"]["text_property"]) for rubric in quiet] == [
        ("grounded_numbers_v1", '{"enabled":false}')
    ]
    assert "grounded_numbers_v1" not in names_of(made, "B")


def test_sessions_merge_and_name_the_agents_folder(compiled: Compile) -> None:
    made = compiled(
        "session_input: {user_id: u, state: {a: 1, b: 2}}\n"
        + fixed("    - {case_id: A, session_input: {state: {b: 3}}, turns: [{user: hi, expect_tools: [f]}]}\n")
    )
    session: dict[str, Any] = made.sets[0].eval_set["eval_cases"][0]["session_input"]
    assert session == {"app_name": "desk_agent", "user_id": "u", "state": {"a": 1, "b": 3}}


def test_cases_come_in_the_plans_order_with_rejected_ones_among_them(compiled: Compile) -> None:
    made = compiled(
        MODELS + "sim_set:\n  cases:\n"
        "    - {case_id: S1, starting_prompt: hi, goal: g, goal_evidence: [{says: x}]}\n"
        "    - {case_id: S2, starting_prompt: hi, goal: g, expect_tools: [f]}\n"
        "    - {case_id: S3, starting_prompt: hi, goal: g, goal_evidence: [{says: x}]}\n"
    )
    assert [(case.case_id, case.rejected) for case in made.cases] == [("S1", False), ("S2", True), ("S3", False)]
    assert made.sets[0].case_ids == ["S1", "S3"]
