"""Runs the list of twenty at both places; shared by the tests and by the page made from them."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path
from textwrap import fill
from typing import Any

from proof_bench import Bench, Plain, full_config
from silent_greens import GREENS, Green

from adk_split_eval.record.jsonio import dumps
from adk_split_eval.run.adk import adk_version

GREEN_VERDICTS = ("PASS", "OK")


@dataclass
class Outcome:
    """What both places made of one scene."""

    green: Green
    plain: Plain
    adk: str
    ours: str
    reason: str


def run_green(green: Green, folder: Path) -> Outcome:
    bench = Bench(folder)
    shutil.copy(Path(__file__).parents[1] / "bench" / "bench_agent" / "team.py", bench.agent / "team.py")
    sets = bench.write(green.cases, green.criteria, name=green.name)
    for number, (cases, criteria) in enumerate(green.more, start=2):
        sets += bench.write(cases, criteria, name=f"{green.name}_{number}")
    config = green.config
    if isinstance(config, dict):
        path = folder / "sets" / f"{green.name}.config.json"
        path.write_text(dumps(full_config(config)), "utf-8")
        config = str(path)
    elif config is not None:
        config = str(folder / config)
    selected = [sets[0] + green.selector, *sets[1:]]
    named = selected
    adk_config = config
    if green.by_id:
        shutil.copy(sets[0], bench.agent / f"{green.name}.evalset.json")
        named, adk_config = [green.name], str(Path(sets[0]).with_name("test_config.json"))
    plain = bench.adk(named, green.script, adk_config)
    told = f"{'green' if plain.green else 'red'}: {plain.passed} passed, {plain.failed} failed"
    ours, reason = _ours(bench, green, selected, config)
    return Outcome(green, plain, told, ours, _tidy(reason, folder))


def _ours(bench: Bench, green: Green, sets: list[str], config: str | None) -> tuple[str, str]:
    from adk_split_eval.run import RunError
    from adk_split_eval.run.raw import RawInputError

    try:
        result = bench.ours(sets, green.script, config)
    except (RunError, RawInputError) as error:
        found = getattr(error, "findings", [])
        return "exit 2", " · ".join(f"{f.place()}: {f.code} {f.message}" for f in found) or str(error)
    bad = [c for c in result.cases if c.verdict not in GREEN_VERDICTS]
    if bad:
        return _worst(result.cases), " · ".join(dict.fromkeys(r for c in bad for r in c.reasons))
    return _linted([s.partition(".json:")[0] + ".json" * (".json:" in s) for s in sets], config)


def _worst(cases: list[Any]) -> str:
    order = ("FAIL", "REJECTED", "HIT", "ERROR", "SIMULATOR", "INCONCLUSIVE")
    return min((c.verdict for c in cases if c.verdict in order), key=order.index)


def _linted(sets: list[str], config: str | None) -> tuple[str, str]:
    from adk_split_eval import api

    paths = [*sets, *([config] if config else [str(Path(s).with_name("test_config.json")) for s in sets])]
    found = api.lint(*[p for p in paths if Path(p).is_file()]).findings
    errors = [f for f in found if f.level == "error"] or [f for f in found if f.level == "warning"]
    if not errors:
        return "green", ""
    return f"lint {errors[0].level}", " · ".join(f"{f.code} {f.message}" for f in errors)


def _tidy(text: str, folder: Path) -> str:
    return text.replace(str(folder / "sets") + "/", "").replace(str(folder) + "/", "")


def run_all(folder: Path) -> list[Outcome]:
    """Every scene, in the order of the list."""
    return [run_green(green, folder) for green in GREENS]


def page(outcomes: list[Outcome]) -> str:
    """``docs/silent-greens.md``."""
    intro = (
        "A silent green is a success that nobody earned: something was declared, it was not judged, and the run says "
        "PASSED. Each row was run through ADK's own `adk eval` command and through `adk-split-eval run --agent DIR SET` on "
        "the same files with the same scripted models. The page is made by `tools/generate_proof_docs.py` from the suite "
        "in `tests/silent_greens`, which fails when a row is green here or gives no reason."
    )
    lines = [
        "# Where plain `adk eval` is green and we are not",
        "",
        fill(intro, 120),
        "",
        f"Measured on google-adk {adk_version()}: {len(outcomes)} ways to be green without having been judged.",
        "",
        "| # | what happens | plain `adk eval` | here | because |",
        "|---|---|---|---|---|",
    ]
    for outcome in outcomes:
        green = outcome.green
        lines.append(f"| {green.number} | {green.what} | {outcome.adk} | {outcome.ours} | {_cell(outcome.reason)} |")
    return "\n".join(lines) + "\n"


def _cell(text: str) -> str:
    short = text if len(text) <= 220 else text[:217].rsplit(" ", 1)[0] + " …"
    return short.replace("|", "\\|").replace("\n", " ")
