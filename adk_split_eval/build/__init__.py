"""From a plan to ADK's eval sets and configs, grouped so that no criterion governs a case it cannot judge."""

from adk_split_eval.build.compiling import compile_plan
from adk_split_eval.build.writing import BuildReport, outputs, write_sets

__all__ = ["BuildReport", "compile_plan", "outputs", "write_sets"]
