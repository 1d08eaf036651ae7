"""Rules about the course of events, compiled into criteria of one case: events written out, the document put in place.

The plan's ``process`` and the case's own are merged section by section. What plain ``adk eval`` cannot see (session-state
changes, interruptions) stays out of the generated configs, and a decision says so.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from adk_split_eval.build.declared import HalfCriteria
from adk_split_eval.plan.models import EventSelector, FixedCase, Plan, Process, SimCase
from adk_split_eval.plan.models_process import DocumentSource
from adk_split_eval.plan.reading import read_document

if TYPE_CHECKING:
    from adk_split_eval.build.fixed import Draft

_PIECES_OF_TEXT = ("event", "id", "text", "kind", "default_kind", "similarity")
"""What of ``questions`` a judge of doubtful pairs needs."""


def add_process(plan: Plan, half: HalfCriteria, case: FixedCase | SimCase, draft: Draft) -> None:
    """Add the process criteria that govern ``case`` to its draft."""
    process = merged_process(plan, case)
    sections = _Sections(plan, case, process)
    for name, params in sections.criteria().items():
        runner_only = reads_state(params)
        criterion = half.ours(name, params, runner_only=runner_only)
        draft.criteria.append(criterion)
        if runner_only:
            draft.decisions.append(
                f"{name} reads session-state changes, which only our runner records: plain adk eval does not get it"
            )
    for name, parent, params in sections.judged():
        options = half.judge_options(parent)
        if options is not None:
            draft.criteria.append(half.ours(name, {**params, "judge": options}, runner_only=reads_state(params)))
    if case.interrupt is not None:
        draft.criteria.append(half.ours("recovery_v1", sections.recovery(case.interrupt.model_dump(exclude_none=True))))


def merged_process(plan: Plan, case: FixedCase | SimCase) -> Process:
    """The plan's process with the case's own sections over it; an empty one when the case switches it off."""
    if case.process is False:
        return Process()
    base = plan.process or Process()
    own = case.process
    if own is None:
        return base
    given = {key: getattr(own, key) for key in own.model_fields_set if getattr(own, key) is not None}
    return base.model_copy(update={**given, "events": {**base.events, **own.events}})


def contrasts_json(plan: Plan) -> list[dict[str, Any]]:
    """The plan's contrasts as the runner takes them, events written out."""
    process = plan.process or Process()
    found: list[dict[str, Any]] = []
    for contrast in plan.contrasts:
        data = contrast.model_dump(by_alias=True, exclude_defaults=True)
        for key in ("must_differ", "must_not_differ"):
            for field, raw in zip(getattr(contrast, key), data.get(key) or [], strict=True):
                raw["event"] = _selector(process, field.event)
        found.append(data)
    return found


def reads_state(value: Any) -> bool:
    """Whether a selector of session-state changes stands anywhere in the parameters of a process criterion."""
    if not isinstance(value, dict):
        return False
    entry = cast(dict[str, Any], value)
    event = entry.get("event")
    if isinstance(event, dict) and "state" in event:
        return True
    if any(reads_state(entry.get(key)) for key in ("early_end", "report", "entering", "from", "questions", "evidence")):
        return True
    after = cast("list[dict[str, Any]]", entry.get("nothing_after") or [])
    return any("state" in selector for selector in after)


def _selector(process: Process, ref: str | EventSelector) -> dict[str, Any]:
    return process.event(ref).model_dump(by_alias=True)


