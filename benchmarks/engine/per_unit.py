"""CPU time of a unit: bare `LocalEvalService.perform_inference`, our acting, and all of it (judged, journalled)."""

from __future__ import annotations

import asyncio
import statistics
import sys
import time
from pathlib import Path
from typing import Any

from bench_project import machine, project

UNITS = int(sys.argv[1]) if len(sys.argv) > 1 else 200
ROUNDS = 5


def main() -> None:
    from adk_split_eval import api
    from adk_split_eval.run import adk as border
    from adk_split_eval.run.act import act
    from adk_split_eval.run.agents import load_agent
    from adk_split_eval.run.engine import Engine, EngineOptions
    from adk_split_eval.run.journal import Journal

    print(machine())
    root = project(fixed=UNITS)
    adk = border.load()
    compiled = api.compile_plan(root / "probe.plan.yaml")
    agent = load_agent(Path(compiled.agent_dir or ""))
    number = iter(range(1000))

    async def bare() -> None:
        manager = adk.InMemoryEvalSetsManager()
        manager.create_eval_set(app_name="probe_agent", eval_set_id="u")
        for case in compiled.cases:
            eval_case = adk.EvalCase.model_validate(case.eval_case)
            manager.add_eval_case(app_name="probe_agent", eval_set_id="u", eval_case=eval_case)
        service = adk.LocalEvalService(root_agent=agent.module.root_agent, eval_sets_manager=manager)
        request = adk.InferenceRequest(
            app_name="probe_agent", eval_set_id="u", inference_config=adk.InferenceConfig(parallelism=16)
        )
        async for result in service.perform_inference(request):
            assert result.status == adk.InferenceStatus.SUCCESS

    async def acting() -> None:
        left = iter(compiled.cases)

        async def worker() -> None:
            for case in left:
                await act(case, agent, None, session_id=case.case_id)

        await asyncio.gather(*(worker() for _ in range(16)))

    async def whole() -> None:
        with Journal(root / f"journal{next(number)}.sqlite") as journal:
            await Engine(compiled, agent, EngineOptions(jobs=16), journal).run(compiled.cases)

    def cost(work: Any) -> float:
        started = time.process_time()
        asyncio.run(work())
        return (time.process_time() - started) / UNITS * 1000

    asyncio.run(whole())
    rows = [(cost(bare), cost(acting), cost(whole)) for _ in range(ROUNDS)]
    for row in rows:
        print("bare {:.2f} ms, acting {:.2f} ms, acted + judged + stored {:.2f} ms".format(*row))
    middle = [statistics.median(column) for column in zip(*rows, strict=True)]
    print(f"acting {middle[1] / middle[0] - 1:+.0%}, everything {middle[2] / middle[0] - 1:+.0%} over bare inference")


main()
