"""Sets on disk: whole or not at all, stale ones found, leftovers removed, a team's own files left alone."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from adk_split_eval.build import compile_plan, outputs, write_sets
from adk_split_eval.plan import load_plan
from adk_split_eval.record import CompiledPlan

TWO_GROUPS = """plan_id: desk
agent: desk_agent
fixed_set:
  cases:
    - {case_id: A, turns: [{user: hi, expect_tools: [f]}]}
    - {case_id: B, match_type: IN_ORDER, turns: [{user: hi, expect_tools: [f]}]}
"""
ONE_GROUP = TWO_GROUPS.replace("match_type: IN_ORDER, ", "")
FILES = [
    "fixed/desk_fixed.evalset.json",
    "fixed/test_config.json",
    "fixed_in_order/desk_fixed_in_order.evalset.json",
    "fixed_in_order/test_config.json",
]


def compiled(folder: Path, text: str = TWO_GROUPS) -> CompiledPlan:
    path = folder / "desk.plan.yaml"
    path.write_text(text, encoding="utf-8")
    return compile_plan(load_plan(path))


def on_disk(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.json"))


def test_files_are_written_once_and_then_left_alone(tmp_path: Path) -> None:
    plan = compiled(tmp_path)
    assert write_sets(plan).written == FILES
    stamps = [(tmp_path / name).stat().st_mtime_ns for name in FILES]
    again = write_sets(plan)
    assert (again.written, again.unchanged, again.ok) == ([], FILES, True)
    assert [(tmp_path / name).stat().st_mtime_ns for name in FILES] == stamps
    assert on_disk(tmp_path) == FILES


def test_check_names_stale_missing_and_leftover_and_writes_nothing(tmp_path: Path) -> None:
    plan = compiled(tmp_path)
    assert write_sets(plan, check=True).missing == FILES
    assert on_disk(tmp_path) == []
    write_sets(plan)
    assert write_sets(plan, check=True).ok
    (tmp_path / FILES[1]).write_bytes((tmp_path / FILES[1]).read_bytes().replace(b"\n", b"\r\n"))
    (tmp_path / FILES[3]).unlink()
    report = write_sets(plan, check=True)
    assert (report.stale, report.missing, report.ok) == ([FILES[1]], [FILES[3]], False)
    report = write_sets(compiled(tmp_path, ONE_GROUP), check=True)
    assert report.leftover == [FILES[2]]
    assert (tmp_path / FILES[2]).exists()


def test_a_group_that_is_gone_is_removed_and_foreign_files_stay(tmp_path: Path) -> None:
    write_sets(compiled(tmp_path))
    own = tmp_path / "fixed_in_order" / "by_hand.evalset.json"
    own.write_text('{"eval_set_id": "x", "eval_cases": []}', encoding="utf-8")
    other = tmp_path / "fixed_by_hand"
    other.mkdir()
    (other / "notes_fixed_by_hand.evalset.json").write_text("no json", encoding="utf-8")
    (other / "test_config.json").write_text("{}", encoding="utf-8")
    report = write_sets(compiled(tmp_path, ONE_GROUP))
    assert report.removed == FILES[2:]
    assert own.exists() and (other / "test_config.json").exists()
    assert not (tmp_path / FILES[2]).exists()
    own.unlink()
    write_sets(compiled(tmp_path))
    assert write_sets(compiled(tmp_path, ONE_GROUP)).removed == FILES[2:]
    assert not (tmp_path / "fixed_in_order").exists()


def test_a_renamed_plan_takes_its_old_sets_along(tmp_path: Path) -> None:
    write_sets(compiled(tmp_path))
    report = write_sets(compiled(tmp_path, TWO_GROUPS.replace("plan_id: desk", "plan_id: counter")))
    assert report.removed == [FILES[0], FILES[2]]
    assert "fixed/counter_fixed.evalset.json" in report.written


def test_web_copies_go_where_adk_web_lists_them(tmp_path: Path) -> None:
    plan = compiled(tmp_path)
    report = write_sets(plan, web=True)
    assert report.notes and on_disk(tmp_path) == FILES
    (tmp_path / "desk_agent").mkdir()
    write_sets(plan, web=True)
    copy = tmp_path / "desk_agent" / "desk_fixed.evalset.json"
    assert copy.read_bytes() == (tmp_path / FILES[0]).read_bytes()
    one = compiled(tmp_path, ONE_GROUP)
    assert "desk_agent/desk_fixed_in_order.evalset.json" in write_sets(one, check=True, web=True).leftover
    write_sets(one, web=True)
    assert sorted(path.name for path in copy.parent.iterdir()) == ["desk_fixed.evalset.json"]


@pytest.mark.parametrize("moment", [0, 1, 2, 3])
def test_killed_between_two_files_it_leaves_no_half_file(tmp_path: Path, moment: int) -> None:
    plan = compiled(tmp_path)
    write_sets(plan)
    old = {name: (tmp_path / name).read_text("utf-8") for name in FILES}
    changed = TWO_GROUPS.replace("user: hi", "user: hello").replace(
        "agent:", "custom_metrics: {m: {function: a.b}}\nagent:"
    )
    new = {path.relative_to(tmp_path).as_posix(): text for path, text in outputs(compiled(tmp_path, changed)).items()}
    program = f"""
import os, signal
from pathlib import Path
from adk_split_eval.build import compile_plan, write_sets
from adk_split_eval.plan import load_plan
replace, count = os.replace, [0]
def kill(self, target):
    if count[0] == {moment}:
        os.kill(os.getpid(), signal.SIGKILL)
    count[0] += 1
    return replace(self, target)
Path.replace = kill
write_sets(compile_plan(load_plan({str(tmp_path / "desk.plan.yaml")!r})))
"""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True)
    assert done.returncode == -signal.SIGKILL
    found = {name: (tmp_path / name).read_text("utf-8") for name in FILES}
    assert found == {name: new[name] if index < moment else old[name] for index, name in enumerate(FILES)}
    (unfinished,) = tmp_path.rglob("*.tmp")
    report = write_sets(compiled(tmp_path, changed))
    assert report.written == FILES[moment:]
    assert unfinished.exists()  # it might belong to a build that is running
    os.utime(unfinished, (0, 0))
    write_sets(compiled(tmp_path, changed))
    assert all(json.loads((tmp_path / name).read_text("utf-8")) for name in FILES)
    assert not list(tmp_path.rglob("*.tmp"))
