"""The refund desk: an ADK agent folder (``adk web``, ``adk eval`` and ``adk-split-eval run`` all load it)."""

from . import agent

__all__ = ["agent"]
