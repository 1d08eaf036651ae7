"""What the codes of scripted models mean: the part of ``explain`` that concerns script files."""

from __future__ import annotations

from adk_split_eval.plan.codes import CodeInfo

CODES: dict[str, CodeInfo] = {
    "ASE661": CodeInfo(
        "Unreadable script",
        "A script of a scripted model cannot be read, is no UTF-8 or no YAML, has a key twice, or holds a number YAML reads as "
        "another one.",
        "A half-read script would answer other things than those written.",
        "Go to the place named; quote text that looks like a number or a date.",
    ),
    "ASE662": CodeInfo(
        "Unknown key in a script",
        "A rule, an answer or the script itself has a key that means nothing.",
        "A misspelt condition would be no condition, and the rule would match everything.",
        "Use the nearest name the message gives; docs/scripted-model.md lists all keys.",
    ),
    "ASE663": CodeInfo(
        "Rule that makes no sense",
        "A value is of the wrong kind, an answer contradicts itself, or a rule can never be reached.",
        "A rule that is never reached hides the behaviour somebody meant to test.",
        "Change the value, or move the rule above the one that swallows its cases.",
    ),
    "ASE664": CodeInfo(
        "Pattern that is no regular expression",
        "A condition of a rule does not compile.",
        "It would fail in the middle of a run.",
        "Escape characters that are meant literally, such as `(` or `?`.",
    ),
    "ASE665": CodeInfo(
        "Placeholder nothing captures",
        "An answer names `{something}` that no condition of its rule captures.",
        "The model would answer with the braces.",
        "Add a named group `(?P<something>...)` to a condition, or `remember` it.",
    ),
}
