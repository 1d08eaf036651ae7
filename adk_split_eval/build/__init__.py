"""From a plan to ADK's eval sets and configs, grouped so that no criterion governs a case it cannot judge.

Names load on demand, so that a command line that only shows its help pays for none of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from adk_split_eval.rooms import callable_room, on_demand

if TYPE_CHECKING:
    from adk_split_eval.build.compiling import compile_plan
    from adk_split_eval.build.flat import Flat, is_flat, read_flat
    from adk_split_eval.build.importing import import_sets
    from adk_split_eval.build.scaffold import write_scaffold
    from adk_split_eval.build.splitting import SplitResult, split_set
    from adk_split_eval.build.traces import read_traces, scripted_users
    from adk_split_eval.build.writing import BuildReport, outputs, write_sets

_HOMES = {
    "BuildReport": "writing",
    "Flat": "flat",
    "SplitResult": "splitting",
    "compile_plan": "compiling",
    "import_sets": "importing",
    "is_flat": "flat",
    "outputs": "writing",
    "read_flat": "flat",
    "read_traces": "traces",
    "write_scaffold": "scaffold",
    "scripted_users": "traces",
    "split_set": "splitting",
    "write_sets": "writing",
}

__all__ = [
    "BuildReport",
    "Flat",
    "SplitResult",
    "compile_plan",
    "import_sets",
    "is_flat",
    "outputs",
    "read_flat",
    "read_traces",
    "scripted_users",
    "split_set",
    "write_scaffold",
    "write_sets",
]

__getattr__ = on_demand(__name__, _HOMES)
callable_room(__name__)
