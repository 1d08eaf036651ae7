"""Models that make runs work offline: scripted ones follow rules, recorded ones replay answers.

Names load on demand: the model classes need google-adk, what is known about their scripts does not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from adk_split_eval.rooms import on_demand

if TYPE_CHECKING:
    from adk_split_eval.models.located import ScriptError
    from adk_split_eval.models.recorded import NotRecordedError, RecordedLlm, register_recorded
    from adk_split_eval.models.rules import NoRuleMatches
    from adk_split_eval.models.scripted import ScriptedFault, ScriptedLlm, register_scripted

_HOMES = {
    "NoRuleMatches": "rules",
    "NotRecordedError": "recorded",
    "RecordedLlm": "recorded",
    "ScriptError": "located",
    "ScriptedFault": "scripted",
    "ScriptedLlm": "scripted",
    "register_recorded": "recorded",
    "register_scripted": "scripted",
}

__all__ = [
    "NoRuleMatches",
    "NotRecordedError",
    "RecordedLlm",
    "ScriptError",
    "ScriptedFault",
    "ScriptedLlm",
    "register_recorded",
    "register_scripted",
]

__getattr__ = on_demand(__name__, _HOMES)
