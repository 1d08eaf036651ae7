"""Names: every criterion there is, which set may use it, and why. ADK's own, version by version, as data."""

from adk_split_eval.criteria.catalogue import (
    CATALOGUE,
    CriterionInfo,
    function_path,
    get,
    rubric_type,
    simulated_defaults,
)

__all__ = ["CATALOGUE", "CriterionInfo", "function_path", "get", "rubric_type", "simulated_defaults"]
