"""Long plans are read in a process of their own: the same result, the same refusals."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from adk_split_eval.plan import PlanError
from adk_split_eval.record import Finding
from adk_split_eval.run import apart as room
from adk_split_eval.run.apart import apart, long

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="forked on Linux only")


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Test runners have threads; what is forked here touches none of them."""
    monkeypatch.setattr(room, "forkable", lambda: True)


@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
class TestApart:
    def test_the_result_comes_back_from_another_process(self) -> None:
        pid, text = apart(lambda: (os.getpid(), "x" * 1_000_000))
        assert pid != os.getpid()
        assert len(text) == 1_000_000

    def test_what_was_raised_is_raised_here(self) -> None:
        finding = Finding("ASE001", "error", "broken", "a.plan.yaml", 3, 4)

        def refuse() -> None:
            raise PlanError([finding])

        with pytest.raises(PlanError) as caught:
            apart(refuse)
        assert caught.value.findings == [finding]

    def test_what_cannot_be_handed_over_is_done_here(self) -> None:
        class Local(Exception):
            pass

        def odd() -> None:
            raise Local

        with pytest.raises(Local):
            apart(odd)
        assert callable(apart(lambda: lambda: 1))

    def test_a_process_that_dies_is_made_up_for(self) -> None:
        here = os.getpid()

        def dies() -> str:
            if os.getpid() != here:
                os._exit(9)
            return "done here"

        assert apart(dies) == "done here"


def test_where_there_can_be_no_fork_it_is_done_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "forkable", lambda: False)
    assert apart(os.getpid) == os.getpid()


def test_how_long_is_long(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"x" * (room.LONG // 2))
    assert not long(tmp_path / "a", tmp_path / "missing")
    assert long(tmp_path / "a", tmp_path / "a")


def stretch(plan: Path, length: int) -> None:
    plan.write_text(plan.read_text(encoding="utf-8") + "\n" * length, encoding="utf-8")


def test_a_long_plan_runs_as_a_short_one_does(project: Any, fork: Any) -> None:
    project.many(fixed=4)
    project.simulated["S-0001"] = "S-0001 broken"
    results: list[Any] = []
    for length in (0, room.LONG):
        project.write()
        stretch(project.path, length)
        run = fork("run", "--json", "out.json", "--fresh")
        assert run.exit_code() == 3, (project.root / "out.txt").read_text(encoding="utf-8")
        result = json.loads((project.root / "out.json").read_text(encoding="utf-8"))
        results.append([(c["case_id"], c["verdict"], c["reasons"]) for c in result["cases"]])
    assert results[0] == results[1]


def test_a_long_plan_is_refused_as_a_short_one_is(project: Any, fork: Any) -> None:
    said: list[str] = []
    project.many(fixed=2).plan["agnet"] = "probe_agent"
    for length in (0, room.LONG):
        project.write()
        stretch(project.path, length)
        assert fork("run", "--fresh").exit_code() == 2
        said.append((project.root / "out.txt").read_text(encoding="utf-8").replace("\n", " "))
    assert "agnet" in said[0]
    assert "Traceback" not in said[1]
    assert said[1].count("did you mean") == 2 * said[0].count("did you mean")
