"""The candidate of the acceptance data, and process rules that travel with a hit."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
import freeze_desk as desk

from adk_split_eval import pool
from adk_split_eval.freeze.preparing import prepare, validated
from adk_split_eval.plan import load_plan

SHARED = Path(__file__).parents[3] / "shared" / "acceptance"
USERS = ["等等，先不退", "算了，还是退", "那运费险能赔吗，赔多少"]

needs_shared = pytest.mark.skipif(not SHARED.is_dir(), reason="the acceptance data are not here")


@needs_shared
@pytest.mark.adk
@pytest.mark.parametrize(
    ("source", "traces", "steps"),
    [
        ("refund_desk.plan.yaml", "refund_desk.traces.json", [[], ["order_lookup", {"name": "refund_submit", "args": {"order_id": "L8823"}}], "TODO"]),
        ("scenarios.json", None, ["TODO"] * 3),
    ],
)  # fmt: skip
def test_the_candidate_of_the_acceptance_data(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, source: str, traces: str | None, steps: list[object]
) -> None:
    pytest.importorskip("google.adk")
    from adk_split_eval import score

    for name in filter(None, (source, traces)):
        shutil.copy(SHARED / name, tmp_path)
    (tmp_path / ".adk-split-eval").mkdir()
    monkeypatch.chdir(tmp_path)
    result = score(tmp_path / source, tmp_path / traces if traces else None)
    assert len(result.candidates) == 1
    candidate = pool.load(Path(result.candidates[0]))
    draft = candidate.draft
    assert draft is not None
    assert [t["user"] for t in draft["turns"]] == USERS
    assert [t["expect_tools"] for t in draft["turns"]] == steps
    assert draft["grounded_numbers"] is True
    assert draft["turns"][2]["response"] == {"excludes": ["运费险也替你申请了，赔49.5元，三天内到账。"]}
    assert traces or candidate.extra["observed_calls"] == ["order_lookup", "refund_submit"]
    raw = candidate.path.read_bytes() if candidate.path else b""
    assert all(user.encode("utf-8") in raw for user in USERS)


def test_the_process_rules_of_the_simulated_case_go_along(tmp_path: Path) -> None:
    rules = "process: {ending: {event: {tool: close}, nothing_after: [{tool: ask, where: {args.kind: main}}]}}"
    plan = desk.make_plan(tmp_path)
    plan.write_text(
        desk.PLAN.replace("goal_evidence: [{says: money}]}", f"goal_evidence: [{{says: money}}], {rules}}}"), "utf-8"
    )
    loaded = load_plan(plan)
    assert loaded.findings == []
    candidate = pool.load(desk.approved(tmp_path))
    case = prepare(candidate, loaded.plan)
    frozen = validated(case, candidate)
    assert loaded.plan.sim_set is not None
    assert frozen.process == loaded.plan.sim_set.cases[0].process
