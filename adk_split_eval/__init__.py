"""adk-split-eval: a fixed set that gates and a simulated set that probes, from one plan, for Google ADK agents."""

__version__ = "0.1.0"
