"""Writes the pages that are made from the proving suites: ``docs/parity.md`` and ``docs/silent-greens.md``.

Run it after a scene changed: ``python tools/generate_proof_docs.py``. The tests compare the pages with what they measure.
"""

from __future__ import annotations

import sys
import tempfile
import warnings
from pathlib import Path

ROOT = Path(__file__).parents[1]


def main() -> None:
    """Run every scene once and write both pages."""
    sys.path[:0] = [str(ROOT / "tests" / folder) for folder in ("bench", "parity", "silent_greens")]
    warnings.simplefilter("ignore")
    import parity_runs
    import silent_greens_runs

    with tempfile.TemporaryDirectory() as folder:
        pages = {
            "parity.md": parity_runs.page(parity_runs.compare_all(Path(folder) / "parity")),
            "silent-greens.md": silent_greens_runs.page(silent_greens_runs.run_all(Path(folder) / "greens")),
        }
    for name, text in pages.items():
        (ROOT / "docs" / name).write_text(text, "utf-8")
        print(f"docs/{name}")


if __name__ == "__main__":
    main()
