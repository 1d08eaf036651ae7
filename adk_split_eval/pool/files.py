"""The pool on disk: one file a fault, written whole or not at all, counted up when the fault comes again."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Generator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from adk_split_eval.pool.candidate import MALFORMED, Candidate, Seen, review_json, seen_json
from adk_split_eval.pool.emit import as_mapping, emit
from adk_split_eval.pool.fingerprint import normalised_reason
from adk_split_eval.pool.reading import PoolError, parse, read_text, refuse
from adk_split_eval.record.jsonio import write_atomically

FOLDER = "probe_pool"
KEPT_RUNS = 20
KEPT_VARIANTS = 5
NEAR = 5

_HEADER = """\
# A candidate for the fixed set, waiting for review. Look at the simulated user first: was it in its role?
# Then fill every TODO of the draft with what the agent should have done, and set status to approved or rejected.
"""
_HOLE_LINE = re.compile(r"^( *(?:- )?expect_tools: TODO)$", re.MULTILINE)
_HOLE_HELP = r"\1  # which tools should it call here? [] for none"
_TOP_LEVEL = re.compile(r"^(?:([A-Za-z_]+):|\? )", re.MULTILINE)
_BODY = re.compile(r"^start_state:", re.MULTILINE)
_BULKY = ("start_state:", "transcript:", "draft:")


def pool_dir(plan_dir: Path) -> Path:
    """Where the candidates of the plan in ``plan_dir`` live."""
    return plan_dir / FOLDER


def render(candidate: Candidate) -> str:
    """The candidate as the text of its file."""
    return _HEADER + _HOLE_LINE.sub(_HOLE_HELP, emit(candidate.to_json()))


def load(path: Path) -> Candidate:
    """Read one file. Raises PoolError."""
    return Candidate.from_json(parse(read_text(path), str(path)), path)


def load_header(path: Path) -> Candidate:
    """The candidate without state, transcript and draft: what listing needs, at a fraction of the cost."""
    text = read_text(path)
    body = _BODY.search(text)
    if body and not any(f"\n{key}" in text[: body.start()] for key in _BULKY):
        with contextlib.suppress(PoolError):  # an unusual layout: read the whole file
            data = parse(text[: body.start()], str(path))
            if {"candidate", "status", "case_id", "hit", "seen", "provenance"} <= data.keys():
                return Candidate.from_json(data, path)
    return load(path)


def paths(plan_dir: Path) -> list[Path]:
    """Every candidate file, by name."""
    folder = pool_dir(plan_dir)
    return sorted(p for p in folder.glob("*.yaml") if not p.name.startswith("."))


def headers(plan_dir: Path) -> tuple[list[Candidate], list[PoolError]]:
    """All candidates without their bodies, and what could not be read."""
    good: list[Candidate] = []
    bad: list[PoolError] = []
    for path in paths(plan_dir):
        try:
            good.append(load_header(path))
        except PoolError as error:
            bad.append(error)
    return good, bad


def find(plan_dir: Path, name: str) -> Candidate:
    """The candidate with this id, file name, unambiguous beginning of either, or path. Raises PoolError."""
    wanted = Path(name).name.removesuffix(".yaml")
    if not wanted:
        mend = "list them with: adk-split-eval pool list"
        raise refuse("ASE952", "an empty name means no candidate", path=str(pool_dir(plan_dir)), help=mend)
    matches = [p for p in paths(plan_dir) if p.stem == wanted]
    matches = matches or [p for p in paths(plan_dir) if p.stem.startswith(wanted) or p.stem.endswith(f"-{wanted}")]
    if len(matches) == 1:
        return load(matches[0])
    mend = "list them with: adk-split-eval pool list"
    if not matches:
        raise refuse("ASE952", f"no candidate is called {name!r}", path=str(pool_dir(plan_dir)), help=mend)
    several = ", ".join(p.stem for p in matches[:5])
    raise refuse("ASE952", f"{name!r} means several candidates: {several}", path=str(pool_dir(plan_dir)), help=mend)


def store(candidate: Candidate, plan_dir: Path) -> Path:
    """Write a new candidate, or count up the one that is known by its fingerprint. Returns its path.

    A known file keeps every byte but its ``seen`` block, so edits by hand survive; its status stays as it is, so what was
    rejected is not opened again.

    Raises:
        PoolError: the file known for this fault cannot be read (it is left alone).
        OSError: the pool cannot be written.
    """
    with locked(plan_dir):
        path, known = _known(candidate, plan_dir)
        if known is None:
            _link_kin(candidate, plan_dir)
            candidate.path = path
            write_atomically(path, render(candidate))
            return path
        _count_up(path, known, candidate)
        return path


def decided(path: Path) -> str | None:
    """What people decided about the candidate at ``path`` already, as one sentence; None while it waits for them.

    Raises PoolError when the file cannot be read.
    """
    candidate = load_header(path)
    if candidate.status == "rejected":
        why = f": {candidate.review.why}" if candidate.review.why else ""
        return f"{candidate.id}: known, rejected by {candidate.review.by or 'somebody'}{why}"
    if candidate.status == "frozen":
        frozen = load(path).extra.get("frozen")
        return f"{candidate.id}: known, guarded by {as_mapping(frozen).get('case_id') or 'a frozen case'}"
    return None


def _sweep(plan_dir: Path) -> None:
    """Remove what a killed writer left behind; whoever writes candidates or frozen cases holds the lock."""
    for leftover in (*pool_dir(plan_dir).glob(".*.tmp"), *plan_dir.glob(".*.frozen.yaml.*.tmp")):
        leftover.unlink(missing_ok=True)


def _known(candidate: Candidate, plan_dir: Path) -> tuple[Path, Candidate | None]:
    """The file of this fault: its own name, or a longer one when eight digits happen to collide, or a renamed file."""
    folder = pool_dir(plan_dir)
    stem = candidate.id[:-8]
    for digits in (8, 12, 16, 32):
        path = folder / f"{stem}{candidate.fingerprint[:digits]}.yaml"
        if not path.exists():
            renamed = _renamed(candidate, folder)
            if renamed is None:
                candidate.id = path.stem
            return (path, None) if renamed is None else (renamed, load(renamed))
        known = load(path)
        if known.fingerprint in (known.id, candidate.fingerprint):
            return path, known
    raise refuse("ASE953", "several files claim this fingerprint", path=str(folder), help="remove the copies")


def _renamed(candidate: Candidate, folder: Path) -> Path | None:
    mark = candidate.fingerprint[:8]
    for path in sorted(folder.glob(f"*{mark}*.yaml")):
        with contextlib.suppress(PoolError):
            if load_header(path).fingerprint == candidate.fingerprint:
                return path
    return None


def _count_up(path: Path, known: Candidate, new: Candidate) -> None:
    seen = known.seen
    run = new.seen.runs[0] if new.seen.runs else ""
    if run and run in seen.runs:
        return
    seen.count += 1
    seen.first = min(seen.first, new.seen.first) if seen.first and new.seen.first else seen.first or new.seen.first
    seen.last = max(seen.last, new.seen.last)
    seen.runs = [*seen.runs, *([run] if run else [])][-KEPT_RUNS:]
    sentence = new.hit.sentence
    fresh = sentence and sentence != known.hit.sentence and sentence not in seen.variants
    if sentence and fresh and len(seen.variants) < KEPT_VARIANTS:
        seen.variants = [*seen.variants, sentence]
    if known.draft is None and new.draft is not None and known.status == "open":
        # The fault is known from a conversation that gave no draft; this one does.
        new.seen, new.review, new.id = seen, known.review, known.id
        new.near_duplicates, new.path = known.near_duplicates, path
        write_atomically(path, render(new))
        return
    replace_block(path, "seen", seen_json(seen))


def set_review(path: Path, candidate: Candidate) -> None:
    """Write status and review of ``candidate`` into its file; everything else keeps its bytes."""
    replace_blocks(path, {"status": candidate.status, "review": review_json(candidate.review)})


def replace_block(path: Path, key: str, value: Any) -> None:
    """Replace one top-level entry of a candidate file."""
    replace_blocks(path, {key: value})


def replace_blocks(path: Path, changes: dict[str, Any]) -> None:
    """Replace (or add) top-level entries, keeping all other bytes, comments too. Raises PoolError."""
    text = read_text(path)
    wanted = parse(text, str(path)) | changes
    for key, value in changes.items():
        text = _replaced(text, key, _HOLE_LINE.sub(_HOLE_HELP, emit({key: value})))
    if repr(parse(text, str(path))) != repr({**wanted}):  # by text: not-a-number differs from itself
        raise refuse(MALFORMED, "the file's layout is unusual and cannot be edited in place", path=str(path))
    write_atomically(path, text)


def _replaced(text: str, key: str, block: str) -> str:
    starts = list(_TOP_LEVEL.finditer(text))
    for number, match in enumerate(starts):
        if match.group(1) == key:
            end = starts[number + 1].start() if number + 1 < len(starts) else len(text)
            tail = _comments_before_next(text[match.start() : end])
            return text[: match.start()] + block + tail + text[end:]
    return text + ("" if text.endswith("\n") else "\n") + block


def _comments_before_next(region: str) -> str:
    """Trailing lines of an entry's region that are comments or blank: they belong to what follows."""
    lines = region.splitlines(keepends=True)
    kept: list[str] = []
    while len(lines) > 1 and (lines[-1].startswith("#") or not lines[-1].strip()):
        kept.append(lines.pop())
    return "".join(reversed(kept))


