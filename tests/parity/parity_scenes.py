"""What the parity suite runs: scenes (sets, criteria, what the models say) and the written list of differences.

A difference that is not on the list fails the suite, and so does an entry of the list that no longer occurs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from google.adk.models.llm_response import LlmResponse
from proof_bench import fixed_case, judged, rubrics, scenario, user_turn
from proof_models import Script, saying, voting


@dataclass
class Scene:
    """One set with one config, run at both places."""

    name: str
    cases: list[dict[str, Any]]
    criteria: dict[str, Any]
    script: Script = field(default_factory=lambda: script())
    evaluator: bool = False


FIND, HOLD = ("find", {"item": "a"}), ("hold", {"item": "a", "branch": "north"})
DESK: dict[str, list[Any]] = {
    "hello": ["What can I do for you?"],
    "find": [[FIND], "I found one copy of it."],
    "both": [[FIND], [HOLD], "I found one copy and hold it at north."],
    "parallel": [[FIND, HOLD], "I found one copy and hold it at north."],
    "twice": [[FIND], [FIND], "I looked twice."],
    "number": [[("pay", {"amount": 1})], "Paid."],
    "nested": [[("find", {"item": "a", "filter": {"regex": "^a", "any": [1, {"b": None}]}})], "Found by filter."],
    "ask": [[FIND], "Let me see.", [HOLD], "Done."],
    "said": ["One moment please, I look it up.", "It costs 40 euros."],
    "speak": [["Let me look.", FIND], "It is here. It costs 40 euros."],
    "silent": [[FIND], ""],
    "nothing": [""],
    "raise": [RuntimeError("the shelf fell down")],
    "error": [LlmResponse(error_code="SAFETY", error_message="blocked")],
    "price": ["It costs 400 euros, and that is all I can say about the price of it."],
    "chinese": ["一共三本书，都在北馆。"],
    "expert": [[("transfer_to_agent", {"agent_name": "expert"})]],
    "clerk": [[("clerk", {"request": "look it up"})], "The clerk found it."],
    "bye": ["Goodbye then."],
    "thanks": ["You are welcome."],
}
EXPERT = {"expert": [[("pay", {"amount": 2})], "The fee is paid."]}
CLERK = {"look it up": [[FIND], "It is here."]}


def script(judge: Callable[[Any, int], Any] | None = None, user: list[Any] | None = None) -> Script:
    agents = {"desk": DESK, "expert": EXPERT, "clerk": CLERK}
    return Script(agent=agents, user=user or ["find", "thanks", "</finished>"], judge=judge or saying(True))


def _one(name: str, user: str, expect: list[Any] | None) -> dict[str, Any]:
    return fixed_case(name, user_turn(user, expect))


def _events(user: str, calls: list[Any]) -> dict[str, Any]:
    parts = [{"function_call": {"name": n, "args": a}} for n, a in calls]
    turn = user_turn(user)
    turn["intermediate_data"] = {
        "invocation_events": [{"author": "desk", "content": {"role": "model", "parts": [p]}} for p in parts]
    }
    return turn


EXTRA = ("find", {"item": "a", "filter": {"regex": "^a", "any": [1, {"b": None}]}})
TRAJECTORY_CASES = [
    _one("same", "both", [FIND, HOLD]),
    _one("reordered", "both", [HOLD, FIND]),
    _one("too_few_expected", "both", [FIND]),
    _one("last_only_expected", "both", [HOLD]),
    _one("too_many_expected", "find", [FIND, HOLD]),
    _one("other_argument", "find", [("find", {"item": "b"})]),
    _one("fewer_arguments_expected", "both", [FIND, ("hold", {"item": "a"})]),
    _one("more_arguments_expected", "find", [("find", {"item": "a", "colour": "red"})]),
    _one("no_arguments_expected", "find", [("find", {})]),
    _one("other_tool", "find", [("search", {"item": "a"})]),
    _one("same_twice", "twice", [FIND, FIND]),
    _one("expected_once", "twice", [FIND]),
    _one("expected_twice", "find", [FIND, FIND]),
    _one("whole_number_as_float", "number", [("pay", {"amount": 1.0})]),
    _one("number_as_text", "number", [("pay", {"amount": "1"})]),
    _one("number_as_truth", "number", [("pay", {"amount": True})]),
    _one("looks_like_a_matcher", "nested", [EXTRA]),
    _one("looks_like_a_matcher_and_differs", "find", [("find", {"item": {"regex": "^a"}})]),
    _one("parallel_same_order", "parallel", [FIND, HOLD]),
    _one("parallel_reordered", "parallel", [HOLD, FIND]),
    _one("calls_nothing_and_does", "find", []),
    _one("calls_nothing", "hello", []),
    _one("not_annotated", "find", None),
    _one("not_annotated_calls_nothing", "hello", None),
    fixed_case("recorded_events", _events("both", [FIND, HOLD])),
    fixed_case("recorded_events_reordered", _events("both", [HOLD, FIND])),
    fixed_case("two_turns_half_right", user_turn("find", [FIND]), user_turn("both", [FIND])),
    fixed_case("two_turns_one_annotated", user_turn("find", [FIND]), user_turn("hello")),
    _one("transfer", "expert", [("transfer_to_agent", {"agent_name": "expert"}), ("pay", {"amount": 2})]),
    _one("agent_as_tool", "clerk", [("clerk", {"request": "look it up"})]),
    _one("inner_call_expected", "clerk", [("clerk", {"request": "look it up"}), FIND]),
]


def _trajectory(name: str, threshold: float = 1.0, **options: Any) -> Scene:
    criterion: Any = {"threshold": threshold, **options} if options else threshold
    return Scene(name, TRAJECTORY_CASES, {"tool_trajectory_avg_score": criterion}, evaluator=not options)


RESPONSES = [
    fixed_case("same", user_turn("said", [], "One moment please, I look it up.")),
    fixed_case("other", user_turn("said", [], "No idea at all, sorry about that.")),
    fixed_case("one_letter_case", user_turn("said", [], "ONE MOMENT please: I look it up")),
    fixed_case("tenfold_price", user_turn("price", [], DESK["price"][0].replace("400", "40"))),
    fixed_case("no_reference", user_turn("said", [])),
    fixed_case("reference_on_last", user_turn("hello"), user_turn("said", [], "One moment please, I look it up.")),
    fixed_case("two_turns", user_turn("hello", [], "What can I do?"), user_turn("thanks", [], "You are welcome.")),
    fixed_case("chinese_same", user_turn("chinese", [], DESK["chinese"][0])),
    fixed_case("spoken_on_the_way", user_turn("speak", [FIND], "It is here. It costs 40 euros.")),
]
TALKS = [
    fixed_case("one", user_turn("speak", [FIND], "It is here.")),
    fixed_case("two", user_turn("hello", [], "How can I help?"), user_turn("both", [FIND, HOLD], "Held.")),
    scenario("simulated"),
]
FINAL, TOOLS, WHOLE = (
    "rubric_based_final_response_quality_v1",
    "rubric_based_tool_use_quality_v1",
    "rubric_based_multi_turn_trajectory_quality_v1",
)
TYPES = {FINAL: "FINAL_RESPONSE_QUALITY", TOOLS: "TOOL_USE_QUALITY", WHOLE: "TRAJECTORY_QUALITY"}
MATCH, HALLUCINATIONS, QUALITY = "final_response_match_v2", "hallucinations_v1", "per_turn_user_simulator_quality_v1"


def _only(pattern: str, good: bool = False) -> Callable[[Any, int], Any]:
    """A judge that decides otherwise where the prompt's last part holds ``pattern``."""
    yes, no = saying(True), saying(False)

    def judge(request: Any, times: int) -> Any:
        text = "".join(p.text or "" for c in request.contents for p in c.parts or [])
        hit = pattern in text[-400:]
        return (yes if hit == good else no)(request, times)

    return judge


