"""Options of ``run`` that cannot be meant are refused before anything runs; reports go where they are sent."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner, Result

from adk_split_eval.cli import main


def invoke(*arguments: str) -> Result:
    return CliRunner().invoke(main, list(arguments))


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--call-timeout", "-1"), "-1.0 is not in the range"),
        (("--call-timeout", "nan"), "nan is no number of seconds"),
        (("--unit-timeout", "0"), "0.0 is not in the range"),
        (("--unit-timeout", "inf"), "inf is not in the range"),
        (("--jobs", "0"), "0 is not in the range"),
        (("--trials", "-2"), "-2 is not in the range"),
        (("--model-limit", "probe/model=0"), "N of at least 1"),
        (("--model-limit", "probe/model=²"), "N of at least 1"),
        (("--model-limit", "probe/model=2", "--model-limit", "probe/model=3"), "given twice for probe/model: 2 and 3"),
        (("--fresh", "--resume", "latest"), "--fresh starts anew and --resume takes up a stored run"),
        (("--json", "-", "--html", "-"), "--json and --html both go to standard output"),
        (("--json", "out", "--junit", "./out"), "--json and --junit both go to ./out"),
        (("--json", "."), "is a directory"),
        (("--junit", "file/below.xml"), "--junit file/below.xml: cannot be written"),
    ],
)
def test_what_cannot_be_meant_is_refused_before_anything_runs(
    project: Any, arguments: tuple[str, ...], said: str
) -> None:
    project.many(fixed=1).write()
    (project.root / "file").write_text("", encoding="utf-8")
    refused = invoke("run", *arguments)
    assert refused.exit_code == 2, refused.output
    assert said in " ".join(refused.stderr.split())
    assert project.calls() == []
    assert not list((project.root / ".adk-split-eval").glob("runs/*"))


def test_trying_an_output_leaves_nothing_behind(project: Any) -> None:
    project.many(fixed=1).write()
    before = {p.name for p in project.root.iterdir()}
    refused = invoke("run", "--json", "new/folder/out.json", "--junit", "file", "--html", "./file")
    assert refused.exit_code == 2
    assert {p.name for p in project.root.iterdir()} == before


def test_a_dash_is_standard_output_and_the_report_for_people_goes_to_stderr(project: Any) -> None:
    project.many(fixed=1).write()
    agent = project.root / "probe_agent" / "agent.py"
    agent.write_text(agent.read_text("utf-8") + "\nprint('an agent that prints')\n", encoding="utf-8")
    ran = invoke("run", "--json", "-", "--junit", "junit.xml")
    assert ran.exit_code == 0, ran.stderr
    assert json.loads(ran.stdout)["counts"]["fixed"] == {"PASS": 1}
    assert "exit code 0" in ran.stderr
    assert "an agent that prints" in ran.stderr
    assert ElementTree.parse(project.root / "junit.xml").getroot().get("tests") == "1"
    assert not Path("-").exists()


def test_what_cannot_be_written_after_all_costs_neither_report_nor_run(
    project: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.many(fixed=1).write()
    monkeypatch.setattr("adk_split_eval.cli_run.check_outputs", lambda outputs: None)
    (project.root / "file").write_text("", encoding="utf-8")
    ran = invoke("run", "--json", "file/below.json", "--junit", "junit.xml")
    assert ran.exit_code == 2
    assert "1 PASS of 1" in ran.stdout
    assert "file: cannot be written" in ran.stderr
    (stored,) = (project.root / ".adk-split-eval" / "runs").iterdir()
    assert f"stored as {stored.name}" in ran.stderr
    assert (stored / "result.json").is_file()
    assert (project.root / "junit.xml").is_file()


def test_a_device_is_written_into_and_stays_one(project: Any) -> None:
    from adk_split_eval.report.outputs import check_outputs, write_output

    pipe = project.root / "pipe"
    subprocess.run(["mkfifo", str(pipe)], check=True)
    check_outputs({"--json": str(pipe)})
    with subprocess.Popen(["cat", str(pipe)], stdout=subprocess.PIPE) as reader:
        write_output(str(pipe), "{}\n")
        assert reader.communicate()[0] == b"{}\n"
    assert pipe.is_fifo()


def test_a_limit_on_a_model_nobody_calls_is_noted(project: Any) -> None:
    project.many(fixed=1).write()
    ran = invoke("run", "--model-limit", "probe/agetn=2", "--model-limit", "probe/agent=2", "--json", "out.json")
    assert ran.exit_code == 0, ran.stderr
    notes = json.loads((project.root / "out.json").read_text("utf-8"))["notes"]
    (note,) = [n for n in notes if "--model-limit" in n]
    assert note.startswith("--model-limit probe/agetn limits nothing")
    assert "did you mean probe/agent?" in note


def test_several_plans_keep_every_option_and_may_be_folders(project: Any) -> None:
    project.many(fixed=1, simulated=1).write()
    for name in ("one", "two"):
        folder = project.root / name
        folder.mkdir()
        for part in ("probe.plan.yaml", "probe_agent"):
            (folder / part).symlink_to(project.root / part)
    done = subprocess.run(
        [sys.executable, "-m", "adk_split_eval.cli", "run", "--only", "fixed", "-q", "one", "two"],
        cwd=project.root, capture_output=True, text=True, timeout=600, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("fixed: 1 PASS") == 2
    assert "simulated:" not in done.stdout


def test_several_plans_do_not_write_over_each_others_report(project: Any) -> None:
    project.many(fixed=1).write()
    (project.root / "other.plan.yaml").write_text(project.path.read_text("utf-8"), encoding="utf-8")
    refused = invoke("run", "probe.plan.yaml", "other.plan.yaml", "--json", "out.json")
    assert refused.exit_code == 2
    assert "--json names one place and there are 2 plans" in " ".join(refused.stderr.split())
