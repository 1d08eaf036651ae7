"""Judges under audit: a sample of their verdicts for people, and how far the answers agree.

A run draws the sample into ``audit.yaml`` of its folder: what was said, what was asked, and a blank for the answer; the
judge's own verdict is not in it, so that nobody is led. Answers that come back are kept per judge in the project's
``judges.json``, and every later report names a judge whose agreement is under its threshold.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import yaml

from adk_split_eval.criteria import CATALOGUE
from adk_split_eval.record import CaseResult, CriterionResult, RunResult, TrialResult
from adk_split_eval.record.jsonio import dumps, write_atomically
from adk_split_eval.record.runs import STATE_DIR, RunFolder, load_result, project_root
from adk_split_eval.run.statistics import krippendorff_alpha

SAMPLE_NAME = "audit.yaml"
ANSWERS_NAME = "judges.json"
THRESHOLD = 0.8
"""What Krippendorff asks of reliable data; 0.667 is the least he lets stand for tentative conclusions."""
FEW = 20
YES = frozenset({"yes", "passed", "pass", "true", "good"})
NO = frozenset({"no", "failed", "fail", "false", "bad"})


class AuditError(Exception):
    """A sample cannot be drawn, or answers cannot be used (exit code 2)."""


@dataclass(slots=True)
class Agreement:
    """How one judge agrees with people.

    Attributes:
        judge: model and criterion.
        answered: verdicts at least one person answered.
        agreed: of those answers, how many say what the judge says.
        answers: how many answers there are.
        alpha: Krippendorff's alpha over the judge and all people; None where it is not defined.
    """

    judge: str
    answered: int
    agreed: int
    answers: int
    alpha: float | None
    threshold: float = THRESHOLD
    people: list[str] = field(default_factory=list[str])

    @property
    def doubtful(self) -> bool:
        """Under the threshold; without any variation, whether a single answer differs."""
        return self.agreed < self.answers if self.alpha is None else self.alpha < self.threshold

    def sentence(self) -> str:
        shown = "alpha undefined, all answers are the same" if self.alpha is None else f"alpha {self.alpha:.2f}"
        few = f"; only {self.answered} verdicts were checked, which says little" if self.answered < FEW else ""
        return f"{self.judge}: {self.agreed} of {self.answers} answers agree, {shown} (wanted {self.threshold:g}){few}"


def judged_verdicts(cases: Sequence[CaseResult]) -> Iterator[tuple[str, CaseResult, TrialResult, CriterionResult]]:
    """Every verdict a judge gave, with the name a sample knows it by."""
    for case in cases:
        for number, trial in enumerate(case.trials):
            for criterion in trial.criteria:
                if criterion.kind == "judged" and criterion.status in ("passed", "failed"):
                    yield f"{case.set}/{case.case_id}/{number}/{criterion.name}", case, trial, criterion


def draw_sample(folder: RunFolder, share: float) -> Path | None:
    """Write ``audit.yaml`` of a finished run: the same verdicts are drawn however often it is asked for.

    Args:
        share: above 0 and at most 1 of all judged verdicts, at least one.

    Returns:
        The file, or None when nothing was judged. A file that people have answered in is left as it is.
    """
    result = load_result(folder)
    path = folder.path / SAMPLE_NAME
    found = {name: (case, trial, criterion) for name, case, trial, criterion in judged_verdicts(result.cases)}
    if not found:
        return None
    if path.is_file() and any(_answer(item) is not None for item in _items(path)):
        return path
    count = min(len(found), math.ceil(share * len(found)))
    drawn = sorted(
        sorted(found, key=lambda name: hashlib.sha256(name.encode("utf-8", "surrogatepass")).digest())[:count]
    )
    head = (
        "# Judged verdicts for people to check. Read what was said and put `yes` (it passes) or `no` (it fails) behind\n"
        f"# `answer`, your name behind `reviewer`; then: adk-split-eval audit --agree {path.name}\n"
    )
    sample = {
        "run_id": result.run_id,
        "reviewer": "",
        "verdicts": [_question(name, *found[name]) for name in drawn],
    }
    text: str = yaml.safe_dump(  # pyright: ignore[reportUnknownMemberType]
        sample, allow_unicode=True, sort_keys=False, width=1_000_000
    )
    write_atomically(path, head + text)
    return path


def _question(name: str, case: CaseResult, trial: TrialResult, criterion: CriterionResult) -> dict[str, Any]:
    said: list[dict[str, Any]] = []
    for turn in trial.turns:
        shown: dict[str, Any] = {"user": turn.user}
        if turn.tool_calls:
            shown["tools"] = [
                f"{c.name}({dumps(c.args, indent=None)}) -> {dumps(c.response, indent=None)}" for c in turn.tool_calls
            ]
        said.append({**shown, "agent": turn.response})
    info = CATALOGUE.get(criterion.name)
    return {
        "id": name,
        "asked": f"{criterion.name}: {info.why}" if info is not None else criterion.name,
        "scene": case.scene,
        "said": said,
        "answer": None,
    }


def take_answers(files: Sequence[Path], root: Path | None = None, *, threshold: float = THRESHOLD) -> list[Agreement]:
    """Read people's answers, keep them, and say how every judge does over all answers there have ever been.

    Raises:
        AuditError: a file is no sample, holds no answer, or one that is neither yes nor no.
        RunNotFoundError: the run it was drawn from is gone.
    """
    base = root or project_root()
    known = _known(base)
    for file in files:
        _take(file, base, known)
    known["threshold"] = threshold
    write_atomically(base / STATE_DIR / ANSWERS_NAME, dumps(known) + "\n")
    return agreements(base)


def _take(file: Path, base: Path, known: dict[str, Any]) -> None:
    data = _sample(file)
    items = [item for item in _items_of(data) if _answer(item, file) is not None]
    if not items:
        raise AuditError(f"{file}: ASE913 nobody has answered yet; put yes or no behind `answer`")
    run = load_result(str(data["run_id"]), base)
    verdicts = {name: criterion for name, _, _, criterion in judged_verdicts(run.cases)}
    reviewer = str(data.get("reviewer") or file.name)
    for item in items:
        criterion = verdicts.get(str(item.get("id")))
        if criterion is None:
            raise AuditError(f"{file}: ASE914 run {run.run_id} has no judged verdict {item.get('id')!r}")
        judge = f"{_model(run)} under {criterion.name}"
        entry = known["judges"].setdefault(judge, {}).setdefault(f"{run.run_id}/{item['id']}", {"people": {}})
        entry["judge"] = criterion.status == "passed"
        entry["people"][reviewer] = _answer(item, file)


def _model(run: RunResult) -> str:
    models: dict[str, str] = run.extra.get("models") or {}
    return models.get("judge") or "the judge"


def agreements(root: Path | None = None) -> list[Agreement]:
    """How every judge that people have checked agrees with them, by name."""
    known = _known(root or project_root())
    found: list[Agreement] = []
    judges: dict[str, dict[str, Any]] = known["judges"]
    for judge, entries in sorted(judges.items()):
        people = sorted({name for entry in entries.values() for name in entry["people"]})
        table = [[entry["judge"], *(entry["people"].get(name) for name in people)] for entry in entries.values()]
        answers = [(row[0], value) for row in table for value in row[1:] if value is not None]
        agreed = sum(one == other for one, other in answers)
        alpha = krippendorff_alpha(table)
        found.append(Agreement(judge, len(table), agreed, len(answers), alpha, float(known["threshold"]), people))
    return found


def doubtful_judges(results: Sequence[CaseResult], model: str, root: Path | None = None) -> list[str]:
    """Notes about the judges of these results whose agreement with people is under the threshold."""
    base = root or project_root()
    if not (base / STATE_DIR / ANSWERS_NAME).is_file():
        return []
    names = {c.name for case in results for c in case.criteria if c.kind == "judged"}
    used = {f"{model or 'the judge'} under {name}" for name in names}
    return [
        f"do not rely on this judge: {agreement.sentence()}"
        for agreement in agreements(base)
        if agreement.judge in used and agreement.doubtful
    ]


def _known(base: Path) -> dict[str, Any]:
    empty: dict[str, Any] = {"schema_version": 1, "threshold": THRESHOLD, "judges": {}}
    try:
        data: Any = json.loads((base / STATE_DIR / ANSWERS_NAME).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return empty
    except (OSError, ValueError) as error:
        raise AuditError(f"{base / STATE_DIR / ANSWERS_NAME}: ASE915 cannot be read: {error}") from error
    return {**empty, **data} if isinstance(data, dict) else empty


def _sample(file: Path) -> dict[str, Any]:
    try:
        data: Any = yaml.safe_load(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise AuditError(f"{file}: ASE912 cannot be read: {error.strerror}") from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        mark: Any = getattr(error, "problem_mark", None)
        place = f"{file}:{mark.line + 1}:{mark.column + 1}" if mark is not None else str(file)
        problem: Any = getattr(error, "problem", None) or error
        raise AuditError(f"{place}: ASE912 not YAML: {problem}") from error
    sample = cast("dict[str, Any]", data) if isinstance(data, dict) else {}
    if "run_id" not in sample or not isinstance(sample.get("verdicts"), list):
        raise AuditError(f"{file}: ASE912 not a sample drawn by `adk-split-eval audit`")
    return sample


def _items(file: Path) -> list[dict[str, Any]]:
    return _items_of(_sample(file))


def _items_of(sample: dict[str, Any]) -> list[dict[str, Any]]:
    return [cast("dict[str, Any]", i) for i in sample["verdicts"] if isinstance(i, dict)]


def _answer(item: dict[str, Any], file: Path | None = None) -> bool | None:
    value = item.get("answer")
    if value is None or value == "":
        return None
    word = str(value).strip().lower()
    if word in YES or word in NO:
        return word in YES
    raise AuditError(f"{file or SAMPLE_NAME}: ASE916 {item.get('id')}: the answer {value!r} is neither yes nor no")
