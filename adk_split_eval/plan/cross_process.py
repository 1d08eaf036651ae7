"""References inside process rules and contrasts: events, paths, stages, documents, cases."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from adk_split_eval.plan.checked import CheckedPlan, Entry, spread_id
from adk_split_eval.plan.checks import Complaint, check_root, list_in, mapping_in, shown
from adk_split_eval.plan.checks_mappings import selector_kind
from adk_split_eval.plan.cross_criteria import judge_named
from adk_split_eval.plan.nodes import DocumentPath, Node, PlanError
from adk_split_eval.plan.reading import read_document
from adk_split_eval.plan.structure import check_node, check_structure, nearest

Complain = Callable[[DocumentPath, str, str, str], None]
Raw = dict[str, Any]

PICKS: dict[str, tuple[str, ...]] = {
    "stages": ("stage", "reason"),
    "questions": ("id", "text", "kind"),
    "evidence": ("cites", "document", "version", "quote", "text"),
    "ending": ("reason",),
}
"""Section → its keys that are paths into the section's event."""


@dataclass(slots=True)
class Use:
    """One use of an event: where the reference stands, the reference, and the paths read from the event."""

    path: DocumentPath
    ref: Any
    picks: list[tuple[DocumentPath, str]] = field(default_factory=list[tuple[DocumentPath, str]])


def check_process(checked: CheckedPlan) -> None:
    """The plan's process, each case's own, and the contrasts."""
    plan_process = checked.mapping("process")
    root = Path(checked.path).parent

    def of_plan(path: DocumentPath, code: str, message: str, help: str) -> None:
        checked.complain(("process", *path), code, message, help)

    _Process(checked, plan_process, plan_process, root, of_plan).check()
    for entry in checked.sound():
        own = entry.node.child("process")
        if own is not None and own.kind == "mapping":

            def of_case(path: DocumentPath, code: str, message: str, help: str, entry: Entry = entry) -> None:
                entry.reject(("process", *path), code, message, help)

            _Process(checked, own.data(), merge_process(plan_process, own.data()), root, of_case).check()
    for entry in checked.sound():
        _check_state_document(checked, entry)
    _check_contrasts(checked, plan_process)


def merge_process(plan: Raw, case: Any) -> Raw:
    """The process of one case: the plan's, with the case's own sections over it; ``False`` leaves none of it."""
    if case is False:
        return {}
    own = mapping_in({"own": case}, "own")
    events = {**mapping_in(plan, "events"), **mapping_in(own, "events")}
    merged = {**plan, **{key: value for key, value in own.items() if value is not None}}
    return {**merged, "events": events} if events else merged


class _Process:
    """One process mapping: ``own`` is what is written here, ``merged`` what it refers to."""

    def __init__(self, checked: CheckedPlan, own: Raw, merged: Raw, root: Path, complain: Complain) -> None:
        self.checked, self.own, self.merged, self.root, self.complain = checked, own, merged, root, complain

    def check(self) -> None:
        events = mapping_in(self.merged, "events")
        for use in uses_of_events(self.own):
            check_use(use, events, self.complain)
        self._check_stages()
        self._check_document()
        self._check_judge()

    def _check_stages(self) -> None:
        ending = mapping_in(self.own, "ending")
        used: list[tuple[DocumentPath, str]] = [
            (("ending", "stages", index), name) for index, name in enumerate(list_in(ending, "stages"))
        ]
        before = mapping_in(ending, "report").get("not_before")
        if before is not None:
            used.append((("ending", "report", "not_before"), before))
        names: list[str] = [stage["name"] for stage in list_in(mapping_in(self.merged, "stages"), "order")]
        for path, name in used:
            if name not in names:
                help = nearest(name, names) if names else "describe the stages under process.stages"
                self.complain(path, "ASE027", f"no stage is named {shown(name)}", help)

    def _check_document(self) -> None:
        file: str | None = mapping_in(self.own, "evidence", "source").get("file")
        if file is None:
            return
        where = self.root / file
        try:
            document = read_document(where, file)
        except PlanError as error:
            first = error.findings[0]
            message = f"the document {shown(file)} cannot be used: {first.message}"
            self.complain(("evidence", "source", "file"), "ASE027", message, "name a file relative to the plan")
            return
        for problem in check_structure(document, "Document")[:1]:
            message = f"the document {shown(file)} cannot be used: {problem.message}"
            self.complain(("evidence", "source", "file"), "ASE027", message, problem.help)

    def _check_judge(self) -> None:
        if judge_named(self.checked):
            return
        wanted: list[tuple[str, ...]] = [
            (section, "judge") for section in ("questions", "evidence") if mapping_in(self.own, section).get("judge")
        ]
        if mapping_in(self.own, "report"):
            wanted.append(("report",))
        for path in wanted:
            message = f"process.{'.'.join(path)} needs a judge, and the plan names none"
            self.complain(path, "ASE036", message, "pin models.judge")