def _rubric_scenes() -> list[Scene]:
    scenes: list[Scene] = []
    own = rubrics("The answer is polite.", "The answer is short.")
    for metric, kind in TYPES.items():
        short = {FINAL: "rubrics_final", TOOLS: "rubrics_tools", WHOLE: "rubrics_whole"}[metric]
        with_own = {metric: judged(rubrics=own)}
        scenes += [
            Scene(f"{short}_yes", TALKS, with_own, evaluator=True),
            Scene(f"{short}_no", TALKS, with_own, script(saying(False))),
            Scene(f"{short}_half", TALKS, {metric: judged(0.5, rubrics=own)}, script(_by_rubric("short"))),
            Scene(f"{short}_half_strict", TALKS, with_own, script(_by_rubric("short"))),
            Scene(
                f"{short}_on_the_case",
                [{**case, "rubrics": rubrics("The answer is polite.", kind=kind)} for case in TALKS],
                {metric: judged()},
                script(saying(False)),
            ),
        ]
    return scenes


def _by_rubric(word: str) -> Callable[[Any, int], Any]:
    """A judge that says no to the rubric with this word and yes to the others."""
    import re

    from adk_split_eval.models.judge import Exemption, JudgeAnswer
    from adk_split_eval.models.request import view_of

    def judge(request: Any, times: int) -> str:
        return JudgeAnswer(True, "because", [Exemption(False, re.compile(word))]).text(view_of("bench-judge", request))

    return judge


