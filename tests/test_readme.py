"""Every command of the README is executed, its plan is loaded, its tables are true."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
BIN = Path(sys.executable).parent


def block(marker: str) -> str:
    found = re.search(rf"<!-- {re.escape(marker)} -->\n```\w*\n(.*?)```", README, re.DOTALL)
    assert found, marker
    return found.group(1)


def shell(command: str, cwd: Path, expected: int = 0) -> str:
    environment = {**os.environ, "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}", "NO_COLOR": "1"}
    done = subprocess.run(command, shell=True, cwd=cwd, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == expected, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def test_quickstart(tmp_path: Path) -> None:
    folder = tmp_path
    for line in block("test: quickstart").splitlines():
        command = line.split("#")[0].strip()
        if command.startswith("cd "):
            folder = folder / command.removeprefix("cd ")
            continue
        output = shell(command, folder)
        if command.endswith(" run"):
            assert "GATE" in output
            assert "PROBE" in output
            assert "exit code 0" in output


def test_the_first_plan_loads_and_compiles(tmp_path: Path) -> None:
    from adk_split_eval.api import compile_plan

    plan = tmp_path / "shop.plan.yaml"
    plan.write_text(block("example: first-plan"), encoding="utf-8")
    compiled = compile_plan(plan)
    assert [c.case_id for c in compiled.cases] == ["F-01", "S-01"]
    assert not any(c.rejected for c in compiled.cases)
    assert not [f for f in compiled.findings if f.level == "error"]


def test_the_two_make_commands_exist() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in re.findall(r"^make (\w+)", README, re.MULTILINE):
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target


def test_the_demo_command(tmp_path: Path) -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    recipe = re.search(r"^demo:.*\n\t@?\$\(BIN\)/(.*)$", makefile, re.MULTILINE)
    assert recipe
    command = recipe.group(1).replace("evalsets/", f"{ROOT}/evalsets/")
    output = shell(command, tmp_path)
    verdicts = re.findall(r"^  (PASS|FAIL|ERROR|REJECTED|OK|HIT|SIMULATOR|INCONCLUSIVE) +\S+", output, re.MULTILINE)
    assert set(verdicts) == {"PASS", "OK", "HIT"}
    assert verdicts.count("HIT") == 1
    assert verdicts.count("PASS") >= 6
    assert "pool show" in output, "the demo says what to do next"


def test_every_verb_of_the_table_has_help_with_an_example() -> None:
    from click.testing import CliRunner

    from adk_split_eval.cli import main

    listed = re.findall(r"^\| (`.*?) \|", README, re.MULTILINE)
    verbs = {v for cell in listed for v in re.findall(r"`([a-z]+)", cell)}
    assert {"init", "build", "lint", "run", "score", "pool", "freeze", "report"} <= verbs
    for verb in sorted(verbs):
        result = CliRunner().invoke(main, [verb, "--help"])
        assert result.exit_code == 0, verb
        assert "xample: adk-split-eval" in result.output, verb


@pytest.mark.parametrize("command", re.findall(r"`adk-split-eval ([^`]*)`", README))
def test_commands_named_in_the_text_exist(command: str) -> None:
    from click.testing import CliRunner

    from adk_split_eval.cli import main

    verb = command.split()[0]
    assert CliRunner().invoke(main, [verb, "--help"]).exit_code == 0
