"""One fixed case of 25, 50, 100 and 200 turns: the CPU time of judging and storing it, which is our own share."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

from bench_project import machine, project


def main() -> None:
    from adk_split_eval import api
    from adk_split_eval.run import adk as border
    from adk_split_eval.run import journal as stores
    from adk_split_eval.run.act import act
    from adk_split_eval.run.agents import load_agent
    from adk_split_eval.run.engine import judge_subject
    from adk_split_eval.run.journal import Journal, Unit
    from adk_split_eval.run.judge import Subject

    print(machine())
    border.load()
    agent = None
    shares: list[tuple[int, float]] = []
    for turns in (1, 25, 50, 100, 200):
        root = project(fixed=1, turns=turns)
        compiled = api.compile_plan(root / "probe.plan.yaml")
        agent = agent or load_agent(Path(compiled.agent_dir or ""))
        (case,) = compiled.cases
        started = time.process_time()
        acted = asyncio.run(act(case, agent, None, session_id="s"))
        acting = time.process_time() - started
        own: list[float] = []
        for _ in range(5):
            started = time.process_time()
            subject = Subject(case, acted.conversation, acted.invocations, live=acted.live)
            result = asyncio.run(judge_subject(subject, 1))
            with Journal(root / "journal.sqlite") as journal:
                unit = Unit("fixed", case.case_id, 0)
                stored = stores.acted(unit, 1, acted.conversation, acted.invocations, acted.warnings)
                asyncio.run(journal.durable(stored, stores.judged(unit, result)))
            own.append(time.process_time() - started)
        shares.append((turns, min(own)))
        print(f"{turns:4} turns: google-adk {acting:.3f} s, judging and storing {min(own) * 1000:.1f} ms")
    (few, first), (many, last) = shares[1], shares[-1]
    print(f"{many // few}x the turns cost {last / first:.1f}x of our own time")


main()