def _voting_scenes() -> list[Scene]:
    criteria: dict[str, Any] = {
        MATCH: judged(samples=3),
        HALLUCINATIONS: judged(samples=3),
        FINAL: judged(samples=3, rubrics=rubrics("The answer is polite.")),
        TOOLS: judged(samples=3, rubrics=rubrics("Tools are used well.")),
        WHOLE: judged(samples=3, rubrics=rubrics("The whole is good.")),
        QUALITY: judged(samples=3),
    }
    scenes: list[Scene] = []
    for pattern in ("yyn", "yny", "ynn", "nyn", "nny"):
        for metric, options in criteria.items():
            cases = TALKS[2:] if metric == QUALITY else TALKS[:2]
            scenes.append(Scene(f"votes_{pattern}_{metric}", cases, {metric: options}, script(voting(pattern))))
    even = {FINAL: judged(samples=2, rubrics=rubrics("The answer is polite.")), MATCH: judged(samples=2)}
    scenes += [Scene(f"tie_{m}", TALKS[:2], {m: options}, script(voting("yn"))) for m, options in even.items()]
    scenes.append(
        Scene("stop_and_last_turn_disagree", TALKS[2:], {QUALITY: judged(samples=3)}, script(_stop_against_last()))
    )
    return scenes


def _stop_against_last() -> Callable[[Any, int], Any]:
    """Vote 1 doubts the stop signal, vote 2 the last turn, vote 3 nothing: each has its majority."""
    yes, no = saying(True), saying(False)

    def judge(request: Any, times: int) -> Any:
        said = request.contents[0].parts[0].text.rstrip().rpartition("\n")[2]
        ill = {"</finished>": 0, "thanks": 1}.get(said)
        return (no if times == ill else yes)(request, times)

    return judge


def _down_on(turn: int) -> Callable[[Any, int], Any]:
    yes = saying(True)
    return lambda request, times: RuntimeError("judge is down") if times == turn else yes(request, times)


def _simulated_scenes() -> list[Scene]:
    quality = {QUALITY: judged(0.8)}
    return [
        Scene("simulator_well", [scenario("s")], quality),
        Scene("simulator_off_plan", [scenario("s")], quality, script(_only("thanks")), evaluator=True),
        Scene("simulator_glues", [scenario("s")], quality, script(user=["find", "And 3 more. </finished>"])),
        Scene("simulator_says_nothing", [scenario("s")], quality, script(user=["find", ""])),
        Scene("simulator_raises", [scenario("s")], quality, script(user=["find", RuntimeError("no quota")])),
        Scene("simulator_never_starts", [scenario("s")], quality, script(user=["</finished>"])),
        Scene("simulator_stops_wrongly", [scenario("s")], quality, script(_only("</finished>"))),
        Scene("simulator_at_the_limit", [scenario("s")], quality, script(user=["find", "thanks"] * 3)),
        Scene(
            "simulator_at_the_limit_stop_doubted",
            [scenario("s")],
            quality,
            script(_only("</finished>"), user=["find", "thanks", "find", "thanks", "bye"]),
        ),
        Scene(
            "mixed_set",
            [*TALKS],
            {"tool_trajectory_avg_score": {"threshold": 1.0, "match_type": "IN_ORDER"}, QUALITY: judged()},
            evaluator=True,
        ),
    ]