def uses_of_events(process: Raw) -> Iterator[Use]:
    """Every use of an event in the sections of a process."""
    for section, keys in PICKS.items():
        rules = mapping_in(process, section)
        if rules.get("event") is not None:
            picks: list[tuple[DocumentPath, str]] = [
                ((section, key), rules[key]) for key in keys if rules.get(key) is not None
            ]
            if section == "stages" and "stage" not in rules:
                picks.append((("stages", "event"), "args.stage"))
            picks += [((section, "claims_where", path), path) for path in mapping_in(rules, "claims_where")]
            yield Use((section, "event"), rules["event"], picks)
    for path in (
        ("stages", "early_end", "event"),
        ("ending", "report", "event"),
        ("recovery", "retries"),
        ("recovery", "timeouts"),
    ):
        ref = mapping_in(process, *path[:-1]).get(path[-1])
        if ref is not None:
            yield Use(path, ref)
    for index, ref in enumerate(list_in(mapping_in(process, "ending"), "nothing_after")):
        yield Use(("ending", "nothing_after", index), ref)
    source = mapping_in(process, "report").get("from")
    if source is not None:
        yield named_event(("report", "from"), source)


def named_event(path: DocumentPath, value: Any) -> Use:
    """The use of an event by a name, by ``{event, pick}``, or by a selector with ``pick`` beside it."""
    if isinstance(value, str):
        return Use(path, value)
    if "event" in value:
        pick = value.get("pick")
        return Use((*path, "event"), value["event"], [((*path, "pick"), pick)] if pick is not None else [])
    return Use(path, value)


def check_use(use: Use, events: Raw, complain: Complain) -> None:
    """The event exists, and each path can be read from it."""
    selector = use.ref
    if isinstance(selector, str):
        if selector not in events:
            help = nearest(selector, list(events)) if events else "write the selector in place, as {tool: NAME}"
            complain(use.path, "ASE027", f"process.events has no event {shown(selector)}", help)
            return
        selector = events[selector]
    try:
        kind = selector_kind(selector)
        for path, picked in use.picks:
            check_root(picked, kind, path)
    except Complaint as complaint:
        complain(complaint.path or use.path, "ASE027", complaint.message, complaint.help)


def _check_state_document(checked: CheckedPlan, entry: Entry) -> None:
    """A document that a case keeps in its start state must be one."""
    process = merge_process(checked.mapping("process"), _own_process(entry.node))
    key: str | None = mapping_in(process, "evidence", "source").get("state")
    if key is None:
        return
    path: DocumentPath = ("session_input", "state", key)
    document, prefix = entry.document, (*entry.path, *path)
    node = entry.node.find(path)
    if node is None:
        node, document, prefix = checked.root.find(path), checked.document, path
    if node is None or document is None or (node.kind == "scalar" and node.value is None):
        return
    for problem in check_node(document, node, "Document", prefix)[:1]:
        message = f"the start state's {shown(key)} is no document: {problem.message}"
        finding = document.place(problem.path, key=problem.key).finding(
            "ASE027", message, "write {id, version, fragments: {fragment id: text}}", case_id=entry.case_id
        )
        entry.findings.append(finding)


def _own_process(case: Node) -> Any:
    own = case.child("process")
    return own.data() if own is not None else None


def _check_contrasts(checked: CheckedPlan, process: Raw) -> None:
    known = {entry.case_id: entry.half for entry in checked.entries}
    for entry in checked.entries:
        for persona in entry.spread():
            known[spread_id(entry.case_id, persona)] = entry.half
    contrasts: list[Raw] = list_in({"all": checked.value("contrasts")}, "all")
    names: list[str] = []
    for index, contrast in enumerate(contrasts):
        path: DocumentPath = ("contrasts", index)
        if contrast["name"] in names:
            checked.complain(
                (*path, "name"), "ASE020", f"the contrast {shown(contrast['name'])} is there twice", "rename it"
            )
        names.append(contrast["name"])
        for at, case_id in enumerate(contrast["cases"]):
            if case_id not in known:
                message = (
                    f"the contrast {shown(contrast['name'])} names {shown(case_id)}, which is no case of this plan"
                )
                checked.complain((*path, "cases", at), "ASE027", message, nearest(case_id, list(known)))

        def of_contrast(where: DocumentPath, code: str, message: str, help: str) -> None:
            checked.complain(where, code, message, help)

        for key in ("must_differ", "must_not_differ"):
            for at, value in enumerate(list_in(contrast, key)):
                check_use(named_event((*path, key, at), value), mapping_in(process, "events"), of_contrast)
