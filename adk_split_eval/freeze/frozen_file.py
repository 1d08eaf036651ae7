"""``<plan_id>.frozen.yaml``: reading it, adding to it and changing one case, with every other byte kept."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from adk_split_eval.pool.emit import as_list, as_mapping, emit, emit_item
from adk_split_eval.pool.fingerprint import content_hash
from adk_split_eval.pool.reading import PoolError, item_lines, parse, read_text, refuse
from adk_split_eval.record.jsonio import write_atomically

NOT_CONTENT = frozenset({"provenance", "pending"})
SUFFIX = ".frozen.yaml"

_HEADER = """\
# Frozen cases of this plan: hits of the probe that a person approved. They belong to its fixed set.
# Written by `adk-split-eval freeze`; `freeze --check` finds edits that do not go through `freeze --update`.
"""


def frozen_path(plan_path: Path, plan_id: str) -> Path:
    """Where the frozen cases of a plan live: beside it."""
    return plan_path.parent / f"{plan_id}{SUFFIX}"


def plan_id_of(plan_path: Path) -> str:
    """The ``plan_id`` of a plan, read without checking the plan. Raises PoolError."""
    name = parse_head(read_text(plan_path), str(plan_path)).get("plan_id")
    if not isinstance(name, str):
        raise refuse("ASE951", "has no plan_id", path=str(plan_path), help="is this a plan?")
    return name


def parse_head(text: str, path: str) -> dict[str, Any]:
    """Only the ``plan_id`` line when it stands alone at the margin, else the whole document."""
    line = next((ln for ln in text.splitlines() if ln.startswith("plan_id:")), None)
    if line is not None:
        try:
            return parse(line + "\n", path)
        except PoolError:
            pass
    return parse(text, path)


def read_cases(path: Path) -> list[dict[str, Any]]:
    """The frozen cases as written; none when there is no file. Raises PoolError."""
    if not path.is_file():
        return []
    return _cases(parse(read_text(path), str(path)), path)


def _cases(data: dict[str, Any], path: Path) -> list[dict[str, Any]]:
    cases = data.get("cases")
    if cases is not None and not isinstance(cases, list):
        raise refuse("ASE951", "`cases` must be a list", path=str(path), help="restore it from version control")
    return [as_mapping(case) for case in as_list(cases)]


def hash_of(case: dict[str, Any]) -> str:
    """What a frozen case expects, as a hash: its provenance and its time of grace do not count."""
    return content_hash({key: value for key, value in case.items() if key not in NOT_CONTENT})


def sealed(provenance: dict[str, Any], case: dict[str, Any]) -> dict[str, Any]:
    """``provenance`` with what makes later edits visible: of the case, of its time of grace, of what it guards against."""
    known = {key: value for key, value in provenance.items() if key not in ("content_hash", "grace", "seal")}
    if grace := grace_of(case):
        known["grace"] = grace
    return {**known, "content_hash": hash_of(case), "seal": seal_of(known)}


def seal_of(provenance: dict[str, Any]) -> str:
    """What a frozen case guards against, as a hash."""
    return content_hash({key: provenance.get(key) for key in _GUARDED})


def grace_of(case: dict[str, Any]) -> str:
    """The time of grace of a case in one line; "" without one."""
    pending = as_mapping(case.get("pending"))
    return f"{pending.get('owner')} until {pending.get('until')}" if pending else ""


_GUARDED = ("candidate", "fingerprint", "criterion", "kind", "turn", "reason", "reasons", "red")


def fingerprint_of(case: dict[str, Any]) -> str:
    """The fault a frozen case guards against; "" when it does not say."""
    return str(as_mapping(case.get("provenance")).get("fingerprint") or "")


def add_case(path: Path, plan_id: str, case: dict[str, Any]) -> None:
    """Append ``case``. The file is old or new, never half."""
    if not path.is_file():
        write_atomically(path, _whole(plan_id, [case]))
        return
    text = read_text(path)
    cases = _cases(parse(text, str(path)), path)
    wanted = [*cases, case]
    places = item_lines(text, "cases")
    if places:
        body = text if text.endswith("\n") else text + "\n"
        grown = body + emit_item(case, places[0][1])
        if _holds(grown, wanted):
            write_atomically(path, grown)
            return
    write_atomically(path, _whole(plan_id, wanted))


def replace_case(path: Path, plan_id: str, case: dict[str, Any]) -> None:
    """Put ``case`` in the place of the one with the same ``case_id``."""
    text = read_text(path)
    cases = _cases(parse(text, str(path)), path)
    number = next(n for n, known in enumerate(cases) if known.get("case_id") == case["case_id"])
    wanted = [*cases[:number], case, *cases[number + 1 :]]
    places = item_lines(text, "cases")
    if places:
        lines = text.splitlines(keepends=True) if "\r" not in text else []
        end = places[number + 1][0] if number + 1 < len(places) else len(lines)
        changed = "".join(lines[: places[number][0]]) + emit_item(case, places[number][1]) + "".join(lines[end:])
        if lines and _holds(changed, wanted):
            write_atomically(path, changed)
            return
    write_atomically(path, _whole(plan_id, wanted))


def _holds(text: str, cases: list[dict[str, Any]]) -> bool:
    try:
        return parse(text, "")["cases"] == cases
    except (PoolError, KeyError):
        return False


def _whole(plan_id: str, cases: list[dict[str, Any]]) -> str:
    head = emit({"plan_id": plan_id})
    return _HEADER + head + "cases:\n" + "".join(emit_item(case, 2) for case in cases)
