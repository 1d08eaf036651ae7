"""Runs the refund desk's plan through google-adk alone: no room of this project but the scripted model takes part."""

from __future__ import annotations

import asyncio
import importlib.util
import sys
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import yaml

EXAMPLE = Path(__file__).parents[2] / "evalsets" / "refund_desk"


@dataclass
class Talk:
    """One conversation as ADK recorded it."""

    users: list[str]
    answers: list[str]
    calls: list[list[tuple[str, dict[str, Any]]]]
    steps: list[list[int]]
    responses: list[Any]
    state: dict[str, Any]
    invocations: list[Any] = field(default_factory=list)


def load_agent_folder(folder: Path, name: str) -> ModuleType:
    """The agent folder as a package called ``name`` (``agent`` would collide with other folders of this process)."""
    spec = importlib.util.spec_from_file_location(
        name, folder / "__init__.py", submodule_search_locations=[str(folder)]
    )
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def _case(case: dict[str, Any], session: dict[str, Any]) -> Any:
    from google.adk.evaluation.conversation_scenarios import ConversationScenario
    from google.adk.evaluation.eval_case import EvalCase, Invocation, SessionInput
    from google.genai import types

    start = SessionInput(app_name="refund_agent", user_id=session["user_id"], state=dict(session["state"]))
    if "turns" in case:
        turns = [
            Invocation(user_content=types.Content(role="user", parts=[types.Part(text=turn["user"])]))
            for turn in case["turns"]
        ]
        return EvalCase(eval_id=case["case_id"], conversation=turns, session_input=start)
    scenario = ConversationScenario(
        starting_prompt=case["starting_prompt"], conversation_plan=case.get("conversation_plan", case["goal"])
    )
    return EvalCase(eval_id=case["case_id"], conversation_scenario=scenario, session_input=start)


def _talk(result: Any, state: dict[str, Any]) -> Talk:
    assert result.error_message is None, result.error_message
    talk = Talk([], [], [], [], [], state, list(result.inferences))
    for invocation in result.inferences:
        talk.users.append("".join(part.text or "" for part in invocation.user_content.parts))
        final = invocation.final_response
        talk.answers.append("".join(part.text or "" for part in (final.parts if final else None) or []))
        calls: list[tuple[str, dict[str, Any]]] = []
        steps: list[int] = []
        for step, event in enumerate(invocation.intermediate_data.invocation_events):
            for part in event.content.parts if event.content else []:
                if part.function_call:
                    calls.append((part.function_call.name, dict(part.function_call.args or {})))
                    steps.append(step)
                if part.function_response:
                    talk.responses.append(part.function_response.response)
        talk.calls.append(calls)
        talk.steps.append(steps)
    return talk


def converse(root_agent: Any, cases: list[dict[str, Any]], session: dict[str, Any], model: str) -> dict[str, Talk]:
    """Every case's conversation with the agent, inferred by ADK's own evaluation service."""
    from google.adk.evaluation.base_eval_service import InferenceConfig, InferenceRequest
    from google.adk.evaluation.in_memory_eval_sets_manager import InMemoryEvalSetsManager
    from google.adk.evaluation.local_eval_service import LocalEvalService
    from google.adk.evaluation.simulation.llm_backed_user_simulator import LlmBackedUserSimulatorConfig
    from google.adk.evaluation.simulation.user_simulator_provider import UserSimulatorProvider
    from google.adk.sessions.in_memory_session_service import InMemorySessionService

    manager = InMemoryEvalSetsManager()
    manager.create_eval_set("refund_agent", "all")
    for case in cases:
        manager.add_eval_case("refund_agent", "all", _case(case, session))
    sessions = InMemorySessionService()
    service = LocalEvalService(
        root_agent,
        manager,
        session_service=sessions,
        user_simulator_provider=UserSimulatorProvider(
            LlmBackedUserSimulatorConfig(model=model, max_allowed_invocations=8)
        ),
    )
    request = InferenceRequest(app_name="refund_agent", eval_set_id="all", inference_config=InferenceConfig())

    async def everything() -> dict[str, Talk]:
        talks: dict[str, Talk] = {}
        async for result in service.perform_inference(request):
            kept = await sessions.get_session(
                app_name="refund_agent", user_id=session["user_id"], session_id=result.session_id
            )
            talks[result.eval_case_id] = _talk(result, dict(kept.state) if kept else {})
        return talks

    return asyncio.run(everything())


@pytest.fixture(scope="session")
def plan() -> dict[str, Any]:
    return yaml.safe_load((EXAMPLE / "refund_desk.plan.yaml").read_text("utf-8"))


def _everything(plan: dict[str, Any], name: str) -> dict[str, Talk]:
    agent = load_agent_folder(EXAMPLE / "refund_agent", name).agent
    cases = [*plan["fixed_set"]["cases"], *plan["sim_set"]["cases"]]
    return converse(agent.root_agent, cases, plan["session_input"], plan["models"]["simulator"])


@pytest.fixture(scope="session")
def talks(plan: dict[str, Any]) -> dict[str, Talk]:
    """All cases of the plan against the agent as it is."""
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("REFUND_DESK_FIXED", raising=False)
        patch.delenv("REFUND_DESK_MODEL", raising=False)
        return _everything(plan, "refund_agent_as_it_is")


@pytest.fixture(scope="session")
def mended_talks(plan: dict[str, Any]) -> dict[str, Talk]:
    """All cases of the plan against the mended agent."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("REFUND_DESK_FIXED", "1")
        patch.delenv("REFUND_DESK_MODEL", raising=False)
        return _everything(plan, "refund_agent_mended")


@pytest.fixture(scope="session")
def load_refund_agent() -> Any:
    """Import the example's agent module anew, under a name of its own."""
    return lambda name: load_agent_folder(EXAMPLE / "refund_agent", name).agent
