"""Same seeds and scripted models: the same result, byte for byte, whatever the number of jobs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from adk_split_eval.record.jsonio import dumps
from adk_split_eval.run.engine import seed_of
from adk_split_eval.run.journal import Unit

AGENT = """
rules:
  - name: one of two answers
    choose: ["red", "blue", "green"]
"""
USER = """
rules:
  - name: goes on
    when: {turn: '1..2'}
    choose: ["and now?", "tell me more", "what else?"]
  - name: ends
    stop: true
"""


def without_times_and_ids(result: dict[str, Any]) -> str:
    """What docs/engine.md names: run_id, started_at, candidates (their folder), the seconds of invocation_duration_v1."""
    for key in ("run_id", "started_at", "candidates", "plan_path"):
        result.pop(key, None)
    for case in result["cases"]:
        for part in (case, *case["trials"]):
            for criterion in part["criteria"]:
                if criterion["name"] == "invocation_duration_v1":
                    criterion["score"] = None
    return dumps(result)


def scripted(project: Any) -> Any:
    project.scripts = {"talker": AGENT, "asker": USER}
    project.plan["models"] = {"simulator": "scripted/asker"}
    project.write()
    source = project.root / "probe_agent" / "agent.py"
    text = source.read_text(encoding="utf-8").replace('model="probe/agent"', 'model="scripted/talker"')
    source.write_text(text, encoding="utf-8")
    return project


def test_the_same_at_any_number_of_jobs(project: Any) -> None:
    project.many(fixed=6, simulated=6)
    scripted(project)
    seen: list[str] = []
    for jobs in (1, 8, 64):
        result = project.run(jobs=jobs, trials=3, fresh=True)
        stored = project.root / ".adk-split-eval" / "runs" / result.run_id / "result.json"
        seen.append(without_times_and_ids(json.loads(stored.read_text(encoding="utf-8"))))
    assert seen[0] == seen[1] == seen[2]
    words = {t["turns"][0]["response"] for c in json.loads(seen[0])["cases"] for t in c["trials"]}
    assert words == {"red", "blue", "green"}, "trials differ by their seed"


def test_seeds_are_fixed_for_ever() -> None:
    """Another number here gives every stored run other conversations than a repetition of it."""
    assert seed_of(Unit("fixed", "F-01", 0), "") == 1_616_272_321
    assert seed_of(Unit("fixed", "F-01", 0), "") != seed_of(Unit("fixed", "F-01", 1), "")
    assert seed_of(Unit("fixed", "F-01", 0), "a") != seed_of(Unit("fixed", "F-01", 0), "")


def test_the_environment_salts_the_seeds(monkeypatch: Any, tmp_path: Path) -> None:
    unit = Unit("simulated", "S-01", 2)
    monkeypatch.delenv("ADK_SPLIT_EVAL_SEED", raising=False)
    plain = seed_of(unit)
    monkeypatch.setenv("ADK_SPLIT_EVAL_SEED", "7")
    assert seed_of(unit) == seed_of(unit, "7") != plain
