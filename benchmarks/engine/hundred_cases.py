"""100 simulated cases at 50 ms a model call, against `adk eval` and against the ideal schedule.

The ideal: the longest case, or all model time over 64 units at once, or, where the CPU is the limit, the same run with a
model that answers at once.
"""

from __future__ import annotations

import sys

from bench_project import machine, ours, plain, project, spend

CASES = int(sys.argv[1]) if len(sys.argv) > 1 else 100
ROUNDS = int(sys.argv[2]) if len(sys.argv) > 2 else 3
DELAY = 0.05
CALLS = 6  # two turns of two calls of the agent, and two of the simulated user: one more message, one stop


def main() -> None:
    print(machine())
    root = project(simulated=CASES)
    mine = ours("probe", "probe.plan.yaml", "--fresh", "-q")
    spend(root, mine, PROBE_DELAY="0")
    for _ in range(ROUNDS):
        a = spend(root, mine, PROBE_DELAY=str(DELAY))
        b = spend(root, plain("simulated"), PROBE_DELAY=str(DELAY))
        free = spend(root, mine, PROBE_DELAY="0")
        assert a.code == b.code == free.code == 0
        model_time = max(CALLS * DELAY, CASES * CALLS * DELAY / 64)
        print(
            f"ours {a.wall:.2f} s (cpu {a.cpu:.2f}), adk eval {b.wall:.2f} s (cpu {b.cpu:.2f}): {b.wall / a.wall:.1f}x faster; "
            f"without any model time ours takes {free.wall:.2f} s, model time alone {model_time:.2f} s: "
            f"{a.wall / max(free.wall, model_time):.2f}x of the ideal"
        )
    print("wanted: 5x faster than adk eval, at most 1.2x of the ideal schedule")


main()
