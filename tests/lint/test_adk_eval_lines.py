"""``lint --command`` reads `adk eval` lines as they stand in Makefiles, scripts, CI files and READMEs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from adk_split_eval.lint.command import lint

SET = {"eval_set_id": "a", "eval_cases": [{"eval_id": "hold", "conversation": []}]}
WORKFLOW = """jobs:
  evals:
    strategy: {matrix: {set: [a, b]}}
    steps:
      - run: adk eval desk t/${{ matrix.set }}.evalset.json
      - run: |
          pip install google-adk
          uv run --extra eval adk eval desk \\
            t/a.evalset.json:gone \\
            --config_file_path c.json
      # - run: adk eval desk t/commented.evalset.json
      - run: adk eval desk deep.evalset.json
        working-directory: t/deep
"""


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("t/a.evalset.json", "t/b.evalset.json", "t/deep/deep.evalset.json"):
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text(json.dumps(SET), encoding="utf-8")
    Path("c.json").write_text('{"criteria": {"response_match_score": 0.8}}', encoding="utf-8")


def said(name: str, text: str) -> list[str]:
    """``line:column: code`` of each finding about a file."""
    Path(name).parent.mkdir(parents=True, exist_ok=True)
    Path(name).write_bytes(text.encode())
    result = CliRunner().invoke(lint, ["--command", name])
    lines = [line for line in result.output.splitlines() if line.startswith(f"{name}:")]
    return [line.removeprefix(f"{name}:").split(" error:")[0] for line in lines]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("run.sh", "adk eval desk t/a.evalset.json; echo done"),
        ("run.sh", "adk eval desk t/a.evalset.json >out.txt 2>/dev/null"),
        ("run.sh", "adk eval desk t/a.evalset.json 2>&1 | tee log"),
        ("run.sh", "(adk eval desk t/a.evalset.json)"),
        ("run.sh", "OUT=$(adk eval desk t/a.evalset.json:hold)"),
        ("run.sh", "OUT=`adk eval desk t/a.evalset.json:hold`"),
        ("run.sh", "if ! adk eval desk t/a.evalset.json:hold; then exit 1; fi"),
        ("run.sh", "docker run x sh -c 'adk eval desk t/a.evalset.json:hold'"),
        ("run.sh", "adk eval desk t/*.evalset.json --config_file_path c.json"),
        ("run.sh", "cd t && adk eval ../desk a.evalset.json --config_file_path ../c.json"),
        ("run.sh", "adk eval desk t/a.evalset.json t/b.evalset.json $OPTIONS"),
        ("run.sh", "adk eval desk t/a.evalset.json --log_level debug --enable_features X,Y"),
        ("run.sh", "# adk eval desk t/gone.evalset.json"),
        ("run.sh", "true  # once: adk eval desk t/gone.evalset.json"),
        ("run.sh", 'echo "try adk eval desk t/gone.evalset.json"'),
        ("Makefile", "eval: ## run adk eval on all sets\n\tadk eval $(AGENT) $(SETS)"),
        ("sub/Makefile", "eval:\n\tadk eval ../desk ../t/a.evalset.json"),
        ("ci.yml", '- run: "adk eval desk t/a.evalset.json:hold"'),
        ("ci.yml", "- run: 'uv run adk eval desk t/a.evalset.json:hold'"),
        ("ci.yml", "- {run: adk eval desk t/a.evalset.json}"),
        ("ci.yml", "args: ['-c', 'adk eval desk t/a.evalset.json:hold']"),
        ("package.json", '{"scripts": {"e": "adk eval desk t/a.evalset.json", "f": "adk eval desk \\"t/a.evalset.json\\""}}'),
        ("pyproject.toml", '[tool.poe.tasks]\ne = { cmd = "adk eval desk t/a.evalset.json:hold" }'),
        ("README.md", "Run `adk eval desk t/a.evalset.json:hold` or use adk eval with the sets of the folder t."),
        ("README.md", "    adk eval <agent> <set.json>"),
        ("run.bat", "adk eval desk t\\a.evalset.json ^\r\n  --config_file_path c.json\r\n"),
    ],
)  # fmt: skip
def test_lines_that_are_right(name: str, text: str) -> None:
    assert said(name, text) == []


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("run.sh", "adk eval desk t/a.evalset.json:hold && adk eval desk t/a.evalset.json:gone", ["1:54: ASE703"]),
        ("run.sh", "adk eval desk t/a.evalset.json; adk eval desk t/gone.evalset.json", ["1:47: ASE707"]),
        ("run.sh", "adk eval desk t/*.evalset.json", ["1:1: ASE705"]),
        ("run.sh", "adk eval desk t/*.evalsets.json", ["1:15: ASE707"]),
        ("run.sh", "adk eval $AGENT t/gone.evalset.json", ["1:17: ASE707"]),
        ("run.sh", "adk eval desk t/a.evalset.json t/b.evalset.json >log", ["1:1: ASE705"]),
        ("run.sh", "adk eval desk 't/a.evalset.json:hold, gone' | cat", ["1:16: ASE703", "1:16: ASE704"]),
        ("run.sh", "poetry run adk eval desk t/a.evalset.json --config_file_path=cc.json\r\n", ["1:62: ASE707"]),
        ("run.sh", "python -m google.adk.cli eval desk t/gone.evalset.json", ["1:36: ASE707"]),
        ("run.bat", "adk eval desk t\\gone.evalset.json", ["1:15: ASE707"]),
        ("ci.yml", WORKFLOW, ["9:13: ASE703"]),
    ],
)
def test_lines_that_are_wrong(name: str, text: str, expected: list[str]) -> None:
    assert said(name, text) == expected


@pytest.mark.parametrize("given", ["no-such-makefile", "pytest tests", "empty.sh"])
def test_nothing_to_look_at_is_not_green(given: str) -> None:
    Path("empty.sh").write_text("pytest tests\n", encoding="utf-8")
    result = CliRunner().invoke(lint, ["--command", given])
    assert result.exit_code == 2 and "no `adk eval AGENT SET` stands there" in result.output
