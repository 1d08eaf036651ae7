"""How often each rule spoke."""

from __future__ import annotations

from collections import Counter

from adk_split_eval.lint.engine import LintResult
from adk_split_eval.lint.rule import by_code


def render(result: LintResult) -> str:
    """One line a code, the most frequent first."""
    counts = Counter((f.code, f.level) for f in result.findings)
    rules = by_code()
    lines = [
        f"{count:6d}  {code}  {level:<7}  {rules[code].title if code in rules else ''}".rstrip()
        for (code, level), count in sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    ]
    return "\n".join([*lines, f"{len(result.findings):6d}  in all"]) + "\n"
