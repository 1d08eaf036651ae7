"""``adk eval`` command lines, read out of a string, a Makefile, a script or a CI file, the way ADK parses them."""

# os functions instead of pathlib: this room starts cold on every commit.
# ruff: noqa: PTH113, PTH117, PTH118
from __future__ import annotations

import os
import shlex
from dataclasses import dataclass, field

from adk_split_eval.lint.documents import Document, read
from adk_split_eval.lint.patterns import lazy

_COMMAND = lazy(r"\badk\s+eval\b[^\n]*")
_CONTINUED = lazy(r"\\\r?\n[ \t]*")


@dataclass(eq=False, repr=False)
class Selector:
    """One argument after the agent: a set with the ids asked for; ``blank`` ids start or end with a space."""

    written: str
    path: str
    ids: list[str] = field(default_factory=list[str])
    blank: bool = False


@dataclass(eq=False, repr=False)
class Command:
    """One command line.

    Attributes:
        document: where it stands; the character range is ``span``.
        root: folder its relative paths are taken from.
    """

    document: Document
    span: tuple[int, int]
    agent: str
    selectors: list[Selector]
    config: str | None
    root: str

    def locate(self, word: str) -> tuple[int, int]:
        """Offsets of a word of the command; of the whole command when it is not written literally."""
        start = self.document.text.find(word, *self.span)
        return (start, start + len(word)) if start >= 0 else self.span

    def resolve(self, path: str) -> str:
        return path if os.path.isabs(path) else os.path.join(self.root, path)


def read_commands(given: str) -> list[Command]:
    """Commands of ``given``: a file that holds some, or a command line itself. Paths are relative to where it runs."""
    if "\n" not in given and os.path.isfile(given):
        document = read(given)
        root = ""
    else:
        document = Document("<command>", "command", text=given)
        root = ""
    flat = _CONTINUED.sub(lambda m: " " * len(m.group(0)), document.text)
    found: list[Command] = []
    for match in _COMMAND.finditer(flat):
        command = _parse(document, match.group(0), match.span(), root)
        if command is not None:
            found.append(command)
    return found


def _parse(document: Document, text: str, span: tuple[int, int], root: str) -> Command | None:
    try:
        words = shlex.split(text, comments=True)
    except ValueError:
        words = text.split()
    words = words[2:]
    config: str | None = None
    plain: list[str] = []
    index = 0
    while index < len(words):
        word = words[index]
        if word in ("&&", "||", ";", "|", ">", "2>&1"):
            break
        if word.startswith("--config_file_path"):
            config = word.partition("=")[2] or (words[index + 1] if index + 1 < len(words) else "")
            index += 0 if "=" in word else 1
        elif word.startswith("--"):
            index += 1 if "=" not in word and word in ("--eval_storage_uri", "--log_level") else 0
        else:
            plain.append(word)
        index += 1
    if not plain or any("$" in w or "{" in w for w in plain):
        return None
    return Command(document, span, plain[0], [_selector(w) for w in plain[1:]], config, root)


def _selector(word: str) -> Selector:
    path, separator, rest = word.partition(":")
    if not separator:
        return Selector(word, word)
    ids = [part for part in rest.split(":")[0].split(",") if part.strip()]
    blank = any(part != part.strip() or not part.strip() for part in rest.split(":")[0].split(","))
    return Selector(word, path, ids, blank)
