"""What the conversation and the verdict of one unit depend on, as hashes: what changed is run again, nothing else."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from adk_split_eval import __version__
from adk_split_eval.record import Case, CompiledPlan, Criterion
from adk_split_eval.record.jsonio import compact
from adk_split_eval.run.dependencies import code_root, project_imports
from adk_split_eval.run.inputs import fingerprint, tree_files

ACTS_ON = ("interrupt", "replay_tools", "tool_results")
"""What of ``Case.runner`` changes how a conversation goes."""

JUDGED_BY = frozenset({"rubrics", "intermediate_data", "final_response", "final_session_state", "creation_timestamp"})
"""What of an eval case, or of a turn of it, only its judges read."""

_OF_A_CRITERION = [field.name for field in fields(Criterion)]


@dataclass(frozen=True, slots=True)
class Marks:
    """What all units of a run depend on.

    Attributes:
        acting: agent folder and ADK version; "" when nothing is known, which fits everything.
        judging: version of this tool and the code of the team's metrics.
    """

    acting: str = ""
    judging: str = ""


def marks_of(compiled: CompiledPlan, adk_version: str) -> Marks:
    """The marks of a plan's agent and metrics as they are on disk now."""
    return Marks(
        _short([fingerprint(agent_files(compiled), [adk_version])]),
        _short([__version__, adk_version, fingerprint(metric_files(compiled))]),
    )


def agent_files(compiled: CompiledPlan) -> list[Path]:
    """The agent's folder, and what its code imports from the rest of the project."""
    if not compiled.agent_dir:
        return []
    folder = Path(compiled.agent_dir)
    files = tree_files(folder)
    return [*files, *project_imports(files, code_root(folder.parent), [folder.parent])]


def metric_files(compiled: CompiledPlan) -> list[Path]:
    """Where the team's metrics live: the file each function's dotted path leads to, below the project root, and what
    these import from the project."""
    root = Path(compiled.root)
    names = {c.function for case in compiled.cases for c in case.criteria if c.source == "team" and c.function}
    found: set[Path] = set()
    starts = [root, *list(root.parents)[:3]]
    for name in sorted(names):
        parts = name.removeprefix("adk_split_eval.metrics.team.").split(".")[:-1]
        for start in starts:
            path = start.joinpath(*parts)
            for candidate in (path.with_suffix(".py"), path / "__init__.py"):
                if parts and candidate.is_file():
                    found.add(candidate)
    return [*sorted(found), *project_imports(sorted(found), code_root(root), starts)]


def acting_hash(case: Case, simulator: dict[str, Any] | None, marks: Marks) -> str:
    """What a stored conversation depends on: what the case says, then how it is acted."""
    runner = {key: case.runner[key] for key in ACTS_ON if key in case.runner}
    return f"{words_hash(case)}.{_short([compact([case.max_turns, runner, simulator]), marks.acting])}"


def words_hash(case: Case) -> str:
    """What a case is about: the user's words or persona and goal, the state it starts from. The first part of
    :func:`acting_hash`; a conversation held under another one is another case's, whoever judges it."""
    return _short([compact(_said(case.eval_case))])


def _said(eval_case: dict[str, Any]) -> dict[str, Any]:
    """The eval case without what only judges it: references and rubrics."""
    kept = {key: value for key, value in eval_case.items() if key not in JUDGED_BY}
    turns: list[dict[str, Any]] = kept.get("conversation") or []
    if turns:
        kept["conversation"] = [{k: v for k, v in turn.items() if k not in JUDGED_BY} for turn in turns]
    return kept


def judging_hash(case: Case, votes: int, marks: Marks) -> str:
    """What a stored verdict depends on beside its conversation."""
    criteria = [{name: getattr(criterion, name) for name in _OF_A_CRITERION} for criterion in case.criteria]
    kept = {key: value for key, value in case.runner.items() if key not in ("place", "pending")}
    parts = [criteria, case.eval_case, case.goal_required, case.max_turns, votes, kept]
    return _short([compact(parts), marks.judging])


def _short(texts: Iterable[str]) -> str:
    digest = hashlib.sha256()
    for text in texts:
        digest.update(text.encode("utf-8", "surrogatepass") + b"\0")
    return digest.hexdigest()[:16]
