"""The proving bench: the same sets once through plain ``adk eval`` and once through us, in one process.

``adk eval`` is ADK's own click command, called as the shell would call it; what it printed, its exit code and the result
files it left are read back. The bench's models answer both from the same script.
"""

from __future__ import annotations

import asyncio
import json
import logging
import shutil
import sys
import warnings
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field, replace
from io import StringIO
from pathlib import Path
from typing import Any

import proof_models
from proof_models import Script

HERE = Path(__file__).parent
STATUS = {1: "PASSED", 2: "FAILED", 3: "NOT_EVALUATED", 4: "INFORMATIONAL"}


@dataclass
class Score:
    """One criterion of one case, as ADK stored it."""

    status: str
    score: float | None
    rows: list[float | None] = field(default_factory=list)


@dataclass
class Plain:
    """What plain ``adk eval`` did.

    Attributes:
        aborted: the exception that ended it, or None.
        passed, failed: as its summary counts them.
    """

    exit_code: int
    output: str
    cases: dict[str, str]
    scores: dict[tuple[str, str], Score]
    aborted: str | None = None
    passed: int = 0
    failed: int = 0

    @property
    def green(self) -> bool:
        """Whether a person or a pipeline takes it for success."""
        return self.aborted is None and self.exit_code == 0 and self.failed == 0 and self.passed > 0


def user_turn(text: str, expect: list[Any] | None = None, reference: str | None = None, **extra: Any) -> dict[str, Any]:
    """One invocation of a fixed case; ``expect`` lists the expected calls (None: no intermediate data at all)."""
    turn: dict[str, Any] = {"user_content": {"role": "user", "parts": [{"text": text}]}}
    if expect is not None:
        turn["intermediate_data"] = {"tool_uses": [{"name": n, "args": a} for n, a in expect]}
    if reference is not None:
        turn["final_response"] = {"role": "model", "parts": [{"text": reference}]}
    return turn | extra


def fixed_case(case_id: str, *turns: dict[str, Any], **extra: Any) -> dict[str, Any]:
    return {"eval_id": case_id, "conversation": list(turns), **extra}


def scenario(case_id: str, prompt: str = "hello", plan: str = "Get what you came for.", **extra: Any) -> dict[str, Any]:
    return {
        "eval_id": case_id,
        "conversation_scenario": {"starting_prompt": prompt, "conversation_plan": plan},
        **extra,
    }


def judged(threshold: float = 1.0, samples: int | None = 1, **extra: Any) -> dict[str, Any]:
    """A judged criterion whose judge is the bench's."""
    options: dict[str, Any] = {"judge_model": "bench-judge"}
    if samples is not None:
        options["num_samples"] = samples
    return {"threshold": threshold, "judge_model_options": options, **extra}


def rubrics(*texts: str, kind: str | None = None) -> list[dict[str, Any]]:
    found = [{"rubric_id": f"r{n}", "rubric_content": {"text_property": text}} for n, text in enumerate(texts, 1)]
    return [{**r, "type": kind} for r in found] if kind else found


