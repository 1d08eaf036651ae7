"""One finding: what is wrong in a file, where, how sure we are, and the mend.

Plan loading, lint rules and the runner's own refusals all speak in findings, so that every
error a person sees has the same shape: ``file:line:column: CODE message`` and a way out.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

Level = Literal["error", "warning", "info"]
Confidence = Literal["high", "medium", "low"]


@dataclass(frozen=True, slots=True)
class Related:
    """A second place that belongs to a finding (lines and columns are 1-based)."""

    path: str
    line: int
    column: int
    message: str


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace the half-open character range ``[start, end)`` of ``path`` (offsets into the decoded text) by ``text``."""

    path: str
    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Fix:
    """A mend a tool can apply. ``safe`` means: it cannot change what is judged, only make it be judged."""

    message: str
    edits: tuple[Edit, ...] = ()
    safe: bool = True
    new_files: tuple[tuple[str, str], ...] = ()

    def to_json(self) -> dict[str, Any]:
        return {
            "message": self.message,
            "safe": self.safe,
            "edits": [{"path": e.path, "start": e.start, "end": e.end, "text": e.text} for e in self.edits],
            "new_files": [{"path": path, "text": text} for path, text in self.new_files],
        }


@dataclass(frozen=True, slots=True)
class Finding:
    """What is wrong at one place.

    Attributes:
        code: stable identifier, ``ASE`` and three digits.
        level: ``error`` stops or rejects, ``warning`` and ``info`` do not.
        message: one sentence a person understands.
        path, line, column: 1-based place; line and column are 0 when a whole file is meant.
        end_line, end_column: end of the place (exclusive column), 0 when unknown.
        help: the mend, one sentence.
        case_id: the case the finding is about, when it is about one case; it makes only that case REJECTED.
    """

    code: str
    level: Level
    message: str
    path: str = ""
    line: int = 0
    column: int = 0
    end_line: int = 0
    end_column: int = 0
    confidence: Confidence = "high"
    help: str = ""
    case_id: str | None = None
    related: tuple[Related, ...] = ()
    fix: Fix | None = field(default=None)

    def place(self) -> str:
        """``path:line:column``, as far as it is known."""
        if not self.line:
            return self.path
        return f"{self.path}:{self.line}:{self.column}"

    def render(self) -> str:
        """The one- or two-line plain form: place, code, message and the mend."""
        place = self.place()
        head = f"{place}: {self.code} {self.message}" if place else f"{self.code} {self.message}"
        return f"{head}\n  help: {self.help}" if self.help else head

    def to_json(self) -> dict[str, Any]:
        return {
            "code": self.code,
            "level": self.level,
            "confidence": self.confidence,
            "path": self.path,
            "line": self.line,
            "column": self.column,
            "end_line": self.end_line or self.line,
            "end_column": self.end_column or self.column,
            "message": self.message,
            "help": self.help,
            "case_id": self.case_id,
            "related": [
                {"path": r.path, "line": r.line, "column": r.column, "message": r.message} for r in self.related
            ],
            "fix": self.fix.to_json() if self.fix else None,
        }
