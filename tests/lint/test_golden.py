"""Every rule over inputs marked OK and NOT OK, with the exact report. ``UPDATE_GOLDEN=1`` rewrites the expected parts.

``aseNNN-…`` belongs to a rule; ``green-…``, ``mistakes-…``, ``loud-ones`` and ``also-seen`` show what plain ``adk eval`` hides.
Silent greens 4, 5 and 16 (judges and answers at run time) leave no trace in files: our runner shows those.

A golden file is a list of cases: ``=== OK`` or ``=== NOT OK`` (with options as JSON), files as ``--- name`` and their text,
``--- expected`` and the report. ␍ stands for a carriage return, ␆ for a byte order mark, ␎ for a combining accent and ␄ for
the end of a file without a line end, so that editors cannot lose them.
"""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from adk_split_eval.lint import LintResult, lint_paths
from adk_split_eval.lint.output.text import render
from adk_split_eval.lint.rule import all_rules
from adk_split_eval.lint.settings import Options

GOLDEN = Path(__file__).parent / "golden"
UPDATE = bool(os.environ.get("UPDATE_GOLDEN"))


@dataclass
class Example:
    """One case of a golden file."""

    verdict: str
    options: dict[str, Any]
    files: dict[str, str] = field(default_factory=dict)
    expected: str = ""


def parse(text: str) -> tuple[str, list[Example]]:
    """(heading, cases)."""
    heading, *blocks = re.split(r"(?m)^=== ", text)
    found: list[Example] = []
    for block in blocks:
        first, _, rest = block.partition("\n")
        verdict = "NOT OK" if first.startswith("NOT OK") else "OK"
        example = Example(verdict, json.loads(first[len(verdict) :] or "{}"))
        for part in re.split(r"(?m)^--- ", rest)[1:]:
            name, _, body = part.partition("\n")
            if name == "expected":
                example.expected = body
            else:
                example.files[name] = body
        found.append(example)
    return heading, found


def dump(heading: str, examples: list[Example]) -> str:
    out = [heading]
    for example in examples:
        options = f" {json.dumps(example.options, ensure_ascii=False)}" if example.options else ""
        out.append(f"=== {example.verdict}{options}\n")
        out += [f"--- {name}\n{body}" for name, body in example.files.items()]
        out.append(f"--- expected\n{example.expected}")
    return "".join(out)


def real(body: str) -> str:
    """The file's text with the stand-ins replaced."""
    return body.replace("␄\n", "").replace("␍\n", "\r\n").replace("␆", "\ufeff").replace("␎", "\u0301")


def shown(text: str) -> str:
    return text.replace("\ufeff", "␆").replace("\u0301", "␎")


def lint_example(example: Example, folder: Path, monkeypatch: pytest.MonkeyPatch) -> LintResult:
    for name, body in example.files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(real(body).encode(example.options.get("encode", "utf-8")))
    (folder / ".git").mkdir()
    monkeypatch.chdir(folder)
    options = Options(
        adk_version=example.options.get("adk_version", "2.13.0"),
        config=example.options.get("config"),
        command=example.options.get("command"),
        ignore=tuple(example.options.get("ignore", ["ASE635"])),
    )
    return lint_paths(example.options.get("paths", ["."]), options)


FILES = sorted(GOLDEN.glob("*.txt"))


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_golden(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code = path.stem.split("-")[0].upper()
    heading, examples = parse(path.read_text(encoding="utf-8"))
    for number, example in enumerate(examples):
        folder = tmp_path / str(number)
        folder.mkdir()
        result = lint_example(example, folder, monkeypatch)
        report = shown(render(result)).replace(str(folder), "FOLDER")
        codes = {f.code for f in result.findings if f.level not in example.options.get("levels", ())}
        wanted = set(example.options.get("codes", [code]))
        if example.verdict == "NOT OK":
            assert wanted <= codes, f"case {number}: {report}"
        else:
            assert not wanted & codes, f"case {number}: {report}"
        assert "ASE699" not in codes, report
        if UPDATE:
            example.expected = report
        assert report == example.expected
    if UPDATE:
        path.write_text(dump(heading, examples), encoding="utf-8")


@pytest.mark.parametrize("rule", all_rules(), ids=lambda r: r.code)
def test_every_rule_has_both_kinds(rule: Any) -> None:
    """Each rule shows that it speaks and that it can be silent, and documents itself in the agreed headings."""
    path = GOLDEN / f"{rule.code.lower()}-{rule.name}.txt"
    _, examples = parse(path.read_text(encoding="utf-8"))
    assert {e.verdict for e in examples} == {"OK", "NOT OK"}
    headings = re.findall(r"(?m)^## (.*)$", rule.documentation)
    wanted = ["What it does", "Why is this bad?", "Example", "Use instead"]
    assert headings == (wanted if not rule.fixable else [*wanted, "Fix safety"]), rule.code
    assert rule.documentation.splitlines()[0].rstrip(".") == rule.title
