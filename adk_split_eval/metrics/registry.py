"""The table of this package's metrics, collected from its modules: each declares ``NAME`` and ``judge``."""

from __future__ import annotations

import importlib
import pkgutil
from types import MappingProxyType, ModuleType

from adk_split_eval import metrics
from adk_split_eval.metrics.base import Judge, Parameters
from adk_split_eval.metrics.text import quote
from adk_split_eval.metrics.values import ParameterError
from adk_split_eval.record import Conversation, Judgement


def _modules() -> list[ModuleType]:
    """All metric modules. Adapters know ADK, packages are no metrics: neither is imported here."""
    return [
        importlib.import_module(f"{metrics.__name__}.{info.name}")
        for info in pkgutil.iter_modules(metrics.__path__)
        if not info.ispkg and not info.name.startswith("adapter") and info.name != "registry"
    ]


def isolated(judge: Judge) -> Judge:
    """``judge`` that never raises: bad parameters and its own faults become not_evaluated with the reason."""

    def judge_safely(conversation: Conversation, params: Parameters, threshold: float) -> Judgement:
        if threshold != threshold:
            return Judgement.not_evaluated("the threshold is not a number")
        try:
            return judge(conversation, params, threshold)
        except ParameterError as error:
            return Judgement.not_evaluated(f"bad parameters: {error}")
        except Exception as error:  # noqa: BLE001 - one metric's fault must not reach another
            return Judgement.not_evaluated(f"{type(error).__name__}: {quote(str(error), 300)}")

    return judge_safely


def _collect() -> dict[str, Judge]:
    table: dict[str, Judge] = {}
    for module in _modules():
        if hasattr(module, "NAME") and hasattr(module, "judge"):
            table[module.NAME] = isolated(module.judge)
    return table


METRICS: MappingProxyType[str, Judge] = MappingProxyType(_collect())
"""Criterion name → its pure function ``(conversation, params, threshold) -> Judgement``, which never raises."""