SCENES: list[Scene] = [
    _trajectory("trajectory_plain_number"),
    _trajectory("trajectory_exact", match_type="EXACT"),
    _trajectory("trajectory_in_order", match_type="IN_ORDER"),
    _trajectory("trajectory_any_order", match_type="ANY_ORDER"),
    _trajectory("trajectory_names_only", match_type="EXACT", ignore_args=True),
    _trajectory("trajectory_half_is_enough", 0.5, match_type="EXACT"),
    Scene("response_match", RESPONSES, {"response_match_score": 0.8}, evaluator=True),
    Scene("response_match_all", RESPONSES, {"response_match_score": 1.0}),
    Scene("judge_matches", RESPONSES, {MATCH: judged()}, evaluator=True),
    Scene("judge_does_not_match", RESPONSES, {MATCH: judged(0.5)}, script(_only("One moment", good=True))),
    Scene("hallucinations_none", TALKS, {HALLUCINATIONS: judged()}),
    Scene("hallucinations_all", TALKS, {HALLUCINATIONS: judged()}, script(saying(False))),
    Scene("hallucinations_some", TALKS, {HALLUCINATIONS: judged(0.5)}, script(_by_rubric("euros"))),
    Scene(
        "hallucinations_on_the_way",
        TALKS,
        {HALLUCINATIONS: judged(0.5, evaluate_intermediate_nl_responses=True)},
        script(_by_rubric("euros")),
    ),
    Scene(
        "hallucinations_with_a_turn_without_words",
        [fixed_case("half", user_turn("silent", [FIND]), user_turn("find", [FIND]))],
        {HALLUCINATIONS: judged(samples=3)},
    ),
    *_rubric_scenes(),
    *_voting_scenes(),
    *_simulated_scenes(),
]

SCENES += [
    Scene(
        "agent_in_trouble",
        [
            fixed_case("raises", user_turn("raise", [], "Well.")),
            fixed_case("raises_later", user_turn("hello", [], "What?"), user_turn("raise", [], "Well.")),
            fixed_case("error_code", user_turn("error", [], "Well.")),
            fixed_case("says_nothing", user_turn("nothing", [], "Well.")),
            fixed_case("no_final_response", user_turn("silent", [FIND], "Well.")),
        ],
        {"tool_trajectory_avg_score": 1.0, "response_match_score": 0.5},
    ),
    Scene("judge_down", TALKS[:2], {MATCH: judged()}, script(lambda request, times: RuntimeError("judge is down"))),
    Scene("judge_garbled", TALKS[:2], {MATCH: judged()}, script(saying(True, "garbled"))),
    Scene("judge_half_down", TALKS[1:2], {MATCH: judged(samples=3)}, script(_down_on(1))),
    Scene("unknown_metric", TALKS[:1], {"response_mach_score": 0.8}),
    Scene("only_numbers", TALKS[:1], {"tool_call_count_v1": 3.0}),
    Scene(
        "unknown_metric_beside_another",
        TALKS[:1],
        {"response_mach_score": 0.8, "response_match_score": 0.1},
        evaluator=True,
    ),
    Scene("score_with_a_limit", TALKS[:1], {"response_match_score": 0.1, "token_usage_v1": 9.0}),
]

NUMBERS = ("tool_call_count_v1", "inference_call_count_v1", "token_usage_v1")
"""Efficiency metrics whose numbers must be the same at both places (durations cannot)."""


