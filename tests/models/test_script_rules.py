"""Rules over a conversation: every condition and every kind of answer, through ADK's registry and request."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from adk_split_eval.models import NoRuleMatches, ScriptedFault
from adk_split_eval.models.values import FillError

Script = Callable[[str], Callable[..., Any]]


def _when(script: Script, condition: str) -> Callable[..., Any]:
    """A script that says yes where the condition holds and no where it does not."""
    return script(
        f"rules:\n  - when: {condition}\n    say: yes it holds\n  - when: {{last: any}}\n    say: it does not\n"
    )


def _holds(answer: str) -> bool:
    return answer == "yes it holds"


@pytest.mark.parametrize(
    ("condition", "conversation", "holds"),
    [
        ("{user: refund}", ["I want a REFUND"], True),
        ("{user: refund}", ["a refund", {"agent": "ok"}, "bye"], False),
        ("{user: [refund, now]}", ["a refund now"], True),
        ("{user: [refund, now]}", ["a refund"], False),
        ("{user: '退款'}", ["我要退款"], True),
        ("{user_before: refund}", ["a refund", {"agent": "ok"}, "bye"], True),
        ("{user_before: refund}", ["a refund"], False),
        ("{user_any: refund}", ["a refund"], True),
        ("{opening: refund}", ["a refund", {"agent": "ok"}, "bye"], True),
        ("{said: confirm}", ["hi", {"agent": "please confirm"}, "yes"], True),
        ("{said: confirm}", ["hi", {"agent": "please confirm"}, "yes", {"agent": "done"}, "bye"], False),
        ("{said_any: confirm}", ["hi", {"agent": "please confirm"}, "yes", {"agent": "done"}, "bye"], True),
        ("{turn: 2}", ["a", {"agent": "b"}, "c"], True),
        ("{turn: 2}", ["a"], False),
        ("{turn: '2..'}", ["a", {"agent": "b"}, "c", {"agent": "d"}, "e"], True),
        ("{turn: '1..2'}", ["a", {"agent": "b"}, "c", {"agent": "d"}, "e"], False),
        ("{after_tool: look}", ["a", {"call": "look"}, {"result": "look", "ok": 1}], True),
        ("{after_tool: look}", ["a", {"call": "look"}, {"result": "look", "ok": 1}, {"agent": "b"}, "c"], False),
        ("{user: a}", ["a", {"call": "look"}, {"result": "look", "ok": 1}], False),
        ("{user: a, last: any}", ["a", {"call": "look"}, {"result": "look", "ok": 1}], True),
        ("{last: tool}", ["a", {"call": "look"}, {"result": "look", "ok": 1}], True),
        ("{after_tool: look, result: {ok: 1}}", ["a", {"call": "look"}, {"result": "look", "ok": 1}], True),
        ("{after_tool: look, result: {ok: 1}}", ["a", {"call": "look"}, {"result": "look", "ok": 1.0}], True),
        ("{after_tool: look, result: {ok: 1}}", ["a", {"call": "look"}, {"result": "look", "ok": True}], False),
        ("{after_tool: look, result: {ok: true}}", ["a", {"call": "look"}, {"result": "look", "ok": 1}], False),
        ("{after_tool: look, result: {ok: true}}", ["a", {"call": "look"}, {"result": "look", "ok": True}], True),
        ("{after_tool: look, result: {a.1.b: x}}", ["a", {"result": "look", "a": [0, {"b": "x"}]}], True),
        ("{after_tool: look, result: {a.2.b: x}}", ["a", {"result": "look", "a": [0, {"b": "x"}]}], False),
        ("{after_tool: look, result: {n: {gt: 2, lt: 4}}}", ["a", {"result": "look", "n": 3}], True),
        ("{after_tool: look, result: {n: {gt: 2, lt: 4}}}", ["a", {"result": "look", "n": 4}], False),
        ("{after_tool: look, result: {n: {gt: 2}}}", ["a", {"result": "look", "n": "3"}], False),
        ("{after_tool: look, result: {n: {exists: false}}}", ["a", {"result": "look", "m": 4}], True),
        ("{after_tool: look, result: {n: {equals: [1]}}}", ["a", {"result": "look", "n": [1]}], True),
        ("{called: look}", ["a", {"call": "look"}, {"result": "look"}, {"agent": "b"}, "c"], True),
        ("{called: [look, buy]}", ["a", {"call": "look"}, {"result": "look"}, {"agent": "b"}, "c"], False),
        ("{not_called: buy}", ["a", {"call": "look"}, {"result": "look"}, {"agent": "b"}, "c"], True),
        ("{not_called: [buy, look]}", ["a", {"call": "look"}, {"result": "look"}, {"agent": "b"}, "c"], False),
        (
            "{called: {name: look, args: {id: A1}, result: {ok: 1}}}",
            ["a", {"call": "look", "id": "A1"}, {"result": "look", "ok": 1}, {"agent": "b"}, "c"],
            True,
        ),
        (
            "{called: {name: look, args: {id: A2}}}",
            ["a", {"call": "look", "id": "A1"}, {"result": "look", "ok": 1}, {"agent": "b"}, "c"],
            False,
        ),
        (
            "{called: {name: look, this_turn: true}}",
            ["a", {"call": "look"}, {"result": "look"}, {"agent": "b"}, "c"],
            False,
        ),
        ("{not: {user: refund}}", ["hello"], True),
        ("{not: {user: refund}}", ["a refund"], False),
        ("{not: {user: refund, turn: 2}}", ["a refund"], True),
        ("{any: [{user: refund}, {turn: 1}]}", ["hello"], True),
        ("{any: [{user: refund}, {turn: 2}]}", ["hello"], False),
        ("{prompt: 'one[^x]*three'}", ["one", {"agent": "two"}, "three"], True),
        ("{who: agent}", ["hello"], True),
        ("{who: [judge, simulator]}", ["hello"], False),
        ("{chance: 1}", ["hello"], False),
    ],
)
def test_conditions(script: Script, condition: str, conversation: list[Any], holds: bool) -> None:
    assert _holds(_when(script, condition)(*conversation)) is holds


def test_parallel_results_are_all_there(script: Script) -> None:
    from google.adk.models.llm_request import LlmRequest
    from google.genai import types

    from adk_split_eval.models.request import view_of

    both = types.Content(
        role="user",
        parts=[
            types.Part(function_response=types.FunctionResponse(name=name, response={"n": number}))
            for number, name in enumerate(["look", "price"])
        ],
    )
    asked = LlmRequest(contents=[types.Content(role="user", parts=[types.Part(text="hi")]), both])
    view = view_of("scripted/x", asked)
    assert [(use.name, use.result) for use in view.returned] == [("look", {"n": 0}), ("price", {"n": 1})]


def test_system_instruction_tells_agents_apart(script: Script) -> None:
    answer = script(
        "rules:\n  - when: {system: You are the greeter}\n    say: hello\n  - when: {system: closer}\n    say: bye\n"
    )
    assert answer("hi", system="You are the greeter.") == "hello"
    assert answer("hi", system="You are the closer.") == "bye"


def test_captures_fill_answers_and_keep_types(script: Script) -> None:
    answer = script(
        r"""
