"""The agents of the proving bench: a desk with tools, a colleague it hands over to, and an agent it uses as a tool."""

import proof_models as models
from google.adk.agents import LlmAgent
from google.adk.models.registry import LLMRegistry
from google.adk.tools.agent_tool import AgentTool

models.register(LLMRegistry)


def find(item: str = "", **extra: object) -> dict:
    """Find an item."""
    return models.tool_answer("find", {"item": item, **extra})


def hold(item: str = "", branch: str = "") -> dict:
    """Hold an item at a branch."""
    return models.tool_answer("hold", {"item": item, "branch": branch})


def pay(amount: float = 0) -> dict:
    """Pay."""
    return models.tool_answer("pay", {"amount": amount})


expert = LlmAgent(name="expert", model="bench-agent/expert", description="Knows fees.", tools=[pay])
clerk = LlmAgent(name="clerk", model="bench-agent/clerk", description="Looks things up.", tools=[find])
root_agent = LlmAgent(
    name="desk",
    model="bench-agent/desk",
    description="The desk.",
    instruction="You serve at a desk.",
    tools=[find, hold, pay, AgentTool(agent=clerk)],
    sub_agents=[expert],
)
