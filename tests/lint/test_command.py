"""The verbs: exit codes, options, and what a user's mistake gets instead of a traceback."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from adk_split_eval.lint.command import explain, lint
from adk_split_eval.lint.rule import all_rules

CASES = Path(__file__).parent / "data" / "cases"
ERROR = str(CASES / "12-session-state-carry" / "wrong_frozen_end_state.evalset.json")
WARNING = str(CASES / "12-session-state-carry" / "expected_frozen.evalset.json")
CONFIG = str(CASES / "12-session-state-carry" / "eval_config.json")


def run(*arguments: str) -> Result:
    result = CliRunner().invoke(lint, list(arguments))
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exc_info
    return result


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ((ERROR, "--config", CONFIG), 1),
        ((WARNING, "--config", CONFIG), 0),
        ((WARNING, "--config", CONFIG, "--strict"), 1),
        (("no-such-file.json",), 2),
        ((WARNING, "no-such-file.json", "--config", CONFIG), 2),
        ((WARNING, "--config", "no-such-config.json"), 1),
        ((ERROR, "--config", CONFIG, "--ignore", "ASE5"), 0),
        ((ERROR, "--config", CONFIG, "--ignore", "end-state-in-start,ASE507"), 0),
        ((ERROR, "--config", CONFIG, "--select", "ASE507"), 0),
        ((ERROR, "--config", CONFIG, "--select", "ASE506,ASE507"), 1),
        ((WARNING, "--adk-version", "newest"), 2),
        ((WARNING, "--format", "xml"), 2),
        ((WARNING, "--config", CONFIG, "--statistics", "--format", "json"), 2),
        ((WARNING, "--config", CONFIG, "--diff", "--format", "github"), 2),
        ((WARNING, "--config", CONFIG, "--diff", "--statistics"), 2),
    ],
)
def test_exit_codes(arguments: tuple[str, ...], code: int) -> None:
    assert run(*arguments).exit_code == code


def test_version_assumed_is_said() -> None:
    assert "(ADK 2.0, as asked)" in run(WARNING, "--config", CONFIG, "--adk-version", "2.0").output


def test_statistics() -> None:
    output = run(ERROR, "--config", CONFIG, "--statistics").output
    assert "ASE506" in output and output.rstrip().endswith("in all")


def test_folder_by_default(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "test_config.json").write_text("{}", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert "ASE219" in run().output


def test_formats_agree_on_the_number(tmp_path: Path) -> None:
    arguments = (ERROR, "--config", CONFIG)
    count = len(json.loads(run(*arguments, "--format", "json").output)["findings"])
    assert len(json.loads(run(*arguments, "--format", "sarif").output)["runs"][0]["results"]) == count
    assert len(run(*arguments, "--format", "github").output.splitlines()) == count


def test_settings_that_cannot_be_used(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.adk-split-eval]\nselect = 3\n", encoding="utf-8")
    (tmp_path / "test_config.json").write_text("{}", encoding="utf-8")
    result = run(str(tmp_path))
    assert result.exit_code == 2 and "select must be a list" in result.output
    (tmp_path / "pyproject.toml").write_text("[tool.adk-split-eval\n", encoding="utf-8")
    assert run(str(tmp_path)).exit_code == 2


@pytest.mark.parametrize("rule", all_rules(), ids=lambda r: r.code)
def test_every_rule_is_explained(rule: object) -> None:
    for given in (rule.code, rule.code.lower(), rule.name):
        result = CliRunner().invoke(explain, [given])
        assert result.exit_code == 0
        assert result.output.startswith(f"{rule.code} {rule.name}") and "## Use instead" in result.output


def test_codes_of_other_rooms_and_of_nobody() -> None:
    assert "ASE101" in CliRunner().invoke(explain, ["ASE101"]).output
    nobody = CliRunner().invoke(explain, ["ASE000"])
    assert nobody.exit_code == 2 and "no code" in nobody.output


def test_folder_that_cannot_be_looked_into(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def walk(top: str, onerror: object) -> list[object]:
        onerror(PermissionError(13, "Permission denied", top))
        return []

    monkeypatch.setattr("adk_split_eval.lint.discover.os.walk", walk)
    result = run(str(tmp_path))
    assert result.exit_code == 2 and "Permission denied" in result.output


def test_command_lines_of_a_makefile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.evalset.json").write_text(Path(WARNING).read_text(encoding="utf-8"), encoding="utf-8")
    (tmp_path / "Makefile").write_text(
        'eval:\n\tadk eval desk "a.evalset.json:my_branch__frozen, nope"\n\t@adk eval $(AGENT) $(SETS)\n',
        encoding="utf-8",
    )
    result = run("--command", "Makefile")
    assert result.exit_code == 1
    assert "Makefile:2:" in result.output and "ASE703" in result.output and "ASE704" in result.output


def test_help_shows_an_example() -> None:
    assert "Example: adk-split-eval lint" in run("--help").output


@pytest.mark.parametrize("option", ["--select", "--ignore"])
@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("NOPE", "docs/rules.md lists them"),
        ("ASE5066", "ASE506"),
        ("end-state-in-strat", "end-state-in-start"),
        ("ASE9", ""),
    ],
)
def test_codes_and_names_nobody_has(option: str, name: str, near: str) -> None:
    result = run(ERROR, "--config", CONFIG, option, f"ASE102,{name}")
    assert result.exit_code == 2
    assert option in result.output and repr(name) in result.output and near in result.output


@pytest.mark.parametrize("name", ["all", "ase5", "ASE0", "ASE031", "ASE699", "end-state-in-start"])
def test_codes_and_names_somebody_has(name: str) -> None:
    assert run(WARNING, "--config", CONFIG, "--select", name).exit_code in (0, 1)


def test_folder_without_anything_to_look_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "package.json").write_text('{"name": "x"}', encoding="utf-8")
    (tmp_path / "desk.yaml").write_text("plan_id: desk", encoding="utf-8")
    (tmp_path / "good").mkdir()
    (tmp_path / "empty").mkdir()
    plan = "plan_id: desk\nfixed_set: {cases: [{case_id: A, turns: [{user: hi, expect_tools: [f]}]}]}\n"
    (tmp_path / "good" / "desk.plan.yml").write_text(plan, encoding="utf-8")
    monkeypatch.chdir(tmp_path / "empty")
    for arguments in ((), (".",), (str(tmp_path / "empty"),), (str(tmp_path / "good"), str(tmp_path / "empty"))):
        result = run(*arguments)
        assert result.exit_code == 2 and "*.plan.yml" in result.output
    assert run(str(tmp_path / "good")).exit_code == 0
    assert run(str(tmp_path)).exit_code == 0
    assert run("--format", "json", ".").exit_code == 2
