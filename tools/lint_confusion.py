"""Compares the linter with the installed google-adk over the generated corpus; prints or stores the confusion table.

python tools/lint_confusion.py            # print
python tools/lint_confusion.py --write    # into docs/lint.md
"""

from __future__ import annotations

import argparse
import importlib.util
import logging
import os
import re
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs" / "lint.md"
START, END = "<!-- confusion table: start -->\n", "<!-- confusion table: end -->\n"


@dataclass(frozen=True)
class Row:
    """One combination: what ADK did, and the linter's error codes."""

    group: str
    name: str
    proper: bool
    why: str
    codes: tuple[str, ...]


def load(path: Path) -> ModuleType:
    """A module by its path (tests are no package)."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


def compare(corpus: ModuleType, worlds_module: ModuleType, folder: Path) -> list[Row]:
    """Plays and lints every combination."""
    from adk_split_eval.lint import lint_paths

    sys.path.insert(0, str(folder))
    logged = logging.root.manager.disable
    try:
        worlds = worlds_module.Worlds(folder, corpus.TEXTS)
        return [
            _row(worlds, combination, folder / f"c{n}", lint_paths)
            for n, combination in enumerate(corpus.combinations())
        ]
    finally:
        # The worlds switch logging off, and a process may have more to do than to play them.
        logging.disable(logged)
        sys.path.remove(str(folder))


def _row(worlds: object, combination: object, folder: Path, lint_paths: object) -> Row:
    folder.mkdir()
    set_path, config_path = folder / "a.evalset.json", folder / "test_config.json"
    for path, text in zip((set_path, config_path), combination.texts(), strict=True):
        path.write_bytes(text.encode("utf-8"))
    outcome = worlds.outcome(set_path, config_path)
    result = lint_paths([folder])
    codes = tuple(sorted({f.code for f in result.findings if f.level == "error"}))
    return Row(combination.group, combination.name, outcome.proper, outcome.why, codes)


def render(rows: list[Row], version: str) -> str:
    """The table in Markdown."""
    lines = [
        f"{len(rows)} combinations against google-adk {version}:",
        "",
        "| combinations | judged properly, no error | not judged properly, error | missed | false alarm |",
        "| --- | ---: | ---: | ---: | ---: |",
    ]
    for group in [*dict.fromkeys(r.group for r in rows), "all"]:
        chosen = [r for r in rows if group in (r.group, "all")]
        counts = (
            sum(r.proper and not r.codes for r in chosen),
            sum(not r.proper and bool(r.codes) for r in chosen),
            sum(not r.proper and not r.codes for r in chosen),
            sum(r.proper and bool(r.codes) for r in chosen),
        )
        lines.append(f"| {group} ({len(chosen)}) | " + " | ".join(map(str, counts)) + " |")
    return "\n".join(lines) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    sys.path.insert(0, str(ROOT))
    for name in list(os.environ):
        if name.startswith(("GOOGLE_", "GEMINI_", "OPENAI_", "ANTHROPIC_")):
            del os.environ[name]
    os.environ["NO_GCE_CHECK"] = "true"
    corpus, worlds = (load(ROOT / "tests" / "lint" / f"differential_{part}.py") for part in ("corpus", "worlds"))
    with tempfile.TemporaryDirectory() as folder:
        rows = compare(corpus, worlds, Path(folder))
    import google.adk

    text = render(rows, google.adk.__version__)
    print(text)
    for row in rows:
        if row.proper == bool(row.codes):
            print(f"MISMATCH {row.group} | {row.name} | {'proper' if row.proper else row.why} | {row.codes}")
    if options.write:
        page = DOCS.read_text(encoding="utf-8")
        DOCS.write_text(re.sub(f"{START}.*{END}", lambda _: START + text + END, page, flags=re.S), encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