REASONS: dict[str, str] = {
    "parallel": "The calls of one model answer run side by side, so their order says nothing. ADK compares them as a "
    "sequence and fails the other order under EXACT and IN_ORDER; here they are a set. Not so in a set generated from a "
    "plan, whose author could have written one step: there ADK's criterion judges as it does under `adk eval`.",
    "truth": "`true` is not `1` in JSON. ADK compares with Python's `==`, for which they are the same.",
    "not_annotated": 'A turn without `intermediate_data` says nothing about calls. ADK reads it as "calls nothing": red '
    "under EXACT when the agent calls a tool, green under IN_ORDER and ANY_ORDER whatever it calls. Here it is an ERROR: "
    "declared and not judged.",
    "calls_nothing": "`tool_uses: []` says that the agent calls nothing. Under IN_ORDER and ANY_ORDER ADK can never fail it; "
    "here any call does.",
    "no_reference": "A response criterion over a turn without a reference has nothing to compare with. ADK takes an empty "
    "text as the reference: ROUGE is 0.0, a judge may be content with anything. Here it is an ERROR.",
    "simulator": "The criterion judges the simulated user, not the agent. A bad score is the verdict SIMULATOR, which "
    "sends nobody to look for a fault in the agent and changes no exit code.",
    "limit": "The simulated user was cut off at `max_allowed_invocations` with its goal open: INCONCLUSIVE, not a pass.",
    "limit_stop": "At the turn limit ADK asks its judge about a stop signal that was never sent, and a doubt spoils the "
    "last turn. Here that answer is ignored; the conversation is INCONCLUSIVE.",
    "swallowed": "What the simulated user wrote beside its stop signal never reached the agent; ADK drops it silently.",
    "mute": "A simulator that answers nothing, or whose model fails, makes ADK fail the case as if the agent were at fault.",
    "mixed": "One config for both halves: the criteria of the other half are NOT_EVALUATED in ADK and the case passes on "
    "the rest. Here such a case is REJECTED before it runs, with the mend.",
    "agent_error": "The agent broke (exception, error code, no answer at all). ADK calls the case failed without a metric, "
    "or judges the empty answer. Here it is an ERROR with the cause in the result, unless what was said and done before "
    "already breaks an invariant (forbidden tools, grounded numbers).",
    "one_sample": "ADK asks the judge of `hallucinations_v1` once, whatever `num_samples` says. Here every vote asked for "
    "is taken.",
    "partial_judge": "The judge failed on one of three samples. ADK drops the turn; here the two votes that were given "
    "decide, and a note says so. Where they cannot decide it is an ERROR.",
    "not_run": "A metric that could not run is NOT_EVALUATED and ADK passes the case on the rest. Here it is an ERROR (all "
    "of these are on the page about silent greens).",
    "limit_on_number": "ADK refuses a threshold on an efficiency metric at run time: the metric is NOT_EVALUATED and the "
    "case passes on the rest. Here such a config is refused before anything runs (exit 2).",
}


@dataclass(frozen=True)
class Difference:
    """Where our verdict, status or score is another than ADK's: scenes (a pattern), case, why."""

    scenes: str
    case: str
    reason: str


DIFFERENCES: tuple[Difference, ...] = (
    Difference("trajectory_[!n]*", "number_as_truth", "truth"),
    Difference("trajectory_[!a]*", "parallel_reordered", "parallel"),
    Difference("trajectory_*", "not_annotated", "not_annotated"),
    Difference("trajectory_*", "not_annotated_calls_nothing", "not_annotated"),
    Difference("trajectory_*", "two_turns_one_annotated", "not_annotated"),
    Difference("trajectory_in_order", "calls_nothing_and_does", "calls_nothing"),
    Difference("trajectory_any_order", "calls_nothing_and_does", "calls_nothing"),
    Difference("response_match*", "no_reference", "no_reference"),
    Difference("response_match*", "reference_on_last", "no_reference"),
    Difference("judge_*match", "no_reference", "no_reference"),
    Difference("judge_matches", "no_reference", "no_reference"),
    Difference("judge_*match*", "reference_on_last", "no_reference"),
    Difference("votes_ynn_hallucinations_v1", "*", "one_sample"),
    Difference("votes_???_per_turn_user_simulator_quality_v1", "simulated", "simulator"),
    Difference("simulator_off_plan", "s", "simulator"),
    Difference("simulator_stops_wrongly", "s", "simulator"),
    Difference("simulator_glues", "s", "swallowed"),
    Difference("simulator_says_nothing", "s", "mute"),
    Difference("simulator_raises", "s", "mute"),
    Difference("simulator_at_the_limit", "s", "limit"),
    Difference("simulator_at_the_limit_stop_doubted", "s", "limit_stop"),
    Difference("mixed_set", "*", "mixed"),
    Difference("agent_in_trouble", "raises", "agent_error"),
    Difference("agent_in_trouble", "raises_later", "agent_error"),
    Difference("agent_in_trouble", "error_code", "agent_error"),
    Difference("agent_in_trouble", "says_nothing", "agent_error"),
    Difference("judge_half_down", "two", "partial_judge"),
    Difference("score_with_a_limit", "one", "limit_on_number"),
    Difference("only_numbers", "one", "limit_on_number"),
    Difference("unknown_metric_beside_another", "one", "not_run"),
)

EVALUATOR_NOTE = (
    "`AgentEvaluator` (pytest) averages the rows of the turns in place of the metric's overall score and is red for a "
    "metric that was not evaluated. Of the scenes run there too, these are not the same at all three places:"
)
EVALUATOR_DIFFERENCES: set[tuple[str, str]] = {
    ("mixed_set", "one"),
    ("mixed_set", "two"),
    ("mixed_set", "simulated"),
    ("unknown_metric_beside_another", "one"),
}
"""Scene and case where ADK's own two front doors disagree."""
