"""What a run should point out about a frozen case: that it never was red, or is red for a reason that is not its own."""

from __future__ import annotations

from adk_split_eval.pool.emit import as_list
from adk_split_eval.pool.fingerprint import same_reason
from adk_split_eval.record import Case, CaseResult


def frozen_remarks(case: Case, result: CaseResult, *, red_since: bool | None = None) -> list[str]:
    """Sentences about one frozen case; none for a case that was written by hand.

    Args:
        red_since: whether any stored run since the freeze had it red; None when that is not known.
    """
    known = case.provenance or {}
    criterion = known.get("criterion")
    if not known.get("fingerprint"):
        return []
    if result.verdict == "PASS":
        if str(known.get("red", "")).startswith("0/"):
            return ["frozen while green: it has never been seen red, so nothing shows yet that it can fail"]
        if red_since is False:
            return [f"never red since it was frozen ({known.get('frozen_at', 'date unknown')})"]
        return []
    if result.verdict != "FAIL" or criterion not in {c.name for c in case.criteria}:
        return []
    own = [str(r) for r in (known.get("reason"), *as_list(known.get("reasons"))) if r]
    failed = [c for c in result.criteria if c.status == "failed"]
    judged = known.get("kind") == "judged"
    if any(c.name == criterion and (judged or same_reason(c.reasons, own)) for c in failed):
        return []
    if not failed:  # a pending case that is green fails without a criterion
        return []
    names = ", ".join(c.name for c in failed)
    return [f"red for another reason than its own: it guards {criterion}, red is {names}"]
