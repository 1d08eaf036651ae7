"""What YAML itself refuses, said in words for people and at its place."""

from __future__ import annotations

import re
from typing import Any

import yaml

from adk_split_eval.plan.nodes import PlanError
from adk_split_eval.record import Finding
from adk_split_eval.record.text import safe_terminal

_LINE_SEPARATORS = re.compile("[\u0085\u2028\u2029]")

_UNPRINTABLE = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def refuse_characters(text: str, name: str) -> None:
    """Characters YAML refuses or reads as a line break although no editor shows one."""
    for pattern, code, what, mend in (
        (
            _UNPRINTABLE,
            "ASE003",
            "the control character U+{0:04X}",
            'write it as an escape in double quotes, as "\\u{0:04x}"',
        ),
        (
            _LINE_SEPARATORS,
            "ASE006",
            "the character U+{0:04X}, which YAML reads as a line break,",
            'write it as an escape in double quotes, as "\\u{0:04x}"',
        ),
    ):
        found = pattern.search(text)
        if found:
            before = text[: found.start()]
            line = before.count("\n") + 1
            column = found.start() - (before.rfind("\n") + 1) + 1
            number = ord(found.group())
            message = what.format(number) + " cannot stand in a plan as it is"
            raise PlanError(
                [Finding(code, "error", message, name, line, column, line, column + 1, help=mend.format(number))]
            )


_SYNTAX: tuple[tuple[str, str, str], ...] = (
    ("found character '\\t'", "a tab where a value should start", "indent with spaces"),
    (
        "cannot start any token",
        "a character that cannot start a value here",
        "put the text in quotes",
    ),
    (
        "mapping values are not allowed",
        "a colon here starts a second mapping",
        "put the text in quotes, or mend the indentation",
    ),
    ("did not find expected ',' or '}'", "a mapping in braces is not closed", "add the `}` or the comma"),
    ("did not find expected ',' or ']'", "a list in brackets is not closed", "add the `]` or the comma"),
    ("unexpected end of stream", "a quoted text is not closed", "add the closing quote"),
    (
        "did not find expected '-' indicator",
        "the indentation does not fit the list above",
        "line the entries up under each other",
    ),
    (
        "did not find expected key",
        "the indentation or a quote does not fit the lines above",
        "line the keys up under each other",
    ),
    ("could not find expected ':'", "a key without its colon", "write `key: value`"),
    ("unknown escape character", "an unknown escape in double quotes", "use single quotes, or double the backslash"),
    ("invalid Unicode character escape", "an escape that is no character", "write the character itself"),
    ("undefined alias", "an alias without an anchor", "write the value out"),
    ("duplicate anchor", "an anchor is given twice", "name them apart"),
    (
        "did not find expected node content",
        "a value is missing, or a bracket is not closed",
        "write the value, or close the bracket",
    ),
    (
        "expected the node content",
        "a value is missing, or a bracket is not closed",
        "write the value, or close the bracket",
    ),
    (
        "expected <block end>",
        "the indentation or a quote does not fit the lines above",
        "line the keys up under each other",
    ),
    ("expected ',' or ']'", "a list in brackets is not closed", "add the `]` or the comma"),
    ("expected ',' or '}'", "a mapping in braces is not closed", "add the `}` or the comma"),
    ("maximum nesting depth", "nested too deep", "flatten it"),
    ("undefined tag handle", "an unknown tag", "remove the tag, or put the text in quotes"),
)


def syntax_finding(error: yaml.YAMLError, name: str, text: str) -> Finding:
    mark: Any = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    line, column = (mark.line + 1, mark.column + 1) if mark else (0, 0)
    problem = str(getattr(error, "problem", "") or getattr(error, "reason", "") or "it is no YAML")
    if mark and _tab_leads(text, mark.line):
        return Finding(
            "ASE003", "error", "the line is indented with a tab", name, line, 1, line, 2, help="indent with spaces"
        )
    for known, message, mend in _SYNTAX:
        if known in problem:
            return Finding("ASE003", "error", f"not YAML: {message}", name, line, column, line, column + 1, help=mend)
    return Finding(
        "ASE003",
        "error",
        f"not YAML: {safe_terminal(problem)}",
        name,
        line,
        column,
        line,
        column + 1,
        help="check quotes and indentation",
    )


def _tab_leads(text: str, line: int) -> bool:
    lines = text.split("\n", line + 1)
    return line < len(lines) and "\t" in lines[line][: len(lines[line]) - len(lines[line].lstrip())]
