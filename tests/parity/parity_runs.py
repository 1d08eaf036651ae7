"""Runs the scenes at both places and compares them; shared by the tests and by the page made from them."""

from __future__ import annotations

from dataclasses import dataclass, field
from fnmatch import fnmatch
from pathlib import Path
from textwrap import fill
from typing import Any

import parity_places
import parity_scenes
from parity_scenes import DIFFERENCES, NUMBERS, SCENES, Scene
from proof_bench import Bench, evaluator_verdicts

from adk_split_eval.run import RunError
from adk_split_eval.run.adk import adk_version

STATUS = {"PASSED": "passed", "FAILED": "failed", "NOT_EVALUATED": "not_evaluated", "INFORMATIONAL": "informational"}
VERDICTS = {"PASSED": ("PASS", "OK"), "FAILED": ("FAIL", "HIT"), "NOT_EVALUATED": ("ERROR",)}


@dataclass
class Pair:
    """One criterion (or the verdict, whose name is "") of one case at both places."""

    scene: str
    case: str
    name: str
    adk: str
    ours: str
    same: bool
    note: str = ""


@dataclass
class Comparison:
    """Everything compared in one scene, and what ``AgentEvaluator`` made of it where that was asked for."""

    scene: Scene
    pairs: list[Pair]
    adk_cases: dict[str, str]
    evaluator: dict[str, bool] = field(default_factory=dict)


def compare(scene: Scene, folder: Path) -> Comparison:
    """Run one scene at both places."""
    bench = Bench(folder)
    sets = bench.write(scene.cases, scene.criteria, name=scene.name)
    plain = bench.adk(sets, scene.script)
    assert plain.aborted is None, plain.aborted
    try:
        ours = bench.ours(sets, scene.script)
    except RunError as refused:
        told = [Pair(scene.name, case, "", adk, "exit 2", False, str(refused)) for case, adk in plain.cases.items()]
        return Comparison(scene, told, plain.cases)
    assert {c.case_id for c in ours.cases} == set(plain.cases) == {c["eval_id"] for c in scene.cases}
    found = Comparison(scene, [], plain.cases)
    for case in ours.cases:
        adk = plain.cases[case.case_id]
        reason = case.reasons[0] if case.reasons else ""
        same = case.verdict in VERDICTS[adk]
        found.pairs.append(Pair(scene.name, case.case_id, "", adk, case.verdict, same, reason))
        if case.verdict != "REJECTED":
            found.pairs += _criteria(scene, case, plain.scores)
    if scene.evaluator:
        found.evaluator = evaluator_verdicts(bench, sets, scene.script)
    return found


def _criteria(scene: Scene, case: Any, scores: dict[tuple[str, str], Any]) -> list[Pair]:
    ours = {c.name: c for c in case.criteria}
    told = {name for (case_id, name), score in scores.items() if case_id == case.case_id and score.score is not None}
    names = [n for n in scene.criteria if (case.case_id, n) in scores]
    names += [n for n in NUMBERS if n in told and n not in scene.criteria]
    pairs: list[Pair] = []
    for name in names:
        adk, own = scores[case.case_id, name], ours[name]
        same = STATUS[adk.status] == own.status and _near(adk.score, own.score)
        words = [
            f"{s}{'' if v is None else f' {v:.4g}'}" for s, v in ((adk.status, adk.score), (own.status, own.score))
        ]
        pairs.append(Pair(scene.name, case.case_id, name, *words, same, own.reasons[0] if own.reasons else ""))
    return pairs


def _near(one: float | None, other: float | None) -> bool:
    if one is None or other is None:
        return one is other
    return abs(one - other) < 1e-9


def listed(pair: Pair) -> list[parity_scenes.Difference]:
    """The entries of the written list that cover this pair."""
    return [d for d in DIFFERENCES if fnmatch(pair.scene, d.scenes) and fnmatch(pair.case, d.case)]


def compare_all(folder: Path) -> list[Comparison]:
    """Every scene, in order."""
    return [compare(scene, folder) for scene in SCENES]


def page(comparisons: list[Comparison]) -> str:
    """``docs/parity.md``."""
    pairs = [p for c in comparisons for p in c.pairs]
    scores = [p for p in pairs if p.name]
    verdicts = [p for p in pairs if not p.name]
    per_name: dict[str, list[Pair]] = {}
    for pair in scores:
        per_name.setdefault(pair.name, []).append(pair)
    lines = [
        "# The same sets under plain `adk eval` and here",
        "",
        "Made by `tools/generate_proof_docs.py` from the suite in `tests/parity`, which runs every scene through ADK's own",
        "`adk eval` command and through `adk-split-eval run --agent DIR SET` and compares each criterion's status and score",
        "(to 1e-9) and each case's verdict. A difference that is not on the list below fails the suite; so does an entry of",
        "the list that no longer occurs. Run it on your ADK: `make test`, on the oldest one we support: `make test-oldest`.",
        "",
        f"Measured on google-adk {adk_version()}: {len(comparisons)} scenes, {len(verdicts)} cases, {len(scores)} criteria compared.",
        "",
        "| criterion | compared | same status and score | on the list |",
        "|---|---|---|---|",
    ]
    for name, found in sorted(per_name.items()):
        same = sum(p.same for p in found)
        lines.append(f"| `{name}` | {len(found)} | {same} | {len(found) - same} |")
    same = sum(p.same for p in verdicts)
    lines += [
        f"| verdict of the case | {len(verdicts)} | {same} | {len(verdicts) - same} |",
        "",
        "## The differences",
        "",
    ]
    lines += [
        "Verdicts count as the same when they say the same: PASSED is PASS or OK, FAILED is FAIL or HIT, NOT_EVALUATED",
        "alone is ERROR.",
        "",
    ]
    for key, text in parity_scenes.REASONS.items():
        rows = [p for p in pairs if not p.same and any(d.reason == key for d in listed(p))]
        lines += [fill(text, 120), "", "| case | compared | plain ADK | here | scenes |", "|---|---|---|---|---|"]
        grouped: dict[tuple[str, ...], list[str]] = {}
        for p in rows:
            grouped.setdefault((p.case, _code(p.name), p.adk, p.ours), []).append(p.scene)
        lines += [f"| {' | '.join(cells)} | {', '.join(scenes)} |" for cells, scenes in grouped.items()]
        lines.append("")
    lines += _evaluator_section(comparisons)
    lines += parity_places.section()
    return "\n".join(lines).rstrip() + "\n"


def _code(name: str) -> str:
    return f"`{name}`" if name else "verdict"


def _evaluator_section(comparisons: list[Comparison]) -> list[str]:
    lines = [
        "## ADK's other front door",
        "",
        fill(parity_scenes.EVALUATOR_NOTE, 120),
        "",
        "| scene | case | `adk eval` | `AgentEvaluator` | here |",
        "|---|---|---|---|---|",
    ]
    for comparison in comparisons:
        ours = {p.case: p.ours for p in comparison.pairs if not p.name}
        for case, green in comparison.evaluator.items():
            if green != (comparison.adk_cases[case] == "PASSED") or green != (ours[case] in ("PASS", "OK")):
                cells = [
                    comparison.scene.name,
                    case,
                    comparison.adk_cases[case],
                    "green" if green else "red",
                    ours[case],
                ]
                lines.append(f"| {' | '.join(cells)} |")
    return [*lines, ""]
