"""100 simulated cases at 50 ms a model call, against `adk eval` and against the ideal schedule.

The ideal: the longest case, or, with at most 64 units at once, all model time over 64.
"""

from __future__ import annotations

import sys

from bench_project import machine, ours, plain, project, spend

CASES = int(sys.argv[1]) if len(sys.argv) > 1 else 100
DELAY = 0.05
CALLS = 6  # two turns of two calls of the agent, one more message and one stop of the user


def main() -> None:
    print(machine())
    root = project(simulated=CASES)
    start = project(simulated=1)
    mine = ours("probe", "probe.plan.yaml", "--fresh", "-q")
    starting = spend(start, mine, PROBE_DELAY="0").wall, spend(start, plain("simulated"), PROBE_DELAY="0").wall
    a = spend(root, mine, PROBE_DELAY=str(DELAY))
    free = spend(root, mine, PROBE_DELAY="0")
    b = spend(root, plain("simulated"), PROBE_DELAY=str(DELAY))
    assert a.code == b.code == 0
    ideal = max(CALLS * DELAY, CASES * CALLS * DELAY / 64)
    print(f"ours {a.wall:.2f} s (cpu {a.cpu:.2f}), adk eval {b.wall:.2f} s: {b.wall / a.wall:.1f}x faster; wanted: 5")
    print(f"starting: ours {starting[0]:.2f} s, adk eval {starting[1]:.2f} s")
    print(f"without starting: ours {a.wall - starting[0]:.2f} s, adk eval {b.wall - starting[1]:.2f} s")
    print(
        f"ideal schedule of model time: {ideal:.2f} s; the same run at 0 ms a call takes {free.wall:.2f} s of CPU-bound work"
    )
    print(
        f"{a.wall / (max(free.wall, ideal + starting[0])):.2f}x of the ideal schedule on this machine; wanted: at most 1.2"
    )


main()
