"""A working plan, an agent stub and snippets for CI and pre-commit: what ``init`` puts into a folder."""

from __future__ import annotations

import re
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path

from adk_split_eval.plan import PlanError
from adk_split_eval.plan.checks import Complaint, check_plan_id
from adk_split_eval.record import Finding
from adk_split_eval.record.jsonio import write_atomically

_SUFFIX = ".txt"
_PLAN = "plan.yaml"


def scaffold_files(plan_id: str) -> dict[str, str]:
    """Relative path → text of everything ``init`` writes."""
    found: dict[str, str] = {}
    _collect(resources.files("adk_split_eval.build") / "templates", "", found)
    plan = found.pop(_PLAN).replace("@PLAN_ID@", plan_id)
    return {f"{plan_id}.plan.yaml": plan, **dict(sorted(found.items()))}


def _collect(folder: Traversable, prefix: str, found: dict[str, str]) -> None:
    for entry in folder.iterdir():
        if entry.is_dir():
            _collect(entry, f"{prefix}{entry.name}/", found)
        elif entry.name.endswith(_SUFFIX):
            found[prefix + entry.name.removesuffix(_SUFFIX)] = entry.read_text("utf-8")


def plan_id_for(folder: Path) -> str:
    """An id for a plan in ``folder``: its name, made of letters, digits and underscores."""
    return re.sub(r"[^a-zA-Z0-9_]+", "_", folder.resolve().name).strip("_") or "first_plan"


def usable_id(plan_id: str) -> str:
    """``plan_id`` itself when a plan may have it.

    Raises:
        PlanError: it may not.
    """
    try:
        return check_plan_id(plan_id)
    except Complaint as complaint:
        raise PlanError([Finding(complaint.code, "error", complaint.message, help=complaint.help)]) from None


def write_scaffold(folder: str | Path, plan_id: str | None = None) -> list[Path]:
    """Write the scaffold into ``folder``, which is created when needed. Nothing is overwritten.

    Returns:
        The files written, in order.

    Raises:
        PlanError: one of the files exists already, or the folder holds a plan.
        OSError: a file cannot be written.
    """
    root = Path(folder)
    files = scaffold_files(usable_id(plan_id) if plan_id is not None else plan_id_for(root))
    standing = sorted({root / name for name in files if (root / name).exists()} | set(root.glob("*.plan.yaml")))
    if standing:
        mend = "choose another folder, or move the file away"
        raise PlanError(
            [Finding("ASE620", "error", "init overwrites nothing, and this exists", str(standing[0]), help=mend)]
        )
    for name, text in files.items():
        write_atomically(root / name, text)
    return [root / name for name in files]
