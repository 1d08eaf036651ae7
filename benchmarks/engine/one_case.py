"""A gate of one case with deterministic criteria: `adk-split-eval gate` against `adk eval`, by turns."""

from __future__ import annotations

import statistics
import sys

from bench_project import machine, ours, plain, project, spend

ROUNDS = int(sys.argv[1]) if len(sys.argv) > 1 else 3


def main() -> None:
    print(machine())
    root = project(fixed=1)
    mine = ours("gate", "probe.plan.yaml", "--fresh", "-q")
    spend(root, mine), spend(root, plain("fixed"))
    ratios: list[float] = []
    for _ in range(ROUNDS):
        a, b = spend(root, mine), spend(root, plain("fixed"))
        assert a.code == b.code == 0
        ratios.append(a.wall / b.wall)
        print(f"ours {a.wall:.2f} s (cpu {a.cpu:.2f}), adk eval {b.wall:.2f} s (cpu {b.cpu:.2f}): {ratios[-1]:.2f}x")
    print(f"median {statistics.median(ratios):.2f}x of adk eval's wall time; wanted: at most 0.35")


main()