rules:
  - when: {user: '(?P<id>[a-z]\d+) (?P<count>\d+)'}
    call: {name: buy, args: {id: '{id:upper}', count: '{count:number}', note: 'x{count}', nested: [{n: '{count:number}'}]}}
"""
    )
    expected = [("buy", {"id": "A1", "count": 2, "note": "x2", "nested": [{"n": 2}]})]
    assert answer("a1 2") == expected


def test_remember_takes_the_latest_and_forgets_nothing(script: Script) -> None:
    answer = script(
        r"""
remember:
  id: {user_any: '[A-Z]\d+'}
  price: {tool: look, path: offer.price}
  asked: {tool: look, args: id}
rules:
  - when: {known: [id, price], unknown: [nothing]}
    say: '{id} costs {price}, asked for {asked}'
  - when: {unknown: id}
    say: which one?
"""
    )
    assert answer("hello") == "which one?"
    history = ["A1", {"call": "look", "id": "A1"}, {"result": "look", "offer": {"price": 128.0}}, {"agent": "ok"}]
    assert answer(*history, "and B2?") == "B2 costs 128, asked for A1"


def test_braces_and_objects(script: Script) -> None:
    answer = script("remember:\n  all: {tool: look}\nrules:\n  - when: {known: all}\n    say: '{{x}} {all.a.b}'\n")
    assert answer("hi", {"call": "look"}, {"result": "look", "a": {"b": 3}}, {"agent": "-"}, "go") == "{x} 3"


def test_a_path_that_leads_nowhere_is_an_error(script: Script) -> None:
    answer = script("remember:\n  all: {tool: look}\nrules:\n  - when: {known: all}\n    say: '{all.missing}'\n")
    with pytest.raises(FillError, match=r"rule 'rule 1' .*nothing was captured for \{all.missing\}"):
        answer("hi", {"call": "look"}, {"result": "look", "a": 1}, {"agent": "-"}, "go")


def test_a_number_that_is_none_is_an_error(script: Script) -> None:
    with pytest.raises(FillError, match="'soon' is no number"):
        script("rules:\n  - say: 'x {user:number}'\n")("soon")


def test_parallel_calls_and_words_beside_them(script: Script) -> None:
    answer = script("rules:\n  - say: one moment\n    call: [look, {name: price, args: {sku: A1}}]\n")
    assert answer("hi") == [("look", {}), ("price", {"sku": "A1"})]


def test_thoughts_are_not_words(script: Script) -> None:
    assert script("rules:\n  - {thought: hm, say: hello}\n")("hi") == "hello"


def test_no_rule_is_an_error_that_names_the_nearest(script: Script) -> None:
    answer = script(
        "rules:\n  - {name: far, when: {turn: 9}, say: x}\n"
        "  - name: near\n    when: {user: refund, turn: 2}\n    say: x\n"
    )
    with pytest.raises(NoRuleMatches) as problem:
        answer("a refund please")
    text = str(problem.value)
    assert "scripted/under_test: no rule of" in text
    assert "user said 'a refund please'" in text
    assert "nearest is rule 'near'" in text
    assert "under_test.yaml:3)" in text
    assert "whose 'turn' does not hold" in text


def test_no_rule_after_a_tool_names_its_result(script: Script) -> None:
    with pytest.raises(NoRuleMatches, match=r"tool returned look: \{'ok': 1\}"):
        script("rules:\n  - {when: {user: a}, say: x}\n")("a", {"call": "look"}, {"result": "look", "ok": 1})


def test_raise_plants_an_exception(script: Script) -> None:
    with pytest.raises(ScriptedFault, match="the line is down"):
        script("rules:\n  - raise: the line is down\n")("hi")


def test_error_and_empty_are_answers(script: Script) -> None:
    assert script("rules:\n  - empty: true\n")("hi") == ""
    assert script("rules:\n  - error: {code: SAFETY, message: blocked}\n")("hi") == ""


def test_choose_follows_the_seed(script: Script) -> None:
    answer = script("rules:\n  - choose: [a, b, c]\n")
    assert answer("hi") == "a"
    seen = {seed: answer("hi", seed=seed) for seed in range(30)}
    assert set(seen.values()) == {"a", "b", "c"}
    assert all(answer("hi", seed=seed) == said for seed, said in seen.items())


def test_chance_follows_the_seed(script: Script) -> None:
    answer = script("rules:\n  - {when: {chance: 0.3}, say: odd}\n  - say: usual\n")
    share = sum(answer("hi", seed=seed) == "odd" for seed in range(200)) / 200
    assert 0.15 < share < 0.45
    assert answer("hi") == "usual"


def test_seed_from_the_environment(script: Script, monkeypatch: pytest.MonkeyPatch) -> None:
    answer = script("rules:\n  - {when: {chance: 1}, say: seeded}\n  - say: not\n")
    assert answer("hi") == "not"
    monkeypatch.setenv("ADK_SPLIT_EVAL_SEED", "7")
    assert answer("hi") == "seeded"


def test_extends_puts_own_rules_first(script: Script, tmp_path: Any) -> None:
    (tmp_path / "base.yaml").write_text(
        "remember: {id: {user_any: '[A-Z]1'}}\nrules:\n  - {when: {user: A1}, say: base}\n  - {say: other}\n"
    )
    answer = script("extends: base.yaml\nrules:\n  - {when: {user: B1}, say: 'own {turn}'}\n")
    assert (answer("B1"), answer("A1"), answer("x")) == ("own 1", "base", "other")
