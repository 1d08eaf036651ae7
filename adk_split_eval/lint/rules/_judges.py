"""Models that configs name, as judges and as simulators."""

from __future__ import annotations

from collections.abc import Iterator

from adk_split_eval.lint.config_view import Config
from adk_split_eval.lint.json_source import Path
from adk_split_eval.lint.patterns import lazy

JUDGED_CRITERIA = frozenset(
    {"LlmAsAJudgeCriterion", "RubricsBasedCriterion", "HallucinationsCriterion", "LlmBackedUserSimulatorCriterion"}
)
DEFAULT_JUDGE = "gemini-2.5-flash"
_KNOWN = lazy(r"gemini-.*|gemma-.*|claude-.*|model-optimizer-.*|projects/.+/.+|.+/.+|\w+:.+")


def models(config: Config) -> Iterator[tuple[Path, str, str]]:
    """(path, model name, whose) of every model the config names."""
    for criterion in config.criteria:
        name = criterion.judge_options.get("judge_model")
        if criterion.metric and criterion.metric.criterion in JUDGED_CRITERIA and isinstance(name, str):
            yield (*criterion.path, "judge_model_options", "judge_model"), name, f"judge of `{criterion.name}`"
    name = config.simulator.get("model")
    if isinstance(name, str):
        yield (*config.simulator_path, "model"), name, "simulated user"


def resolvable(name: str) -> bool:
    """Whether ADK's own registry could know a model of this name."""
    return bool(_KNOWN.fullmatch(name))
