"""The list of twenty: what plain ADK takes for success without having judged what was declared, as runnable scenes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from google.adk.models.llm_response import LlmResponse
from proof_bench import fixed_case, judged, rubrics, scenario, user_turn
from proof_models import Script, saying

FIND = ("find", {"item": "a"})
AGENT: dict[str, dict[str, list[Any]]] = {
    "desk": {
        "hello": ["What can I do for you?"],
        "find": [[FIND], "I found one copy of it."],
        "pay": [[("pay", {"amount": 40})], "Paid."],
        "price": ["It costs $400, and that is all I can say about the price of it."],
        "nothing": [""],
        "error": [LlmResponse(error_code="SAFETY", error_message="blocked")],
        "hold": [[("hold", {"item": "a", "branch": "north"})], "Held."],
        "": ["Pardon?"],
        "thanks": ["You are welcome."],
        "blah": ["Pardon?"],
    }
}
IN_ORDER = {"tool_trajectory_avg_score": {"threshold": 1.0, "match_type": "IN_ORDER"}}
TRAJECTORY = {"tool_trajectory_avg_score": 1.0}
QUALITY, FINAL = "per_turn_user_simulator_quality_v1", "rubric_based_final_response_quality_v1"
GOOD = fixed_case("good", user_turn("find", [FIND], "I found one copy of it."))
POLITE = rubrics("The answer is polite.", "The answer is short.")


def script(judge: Callable[[Any, int], Any] | None = None, user: list[Any] | None = None) -> Script:
    return Script(agent=AGENT, user=user or ["find", "</finished>"], judge=judge or saying(True))


@dataclass
class Green:
    """One way to be green without having been judged.

    Attributes:
        number: its place in the list of twenty.
        what: one line for people.
        criteria: the config that stands beside the set (None: there is none).
        ours: how we notice it (a verdict, ``exit 2``, or what lint says) and ``says``, part of the reason given.
        more: further sets of the same command, each with the config beside it.
        selector: put behind the first set's path, as on ADK's command line.
        config: a config for the whole command, as ``--config_file_path``; text is taken as a path as it stands.
        by_id: plain ADK is given the set's id, not its file.
        adk: ``red`` where this ADK is not green any more.
    """

    number: int
    name: str
    what: str
    cases: list[dict[str, Any]]
    criteria: Any
    ours: str
    says: str
    script: Script = field(default_factory=script)
    more: list[tuple[list[dict[str, Any]], Any]] = field(default_factory=list)
    selector: str = ""
    config: Any = None
    adk: str = "green"
    by_id: bool = False


def team(function: str, **more: Any) -> dict[str, Any]:
    return {
        "criteria": {**TRAJECTORY, "team_says": 1.0, **more},
        "custom_metrics": {"team_says": {"code_config": {"name": function}}},
    }


def dead(request: Any, times: int) -> Any:
    return LlmResponse(error_code="UNAVAILABLE", error_message="try later")


def mute(request: Any, times: int) -> Any:
    return LlmResponse(content=None)


def dead_on(words: str) -> Callable[[Any, int], Any]:
    """A judge that answers nothing readable where the prompt's question holds ``words``."""
    yes, garbled = saying(True), saying(True, "garbled")

    def judge(request: Any, times: int) -> Any:
        text = request.contents[0].parts[0].text
        return (garbled if words in text[-1500:] else yes)(request, times)

    return judge


def no_on(words: str) -> Callable[[Any, int], Any]:
    import re

    from adk_split_eval.models.judge import Exemption, JudgeAnswer
    from adk_split_eval.models.request import view_of

    def judge(request: Any, times: int) -> str:
        view = view_of("bench-judge", request)
        return JudgeAnswer(True, "because", [Exemption(False, re.compile(words))]).text(view)

    return judge


def _typed(turn: dict[str, Any], rubric_id: str, text: str) -> dict[str, Any]:
    rubric = {"rubric_id": rubric_id, "rubric_content": {"text_property": text}, "type": "FINAL_RESPONSE_QUALITY"}
    return {**turn, "rubrics": [rubric]}