def _link_kin(candidate: Candidate, plan_dir: Path) -> None:
    """Name candidates of other cases with the same kin, or a near-equal reason under the same criterion."""
    if not candidate.hit.criterion:
        return
    own = _Glance.of(render(candidate))
    links: list[str] = []
    for path in paths(plan_dir):
        with contextlib.suppress(PoolError):
            other = _Glance.of(read_text(path))
            if other.case != own.case and other.criterion == own.criterion and _alike(own, other):
                links.append(path.stem)
        if len(links) == NEAR:
            break
    candidate.near_duplicates = links


@dataclass(frozen=True, slots=True)
class _Glance:
    """What near-duplicates are told by, picked out of a file's text: a run with many hits must not parse the pool for each."""

    case: str
    criterion: str
    kin: str
    reasons: str

    @classmethod
    def of(cls, text: str) -> _Glance:
        def pick(pattern: str) -> str:
            found = re.search(pattern, text, re.MULTILINE | re.DOTALL)
            return found.group(1).strip() if found else ""

        return cls(
            pick(r"^case_id: ([^\n]*)$"),
            pick(r"^  criterion: ([^\n]*)$"),
            pick(r'^  kin: "?([0-9a-f]{16})"?$'),
            pick(r"^  reasons:(.*?)^(?:\S|  also:)"),
        )


def _alike(one: _Glance, other: _Glance) -> bool:
    if one.kin == other.kin:
        return True
    first, second = _grams(one.reasons), _grams(other.reasons)
    union = len(first | second)
    return bool(union) and len(first & second) / union >= 0.7


def _grams(text: str) -> set[str]:
    reason = normalised_reason(text)[:2000]
    return {reason[n : n + 3] for n in range(max(1, len(reason) - 2))}


@contextlib.contextmanager
def locked(plan_dir: Path) -> Generator[None, None, None]:
    """Hold the pool of ``plan_dir`` against other processes; a killed holder's lock is released by the system."""
    folder = pool_dir(plan_dir)
    folder.mkdir(parents=True, exist_ok=True)
    try:
        import fcntl
    except ImportError:  # no advisory locks on this platform: writes are still atomic one by one
        yield
        return
    # The folder itself is the lock, so that no lock file lies among what a team commits.
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        _sweep(plan_dir)
        yield
    finally:
        os.close(handle)


__all__ = [
    "FOLDER",
    "Seen",
    "decided",
    "find",
    "headers",
    "load",
    "load_header",
    "locked",
    "paths",
    "pool_dir",
    "render",
    "replace_block",
    "replace_blocks",
    "set_review",
    "store",
]
