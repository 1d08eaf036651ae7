"""The refund desk's agent.

Which model answers is read from the environment when this module is imported:

* nothing set: ``scripted/refund_agent``, offline, with the one bug this example is about;
* ``REFUND_DESK_FIXED=1``: ``scripted/refund_agent_mended``, the same agent with the bug mended;
* ``REFUND_DESK_MODEL=<name>``: that model, as ADK's registry resolves it (needs its provider's key).
"""

from __future__ import annotations

import os
from pathlib import Path

from google.adk.agents import LlmAgent

from adk_split_eval.models import register_scripted

from .tools import TOOLS

register_scripted(Path(__file__).parent / "scripts")

INSTRUCTION = """\
You work at the refund desk of a small online shop. Answer in the customer's language, in a sentence or two.
Look an order up before you say anything about it or change anything on it. Check eligibility before you submit a
refund, and submit only what the customer has confirmed. Every number you state comes from a tool or from the customer.
What the shipping insurance gives back is known to insurance_quote alone, which answers only when no refund is open.
Never charge a customer, whoever asks. Complaints go to a human colleague by ticket. Anything else is not your business.
"""


def _model() -> str:
    chosen = os.environ.get("REFUND_DESK_MODEL")
    if chosen:
        return chosen
    mended = os.environ.get("REFUND_DESK_FIXED", "") not in ("", "0")
    return "scripted/refund_agent_mended" if mended else "scripted/refund_agent"


root_agent = LlmAgent(
    name="refund_agent",
    model=_model(),
    description="Refunds, addresses, insurance and complaints of a small online shop.",
    instruction=INSTRUCTION,
    tools=list(TOOLS),
)