class Bench:
    """A folder with the bench's agent in it, and the two ways to run sets there."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self.agent = folder / "bench_agent"
        if not self.agent.exists():
            shutil.copytree(HERE / "bench_agent", self.agent, ignore=shutil.ignore_patterns("__pycache__"))

    def write(self, cases: list[dict[str, Any]], config: Any = None, *, name: str = "probe", **top: Any) -> list[str]:
        """A set, and beside it its ``test_config.json`` when ``config`` is given (a mapping of criteria, or a config)."""
        home = self.folder / "sets" / name
        home.mkdir(parents=True, exist_ok=True)
        path = home / f"{name}.evalset.json"
        data = {"eval_set_id": name, "eval_cases": cases, **top}
        try:
            path.write_text(json.dumps(data, ensure_ascii=False, indent=1), "utf-8")
        except UnicodeEncodeError:
            path.write_text(json.dumps(data, indent=1), "ascii")
        beside = home / "test_config.json"
        beside.unlink(missing_ok=True)
        if config is not None:
            beside.write_text(json.dumps(full_config(config), ensure_ascii=False), "utf-8")
        return [str(path)]

    def adk(self, sets: list[str], script: Script, config: str | None = None) -> Plain:
        """Run the sets through plain ``adk eval``."""
        proof_models.use(replace(script, asked=Counter()))
        history = self.agent / ".adk" / "eval_history"
        shutil.rmtree(history, ignore_errors=True)
        with _undisturbed():
            code, output, aborted = _adk_eval(self.agent, sets, config)
        plain = Plain(code, output, {}, {}, aborted)
        for file in sorted(history.glob("*.evalset_result.json")) if history.is_dir() else []:
            _read_results(plain, _result_data(file))
        plain.passed = sum(int(line.rpartition(":")[2]) for line in output.splitlines() if "Tests passed:" in line)
        plain.failed = sum(int(line.rpartition(":")[2]) for line in output.splitlines() if "Tests failed:" in line)
        return plain

    def ours(self, sets: list[str], script: Script, config: str | None = None, **options: Any) -> Any:
        """Run the sets through ``run_sets``; raises what it raises."""
        from adk_split_eval import api
        from adk_split_eval.run import RunOptions

        proof_models.use(replace(script, asked=Counter()))
        with at_home(self.folder):
            return api.run_sets(sets, self.agent, config, RunOptions(root=self.folder, fresh=True, **options))


def full_config(config: Any) -> Any:
    if isinstance(config, dict) and not {"criteria", "custom_metrics", "customMetrics", "raw"} & set(config):
        config = {"criteria": config}
    if not isinstance(config, dict):
        return config
    raw = config.pop("raw", False) if "raw" in config else False
    return config if raw else {"user_simulator_config": {"model": "bench-user", "max_allowed_invocations": 5}} | config


@contextmanager
def at_home(folder: Path) -> Iterator[None]:
    import os

    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


@contextmanager
def _undisturbed() -> Iterator[None]:
    """Plain ADK changes process-wide things: its metric registry, logging, the import path. All of it is put back."""
    from google.adk.evaluation.metric_evaluator_registry import DEFAULT_METRIC_EVALUATOR_REGISTRY as registry

    known = dict(registry._registry)
    root = logging.getLogger()
    handlers, level, path = list(root.handlers), root.level, list(sys.path)
    adk_level = logging.getLogger("google_adk").level
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
    registry._registry.clear()
    registry._registry.update(known)
    root.handlers[:], sys.path[:] = handlers, path
    root.setLevel(level)
    logging.getLogger("google_adk").setLevel(adk_level)


def _adk_eval(agent: Path, sets: list[str], config: str | None) -> tuple[int, str, str | None]:
    from google.adk.cli.cli_tools_click import main

    arguments = ["eval", "--log_level", "ERROR", str(agent), *sets, *(["--config_file_path", config] if config else [])]
    output = StringIO()
    forget_agent()
    try:
        with redirect_stdout(output), redirect_stderr(output), at_home(agent.parent):
            main(arguments, standalone_mode=False)
    except SystemExit as stop:
        return int(stop.code or 0), output.getvalue(), None
    except Exception as error:  # noqa: BLE001 - whatever ends plain ADK is what the test wants to know
        return 1, output.getvalue(), f"{type(error).__name__}: {error}"
    return 0, output.getvalue(), None


def forget_agent() -> None:
    """A process keeps the first agent folder it imported; the next one must not get it."""
    for name in [n for n in sys.modules if n == "agent" or n.startswith("agent.")]:
        del sys.modules[name]


def _result_data(file: Path) -> dict[str, Any]:
    data = json.loads(file.read_text("utf-8"))
    return json.loads(data) if isinstance(data, str) else data


def _read_results(plain: Plain, data: dict[str, Any]) -> None:
    for case in data["eval_case_results"]:
        case_id = case["eval_id"]
        plain.cases[case_id] = STATUS[case["final_eval_status"]]
        for metric in case["overall_eval_metric_results"]:
            name = metric["metric_name"]
            rows = [
                row["score"]
                for turn in case["eval_metric_result_per_invocation"]
                for row in turn["eval_metric_results"]
                if row["metric_name"] == name
            ]
            plain.scores[case_id, name] = Score(STATUS[metric["eval_status"]], metric["score"], rows)


def evaluator_verdicts(bench: Bench, sets: list[str], script: Script) -> dict[str, bool]:
    """What ADK's other front door, ``AgentEvaluator``, makes of each case, one case at a time: True is green."""
    from google.adk.evaluation.agent_evaluator import AgentEvaluator
    from google.adk.evaluation.eval_config import EvalConfig
    from google.adk.evaluation.eval_set import EvalSet

    verdicts: dict[str, bool] = {}
    for path in sets:
        loaded = EvalSet.model_validate_json(Path(path).read_text("utf-8"))
        config = EvalConfig.model_validate_json(Path(path).with_name("test_config.json").read_text("utf-8"))
        for case in loaded.eval_cases:
            proof_models.use(replace(script, asked=Counter()))
            one = loaded.model_copy(update={"eval_cases": [case]})
            with _undisturbed(), redirect_stdout(StringIO()), redirect_stderr(StringIO()):
                sys.path.insert(0, str(bench.folder))
                try:
                    asyncio.run(
                        AgentEvaluator.evaluate_eval_set(
                            "bench_agent", one, eval_config=config, num_runs=1, print_detailed_results=False
                        )
                    )
                    verdicts[case.eval_id] = True
                except AssertionError:
                    verdicts[case.eval_id] = False
    return verdicts
