"""On which ADK and Python the suites have been run, with what came out: kept by hand, shown on the page about parity."""

from __future__ import annotations

from textwrap import fill

DATE = "2026-11-30"
# google-adk, Python, what was run, outcome
RUNS = (
    ("2.13.0", "3.11.7", "parity", "the tables above"),
    (
        "2.10.0",
        "3.11.7",
        "parity, silent greens, adversarial, cases, metrics, build, run (`make test-oldest`)",
        "1,162 passed, 6 skipped; 3 missed a time limit on a busy machine and passed when run again",
    ),
    (
        "2.13.0",
        "3.12.1",
        "the whole suite",
        "3,210 passed, 7 skipped; 32 failed (time limits on a busy machine; tests that a library's warning or an earlier "
        "test of the process disturbed), were mended and passed when run again",
    ),
    (
        "2.13.0",
        "3.13.0",
        "the whole suite, in pieces",
        "3,626 passed, 7 skipped, and 862 of lint, freeze and the README; 3 failed (when helper processes are woken; an order "
        "number that Hypothesis found; credentials an earlier test had left), were mended and passed when run again",
    ),
)
NOTES = (
    "The tables of this page came out the same, line for line, on 2.10.0 and 2.13.0. Both example plans end with the same "
    "exit codes, verdicts, scores, votes and conversations on both. 2.11 and 2.12 were not run.",
    "Environments at hand take part in the ordinary suite: every finished `.venv*` of the checkout that has another "
    "google-adk or Python than the one the suite runs on (`make test-oldest` makes `.venv-oldest`, `make setup-dev "
    "VENV=.venv-313 PYTHON=python3.13` one for another Python), and the Python that `ADK_SPLIT_EVAL_OLDEST_PYTHON` names.",
)


def section() -> list[str]:
    """The section of the page."""
    lines = [
        "## Where it was run",
        "",
        f"Last on {DATE}:",
        "",
        "| google-adk | Python | run | outcome |",
        "|---|---|---|---|",
    ]
    lines += [f"| {' | '.join(row)} |" for row in RUNS]
    for note in NOTES:
        lines += ["", fill(note, 120, break_long_words=False, break_on_hyphens=False)]
    return [*lines, ""]
