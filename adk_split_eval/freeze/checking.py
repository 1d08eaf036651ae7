"""``freeze --check``: nothing approved is left unfrozen, nothing frozen was changed without a word. Imports no ADK."""

from __future__ import annotations

import datetime
from pathlib import Path

from adk_split_eval.freeze.frozen_file import SUFFIX, fingerprint_of, grace_of, hash_of, read_cases, seal_of
from adk_split_eval.plan.checking import orphans
from adk_split_eval.pool import files
from adk_split_eval.pool.emit import as_mapping
from adk_split_eval.pool.reading import PoolError, item_lines, read_text
from adk_split_eval.record import Finding

NO_DATE, UNFROZEN, LOST, EDITED = "ASE962", "ASE963", "ASE964", "ASE965"


def check(plan_dir: Path, frozen: Path) -> list[Finding]:
    """What is wrong with the pool and the frozen file of one plan; empty when all is well."""
    good, bad = files.headers(plan_dir)
    findings = [finding for error in bad for finding in error.findings]
    findings += orphans(plan_dir, frozen.name.removesuffix(SUFFIX))
    try:
        cases = read_cases(frozen)
    except PoolError as error:
        return [*findings, *error.findings]
    guarded = {fingerprint_of(case) for case in cases}
    for candidate in good:
        path = str(candidate.path or "")
        known = candidate.fingerprint in guarded
        if candidate.status == "approved":
            message = (
                f"{candidate.id} is approved and not frozen" if not known else f"{candidate.id} was frozen only half"
            )
            findings.append(
                Finding(UNFROZEN, "error", message, path, help=f"run: adk-split-eval freeze {candidate.id}")
            )
        elif candidate.status == "frozen" and not known:
            message = f"{candidate.id} is marked frozen, but no frozen case carries its fingerprint"
            mend = (
                f"restore {frozen.name} from version control, or set the candidate back to approved and freeze it again"
            )
            findings.append(Finding(LOST, "error", message, path, help=mend))
    places = item_lines(read_text(frozen), "cases") if cases else None
    for number, case in enumerate(cases):
        line = places[number][0] + 1 if places else 0
        if finding := _edited(case, frozen, line):
            findings.append(finding)
    return findings


def _edited(case: dict[str, object], frozen: Path, line: int) -> Finding | None:
    case_id = str(case.get("case_id"))
    known = as_mapping(case.get("provenance"))
    code, change = EDITED, f'say why: adk-split-eval freeze --update {case_id} --reason "..."; or undo the edit'
    if known.get("content_hash") is None:
        message = f"{case_id} has no provenance: it was written by hand, or its provenance was removed"
        mend = "move it into the plan's fixed_set, or freeze it from its candidate"
    elif "seal" in known and known["seal"] != seal_of(known):
        message = f"{case_id}: its provenance was edited, so it no longer says what it guards against"
        mend = "restore it from version control"
    elif known["content_hash"] != hash_of(case):
        message, mend = f"{case_id} was edited, and its provenance does not say why", change
    elif bad := _bad_day(case):
        code, message, mend = NO_DATE, f"{case_id} is pending until {bad}, which is no day", "write it as 2027-01-31"
    elif "seal" in known and grace_of(case) != str(known.get("grace") or ""):
        message, mend = f"{case_id}: its time of grace was edited, and its provenance does not say why", change
    else:
        return None
    return Finding(code, "error", message, str(frozen), line, 3 if line else 0, help=mend, case_id=case_id)


def _bad_day(case: dict[str, object]) -> str | None:
    pending = as_mapping(case.get("pending"))
    until = str(pending.get("until"))
    try:
        usable = not pending or datetime.date.fromisoformat(until).isoformat() == until
    except ValueError:
        usable = False
    return None if usable else repr(until)
