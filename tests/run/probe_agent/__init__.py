"""The agent of the engine's tests; a test copies this folder."""

from . import agent  # noqa: F401
