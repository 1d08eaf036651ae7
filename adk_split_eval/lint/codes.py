"""Codes of the linter itself, beside those of its rules."""

from __future__ import annotations

from adk_split_eval.plan.codes import CodeInfo

CODES: dict[str, CodeInfo] = {
    "ASE699": CodeInfo(
        "A rule failed",
        "A rule of the linter raised on this file. The file is not to blame; the other rules have run.",
        "What that rule would have found is unknown, so it is an error and not a silence.",
        "Report it with the file; `--ignore CODE` of the rule named keeps the rest going.",
    ),
}
