"""Writes docs/rules.md from the rules themselves.

python tools/regenerate_rules_page.py            # write
python tools/regenerate_rules_page.py --check    # exit 1 when the page is stale
"""

from __future__ import annotations

import sys
from itertools import groupby
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "rules.md"
GROUPS = {
    "1": "Exclusion: what a set may not judge",
    "2": "Never judged",
    "3": "Cannot fail, cannot pass",
    "4": "Judge and simulator",
    "5": "Identity and isolation",
    "6": "Files",
    "7": "Selectors and pairing",
}


def render() -> str:
    """The whole page."""
    from adk_split_eval.lint.rule import all_rules

    rules = all_rules()
    lines = [
        "# Rules of lint",
        "",
        "Generated from the rules by `tools/regenerate_rules_page.py`; do not edit. Codes ASE0xx and ASE101 belong to the plan",
        "format: `adk-split-eval explain CODE`.",
        "",
        "| code | name | level | confidence | plans too | fix |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for rule in rules:
        plans = "yes" if rule.plan_check or rule.in_plans else ""
        lines.append(
            f"| [{rule.code}](#{rule.code.lower()}-{rule.name}) | {rule.name} | {rule.level} | {rule.confidence} | {plans} | {rule.fixable} |"
        )
    for digit, group in groupby(rules, key=lambda r: r.code[3]):
        lines += ["", f"## {GROUPS[digit]}"]
        for rule in group:
            lines += ["", *_rule(rule)]
    return "\n".join(lines) + "\n"


def _rule(rule: object) -> list[str]:
    title, _, body = rule.documentation.partition("\n")
    lines = [
        f"### {rule.code} {rule.name}",
        "",
        f"**{title.strip()}** Level {rule.level}, {rule.confidence} confidence.",
    ]
    if rule.since or rule.until:
        lines[-1] += f" ADK {rule.since or 'any'} to {rule.until or 'newest'}."
    if rule.level == "error" and not rule.rejects:
        lines[-1] += " Our runner judges such a case itself and does not refuse it."
    lines.append(body.replace("\n## ", "\n#### ").rstrip())
    return lines


def main() -> int:
    sys.path.insert(0, str(ROOT))
    text = render()
    if "--check" in sys.argv[1:]:
        if PAGE.exists() and PAGE.read_text(encoding="utf-8") == text:
            return 0
        print("docs/rules.md is stale; run tools/regenerate_rules_page.py", file=sys.stderr)
        return 1
    PAGE.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
