"""Cold start of lint on one plan and on one set, against a bare interpreter that imports json and yaml, and ADK's loader.

python benchmarks/lint_cold.py [--rounds 15] [--no-adk]
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LINT = "from adk_split_eval.cli import main; main()"
DIRECT = "from adk_split_eval.lint.command import lint; lint()"
LOADER = "import sys; from google.adk.evaluation.local_eval_sets_manager import load_eval_set_from_file as f; f(sys.argv[1], 'x')"
SET = """{"eval_set_id": "desk", "eval_cases": [{"eval_id": "a", "conversation": [{"user_content": {"role": "user", "parts": [{"text": "Hold Dune."}]},
 "final_response": {"parts": [{"text": "Held."}]}, "intermediate_data": {"tool_uses": [{"name": "find_title", "args": {"title": "Dune"}}]}}]}]}
"""
PLAN = """plan_id: desk
agent: desk
fixed_set:
  criteria: {tool_trajectory_avg_score: {threshold: 1.0, match_type: EXACT}}
  cases:
    - case_id: F-01
      turns:
        - {user: Hold Dune., expect_tools: [find_title], response: {contains: [Held]}}
"""


def seconds(code: str, arguments: list[str], rounds: int, bytecode: str) -> list[float]:
    """Wall seconds of fresh interpreters running ``code``, with byte code kept as an installed package has it."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONPYCACHEPREFIX": bytecode}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    found: list[float] = []
    for _ in range(rounds + 1):
        start = time.perf_counter()
        subprocess.run([sys.executable, "-c", code, *arguments], env=environment, capture_output=True, check=False)
        found.append(time.perf_counter() - start)
    return found[1:]  # the first one warms the disk


def compare(rounds: int, adk: bool) -> dict[str, float]:
    """Prints medians and returns each as a multiple of the bare interpreter (interleaved, so that noise hits all alike)."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        eval_set, plan = folder / "a.evalset.json", folder / "desk.plan.yaml"
        eval_set.write_text(SET, encoding="utf-8")
        (folder / "test_config.json").write_text('{"criteria": {"tool_trajectory_avg_score": 1.0}}', encoding="utf-8")
        plan.write_text(PLAN, encoding="utf-8")
        jobs = {
            "bare interpreter with json, yaml": ("import json, yaml", []),
            "lint one set": (DIRECT, [str(eval_set)]),
            "lint one plan": (DIRECT, [str(plan)]),
        }
        if (ROOT / "adk_split_eval" / "cli.py").exists():
            jobs["lint one set through the command line"] = (LINT, ["lint", str(eval_set)])
        if adk:
            jobs["ADK's own loader"] = (LOADER, [str(eval_set)])
        times: dict[str, list[float]] = {job: [] for job in jobs}
        for _ in range(rounds):
            for job, (code, arguments) in jobs.items():
                times[job] += seconds(code, arguments, 1, str(folder / "bytecode"))
    base = statistics.median(times["bare interpreter with json, yaml"])
    found: dict[str, float] = {}
    for job, values in times.items():
        median = statistics.median(values)
        found[job] = median / base
        print(f"{job}: median {median * 1000:.0f} ms, fastest {min(values) * 1000:.0f} ms, {median / base:.1f}x")
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--no-adk", action="store_true")
    options = parser.parse_args()
    compare(options.rounds, not options.no_adk)


if __name__ == "__main__":
    main()
