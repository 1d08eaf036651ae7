"""The codes of the probe pool and of the freeze, as ``explain`` shows them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Code:
    """What a code means, why it is refused, and the way out."""

    title: str
    why: str
    mend: str

    def render(self, code: str) -> str:
        return f"{code} {self.title}\n\nWhy: {self.why}\n\nMend: {self.mend}\n"


CODES: dict[str, Code] = {
    "ASE950": Code(
        "a file of the probe pool, a frozen file or a recording cannot be read",
        "A candidate that is skipped because it cannot be read is a finding lost.",
        "Mend the YAML at the place named (merge conflicts are the usual cause), or restore the file from version control.",
    ),
    "ASE951": Code(
        "a candidate or frozen file has another shape than expected",
        "A key was renamed, removed or given another type by hand.",
        "Mend the key named, or restore the file from version control.",
    ),
    "ASE952": Code(
        "no candidate, or several, are called so",
        "A command that acts on nothing, or on the wrong candidate, must not look as if it had worked.",
        "Name it as `adk-split-eval pool list` shows it; the beginning or the eight digits are enough when they are unique.",
    ),
    "ASE953": Code(
        "several files claim the same fingerprint",
        "A fault has one file, so that its count and its review are in one place.",
        "Remove the copies; keep the reviewed one.",
    ),
    "ASE954": Code(
        "this decision cannot be made about the candidate",
        "It is frozen already, or has no draft that could be approved.",
        "See the message: update the frozen case, write a draft, draft the prefix, or reject the candidate.",
    ),
    "ASE955": Code(
        "the candidate has no draft",
        "The conversation did not end cleanly, or the simulated user was not in order; the candidate says which.",
        "Draft up to the first turn that shows the failure: `pool draft ID --prefix`; or write the draft by hand.",
    ),
    "ASE956": Code(
        "the draft still has holes",
        "What the agent should have done in the failing turn cannot be taken from a conversation that failed.",
        "Write the expected calls in place of TODO, `[]` for none; or remove `expect_tools` from every turn.",
    ),
    "ASE957": Code(
        "the draft takes the failure for what is right",
        "A case made of the failing conversation's own calls and answers, or without its failing turn or the criterion that hit, "
        "passes as long as the bug is there: it guards the bug.",
        "Write what the agent should have done and said, and keep the failing turn and the criterion that hit.",
    ),
    "ASE958": Code(
        "the draft is no valid fixed case",
        "It would be rejected as soon as the plan is loaded.",
        "Mend it at the place named; the format is that of a fixed case in a plan.",
    ),
    "ASE959": Code(
        "nothing in the frozen case would notice the fault",
        "The criterion that hit does not govern fixed cases of this plan, and the draft states nothing in its place.",
        "Add the criterion to `fixed_set.criteria`, or state in the draft what the agent must do or say.",
    ),
    "ASE960": Code(
        "the candidate is not approved",
        "Only a person can say that the agent, not the simulated user, was at fault.",
        "Review it: `pool show ID`, then `pool approve ID --why ...`.",
    ),
    "ASE961": Code(
        "the case was not red for its own reason",
        "A case that was never red for its own reason has not shown that it can catch the fault.",
        "See the message: compare draft and transcript, or use --already-fixed or --allow-flaky where they are true.",
    ),
    "ASE962": Code(
        "no usable date",
        "A time of grace without an end is a case switched off.",
        "Give a day to come, as 2027-01-31.",
    ),
    "ASE963": Code(
        "an approved candidate is not frozen",
        "It was decided that the fault must not come back, and nothing guards against it yet.",
        "Run `adk-split-eval freeze` and commit what it writes.",
    ),
    "ASE964": Code(
        "a candidate is marked frozen, but its case is gone",
        "The guard was removed, by a merge or by hand, and the pool still believes in it.",
        "Restore the frozen file, or set the candidate back to approved and freeze it again.",
    ),
    "ASE965": Code(
        "a frozen case was edited without a reason",
        "An expectation, a time of grace or a provenance that is bent until it passes guards nothing; each change says who made it "
        "and why.",
        "`adk-split-eval freeze --update CASE --reason ...`, or undo the edit.",
    ),
    "ASE966": Code(
        "the recording cannot be used",
        "It is none of the known kinds, or holds no such case.",
        "Give a session export, an *.evalset_result.json of adk eval, or an eval case of adk web.",
    ),
    "ASE967": Code(
        "there is no such frozen case, or it is not pending",
        "A command that acts on nothing must not look as if it had worked.",
        "Name a case of the frozen file, as F-S-02.",
    ),
    "ASE968": Code(
        "the expectation cannot be updated",
        "The case is red for the reason it was frozen for, could not be judged, or its trials disagree: what the agent does now "
        "is no reference. The same holds for an edit by hand, and for the end of a time of grace.",
        "Mend the agent, or give the case a time of grace: `pending: {owner: ..., until: ...}`.",
    ),
}
"""Code → what it means."""
