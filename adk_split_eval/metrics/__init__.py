"""Metrics: pure functions over recorded conversations, and the thin adapters under which ADK calls them.

A config names a metric of this package as ``adk_split_eval.metrics.<criterion>``; the adapter, and ADK with it, is
imported only when such a name is asked for.
"""

from __future__ import annotations

from typing import Any

from adk_split_eval.criteria import catalogue


def __getattr__(name: str) -> Any:
    info = catalogue.get(name)
    if info is None or info.source != "ours":
        raise AttributeError(f"module {__name__!r} has no metric {name!r}")
    from adk_split_eval.metrics.adapter import entry_point

    return entry_point(name)
