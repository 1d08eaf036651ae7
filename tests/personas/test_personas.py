"""The shipped personas: complete, harmless, and what ADK itself accepts."""

from __future__ import annotations

import json
from typing import Any

import pytest

from adk_split_eval.personas import HOME, adk_persona, get, load_personas, persona_ids
from adk_split_eval.plan.models import Persona

IDS = [
    "answers_fully",
    "answers_in_part",
    "asks_for_clarification",
    "changes_mind",
    "complaining",
    "does_not_know",
    "drifts_off_topic",
    "embeds_instructions",
    "ends_early",
    "hurried",
    "mistypes_identifiers",
]
STOP_SIGNAL = "</finished>"


def texts(persona: dict[str, Any]) -> list[str]:
    return [persona["description"], *(t for b in persona["behaviors"] for t in _behaviour_texts(b))]


def _behaviour_texts(behaviour: dict[str, Any]) -> list[str]:
    return [
        behaviour["name"],
        behaviour["description"],
        *behaviour["behavior_instructions"],
        *behaviour["violation_rubrics"],
    ]


def test_all_of_them() -> None:
    assert list(persona_ids()) == IDS == list(load_personas())
    assert get("nobody") is None
    with pytest.raises(KeyError):
        adk_persona("nobody")


def test_callers_cannot_change_them() -> None:
    load_personas()["hurried"]["behaviors"].clear()
    first = get("hurried")
    assert first and first["behaviors"]
    first.clear()
    assert get("hurried")


@pytest.mark.parametrize("name", IDS)
def test_shape(name: str) -> None:
    persona = load_personas()[name]
    assert list(persona) == ["id", "description", "exposes", "behaviors"]
    assert persona["id"] == name and persona["exposes"].endswith(".")
    Persona.model_validate(persona)
    for behaviour in persona["behaviors"]:
        assert behaviour["behavior_instructions"] and behaviour["violation_rubrics"]
    assert not any(mark in text for text in texts(persona) for mark in ("{{", "{%", "{#", "\n"))


@pytest.mark.parametrize("name", IDS)
def test_each_knows_how_to_stop(name: str) -> None:
    """ADK's prompt for a simulator with a persona names the stop signal only where the persona does."""
    instructions = [
        line for behaviour in load_personas()[name]["behaviors"] for line in behaviour["behavior_instructions"]
    ]
    assert any(STOP_SIGNAL in line for line in instructions)


@pytest.mark.parametrize("name", IDS)
def test_rubrics_are_about_the_user_alone(name: str) -> None:
    """Each names the user's own message first, and none asks whether the agent was right."""
    for behaviour in load_personas()[name]["behaviors"]:
        for rubric in behaviour["violation_rubrics"]:
            assert rubric.startswith("The Generated User Response ")
            lowered = rubric.lower()
            for word in (
                "correct answer",
                "wrong answer",
                "the agent fails",
                "the agent failed",
                "agent is right",
                "agent's mistake",
            ):
                assert word not in lowered


def test_files_are_tidy() -> None:
    for file in HOME.glob("*.json"):
        text = file.read_text("utf-8")
        assert text == json.dumps(json.loads(text), ensure_ascii=False, indent=2) + "\n"
        assert json.loads(text)["id"] == file.stem


@pytest.mark.adk
def test_adk_accepts_and_renders_them() -> None:
    personas = pytest.importorskip("google.adk.evaluation.simulation.user_simulator_personas")
    prompts = pytest.importorskip("google.adk.evaluation.simulation.llm_backed_user_simulator_prompts")
    quality = pytest.importorskip("google.adk.evaluation.simulation.per_turn_user_simulator_quality_prompts")
    simulator = pytest.importorskip("google.adk.evaluation.simulation.llm_backed_user_simulator")
    assert simulator._STOP_SIGNAL == STOP_SIGNAL
    for name in IDS:
        plain = adk_persona(name)
        assert "exposes" not in plain
        persona = personas.UserPersona.model_validate(plain)
        assert persona.model_dump() == plain
        prompt = prompts.get_llm_backed_user_simulator_prompt("PLAN", "HISTORY", STOP_SIGNAL, user_persona=persona)
        judged = quality.get_per_turn_user_simulator_quality_prompt("PLAN", "HISTORY", "HELLO", STOP_SIGNAL, persona)
        for behaviour in plain["behaviors"]:
            assert all(line in prompt for line in behaviour["behavior_instructions"])
            assert all(rubric in judged for rubric in behaviour["violation_rubrics"])
