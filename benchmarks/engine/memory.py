"""Peak memory, all processes together, of a run of 100 fixed cases and of many, from a plan and from a raw set."""

from __future__ import annotations

import sys

from bench_project import machine, ours, plain, project, spend

MANY = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000


def main() -> None:
    print(machine())
    few, many = project(fixed=100), project(fixed=MANY)
    raw = ours("run", "--agent", "probe_agent", "fixed/probe_fixed.evalset.json", "--fresh", "-q")
    for name, command in (("plan", ours("run", "probe.plan.yaml", "--fresh", "-q")), ("raw set", raw)):
        a, b = spend(few, command, whole_tree=True), spend(many, command, whole_tree=True)
        assert a.code == b.code == 0
        print(
            f"{name}: 100 cases {a.peak:.0f} MB, {MANY} cases {b.peak:.0f} MB ({b.wall:.0f} s): {b.peak / a.peak:.2f}x"
        )
    c = spend(few, plain("fixed"), whole_tree=True)
    print(f"adk eval: 100 cases {c.peak:.0f} MB; wanted of ours: at most 1.3x")


main()
