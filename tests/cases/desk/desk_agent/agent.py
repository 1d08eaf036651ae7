"""An invented library desk driven by the files that DESK_SCRIPT, DESK_SIM and DESK_JUDGE name."""

import json
import os
import re
from pathlib import Path

from google.adk.agents import LlmAgent
from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_response import LlmResponse
from google.adk.models.registry import LLMRegistry
from google.adk.tools.agent_tool import AgentTool
from google.genai import types


def _read(variable):
    path = os.environ.get(variable)
    return Path(path).read_text(encoding="utf-8") if path else ""


def _part(step):
    if "call" in step:
        return types.Part(function_call=types.FunctionCall(name=step["call"], args=step.get("args") or {}))
    return types.Part(text=step["text"])


class DeskModel(BaseLlm):
    @classmethod
    def supported_models(cls):
        return [r"fake-agent-.*"]

    async def generate_content_async(self, llm_request, stream=False):
        agent = self.model.removeprefix("fake-agent-")
        contents = llm_request.contents
        asked = max(
            i
            for i, c in enumerate(contents)
            if c.role == "user"
            and any(p.text for p in c.parts or [])
            and not any((p.text or "").startswith("For context") for p in c.parts)
        )
        user = "".join(p.text or "" for p in contents[asked].parts)
        rules = json.loads(_read("DESK_SCRIPT")).get(agent, {})
        steps = rules.get(user, rules.get("*"))
        if steps is None:
            raise LookupError(f"{agent}: nothing is scripted for {user!r}")
        done = sum(1 for c in contents[asked + 1 :] if c.role == "model")
        step = steps[min(done, len(steps) - 1)]
        parts = [_part(s) for s in step] if isinstance(step, list) else [_part(step)]
        yield LlmResponse(content=types.Content(role="model", parts=parts))


class SimulatorModel(BaseLlm):
    @classmethod
    def supported_models(cls):
        return ["fake-sim"]

    async def generate_content_async(self, llm_request, stream=False):
        replies = json.loads(_read("DESK_SIM"))
        prompt = llm_request.contents[0].parts[0].text
        index = max(len(re.findall(r"(?m)^user: ", prompt)) - 1, 0)
        text = replies[min(index, len(replies) - 1)]
        yield LlmResponse(content=types.Content(role="model", parts=[types.Part(text=text)]))


class JudgeModel(BaseLlm):
    @classmethod
    def supported_models(cls):
        return ["fake-judge"]

    async def generate_content_async(self, llm_request, stream=False):
        yield LlmResponse(content=types.Content(role="model", parts=[types.Part(text=_read("DESK_JUDGE"))]))


for model in (DeskModel, SimulatorModel, JudgeModel):
    LLMRegistry.register(model)


def find_title(title: str) -> dict:
    return {"item_id": "B-17"}


def place_hold(item_id: str, branch: str) -> dict:
    return {"hold": "H-1"}


def cancel_hold(hold_id: str) -> dict:
    return {"cancelled": True}


def opening_hours(branch: str) -> dict:
    return {"open": "9-17"}


def set_branch(branch: str) -> dict:
    return {"saved": branch}


TOOLS = [find_title, place_hold, opening_hours, set_branch]
fees_agent = LlmAgent(name="fees_agent", model="fake-agent-fees_agent", tools=[opening_hours])
catalog_agent = LlmAgent(name="catalog_agent", model="fake-agent-catalog_agent", tools=[find_title])
root_agent = LlmAgent(
    name="desk_agent",
    model="fake-agent-desk_agent",
    instruction="You are the desk of a library.",
    tools=[*TOOLS, cancel_hold, AgentTool(agent=catalog_agent)],
    sub_agents=[fees_agent],
)