def _pinned(case_id: str, words: str, **state: Any) -> dict[str, Any]:
    session = {"app_name": "bench_agent", "user_id": "u", "session_id": "same", "state": state}
    return fixed_case(case_id, user_turn(words, [FIND]), session_input=session)


ONE_SIM = [scenario("talk")]
GREENS: list[Green] = [
    Green(1, "mixed_set", "one set with both kinds of cases under one config",
          [GOOD, *ONE_SIM], {**IN_ORDER, QUALITY: judged()}, "REJECTED", "reference"),
    Green(1, "two_sets_one_config", "both sets in one command under one config",
          [GOOD], None, "REJECTED", "reference", more=[(ONE_SIM, None)], config={**IN_ORDER, QUALITY: judged()}),
    Green(2, "unknown_metric", "a metric name nobody knows", [GOOD], {**TRAJECTORY, "response_mach_score": 0.8}, "ERROR", "response_mach_score"),
    Green(3, "match_type_unknown", "a match type that does not exist, beside a metric that passes",
          [GOOD], {"tool_trajectory_avg_score": {"threshold": 1.0, "match_type": "SUPERSET"}, "response_match_score": 0.5}, "ERROR", "SUPERSET"),
    Green(3, "match_type_as_text_number", "a match type given as the text \"1\"",
          [GOOD], {"tool_trajectory_avg_score": {"threshold": 1.0, "match_type": "1"}, "response_match_score": 0.5}, "ERROR", "match_type"),
    Green(3, "judge_option_unknown", "an option of the judge that does not exist",
          [GOOD], {**TRAJECTORY, "final_response_match_v2": {"threshold": 1.0, "judge_model_options": {"judge_model": "bench-judge", "samples": 3}}}, "ERROR", "judge_model_options"),
    Green(3, "judge_model_unknown", "a judge model no registry knows",
          [GOOD], {**TRAJECTORY, "final_response_match_v2": {"threshold": 1.0, "judge_model_options": {"judge_model": "no-such-judge"}}}, "ERROR", "no-such-judge"),
    Green(3, "judged_metric_as_number", "a judged metric given as a bare number: the default judge, for which there is no key",
          [GOOD], {**TRAJECTORY, "final_response_match_v2": 0.8}, "ERROR", "key"),
    Green(4, "dead_quality_judge", "the judge of the simulator is dead, the conversation has one turn",
          ONE_SIM, {QUALITY: judged()}, "ERROR", "UNAVAILABLE", script(dead, ["</finished>"])),
    Green(4, "mute_quality_judge", "the judge of the simulator answers nothing, the conversation has one turn",
          ONE_SIM, {QUALITY: judged()}, "ERROR", "judge", script(mute, ["</finished>"])),
    Green(5, "judge_fails_on_a_turn", "the judge cannot be read on one turn of two",
          [fixed_case("two", user_turn("hello", [], "Hi."), user_turn("find", [FIND], "Found."))],
          {"final_response_match_v2": judged()}, "ERROR", "could not be read", script(dead_on("one copy"))),
    Green(5, "dead_hallucination_judge", "the judge of hallucinations answers nothing",
          [GOOD], {**TRAJECTORY, "hallucinations_v1": judged()}, "ERROR", "judge", script(mute)),
    Green(5, "reworded_rubric", "the judge rewords one of two rubrics",
          [GOOD], {FINAL: judged(rubrics=POLITE)}, "ERROR", "1 of 2", script(saying(True, "partial"))),
    Green(6, "team_unimportable", "a team's metric that cannot be imported", [GOOD], team("no_such_package.metric"), "ERROR", "no_such_package"),
    Green(6, "team_not_a_function", "a team's metric that is no function", [GOOD], team("agent.team.NOT_A_FUNCTION"), "ERROR", "NOT_A_FUNCTION"),
    Green(6, "team_signature", "a team's metric with two parameters", [GOOD], team("agent.team.two_arguments"), "ERROR", "two_arguments"),
    Green(6, "team_raises", "a team's metric that raises", [GOOD], team("agent.team.raises"), "ERROR", "itself is broken"),
    Green(6, "team_reads_threshold", "a team's metric that reads `metric.threshold`, which is None", [GOOD], team("agent.team.reads_threshold"), "ERROR", "NoneType"),
    Green(6, "team_not_evaluated", "a team's metric that answers NOT_EVALUATED", [GOOD], team("agent.team.never_evaluates"), "ERROR", "NOT_EVALUATED"),
    Green(6, "team_at_the_root", "a team's metric whose path starts at the project root", [GOOD], team("custom_metrics.refund.promises_a_date_"), "ERROR", "custom_metrics"),
    Green(7, "team_contradicts_itself", "a team's metric that passes although every turn failed", [GOOD], team("agent.team.all_turns_failed"), "ERROR", "FAILED on a turn"),
    Green(7, "team_named_like_adks", "a team's metric with the name of one of ADK's takes its place",
          [fixed_case("bad", user_turn("find", [FIND], "Nothing like it."))],
          {"criteria": {"response_match_score": 0.8}, "custom_metrics": {"response_match_score": {"code_config": {"name": "agent.team.fine"}}}}, "exit 2", "response_match_score"),
    Green(8, "config_mistyped", "a mistyped path of the config: ADK's default criteria apply",
          [GOOD], None, "exit 2", "no_such_config.json", config="no_such_config.json"),
    Green(8, "config_not_beside_two", "two sets in one command: the test_config.json beside them is not read",
          [fixed_case("bad", user_turn("find", [FIND], "I found one copy of it."))], team("agent.team.raises"), "ERROR", "itself is broken", more=[([fixed_case("other", user_turn("find", [FIND], "I found one copy of it."))], team("agent.team.raises"))]),
    Green(9, "criteria_misspelt", "`criteria` misspelt in the config: nothing is judged",
          [GOOD], {"criterias": TRAJECTORY, "raw": True}, "exit 2", "criterias", adk="red"),
    Green(9, "match_type_misspelt", "`match_typ` is ignored: EXACT applies",
          [GOOD], {"tool_trajectory_avg_score": {"threshold": 1.0, "match_typ": "IN_ORDER"}}, "exit 2", "match_typ"),
    Green(9, "expectation_misspelt", "an expectation under an old key is ignored",
          [fixed_case("bad", user_turn("hello", []), expected_tool_use=[{"name": "find"}])], TRAJECTORY, "REJECTED", "expected_tool_use"),
    Green(9, "custom_metric_unused", "a custom metric that no criterion names never runs",
          [GOOD], {"criteria": TRAJECTORY, "custom_metrics": {"strict": {"code_config": {"name": "agent.team.raises"}}}}, "exit 2", "strict"),
    Green(10, "threshold_minus_one", "a threshold of -1 cannot fail",
          [fixed_case("bad", user_turn("find", [("pay", {})]))], {"tool_trajectory_avg_score": -1.0}, "exit 2", "-1"),
    Green(10, "threshold_zero", "a threshold of 0.0 cannot fail",
          [fixed_case("bad", user_turn("find", [("pay", {})]))], {"tool_trajectory_avg_score": 0.0}, "exit 2", "0"),
    Green(11, "selector_blank", "a blank in a selector drops the id behind it",
          [GOOD, fixed_case("bad", user_turn("find", [("pay", {})]))], TRAJECTORY, "FAIL", "pay", selector=":good, bad"),
    Green(11, "selector_typo", "a selector that names no case, beside one that does",
          [GOOD], TRAJECTORY, "exit 2", "godo", selector=":good,godo"),
    Green(11, "empty_set_beside", "an empty set beside a full one vanishes",
          [GOOD], None, "exit 2", "no cases", more=[([], None)], config=TRAJECTORY),
    Green(12, "eval_id_twice", "two cases with one id, the set named by its id: both are graded against the first",
          [GOOD, fixed_case("good", user_turn("find", [("pay", {})]))], TRAJECTORY, "exit 2", "twice", by_id=True),
    Green(13, "final_state", "`final_session_state` is read nowhere",
          [{**GOOD, "final_session_state": {"refund": "done"}}], TRAJECTORY, "FAIL", "refund"),
    Green(14, "pinned_session", "two cases share a pinned session; the second one's state is ignored",
          [_pinned("first", "find", a=1), _pinned("second", "find", b=2)], TRAJECTORY, "REJECTED", "session"),
    Green(15, "turn_limit", "the simulated user is cut off by the turn limit",
          ONE_SIM, {QUALITY: judged(0.5)}, "INCONCLUSIVE", "max_turns", script(user=["find", "thanks", "pay", "thanks"])),
    Green(15, "turn_limit_zero", "a turn limit of 0: nothing is said at all",
          ONE_SIM, {"criteria": {"team_says": 1.0}, "custom_metrics": {"team_says": {"code_config": {"name": "agent.team.fine"}}}, "user_simulator_config": {"model": "bench-user", "max_allowed_invocations": 0}}, "exit 2", "0"),
    Green(15, "looping_simulator", "the simulated user says its opening again and again",
          ONE_SIM, {"hallucinations_v1": judged(0.5)}, "SIMULATOR", "repeated the opening", script(user=["hello", "hello", "hello"])),
    Green(15, "glued_stop", "text glued to the stop signal never reaches the agent",
          ONE_SIM, {"hallucinations_v1": judged(0.5)}, "SIMULATOR", "glued", script(user=["find", "And hold it at north. </finished>"])),
    Green(16, "error_code", "the agent's model answers with an error code",
          [fixed_case("bad", user_turn("error", []))], TRAJECTORY, "ERROR", "SAFETY"),
    Green(16, "empty_answer", "the agent answers nothing at all",
          [fixed_case("bad", user_turn("nothing", []))], TRAJECTORY, "ERROR", "answered nothing"),
    Green(17, "empty_user_text", "a user who says nothing", [fixed_case("bad", user_turn("", []))], TRAJECTORY, "REJECTED", "says nothing"),
    Green(17, "empty_plan", "a simulated user without a plan", [scenario("bad", plan="")], {QUALITY: judged(0.5)}, "REJECTED", "plan"),
    Green(17, "role_model", "a user message with the role of the model",
          [fixed_case("bad", {"user_content": {"role": "model", "parts": [{"text": "find"}]}, "intermediate_data": {"tool_uses": []}})],
          IN_ORDER, "REJECTED", "role"),
    Green(17, "empty_eval_id", "a case without a name", [fixed_case("", user_turn("find", [FIND]))], TRAJECTORY, "REJECTED", "eval_id"),
    Green(17, "averaging", "a threshold below 1.0 hides a wholly wrong turn",
          [fixed_case("bad", *[user_turn("find", [FIND])] * 3, user_turn("pay", [FIND]))], {"tool_trajectory_avg_score": 0.7}, "lint warning", "turn wholly wrong"),
    Green(17, "rouge", "ROUGE at 0.8 passes $400 for $40",
          [fixed_case("bad", user_turn("price", [], AGENT["desk"]["price"][0].replace("400", "40")))], {"response_match_score": 0.8}, "lint warning", "number"),
    Green(18, "expects_no_calls", "\"calls nothing\" under IN_ORDER", [fixed_case("bad", user_turn("pay", []))], IN_ORDER, "FAIL", "pay"),
    Green(18, "not_annotated", "no expected calls at all under ANY_ORDER",
          [fixed_case("bad", user_turn("pay"))], {"tool_trajectory_avg_score": {"threshold": 1.0, "match_type": "ANY_ORDER"}}, "ERROR", "expected"),
    Green(19, "untyped_rubrics", "rubrics without a type on a case are dropped",
          [{**GOOD, "rubrics": [{"rubric_id": "hard", "rubric_content": {"text_property": "The answer is long."}}]}],
          {FINAL: judged(rubrics=POLITE[:1])}, "REJECTED", "type", script(no_on("long"))),
    Green(20, "typed_rubrics_on_turns", "typed rubrics on turns: a no on turn 1 vanishes",
          [fixed_case("two", _typed(user_turn("hello"), "first", "The answer is long."), _typed(user_turn("find"), "second", "The answer is short."))],
          {FINAL: judged()}, "REJECTED", "turn", script(no_on("long"))),
]  # fmt: skip
