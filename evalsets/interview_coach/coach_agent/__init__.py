"""An ADK agent folder: a coach that leads a practice interview through five stages."""

from . import agent

__all__ = ["agent"]
