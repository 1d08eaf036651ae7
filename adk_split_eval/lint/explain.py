"""One code explained: from the rule's own documentation, or from the room the code belongs to."""

from __future__ import annotations

from typing import Any

from adk_split_eval.lint.rule import Rule, all_rules


def find(code: str) -> Rule | None:
    """The rule of a code or name, however spelled."""
    wanted = code.strip().lower()
    for rule in all_rules():
        if wanted in (rule.code.lower(), rule.name):
            return rule
    return None


def header(rule: Rule) -> str:
    """Code, name, level and what else a table in the docs says."""
    versions = (
        f"ADK {rule.since or 'any'} to {rule.until or 'newest'}" if rule.since or rule.until else "every ADK version"
    )
    fix = {"": "no automatic fix", "safe": "fixed by --fix", "unsafe": "fixed by --unsafe-fixes"}[rule.fixable]
    return f"{rule.code} {rule.name} – {rule.level}, {rule.confidence} confidence, {versions}, {fix}"


def explanation(code: str) -> str | None:
    """The text shown by ``explain``; None for a code nobody owns."""
    rule = find(code)
    if rule is not None:
        return f"{header(rule)}\n\n{rule.documentation}"
    return _elsewhere(code.strip().upper())


def _elsewhere(code: str) -> str | None:
    """Codes of other rooms, from the table (``CODES``) each of them keeps."""
    from importlib import import_module
    from importlib.util import find_spec

    for room in ("plan", "build", "lint", "run", "pool", "freeze", "models"):
        name = f"adk_split_eval.{room}.codes"
        if find_spec(f"adk_split_eval.{room}") is None or find_spec(name) is None:
            continue
        entry: Any = getattr(import_module(name), "CODES", {}).get(code)
        if entry is not None:
            return str(entry.render(code)).rstrip()
    return None
