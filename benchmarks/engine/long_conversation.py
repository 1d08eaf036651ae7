"""One fixed case of 25, 50 and 100 turns: our own share of the CPU time over bare ADK inference of the same case."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

from bench_project import machine, project


def main() -> None:
    from adk_split_eval import api
    from adk_split_eval.run import adk as border
    from adk_split_eval.run.act import act
    from adk_split_eval.run.agents import load_agent
    from adk_split_eval.run.engine import Engine, EngineOptions
    from adk_split_eval.run.journal import Journal

    print(machine())
    border.load()
    agent = None
    shares: list[tuple[int, float]] = []
    for turns in (1, 25, 50, 100):
        root = project(fixed=1, turns=turns)
        compiled = api.compile_plan(root / "probe.plan.yaml")
        agent = agent or load_agent(Path(compiled.agent_dir or ""))
        (case,) = compiled.cases
        started = time.process_time()
        asyncio.run(act(case, agent, None, session_id="s"))
        acting = time.process_time() - started
        started = time.process_time()
        with Journal(root / "journal.sqlite") as journal:
            asyncio.run(Engine(compiled, agent, EngineOptions(), journal).run([case]))
        whole = time.process_time() - started
        shares.append((turns, whole - acting))
        print(f"{turns:4} turns: acting {acting:.3f} s, all {whole:.3f} s, judging and storing {whole - acting:.3f} s")
    (a, first), (b, last) = shares[1], shares[-1]
    print(f"{b / a:.0f}x the turns cost {last / max(first, 1e-9):.1f}x of our own time; linear: {b / a:.0f}")


main()
