"""A plan as checked, before any model is made of it: documents, cases, and what is wrong with which."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from adk_split_eval.plan.checks import mapping_in
from adk_split_eval.plan.nodes import Document, DocumentPath, Node
from adk_split_eval.record import Finding, Half

CASE_CODES: frozenset[str] = frozenset(
    {
        "ASE012",
        "ASE015",
        "ASE016",
        "ASE017",
        "ASE022",
        "ASE023",
        "ASE027",
        "ASE030",
        "ASE031",
        "ASE032",
        "ASE033",
        "ASE034",
        "ASE035",
        "ASE036",
        "ASE038",
        "ASE101",
    }
)
"""Codes that, inside a case, reject that case alone; every other error is one of the plan as a whole."""

SECTIONS: dict[Half, str] = {"fixed": "fixed_set", "simulated": "sim_set"}


@dataclass(slots=True)
class Entry:
    """One case as written.

    Attributes:
        frozen: whether it stands in the file of frozen cases.
        findings: errors about this case alone; any of them rejects it.
    """

    half: Half
    case_id: str
    document: Document
    path: DocumentPath
    frozen: bool = False
    findings: list[Finding] = field(default_factory=list[Finding])

    @property
    def node(self) -> Node:
        return self.document.node(self.path)

    def reject(self, path: DocumentPath, code: str, message: str, help: str, *, key: bool = False) -> None:
        """Record an error at ``path`` inside the case."""
        place = self.document.place((*self.path, *path), key=key)
        self.findings.append(place.finding(code, message, help, case_id=self.case_id))

    def spread(self) -> list[str]:
        """Personas of a spread as written: ``["all"]``, ids, or nothing."""
        node = self.node.child("personas")
        if node is None:
            return []
        return [item.value for item in node.items] if node.kind == "sequence" else [str(node.value)]


@dataclass(slots=True)
class CheckedPlan:
    """What is known of a plan file without pydantic; ``errors`` concern the plan as a whole."""

    path: Path
    document: Document | None = None
    frozen: Document | None = None
    entries: list[Entry] = field(default_factory=list[Entry])
    errors: list[Finding] = field(default_factory=list[Finding])

    @property
    def findings(self) -> list[Finding]:
        """All findings, in the order of files and lines."""
        found = [*self.errors, *(finding for entry in self.entries for finding in entry.findings)]
        authored = self.document.path if self.document else ""
        return sorted(dict.fromkeys(found), key=lambda f: (f.path != authored, f.path, f.line, f.column, f.code))

    @property
    def root(self) -> Node:
        """The plan's top; only when the file could be read."""
        assert self.document is not None
        return self.document.root

    def value(self, *path: str | int) -> Any:
        """Plain data at exactly ``path`` of the plan, None when it is not there."""
        node = self.root.find(path)
        return None if node is None else node.data()

    def mapping(self, *path: str | int) -> dict[str, Any]:
        """The mapping at ``path`` of the plan; an empty one when there is none."""
        return mapping_in({"value": self.value(*path)}, "value")

    def complain(self, path: DocumentPath, code: str, message: str, help: str, *, key: bool = False) -> None:
        """Record an error of the plan as a whole, at ``path`` of the plan file."""
        assert self.document is not None
        self.errors.append(self.document.place(path, key=key).finding(code, message, help))

    def sound(self, half: Half | None = None) -> Iterator[Entry]:
        """Entries nothing is known against, of one half or of both."""
        for entry in self.entries:
            if not entry.findings and half in (None, entry.half):
                yield entry


def expand(entry: Entry, data: dict[str, Any], personas: list[str]) -> list[dict[str, Any]]:
    """The cases a written case stands for: itself, or one a persona of its spread."""
    chosen = entry.spread()
    if not chosen:
        return [data]
    if chosen == ["all"]:
        chosen = personas
    made: list[dict[str, Any]] = []
    for persona in dict.fromkeys(chosen):
        one = copy.deepcopy({key: value for key, value in data.items() if key != "personas"})
        made.append({**one, "case_id": spread_id(entry.case_id, persona), "persona": persona})
    return made


def spread_id(case_id: str, persona: str) -> str:
    """The id of one case of a spread."""
    return f"{case_id}-{persona}"


RejectedSet = Literal["fixed", "simulated"]