class _Sections:
    """The sections of one case's process as parameters of their criteria."""

    def __init__(self, plan: Plan, case: FixedCase | SimCase, process: Process) -> None:
        self.plan, self.case, self.process = plan, case, process

    def criteria(self) -> dict[str, dict[str, Any]]:
        """Criterion name → parameters, of the deterministic ones."""
        found = {
            "stage_flow_v1": self.stages(),
            "repeated_questions_v1": self.questions(),
            "evidence_links_v1": self.evidence(),
            "ending_v1": self.ending(),
        }
        return {name: params for name, params in found.items() if params}

    def judged(self) -> list[tuple[str, str, dict[str, Any]]]:
        """(criterion, the one whose ``judge_model_options`` it takes, parameters) of those a judge decides."""
        found: list[tuple[str, str, dict[str, Any]]] = []
        process = self.process
        if process.questions is not None and process.questions.judge:
            params = self.questions()
            found.append(("repeated_meaning_v1", "repeated_questions_v1", {"questions": params}))
        if process.evidence is not None and process.evidence.judge and self._document() is not None:
            found.append(("evidence_meaning_v1", "evidence_links_v1", {"evidence": self.evidence()}))
        if process.report is not None:
            found.append(("report_review_v1", "report_review_v1", self.report()))
        return found

    def _dump(self, section: Any, **excluded: Any) -> dict[str, Any]:
        data: dict[str, Any] = section.model_dump(by_alias=True, exclude_defaults=True, **excluded)
        if getattr(section, "event", None) is not None:
            data["event"] = _selector(self.process, section.event)
        return data

    def stages(self) -> dict[str, Any]:
        section = self.process.stages
        if section is None:
            return {}
        data = self._dump(section)
        if section.early_end is not None and section.early_end.event is not None:
            data["early_end"]["event"] = _selector(self.process, section.early_end.event)
        return data

    def questions(self) -> dict[str, Any]:
        section = self.process.questions
        return {} if section is None else self._dump(section, exclude={"judge"})

    def evidence(self) -> dict[str, Any]:
        section = self.process.evidence
        if section is None:
            return {}
        data = self._dump(section, exclude={"judge", "source"})
        document = self._document()
        return data if document is None else {**data, "source": document}

    def _document(self) -> dict[str, Any] | None:
        source = self.process.evidence.source if self.process.evidence else None
        if source is None:
            return None
        document = self._read(source)
        if not document:
            return None
        return {key: document[key] for key in ("id", "version", "fragments") if key in document}

    def _read(self, source: DocumentSource) -> dict[str, Any] | None:
        if source.inline is not None:
            return source.inline.model_dump()
        if source.file is not None:
            origin = self.case.origin
            root = Path(origin.file).parent if origin else Path()
            return cast("dict[str, Any]", read_document(root / source.file, source.file).root.data())
        states = [s.state for s in (self.plan.session_input, self.case.session_input) if s is not None]
        state: dict[str, Any] = {}
        for one in states:
            state.update(one)
        found = state.get(source.state or "")
        return cast("dict[str, Any]", found) if isinstance(found, dict) else None

    def ending(self) -> dict[str, Any]:
        section, stages = self.process.ending, self.process.stages
        if section is None:
            return {}
        data = self._dump(section)
        if section.report is not None:
            data["report"]["event"] = _selector(self.process, section.report.event)
        after = [_selector(self.process, ref) for ref in section.nothing_after]
        if not after and self.process.questions is not None:
            after = [_selector(self.process, self.process.questions.event)]
        if after:
            data["nothing_after"] = after
        if stages is not None:
            entering = {
                "event": _selector(self.process, stages.event),
                "stage": stages.stage,
                "initial": stages.initial,
            }
            data["entering"] = {key: value for key, value in entering.items() if value is not None}
            data.setdefault("stages", stages.finals())
        return data

    def report(self) -> dict[str, Any]:
        section = self.process.report
        assert section is not None
        data = section.model_dump(by_alias=True, exclude_defaults=True)
        data["from"]["event"] = _selector(self.process, section.source.event)
        if self.process.redact:
            data["redact"] = list(self.process.redact)
        return data

    def recovery(self, interrupt: dict[str, Any]) -> dict[str, Any]:
        data: dict[str, Any] = {"interrupt": interrupt}
        section = self.process.recovery
        if section is not None:
            data["side_effects"] = [
                {key: value for key, value in (("name", tool.name), ("args", tool.args)) if value}
                for tool in section.side_effects
            ]
            for key, ref in (("retries", section.retries), ("timeouts", section.timeouts)):
                if ref is not None:
                    data[key] = _selector(self.process, ref)
        data |= {key: value for key, value in (("stages", self.stages()), ("questions", self.questions())) if value}
        return data
