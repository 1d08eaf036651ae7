"""Candidates that people, merges and disks have damaged: every verb answers with a located refusal, never a traceback."""

from __future__ import annotations

import copy
import sys
import tempfile
from pathlib import Path
from typing import Any

from hypothesis import example, given, settings
from hypothesis import strategies as st

sys.path.insert(0, str(Path(__file__).parent))
import freeze_desk as desk

from adk_split_eval import pool
from adk_split_eval.freeze import check, freeze_candidates
from adk_split_eval.freeze.views import list_rows, show, table
from adk_split_eval.pool.emit import emit
from adk_split_eval.pool.files import pool_dir
from adk_split_eval.pool.review import decide, now, redraft

ODD: list[Any] = [
    None,
    0,
    -1,
    99,
    True,
    "",
    "x",
    "TODO",
    [],
    [[]],
    [None],
    {},
    {"a": None},
    1.5,
    ["x", 1],
    {"user": 3},
    "\ud800",
]


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    found = [path] if path else []
    if isinstance(value, dict):
        for key, entry in value.items():
            found += places(entry, (*path, key))
    elif isinstance(value, list):
        for number, entry in enumerate(value):
            found += places(entry, (*path, number))
    return found


def damaged(data: dict[str, Any], path: tuple[Any, ...], value: Any, remove: bool) -> dict[str, Any]:
    result = copy.deepcopy(data)
    holder: Any = result
    for step in path[:-1]:
        holder = holder[step]
    if remove:
        del holder[path[-1]]
    else:
        holder[path[-1]] = value
    return result


def exercise(folder: Path) -> None:
    """Every verb over the pool; a PoolError is an answer, anything else is a defect."""
    import datetime

    good, bad = pool.headers(folder)
    table(list_rows(good, datetime.datetime.now(datetime.UTC)))
    assert all(str(error) for error in bad)
    check(folder, folder / "desk.frozen.yaml")
    for step in (
        lambda: show(pool.load(next(pool_dir(folder).glob("*.yaml"))), 90),
        lambda: freeze_candidates(folder / "desk.plan.yaml", runner=desk.runner(desk.broken)),
        lambda: freeze_candidates(
            folder / "desk.plan.yaml", runner=desk.runner(desk.broken), prefix=True, replay_tools=True
        ),
        lambda: redraft(folder, "S-02", prefix=True),
        lambda: decide(folder, "S-02", "approved", by="x", why="y", at=now(), redact=True),
        lambda: pool.store(desk.hit_candidate(run_id="r9"), folder),
    ):
        try:
            step()
        except pool.PoolError as error:
            assert "ASE9" in str(error)


WHOLE = desk.hit_candidate().to_json() | {"status": "approved"}
WHOLE["draft"]["turns"][2]["expect_tools"] = ["quote"]


@settings(max_examples=80, deadline=None)
@given(st.sampled_from(places(WHOLE)), st.sampled_from(ODD), st.booleans())
@example(("transcript", 0, "tool_calls", 0, "step"), "x", False)
def test_a_file_with_one_thing_wrong(path: tuple[Any, ...], value: Any, remove: bool) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        desk.make_plan(folder)
        pool_dir(folder).mkdir()
        (pool_dir(folder) / f"{WHOLE['candidate']}.yaml").write_text(emit(damaged(WHOLE, path, value, remove)), "utf-8")
        exercise(folder)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 3000), st.binary(min_size=0, max_size=3), st.integers(0, 40))
def test_a_file_with_bytes_flipped(place: int, inserted: bytes, dropped: int) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        desk.make_plan(folder)
        path = desk.approved(folder)
        raw = path.read_bytes()
        place %= len(raw)
        path.write_bytes(raw[:place] + inserted + raw[place + dropped :])
        exercise(folder)
