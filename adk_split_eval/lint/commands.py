"""``adk eval`` command lines, read out of a string, a Makefile, a script or a CI file, the way a shell and ADK parse them.

Such lines stand in quotes, in comments, behind ``cd`` and before pipes. What a shell would put in (variables, a matrix)
is not known here: a word with such a hole says nothing, and neither does a command without other words.
"""

# os functions instead of pathlib: this room starts cold on every commit.
# ruff: noqa: PTH113, PTH117, PTH118, PTH207
from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field

from adk_split_eval.lint.documents import Document, read
from adk_split_eval.lint.patterns import lazy

_COMMAND = lazy(r"(?<![\w.-])(?:adk|google\.adk\.cli)[ \t]+eval(?![\w./-])")
_CONTINUED = lazy(r"\\\r?\n[ \t]*")
_CONTINUED_ON_WINDOWS = lazy(r"[\^`]\r?\n[ \t]*")
_FOLDER = lazy(r"(?:\b(?:cd|pushd)|working-directory:)[ \t]+[\"']?([^\s\"';&|)]+)")
_COMMENT = lazy(r"\s*(?:#|//|::|[Rr][Ee][Mm]\s)|.*\b(?:echo|printf)\b[^;&|]*$")
_VARIABLE = lazy(r"\$\{\{.*?\}\}|\$\{[^}\n]*\}|\$\([^)\n]*\)")
_WINDOWS = (".bat", ".cmd", ".ps1")
_ENDS_COMMAND = ";&|()<>`\r\n"
_HOLES = ("$", "{", "}", "%", "<", ">")
_TAKE_A_VALUE = ("--eval_storage_uri", "--log_level", "--enable_features", "--disable_features")
_FLAGS = ("--print_detailed_results",)


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
        roots: folders its relative paths may be taken from, the likeliest first.
        complete: whether every word of it is known; a variable may stand for a config.
    """

    document: Document
    span: tuple[int, int]
    agent: str
    selectors: list[Selector]
    config: str | None
    roots: list[str]
    complete: bool = True

    def locate(self, word: str) -> tuple[int, int]:
        """Offsets of a word of the command; of the whole command when it is not written literally."""
        start = self.document.text.find(word, *self.span)
        return (start, start + len(word)) if start >= 0 else self.span

    def resolve(self, path: str) -> str:
        """The file meant by ``path``: the first that exists, else where it ought to be."""
        if self.document.name.endswith(_WINDOWS):
            path = path.replace("\\", os.sep)
        places = [path] if os.path.isabs(path) else [os.path.join(root, path) for root in self.roots]
        return next((p for p in places if os.path.isfile(p)), places[0])


def read_commands(given: str) -> list[Command]:
    """Commands of ``given``: a file that holds some, or a command line itself."""
    if "\n" not in given and os.path.isfile(given):
        document = read(given)
    else:
        document = Document("<command>", "command", text=given)
    windows = document.name.endswith(_WINDOWS)
    flat = document.text
    for continued in (_CONTINUED, _CONTINUED_ON_WINDOWS) if windows else (_CONTINUED,):
        flat = continued.sub(lambda m: " " * len(m.group(0)), flat)
    roots = _roots(document, flat)
    found: list[Command] = []
    for match in _COMMAND.finditer(flat):
        outer = _context(flat, match.start())
        if outer is None:
            continue
        words = list(_words(flat, match.end(), outer, windows))
        command = _parse(document, words, match.start(), roots)
        if command is not None:
            found.append(command)
    return found


def _roots(document: Document, flat: str) -> list[str]:
    """Where commands of this file may run: here, beside the file, and in folders that it changes to."""
    bases = list(dict.fromkeys(["", document.folder if document.path != "<command>" else ""]))
    moved = [m.group(1) for m in _FOLDER.finditer(flat)]
    return [*bases, *dict.fromkeys(os.path.join(base, folder) for base in bases for folder in moved)]


def _context(flat: str, at: int) -> str | None:
    """The quote that is open before ``at`` in its line, empty for none; None in a comment and in what is only printed."""
    start = flat.rfind("\n", 0, at) + 1
    line = flat[start:at]
    if _COMMENT.match(line):
        return None
    quote = ""
    for index, character in enumerate(line):
        if quote:
            quote = "" if character == quote and line[index - 1] != "\\" else quote
        elif character in "\"'`" and line[index - 1 : index] != "\\":
            quote = character
        elif character == "#" and line[index - 1 : index].strip() == "":
            return None
    return quote


def _words(flat: str, at: int, outer: str, windows: bool) -> Iterator[tuple[str, int, int]]:
    """(word, start, end) up to the end of the command: a separator, a comment or the quote it stands in."""
    word, start, quote = "", -1, ""
    index, size = at, len(flat)
    while index <= size:
        character = flat[index] if index < size else "\n"
        if character == "\\" and not windows and index + 1 < size and flat[index + 1] in "\\\"'` \t":
            character, index = flat[index + 1], index + 1
            if outer != '"' or character != '"':
                word, start = word + character, start if start >= 0 else index - 1
                index += 1
                continue
        elif character == outer:
            character = "\n"
        elif character == "$" and (variable := _VARIABLE.match(flat, index)):
            word, start, index = word + variable.group(0), start if start >= 0 else index, variable.end()
            continue
        if quote and character not in (quote, "\n"):
            word += character
        elif character == quote:
            quote = ""
        elif character in "\"'" and character != outer:
            quote, start = character, start if start >= 0 else index
        elif character in " \t" or character in _ENDS_COMMAND or (character == "#" and start < 0):
            if start >= 0 and not (character in "<>" and word.isdigit()):  # 2>&1
                yield word, start, index
            word, start = "", -1
            if character not in " \t":
                return
        else:
            word, start = word + character, start if start >= 0 else index
        index += 1


def _parse(document: Document, given: list[tuple[str, int, int]], start: int, roots: list[str]) -> Command | None:
    config: str | None = None
    plain: list[str] = []
    complete = True
    words = iter(given)
    for word, _, _ in words:
        if word.startswith("--config_file_path"):
            config = word.partition("=")[2] or next(words, ("", 0, 0))[0]
        elif word.startswith("-"):
            if word in _TAKE_A_VALUE:
                next(words, None)
            complete = complete and word.partition("=")[0] in (*_TAKE_A_VALUE, *_FLAGS)
        else:
            plain.append(word)
    if not plain:
        return None
    selectors: list[Selector] = []
    for word in plain[1:]:
        if any(hole in word for hole in _HOLES):
            complete = False
        else:
            selectors += _selectors(word, roots)
    if config is not None and any(hole in config for hole in _HOLES):
        config, complete = None, False
    return Command(document, (start, given[-1][2]), plain[0], selectors, config, roots, complete)


def _selectors(word: str, roots: list[str]) -> list[Selector]:
    """What a word selects; a pattern stands for the files that the shell finds for it."""
    path, separator, rest = word.partition(":")
    if len(path) == 1 and rest[:1] in ("\\", "/"):  # a drive
        further, separator, rest = rest.partition(":")
        path = f"{path}:{further}"
    if not separator:
        if any(mark in word for mark in "*?["):
            import glob

            for root in roots:
                matching = sorted(glob.glob(os.path.join(root, word)))
                if matching:
                    return [Selector(word, os.path.abspath(m)) for m in matching]  # noqa: PTH100
        return [Selector(word, word)]
    ids = [part for part in rest.split(":")[0].split(",") if part.strip()]
    blank = any(part != part.strip() or not part.strip() for part in rest.split(":")[0].split(","))
    return [Selector(word, path, ids, blank)]
