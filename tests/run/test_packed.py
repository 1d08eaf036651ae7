"""Long runs: packed in memory, whole on disk, and no different from short ones."""

from __future__ import annotations

import json
from typing import Any

import pytest

from adk_split_eval.run import packed
from adk_split_eval.run.packed import Packed, pick


def test_a_packed_list_is_a_list() -> None:
    items = [{"n": i} for i in range(5)]
    held = Packed(items)
    assert len(held) == 5
    assert list(held) == items
    assert held == items
    assert held[1:3] == items[1:3]
    assert list(pick(held, lambda item: item["n"] % 2 == 0)) == [{"n": 0}, {"n": 2}, {"n": 4}]
    held[0]["n"] = 7
    assert held[0] == {"n": 0}, "what is taken out is a copy"
    held[0] = {"n": 8}
    assert held[0] == {"n": 8}
    assert held.replaced == {0}


def test_a_long_run_is_stored_like_a_short_one(project: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    project.many(fixed=6, simulated=3)
    project.fixed["F-bad"] = "F-bad nothing at all"

    def stored(result: Any) -> dict[str, Any]:
        path = project.root / ".adk-split-eval" / "runs" / result.run_id / "result.json"
        data: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        for case in data["cases"]:
            for part in (case, *case["trials"]):
                part["criteria"] = [c for c in part["criteria"] if c["name"] != "invocation_duration_v1"]
        return {k: v for k, v in data.items() if k not in ("run_id", "started_at")}

    short = project.run(trials=2, fresh=True)
    monkeypatch.setattr(packed, "FROM", 1)
    long = project.run(trials=2, fresh=True, engine={"keep": 1})
    assert isinstance(long.cases, Packed)
    assert stored(long) == stored(short)
    assert long.counts() == short.counts()
    assert long.exit_code == short.exit_code
    assert all(not case.turns for case in long.cases), "conversations are on disk alone"
