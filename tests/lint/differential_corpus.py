"""Generated sets and configs: metric by kind of case, match types, and mistakes, one at a time.

What google-adk makes of each is found out in ``differential_worlds.py``.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

Json = dict[str, Any]
JUDGE = {"judge_model": "difftest/judge", "num_samples": 1}
SIMULATOR = {"type": "llm_backed", "model": "difftest/sim", "max_allowed_invocations": 4}
RUBRIC_TYPES = {
    "rubric_based_final_response_quality_v1": "FINAL_RESPONSE_QUALITY",
    "rubric_based_tool_use_quality_v1": "TOOL_USE_QUALITY",
    "rubric_based_multi_turn_trajectory_quality_v1": "TRAJECTORY_QUALITY",
}
JUDGED = ("final_response_match_v2", "hallucinations_v1", "per_turn_user_simulator_quality_v1", *RUBRIC_TYPES)
CLOUD = (
    "response_evaluation_score",
    "safety_v1",
    "multi_turn_task_success_v1",
    "multi_turn_trajectory_quality_v1",
    "multi_turn_tool_use_quality_v1",
)
EFFICIENCY = ("tool_call_count_v1", "inference_call_count_v1", "token_usage_v1", "invocation_duration_v1")
TEXTS = (
    "The reply is one sentence.",
    "The reply is polite.",
    "The reply gives a hold number.\nA hold number starts with H.",
    "The reply names the branch.",
)


@dataclass(frozen=True)
class Combination:
    """One set with one config; ``group`` names what is special about it."""

    name: str
    group: str
    eval_set: Any
    config: Any
    set_text: str | None = None
    config_text: str | None = None

    def texts(self) -> tuple[str, str]:
        set_text = (
            self.set_text if self.set_text is not None else json.dumps(self.eval_set, ensure_ascii=False, indent=2)
        )
        config_text = (
            self.config_text if self.config_text is not None else json.dumps(self.config, ensure_ascii=False, indent=2)
        )
        return set_text, config_text


def text(words: str, role: str = "user") -> Json:
    return {"role": role, "parts": [{"text": words}]}


def turn(user: str, calls: Any = "none", reply: str | None = "Held.") -> Json:
    made: Json = {"invocation_id": "", "user_content": text(user)}
    if reply is not None:
        made["final_response"] = text(reply, "model")
    if calls != "none":
        made["intermediate_data"] = calls
    return made


CALL = {"name": "find_title", "args": {"title": "Dune"}}
USES = {"tool_uses": [CALL], "intermediate_responses": []}
EVENTS = {"invocation_events": [{"author": "desk", "content": {"role": "model", "parts": [{"function_call": CALL}]}}]}
SCENARIO = {"starting_prompt": "Hold Dune.", "conversation_plan": "Ask for Dune, then stop."}


def fixed(turns: list[Json], eval_id: str = "case_a") -> Json:
    return {
        "eval_id": eval_id,
        "conversation": turns,
        "session_input": {"app_name": "desk", "user_id": "u", "state": {}},
    }


def simulated(**extra: Any) -> Json:
    return {"eval_id": "case_s", "conversation_scenario": {**SCENARIO, **extra}}


def camel_case(value: Any) -> Any:
    """Keys of models in camelCase, as ADK also reads them inside cases."""
    if isinstance(value, list):
        return [camel_case(v) for v in value]
    if not isinstance(value, dict):
        return value

    def spell(key: str) -> str:
        head, *rest = key.split("_")
        return head + "".join(p.capitalize() for p in rest)

    return {spell(k): v if k in ("args", "state") else camel_case(v) for k, v in value.items()}


KINDS: dict[str, list[Json]] = {
    "fixed, one turn": [fixed([turn("Hold Dune.", USES)])],
    "fixed, two turns": [fixed([turn("Hold Dune.", USES), turn("Hold it again.", USES)])],
    "fixed, recorded events": [fixed([turn("Hold Dune.", EVENTS)])],
    "fixed, calls nothing": [fixed([turn("Just browsing.", {"tool_uses": []})])],
    "fixed, not annotated": [fixed([turn("Just browsing.")])],
    "fixed, no reference": [fixed([turn("Hold Dune.", USES, None)])],
    "fixed, camelCase": [camel_case(fixed([turn("Hold Dune.", USES)]))],
    "simulated": [simulated()],
    "simulated, persona": [simulated(user_persona="NOVICE")],
    "mixed": [fixed([turn("Hold Dune.", USES)]), simulated()],
}


def rubric(index: int = 0, kind: str | None = None, rubric_id: str | None = None) -> Json:
    made: Json = {"rubric_id": rubric_id or f"r{index}", "rubric_content": {"text_property": TEXTS[index]}}
    if kind:
        made["type"] = kind
    return made


def criterion(metric: str) -> Any:
    """A sound criterion for a metric."""
    if metric in RUBRIC_TYPES:
        return {"threshold": 0.8, "judge_model_options": JUDGE, "rubrics": [rubric()]}
    if metric in JUDGED:
        return {"threshold": 0.8, "judge_model_options": JUDGE}
    if metric == "response_evaluation_score":
        return 3.0
    return 0.8 if metric != "tool_trajectory_avg_score" else 1.0


def config(metric: str, value: Any, companion: bool = False) -> Json:
    made: Json = {"criteria": {metric: value}, "user_simulator_config": dict(SIMULATOR)}
    if metric == "follows":
        made["custom_metrics"] = {"follows": {"code_config": {"name": "difftest_metrics.follows"}}}
    if companion:
        made["criteria"]["always_ok"] = 1.0
        made.setdefault("custom_metrics", {})["always_ok"] = {"code_config": {"name": "difftest_metrics.always_ok"}}
    return made


def eval_set(cases: list[Json], **extra: Any) -> Json:
    return {"eval_set_id": "difftest_set", "eval_cases": copy.deepcopy(cases), **extra}


METRICS = ("tool_trajectory_avg_score", "response_match_score", *JUDGED, *CLOUD, *EFFICIENCY, "follows")


def combinations() -> list[Combination]:
    """All of them, each with a name of its own."""
    return [*_metric_by_kind(), *_match_types(), *_config_mistakes(), *_set_mistakes(), *_text_mistakes()]


def _metric_by_kind() -> Iterator[Combination]:
    for metric in METRICS:
        for kind, cases in KINDS.items():
            for companion in (False, True):
                name = f"{metric} / {kind}{' / beside a passing metric' if companion else ''}"
                yield Combination(
                    name, "metric by case kind", eval_set(cases), config(metric, criterion(metric), companion)
                )


def _match_types() -> Iterator[Combination]:
    for match_type in (
        "EXACT",
        "IN_ORDER",
        "ANY_ORDER",
        "exact",
        "in-order",
        "Any Order",
        1,
        "SUPERSET",
        "1",
        None,
        True,
    ):
        for kind in (
            "fixed, one turn",
            "fixed, two turns",
            "fixed, calls nothing",
            "fixed, not annotated",
            "simulated",
        ):
            value = {"threshold": 1.0, "match_type": match_type}
            yield Combination(
                f"match_type {match_type!r} / {kind}",
                "match types",
                eval_set(KINDS[kind]),
                config("tool_trajectory_avg_score", value, True),
            )


Mutation = Callable[[Json], None]


def _mutated(base: Json, change: Mutation) -> Json:
    made = copy.deepcopy(base)
    change(made)
    return made


def _config_mistakes() -> Iterator[Combination]:
    sets = {"fixed": eval_set(KINDS["fixed, one turn"]), "simulated": eval_set(KINDS["simulated"])}
    trajectory = config("tool_trajectory_avg_score", {"threshold": 1.0}, True)
    judged = config("hallucinations_v1", criterion("hallucinations_v1"), True)
    match = config("final_response_match_v2", criterion("final_response_match_v2"), True)
    rubrics = config(
        "rubric_based_final_response_quality_v1", criterion("rubric_based_final_response_quality_v1"), True
    )
    # fmt: off
    changes: dict[str, tuple[Json, Mutation]] = {
        "misspelt metric": (trajectory, lambda c: c["criteria"].update(tool_trajectory_score=1.0)),
        "invented metric": (trajectory, lambda c: c["criteria"].update(zzz_quality=1.0)),
        "custom metric not in criteria": (
            trajectory,
            lambda c: c["custom_metrics"].update(extra={"code_config": {"name": "difftest_metrics.follows"}}),
        ),
        "custom metric named like a built-in": (
            trajectory,
            lambda c: c["custom_metrics"].update(
                tool_trajectory_avg_score={"code_config": {"name": "difftest_metrics.always_ok"}}
            ),
        ),
        "custom module missing": (
            trajectory,
            lambda c: c["custom_metrics"]["always_ok"]["code_config"].update(name="difftest_nowhere.ok"),
        ),
        "custom function missing": (
            trajectory,
            lambda c: c["custom_metrics"]["always_ok"]["code_config"].update(name="difftest_metrics.nope"),
        ),
        "custom not a function": (
            trajectory,
            lambda c: c["custom_metrics"]["always_ok"]["code_config"].update(name="difftest_metrics.NOT_A_FUNCTION"),
        ),
        "custom without a dot": (
            trajectory,
            lambda c: c["custom_metrics"]["always_ok"]["code_config"].update(name="follows"),
        ),
        "custom wrong arity": (
            trajectory,
            lambda c: c["custom_metrics"]["always_ok"]["code_config"].update(name="difftest_metrics.two_arguments"),
        ),
        "custom reads threshold": (
            trajectory,
            lambda c: c["custom_metrics"]["always_ok"]["code_config"].update(name="difftest_metrics.reads_threshold"),
        ),
        "code_config with a module key": (
            trajectory,
            lambda c: c["custom_metrics"]["always_ok"]["code_config"].update(module="difftest_metrics"),
        ),
        "flat metric_info": (
            trajectory,
            lambda c: c["custom_metrics"]["always_ok"].update(metric_info={"minValue": 0.0, "maxValue": 1.0}),
        ),
        "criteria misspelt": (trajectory, lambda c: c.update(criterias=c.pop("criteria"))),
        "criteria empty": (trajectory, lambda c: c.update(criteria={}, custom_metrics={})),
        "criteria a list": (trajectory, lambda c: c.update(criteria=["tool_trajectory_avg_score"])),
        "criteria null": (trajectory, lambda c: c.update(criteria=None)),
        "metrics instead of criteria": (trajectory, lambda c: c.update(metrics=[c.pop("criteria")])),
        "unknown key at the top": (trajectory, lambda c: c.update(num_runs=3)),
        "max_turns at the top": (trajectory, lambda c: c.update(max_turns=3)),
        "remark at the top": (trajectory, lambda c: c.update(_comment="ours", description="desk")),
        "unknown key in a criterion": (
            trajectory,
            lambda c: c["criteria"]["tool_trajectory_avg_score"].update(match_typ="IN_ORDER"),
        ),
        "ignore_args": (trajectory, lambda c: c["criteria"]["tool_trajectory_avg_score"].update(ignore_args=True)),
        "ignore_args no boolean": (
            trajectory,
            lambda c: c["criteria"]["tool_trajectory_avg_score"].update(ignore_args="perhaps"),
        ),
        "unknown key in the simulator": (trajectory, lambda c: c["user_simulator_config"].update(max_turns=3)),
        "judge option too high": (match, lambda c: c["criteria"]["final_response_match_v2"].update(num_samples=3)),
        "unknown judge option": (
            match,
            lambda c: c["criteria"]["final_response_match_v2"]["judge_model_options"].update(temperature=0),
        ),
        "judge config with unknown key": (
            match,
            lambda c: c["criteria"]["final_response_match_v2"]["judge_model_options"].update(
                judge_model_config={"temprature": 0}
            ),
        ),
        "judge config": (
            match,
            lambda c: c["criteria"]["final_response_match_v2"]["judge_model_options"].update(
                judge_model_config={"temperature": 0}
            ),
        ),
        "no samples": (
            match,
            lambda c: c["criteria"]["final_response_match_v2"]["judge_model_options"].update(num_samples=0),
        ),
        "samples no number": (
            match,
            lambda c: c["criteria"]["final_response_match_v2"]["judge_model_options"].update(num_samples="many"),
        ),
        "three samples": (
            match,
            lambda c: c["criteria"]["final_response_match_v2"]["judge_model_options"].update(num_samples=3),
        ),
        "unknown judge": (
            match,
            lambda c: c["criteria"]["final_response_match_v2"]["judge_model_options"].update(judge_model="gpt4"),
        ),
        "default judge, bare number": (match, lambda c: c["criteria"].update(final_response_match_v2=0.8)),
        "default judge, object": (match, lambda c: c["criteria"].update(final_response_match_v2={"threshold": 0.8})),
        "criterion without threshold": (match, lambda c: c["criteria"]["final_response_match_v2"].pop("threshold")),
        "criterion null": (match, lambda c: c["criteria"].update(final_response_match_v2=None)),
        "criterion a word": (match, lambda c: c["criteria"].update(final_response_match_v2="high")),
        "camelCase criterion": (
            match,
            lambda c: c["criteria"].update(
                final_response_match_v2={
                    "threshold": 0.8,
                    "judgeModelOptions": {"judgeModel": "difftest/judge", "numSamples": 1},
                }
            ),
        ),
        "camelCase config": (
            match,
            lambda c: c.update(
                customMetrics=c.pop("custom_metrics"), userSimulatorConfig=c.pop("user_simulator_config")
            ),
        ),
        "threshold zero": (trajectory, lambda c: c["criteria"].update(tool_trajectory_avg_score=0.0)),
        "threshold negative": (trajectory, lambda c: c["criteria"].update(tool_trajectory_avg_score=-1)),
        "threshold above": (trajectory, lambda c: c["criteria"].update(tool_trajectory_avg_score=2.0)),
        "threshold false": (trajectory, lambda c: c["criteria"].update(tool_trajectory_avg_score=False)),
        "threshold true": (trajectory, lambda c: c["criteria"].update(tool_trajectory_avg_score=True)),
        "threshold as text": (trajectory, lambda c: c["criteria"].update(tool_trajectory_avg_score="1.0")),
        "rubrics missing": (rubrics, lambda c: c["criteria"]["rubric_based_final_response_quality_v1"].pop("rubrics")),
        "rubric for rubrics": (
            rubrics,
            lambda c: c["criteria"]["rubric_based_final_response_quality_v1"].update(
                rubric=c["criteria"]["rubric_based_final_response_quality_v1"].pop("rubrics")
            ),
        ),
        "rubrics empty": (
            rubrics,
            lambda c: c["criteria"]["rubric_based_final_response_quality_v1"].update(rubrics=[]),
        ),
        "rubric without content": (
            rubrics,
            lambda c: c["criteria"]["rubric_based_final_response_quality_v1"]["rubrics"][0].pop("rubric_content"),
        ),
        "rubric as text": (
            rubrics,
            lambda c: c["criteria"]["rubric_based_final_response_quality_v1"].update(
                rubrics=["The reply is one sentence."]
            ),
        ),
        "rubric id twice": (
            rubrics,
            lambda c: c["criteria"]["rubric_based_final_response_quality_v1"].update(
                rubrics=[rubric(0), rubric(1, rubric_id="r0")]
            ),
        ),
        "rubric text twice": (
            rubrics,
            lambda c: c["criteria"]["rubric_based_final_response_quality_v1"].update(
                rubrics=[rubric(0), rubric(0, rubric_id="other")]
            ),
        ),
        "rubric of two lines": (
            rubrics,
            lambda c: c["criteria"]["rubric_based_final_response_quality_v1"].update(rubrics=[rubric(0), rubric(2)]),
        ),
        "two rubrics": (
            rubrics,
            lambda c: c["criteria"]["rubric_based_final_response_quality_v1"].update(rubrics=[rubric(0), rubric(1)]),
        ),
        "rubric with unknown key": (
            rubrics,
            lambda c: c["criteria"]["rubric_based_final_response_quality_v1"]["rubrics"][0].update(weight=2),
        ),
        "hallucinations option": (
            judged,
            lambda c: c["criteria"]["hallucinations_v1"].update(evaluate_intermediate_nl_responses=True),
        ),
    }
    for name, (base, change) in changes.items():
        yield Combination(f"{name} / fixed", "config mistakes", sets["fixed"], _mutated(base, change))
        if base in (judged, rubrics):
            yield Combination(f"{name} / simulated", "config mistakes", sets["simulated"], _mutated(base, change))
    for name, change in _simulator_mistakes().items():
        yield Combination(f"{name} / simulated", "simulator mistakes", sets["simulated"], _mutated(judged, change))


def _simulator_mistakes() -> dict[str, Mutation]:
    good = "{{ stop_signal }} {{ conversation_plan }} {{ conversation_history }}"
    return {
        "turn limit zero": lambda c: c["user_simulator_config"].update(max_allowed_invocations=0),
        "turn limit as text": lambda c: c["user_simulator_config"].update(max_allowed_invocations="four"),
        "unlimited turns": lambda c: c["user_simulator_config"].update(max_allowed_invocations=-1),
        "instructions": lambda c: c["user_simulator_config"].update(custom_instructions=good),
        "instructions without placeholders": lambda c: c["user_simulator_config"].update(
            custom_instructions="You are a customer."
        ),
        "unknown simulator type": lambda c: c["user_simulator_config"].update(type="human"),
        "simulator without type": lambda c: c["user_simulator_config"].pop("type"),
        "unknown simulator": lambda c: c["user_simulator_config"].update(model="gpt4"),
        "simulator config unknown key": lambda c: c["user_simulator_config"].update(
            model_configuration={"temprature": 1}
        ),
        "simulator config": lambda c: c["user_simulator_config"].update(model_configuration={"temperature": 1}),
        "function calls shown": lambda c: c["user_simulator_config"].update(include_function_calls=True),
    }


def _set_mistakes() -> Iterator[Combination]:
    final = config("final_response_match_v2", criterion("final_response_match_v2"), True)
    quality = config(
        "rubric_based_final_response_quality_v1", criterion("rubric_based_final_response_quality_v1"), True
    )
    bare = config("rubric_based_final_response_quality_v1", {"threshold": 0.8, "judge_model_options": JUDGE}, True)
    kind = "FINAL_RESPONSE_QUALITY"
    one, two, sim = KINDS["fixed, one turn"], KINDS["fixed, two turns"], KINDS["simulated"]
    # fmt: off
    changes: dict[str, tuple[list[Json], Json, Mutation]] = {
        "unknown key in the set": (one, final, lambda s: s.update(eval_sets=1)),
        "remark in the set": (one, final, lambda s: s.update(_comment="ours", notes="x")),
        "top-level camelCase": (
            one,
            final,
            lambda s: (s.update(evalSetId=s.pop("eval_set_id")), s.update(evalCases=s.pop("eval_cases"))),
        ),
        "no set id": (one, final, lambda s: s.pop("eval_set_id")),
        "no cases key": (one, final, lambda s: s.pop("eval_cases")),
        "old key on a case": (one, final, lambda s: s["eval_cases"][0].update(expected_tool_use=[])),
        "old key on a turn": (one, final, lambda s: s["eval_cases"][0]["conversation"][0].update(expected_tool_use=[])),
        "reference on a case": (one, final, lambda s: s["eval_cases"][0].update(reference="Held.")),
        "remark on a case": (one, final, lambda s: s["eval_cases"][0].update(description="holds a book")),
        "no eval_id": (one, final, lambda s: s["eval_cases"][0].pop("eval_id")),
        "eval_id a number": (one, final, lambda s: s["eval_cases"][0].update(eval_id=3)),
        "eval_id twice": (one, final, lambda s: s["eval_cases"].append(copy.deepcopy(s["eval_cases"][0]))),
        "no user_content": (one, final, lambda s: s["eval_cases"][0]["conversation"][0].pop("user_content")),
        "user_content as text": (
            one,
            final,
            lambda s: s["eval_cases"][0]["conversation"][0].update(user_content="Hold Dune."),
        ),
        "tool use without args": (
            one,
            final,
            lambda s: s["eval_cases"][0]["conversation"][0]["intermediate_data"]["tool_uses"][0].pop("args"),
        ),
        "tool use with old keys": (
            one,
            final,
            lambda s: s["eval_cases"][0]["conversation"][0]["intermediate_data"].update(
                tool_uses=[{"tool_name": "find_title", "tool_input": {}}]
            ),
        ),
        "args a list": (
            one,
            final,
            lambda s: s["eval_cases"][0]["conversation"][0]["intermediate_data"]["tool_uses"][0].update(args=["Dune"]),
        ),
        "intermediate response as text": (
            one,
            final,
            lambda s: s["eval_cases"][0]["conversation"][0]["intermediate_data"].update(
                intermediate_responses=["wait"]
            ),
        ),
        "intermediate response": (
            one,
            final,
            lambda s: s["eval_cases"][0]["conversation"][0]["intermediate_data"].update(
                intermediate_responses=[["desk", [{"text": "wait"}]]]
            ),
        ),
        "both conversations": (one, final, lambda s: s["eval_cases"][0].update(conversation_scenario=SCENARIO)),
        "no conversation": (one, final, lambda s: s["eval_cases"][0].pop("conversation")),
        "no turns": (one, final, lambda s: s["eval_cases"][0].update(conversation=[])),
        "session without app_name": (one, final, lambda s: s["eval_cases"][0]["session_input"].pop("app_name")),
        "session with unknown key": (one, final, lambda s: s["eval_cases"][0]["session_input"].update(stat={})),
        "conversation an object": (one, final, lambda s: s["eval_cases"][0].update(conversation={"turns": []})),
        "scenario without plan": (
            sim,
            quality,
            lambda s: s["eval_cases"][0]["conversation_scenario"].pop("conversation_plan"),
        ),
        "scenario with unknown key": (
            sim,
            quality,
            lambda s: s["eval_cases"][0]["conversation_scenario"].update(name="x"),
        ),
        "unknown persona": (
            sim,
            quality,
            lambda s: s["eval_cases"][0]["conversation_scenario"].update(user_persona="HURRIED"),
        ),
        "expectation on a simulated case": (
            sim,
            quality,
            lambda s: s["eval_cases"][0].update(expected_tool_use=[{"tool_name": "x"}]),
        ),
        "case rubric typed": (one, bare, lambda s: s["eval_cases"][0].update(rubrics=[rubric(0, kind)])),
        "case rubric untyped": (one, quality, lambda s: s["eval_cases"][0].update(rubrics=[rubric(3)])),
        "case rubric untyped, alone": (one, bare, lambda s: s["eval_cases"][0].update(rubrics=[rubric(0)])),
        "case rubric of another type": (
            one,
            quality,
            lambda s: s["eval_cases"][0].update(rubrics=[rubric(3, "TOOL_USE_QUALITY")]),
        ),
        "case rubric of no type": (one, quality, lambda s: s["eval_cases"][0].update(rubrics=[rubric(3, "QUALITY")])),
        "case rubric id as in the criterion": (
            one,
            quality,
            lambda s: s["eval_cases"][0].update(rubrics=[rubric(3, kind, "r0")]),
        ),
        "case rubric beside the criterion's": (
            one,
            quality,
            lambda s: s["eval_cases"][0].update(rubrics=[rubric(3, kind, "own")]),
        ),
        "case rubric id twice": (
            one,
            bare,
            lambda s: s["eval_cases"][0].update(rubrics=[rubric(0, kind), rubric(1, kind, "r0")]),
        ),
        "turn rubric, one turn": (
            one,
            bare,
            lambda s: s["eval_cases"][0]["conversation"][0].update(rubrics=[rubric(0, kind)]),
        ),
        "turn rubric, first of two": (
            two,
            bare,
            lambda s: s["eval_cases"][0]["conversation"][0].update(rubrics=[rubric(0, kind)]),
        ),
        "turn rubrics on both": (
            two,
            bare,
            lambda s: [t.update(rubrics=[rubric(i, kind)]) for i, t in enumerate(s["eval_cases"][0]["conversation"])],
        ),
        "typed case rubric, simulated": (sim, bare, lambda s: s["eval_cases"][0].update(rubrics=[rubric(0, kind)])),
        "references on the last turn only": (
            two,
            final,
            lambda s: s["eval_cases"][0]["conversation"][0].pop("final_response"),
        ),
        "no case at all": (one, final, lambda s: s.update(eval_cases=[])),
    }
    for name, (cases, settings, change) in changes.items():
        yield Combination(name, "set mistakes", _mutated(eval_set(cases), change), settings)
    rouge = config("response_match_score", 0.8, True)
    yield Combination(
        "ROUGE, reference on the last turn only",
        "set mistakes",
        _mutated(eval_set(two), lambda s: s["eval_cases"][0]["conversation"][0].pop("final_response")),
        rouge,
    )
    for position, shape in enumerate(
        (
            [{"name": "a", "data": [{"query": "Hold Dune.", "reference": "Held."}]}],
            [{"query": "Hi", "reference": "Hello"}],
        )
    ):
        if position == 1:
            yield Combination("oldest list format", "set mistakes", shape, final)


def _text_mistakes() -> Iterator[Combination]:
    settings = config("final_response_match_v2", criterion("final_response_match_v2"), True)
    whole = json.dumps(eval_set(KINDS["fixed, one turn"]), indent=2)
    texts = {
        "byte order mark": "\ufeff" + whole,
        "trailing comma": whole.replace('"difftest_set",', '"difftest_set",,', 1),
        "comment": "// the desk\n" + whole,
        "single quotes": whole.replace('"', "'"),
        "truncated": whole[: len(whole) // 2],
        "CRLF": whole.replace("\n", "\r\n"),
        "empty": "",
        "two values": whole + whole,
        "Python literal": whole.replace('"difftest_set"', "None", 1),
    }
    for name, written in texts.items():
        yield Combination(name, "text mistakes", None, settings, set_text=written)
    good = json.dumps(settings)
    for name, written in {
        "config comment": "# ours\n" + good,
        "config byte order mark": "\ufeff" + good,
        "config NaN": good.replace("0.8", "NaN"),
    }.items():
        yield Combination(name, "text mistakes", eval_set(KINDS["fixed, one turn"]), None, config_text=written)
