"""Plans as the rules see them: what the plan room checked, plain data, and what stands where."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from adk_split_eval.lint.documents import Document
from adk_split_eval.lint.json_source import Path
from adk_split_eval.lint.shapes import Json, as_list, as_object, objects
from adk_split_eval.record.finding import Finding

if TYPE_CHECKING:
    from adk_split_eval.plan.nodes import Document as YamlDocument

MATCHERS = frozenset({"any", "regex", "one_of", "approx", "within", "contains", "gt", "lt", "equals"})


class Places:
    """Gives a lint document the places of the plan room's tree."""

    def __init__(self, document: YamlDocument) -> None:
        self._document = document

    def place(self, path: Path, key: bool = False) -> tuple[int, int, int, int]:
        found = self._document.place(path, key=key)
        return (found.line, found.column, found.end_line, found.end_column)


@dataclass(eq=False, repr=False)
class PlanView:
    """One plan.

    Attributes:
        document: the plan file; frozen cases stand in ``frozen``.
        data: the whole plan, empty when its YAML cannot be read.
        findings: what the plan room says about its format.
        has_errors: whether the plan as a whole cannot be used.
    """

    document: Document
    data: Json
    findings: list[Finding] = field(default_factory=list[Finding])
    has_errors: bool = False
    frozen: Document | None = None
    frozen_data: Json = field(default_factory=dict[str, Any])

    def fixed(self) -> Iterator[tuple[Document, Path, Json]]:
        """(file, path, case) of every fixed case, frozen ones last."""
        for index, case in objects(as_object(self.data.get("fixed_set")).get("cases")):
            yield self.document, ("fixed_set", "cases", index), case
        if self.frozen is not None:
            for index, case in objects(self.frozen_data.get("cases")):
                yield self.frozen, ("cases", index), case

    def simulated(self) -> Iterator[tuple[Document, Path, Json]]:
        for index, case in objects(as_object(self.data.get("sim_set")).get("cases")):
            yield self.document, ("sim_set", "cases", index), case

    def cases(self) -> Iterator[tuple[Document, Path, Json]]:
        yield from self.fixed()
        yield from self.simulated()

    def criteria(self, section: str) -> Json:
        """``criteria`` of ``fixed_set`` or ``sim_set``."""
        return as_object(as_object(self.data.get(section)).get("criteria"))

    def expected_arguments(self) -> Iterator[tuple[Document, Path, Any, str | None]]:
        """(file, path, value, case) of every literal expected argument; matchers are left out."""
        for document, path, case in self.fixed():
            for number, turn in objects(case.get("turns")):
                for where, step in expected_steps(turn.get("expect_tools"), (*path, "turns", number, "expect_tools")):
                    for key, value in as_object(step.get("args")).items():
                        yield from _literals(value, (*where, "args", key), document, plan_case_id(case))

    def references(self) -> Iterator[tuple[Document, Path, str, str | None]]:
        """(file, path, text, case) of every expected response."""
        for document, path, case in self.fixed():
            for number, turn in objects(case.get("turns")):
                text = turn.get("expect_response")
                if isinstance(text, str):
                    yield document, (*path, "turns", number, "expect_response"), text, plan_case_id(case)


def plan_case_id(case: Json) -> str | None:
    value = case.get("case_id")
    return value if isinstance(value, str) else None


def threshold_of(criterion: Any) -> float | None:
    """The threshold of a criterion as a plan writes it."""
    value = as_object(criterion).get("threshold", 1.0) if isinstance(criterion, dict) else criterion
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def expected_steps(value: Any, path: Path) -> Iterator[tuple[Path, Json]]:
    """(path, call) of every expected call of a turn, those of one step one after the other; a bare name is a call too."""
    for index, step in enumerate(as_list(value)):
        calls = (
            [((*path, index, n), one) for n, one in enumerate(as_list(step))]
            if isinstance(step, list)
            else [((*path, index), step)]
        )
        for where, call in calls:
            if isinstance(call, str):
                yield where, {"name": call}
            elif isinstance(call, dict):
                yield where, as_object(call)


def _literals(
    value: Any, path: Path, document: Document, case: str | None
) -> Iterator[tuple[Document, Path, Any, str | None]]:
    """The literal parts of an expected value, down to a bounded number of entries."""
    waiting: list[tuple[Path, Any]] = [(path, value)]
    for _ in range(500):
        if not waiting:
            return
        here, item = waiting.pop()
        inner = as_object(item)
        if inner and inner.keys() <= MATCHERS:
            continue
        if inner:
            waiting.extend(((*here, k), v) for k, v in inner.items())
        elif isinstance(item, list):
            waiting.extend(((*here, i), v) for i, v in enumerate(as_list(item)))
        else:
            yield document, here, item, case


def open_plan(document: Document) -> PlanView:
    """Has the plan room check the file; remembered on the document."""
    known = document.cache.get("plan")
    if known is None:
        known = document.cache["plan"] = _open(document)
    return known


def _open(document: Document) -> PlanView:
    from adk_split_eval.plan.checking import check_plan

    checked = check_plan(document.path, document.path)
    view = PlanView(document, {}, checked.findings, bool(checked.errors))
    if checked.document is not None:
        document.yaml = Places(checked.document)
        view.data = as_object(checked.document.root.data())
    if checked.frozen is not None:
        view.frozen = Document(checked.frozen.path, "frozen", checked.frozen.text, yaml=Places(checked.frozen))
        view.frozen_data = as_object(checked.frozen.root.data())
    return view
