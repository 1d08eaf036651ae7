"""Lint's throughput on clean files against ``json.loads`` and google-adk's own loader.

python benchmarks/lint_throughput.py [--cases 10000] [--sets 1000]
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

CONFIG = {"criteria": {"tool_trajectory_avg_score": {"threshold": 1.0, "match_type": "EXACT"}}}


def case(number: int) -> dict[str, Any]:
    """One sound case of one turn."""
    return {
        "eval_id": f"case_{number}",
        "conversation": [
            {
                "invocation_id": f"i{number}",
                "user_content": {
                    "parts": [{"text": f"Hold book {number} at north please, thanks a lot."}],
                    "role": "user",
                },
                "final_response": {
                    "parts": [{"text": f"Held for you, ask for shelf {chr(97 + number % 26)}."}],
                    "role": "model",
                },
                "intermediate_data": {
                    "tool_uses": [
                        {"name": "find_title", "args": {"title": "Dune"}},
                        {"name": "place_hold", "args": {"item": f"B{number % 90}", "branch": "north"}},
                    ],
                    "intermediate_responses": [],
                },
            }
        ],
        "session_input": {"app_name": "desk", "user_id": "tester", "state": {}},
    }


def best(action: Callable[[], Any], rounds: int = 3) -> float:
    """Seconds of the fastest of some runs."""
    seconds = []
    for _ in range(rounds):
        start = time.perf_counter()
        action()
        seconds.append(time.perf_counter() - start)
    return min(seconds)


def measure(paths: list[Path], label: str, adk: bool) -> dict[str, float]:
    """Prints and returns lint's time over that of ``json.loads`` (and ADK's loader)."""
    from adk_split_eval.lint import lint_paths
    from adk_split_eval.lint.settings import Options

    texts = [p.read_text(encoding="utf-8") for p in paths]
    options = Options(adk_version="2.13")
    findings = lint_paths(paths, options).findings
    assert not findings, findings[:3]
    parse = best(lambda: [json.loads(t) for t in texts])
    lint = best(lambda: lint_paths(paths, options))
    found = {"json.loads": parse, "lint": lint, "ratio": lint / parse}
    line = f"{label}: json.loads {parse * 1000:.0f} ms, lint {lint * 1000:.0f} ms ({lint / parse:.1f}x)"
    if adk:
        from google.adk.evaluation.local_eval_sets_manager import load_eval_set_from_file

        loader = best(lambda: [load_eval_set_from_file(str(p), "x") for p in paths], 1)
        found["adk"] = loader
        line += f", ADK's loader {loader * 1000:.0f} ms ({loader / lint:.1f}x lint)"
    print(line)
    return found


def prepare(folder: Path, cases: int, sets: int) -> tuple[list[Path], list[Path]]:
    """(one large set, many small ones), each with a config beside it."""
    large, small = folder / "large", folder / "small"
    for where in (large, small):
        where.mkdir()
        (where / "test_config.json").write_text(json.dumps(CONFIG), encoding="utf-8")
    one = large / "large.evalset.json"
    one.write_text(
        json.dumps({"eval_set_id": "large", "eval_cases": [case(i) for i in range(cases)]}, indent=2), encoding="utf-8"
    )
    many: list[Path] = []
    for number in range(sets):
        path = small / f"s{number}.evalset.json"
        made = {"eval_set_id": f"s{number}", "eval_cases": [case(number * 10 + i) for i in range(10)]}
        path.write_text(json.dumps(made, indent=2), encoding="utf-8")
        many.append(path)
    return [one], many


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=10_000)
    parser.add_argument("--sets", type=int, default=1_000)
    parser.add_argument("--no-adk", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        large, many = prepare(Path(folder), options.cases, options.sets)
        measure(large, f"one set of {options.cases} cases", not options.no_adk)
        measure(many, f"{options.sets} sets of 10 cases", not options.no_adk)


if __name__ == "__main__":
    main()
