"""An ADK eval config as the rules see it: its criteria one by one, each with what this ADK version makes of it."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, cast

from adk_split_eval.criteria.knowledge import Knowledge, Metric
from adk_split_eval.lint.documents import Document
from adk_split_eval.lint.json_source import Path, camel
from adk_split_eval.lint.schema import Explainer, Problem, split_type

Json = dict[str, Any]
_OURS = "adk_split_eval.metrics."
_TEAM = _OURS + "team."


@dataclass(eq=False, repr=False)
class CriterionView:
    """One entry of ``criteria``.

    Attributes:
        raw: as written: a number or an object.
        options: the object with snake_case names of ADK's fields (empty for a bare number).
        metric: the built-in metric, None when it is custom or unknown.
        function: dotted path when declared under ``custom_metrics``.
        problems: what ADK finds only when it creates the metric; it then leaves the criterion NOT_EVALUATED.
        ours: a criterion of this package, under its own function path.
    """

    name: str
    path: Path
    raw: Any
    options: Json
    metric: Metric | None
    function: str | None
    problems: list[Problem] = field(default_factory=list[Problem])
    ours: bool = False

    @property
    def threshold(self) -> float | None:
        """The threshold as ADK coerces it; None when there is none."""
        value: Any = self.options.get("threshold") if isinstance(self.raw, dict) else self.raw
        return as_number(value)

    @property
    def threshold_path(self) -> Path:
        return (*self.path, "threshold") if isinstance(self.raw, dict) else self.path

    @property
    def match_type(self) -> str:
        value = self.options.get("match_type")
        return value if isinstance(value, str) else "EXACT"

    @property
    def judge_options(self) -> Json:
        value = self.options.get("judge_model_options")
        return cast("Json", value) if isinstance(value, dict) else {}

    @property
    def rubrics(self) -> list[Json]:
        value = self.options.get("rubrics")
        return (
            [cast("Json", r) for r in cast("list[Any]", value) if isinstance(r, dict)]
            if isinstance(value, list)
            else []
        )


@dataclass(eq=False, repr=False)
class Config:
    """One config; ``document`` is None for ADK's defaults."""

    document: Document | None
    data: Json
    criteria: list[CriterionView]
    custom: dict[str, Json]
    simulator: Json
    problems: list[Problem]
    simulator_path: Path = ("user_simulator_config",)

    @property
    def loads(self) -> bool:
        return not any(p.what != "unknown" or p.extra == "forbid" for p in self.problems)

    @property
    def is_default(self) -> bool:
        return self.document is None

    @property
    def max_turns(self) -> int | None:
        value = as_number(self.simulator.get("max_allowed_invocations"))
        return int(value) if value is not None and math.isfinite(value) else None


def as_number(value: Any) -> float | None:
    """A number as pydantic coerces it (true is 1.0, ``"0.8"`` is 0.8); None for anything else."""
    if isinstance(value, bool | int | float):
        try:
            return float(value)
        except OverflowError:
            return math.inf if value > 0 else -math.inf
    if isinstance(value, str) and len(value) < 400:
        try:
            return float(value.strip())
        except ValueError:
            return None
    return None


def open_config(document: Document, knowledge: Knowledge) -> Config:
    """Reads a document of kind ``config``; remembered on the document."""
    known = document.cache.get("config")
    if known is None:
        known = document.cache["config"] = config_of(document, document.data, knowledge)
    return known


def default_config(knowledge: Knowledge) -> Config:
    """What ADK uses when it finds no config."""
    return config_of(None, {"criteria": dict(knowledge.default_criteria)}, knowledge)


def config_of(document: Document | None, raw: Any, knowledge: Knowledge) -> Config:
    """The config that ``raw`` is; its places are looked up in ``document``."""
    if not isinstance(raw, dict):
        return Config(document, {}, [], {}, {}, [Problem("type", (), "EvalConfig", expected="an object", value=raw)])
    explainer = Explainer(knowledge)
    data = cast("Json", explainer.model("EvalConfig", raw, ()))
    custom_value = data.get("custom_metrics")
    custom: dict[str, Json] = {}
    if isinstance(custom_value, dict):
        custom = {k: cast("Json", v) for k, v in cast("Json", custom_value).items() if isinstance(v, dict)}
    criteria_value = data.get("criteria")
    criteria: list[CriterionView] = []
    if isinstance(criteria_value, dict):
        criteria = [_criterion(k, v, custom, knowledge) for k, v in cast("Json", criteria_value).items()]
    simulator = data.get("user_simulator_config")
    path: Path = ("userSimulatorConfig",) if "userSimulatorConfig" in raw else ("user_simulator_config",)
    return Config(
        document,
        data,
        criteria,
        custom,
        cast("Json", simulator) if isinstance(simulator, dict) else {},
        explainer.problems,
        path,
    )


def _criterion(name: str, raw: Any, custom: dict[str, Json], knowledge: Knowledge) -> CriterionView:
    path: Path = ("criteria", name)
    function = _function(custom.get(name))
    metric = knowledge.metrics.get(name) if function is None else None
    options = _options(raw, metric, knowledge)
    view = CriterionView(
        name,
        path,
        raw,
        options,
        metric,
        function,
        ours=bool(function and function.startswith(_OURS) and not function.startswith(_TEAM)),
    )
    if metric is not None and isinstance(raw, dict):
        view.problems, view.options = _metric_problems(metric, raw, path, knowledge)
    return view


def _function(declared: Json | None) -> str | None:
    code: Any = declared.get("code_config") if declared else None
    name: Any = cast("Json", code).get("name") if isinstance(code, dict) else None
    return name if isinstance(name, str) else None


def _options(raw: Any, metric: Metric | None, knowledge: Knowledge) -> Json:
    if not isinstance(raw, dict):
        return {}
    known = knowledge.model(metric.criterion if metric else "BaseCriterion").fields
    spelled = {camel(f): f for f in known}
    return {spelled.get(k, k): v for k, v in cast("Json", raw).items()}


def _metric_problems(metric: Metric, raw: Any, path: Path, knowledge: Knowledge) -> tuple[list[Problem], Json]:
    """What the metric's own criterion model says, less what the config's model already said about ``threshold``."""
    explainer = Explainer(knowledge)
    options = cast("Json", explainer.model(metric.criterion, raw, path))
    return [p for p in explainer.problems if not (p.what == "missing" and p.name == "threshold")], options


def judge_fields(knowledge: Knowledge) -> frozenset[str]:
    """Names that belong into ``judge_model_options``, both spellings."""
    names = knowledge.model("JudgeModelOptions").fields
    return frozenset([*names, *(camel(n) for n in names)])


def type_words(kind: str) -> str:
    """A field's type for people."""
    head, inner = split_type(kind)
    return {"optional": lambda: type_words(inner[0]), "list": lambda: "a list", "dict": lambda: "an object"}.get(
        head, lambda: head
    )()
