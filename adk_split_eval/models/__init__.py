"""Models that make runs work offline: scripted ones follow rules, recorded ones replay answers."""

from adk_split_eval.models.located import ScriptError
from adk_split_eval.models.recorded import NotRecordedError, RecordedLlm, register_recorded
from adk_split_eval.models.rules import NoRuleMatches
from adk_split_eval.models.scripted import ScriptedFault, ScriptedLlm, register_scripted

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
