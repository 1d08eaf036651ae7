"""What a rule is, and how all of them are collected: one module a rule under ``rules/``."""
# os functions instead of pathlib: this room starts cold on every commit.
# ruff: noqa: PTH118, PTH120, PTH208

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from typing import Any, Literal, NamedTuple

from adk_split_eval.lint.documents import Document
from adk_split_eval.lint.json_source import Path
from adk_split_eval.record.finding import Confidence, Fix, Level

Scope = Literal["document", "set", "config", "pair", "project", "command"]


@dataclass(eq=False, repr=False)
class Report:
    """What a rule saw, before its place is computed.

    Attributes:
        at: the document and the path in it; ``span`` gives character offsets instead.
        key: point at the key, not at the value.
        case_id: the case it is about, when it is about one.
        related: further places with what each has to do with it.
    """

    document: Document
    path: Path
    message: str
    help: str = ""
    key: bool = False
    case_id: str | None = None
    related: list[tuple[Document, Path, str]] = field(default_factory=list[tuple[Document, Path, str]])
    fix: Fix | None = None
    level: Level | None = None
    confidence: Confidence | None = None
    span: tuple[int, int] | None = None


Checker = Callable[[Any], Iterable[Report]]


class Rule(NamedTuple):
    """One rule.

    Attributes:
        code: stable identifier.
        name: for people and for ``--select``.
        scope: what ``check`` is called with.
        plan_check: the same rule over a plan, where it means something there.
        in_plans: ``check`` also reads the criteria of plans, shown as the configs they become.
        since, until: first and last ADK version (``major.minor``) it holds for; empty: all.
        rejects: whether an error of this rule on one case makes our runner refuse the case; False where the runner
            judges that case honestly by itself.
        fixable: ``safe``, ``unsafe`` or empty.
    """

    code: str
    name: str
    title: str
    level: Level
    scope: Scope
    check: Checker
    plan_check: Checker | None = None
    in_plans: bool = False
    confidence: Confidence = "high"
    since: str = ""
    until: str = ""
    rejects: bool = True
    fixable: Literal["", "safe", "unsafe"] = ""
    module: str = ""

    @property
    def documentation(self) -> str:
        """The module's docstring in the headings of ``docs/rules.md``."""
        return (import_module(self.module).__doc__ or "").strip()


@cache
def all_rules() -> tuple[Rule, ...]:
    """Every rule, by code."""
    folder = os.path.join(os.path.dirname(__file__), "rules")
    found: list[Rule] = []
    for name in os.listdir(folder):
        if name.endswith(".py") and not name.startswith("_"):
            module_name = f"adk_split_eval.lint.rules.{name[:-3]}"
            found.append(import_module(module_name).RULE)
    return tuple(sorted(found, key=lambda rule: rule.code))


@cache
def by_code() -> dict[str, Rule]:
    return {rule.code: rule for rule in all_rules()}


def rejecting_codes() -> frozenset[str]:
    """Codes whose error on one case makes the runner refuse that case."""
    return frozenset(rule.code for rule in all_rules() if rule.rejects and rule.level == "error")


def refusing_codes() -> frozenset[str]:
    """Codes whose error on a config as a whole makes the runner refuse the run: what it declares would not be judged.

    A byte-order mark, on which ADK crashes, is no such error: the runner reads past it.
    """
    return frozenset(
        rule.code
        for rule in all_rules()
        if rule.code in rejecting_codes()
        and rule.scope in ("config", "project", "document")
        and rule.name != "byte-order-mark"
    )


def problem_of_name(one: str) -> str:
    """What is wrong with a code, prefix or name that no rule has; empty when some rule has it."""
    from adk_split_eval.lint.codes import CODES
    from adk_split_eval.plan.codes import CODES as PLAN_CODES

    codes = [*(rule.code for rule in all_rules()), *CODES, *PLAN_CODES]
    names = [rule.name for rule in all_rules()]
    if one in names or one.upper() == "ALL" or any(code.startswith(one.upper()) for code in codes):
        return ""
    import difflib

    close = difflib.get_close_matches(one.upper(), codes, 1) or difflib.get_close_matches(one.lower(), names, 1)
    hint = f"did you mean {close[0]}?" if close else "docs/rules.md lists them"
    return f"no rule has the code or name {one!r}; {hint}"
