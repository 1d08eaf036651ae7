"""Any ADK eval sets as they are: the honest ``adk eval``.

Reads ADK's own files into cases, with the criteria of the config that governs each set: ``--config``, else
``test_config.json`` in the set's own folder, else ADK's defaults. Where our criterion replaces ADK's it says so.
"""

from __future__ import annotations

import difflib
import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from adk_split_eval.build.jsonplaces import locate
from adk_split_eval.criteria import CATALOGUE, rubric_type
from adk_split_eval.criteria.old_formats import old_format
from adk_split_eval.record import Case, CompiledPlan, CompiledSet, Criterion, Finding
from adk_split_eval.run import adk as border
from adk_split_eval.run.judge import NAMED_WRONG
from adk_split_eval.run.packed import FROM
from adk_split_eval.run.trajectory_reasons import ADK_JUDGES

DEFAULT_CRITERIA: dict[str, Any] = {"tool_trajectory_avg_score": 1.0, "response_match_score": 0.8}
OURS_PREFIX = "adk_split_eval.metrics."
# What lint says of plain ADK and is not so here: the final state is compared.
JUDGED_HERE = frozenset({"ASE225"})
MATCH_TYPES: tuple[str, ...] = ("EXACT", "IN_ORDER", "ANY_ORDER")


class RawInputError(Exception):
    """A set or config cannot be used (exit code 2)."""


@dataclass(slots=True)
class RawSet:
    """One set file with its config."""

    path: Path
    data: dict[str, Any]
    config: dict[str, Any]
    config_path: Path | None
    selected: list[str] = field(default_factory=list[str])


def read_json(path: Path) -> Any:
    """JSON of ``path``; a byte-order mark is accepted (ADK crashes on it).

    Raises:
        RawInputError: unreadable, with line and column where JSON knows them.
    """
    try:
        return json.loads(path.read_text(encoding="utf-8-sig"))
    except FileNotFoundError as error:
        raise RawInputError(f"{path}: ASE906 no such file") from error
    except OSError as error:
        raise RawInputError(f"{path}: ASE906 cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise RawInputError(f"{path}: ASE906 is not UTF-8 text (byte {error.start})") from error
    except json.JSONDecodeError as error:
        raise RawInputError(f"{path}:{error.lineno}:{error.colno}: ASE906 not JSON: {error.msg}") from error
    except RecursionError as error:
        raise RawInputError(f"{path}: ASE906 nested too deeply") from error


def parse_selector(text: str) -> tuple[Path, list[str]]:
    """``set.json:a,b`` → path and case ids, as ADK spells it; blanks around ids are dropped, not taken for ids."""
    if Path(text).exists():
        return Path(text), []
    start = 3 if len(text) > 2 and text[1] == ":" and text[2] in "\\/" else 0
    index = text.find(":", start)
    if index < 0:
        return Path(text), []
    return Path(text[:index]), [x.strip() for x in text[index + 1 :].split(",") if x.strip()]


def _selector(raw: RawSet) -> str:
    """What :func:`parse_selector` read, whichever way it was spelled."""
    ids = ",".join(sorted(set(raw.selected)))
    return f"{raw.path.resolve()}:{ids}" if ids else str(raw.path.resolve())


def load_sets(selectors: list[str], config: Path | None) -> list[RawSet]:
    """Read every set and the config that governs it.

    Raises:
        RawInputError: a file is missing or unusable, a selector matches nothing, an id stands twice.
    """
    adk = border.load()
    sets: list[RawSet] = []
    for text in selectors:
        path, ids = parse_selector(text)
        data = read_json(path)
        if (old := old_format(data)) is not None:
            raise RawInputError(f"{path}:1:1: ASE603 {old.message}\n  help: {old.mend}")
        if not isinstance(data, dict) or "eval_cases" not in data:
            lacking = "a list" if isinstance(data, list) else "no eval_cases"
            raise RawInputError(f"{path}: ASE907 not an ADK eval set ({lacking}); `adk-split-eval lint` says more")
        config_path, config_data = _config_of(path, config)
        try:
            dumped = _validated(adk, cast("dict[str, Any]", data))
            adk.EvalConfig.model_validate(config_data)
        except ValueError as error:
            raise RawInputError(f"{path}: ASE907 ADK refuses it: {_first_problem(error)}") from error
        sets.append(RawSet(path, dumped, config_data, config_path, ids))
    _check(sets)
    return sets


def _validated(adk: Any, data: dict[str, Any]) -> dict[str, Any]:
    """The set as ADK writes it. Of a large set one case is an object at a time, once the set as a whole is known to be good."""
    cases: Any = data["eval_cases"]
    if not isinstance(cases, list) or len(cast("list[Any]", cases)) < FROM:
        return _dumped(adk.EvalSet.model_validate(data))
    large = _dumped(adk.EvalSet.model_validate({**data, "eval_cases": []}))
    large["eval_cases"] = listed = cast("list[Any]", cases)
    for index, case in enumerate(listed):
        try:
            listed[index] = _dumped(adk.EvalCase.model_validate(case))
        except ValueError:
            # The same words as for a small set.
            adk.EvalSet.model_validate({**data, "eval_cases": listed[index : index + 1]})
            raise
    return large


def _dumped(model: Any) -> dict[str, Any]:
    return cast("dict[str, Any]", model.model_dump(mode="json", exclude_none=True, exclude_unset=True))


def _first_problem(error: ValueError) -> str:
    errors: Any = getattr(error, "errors", None)
    if callable(errors):
        first: dict[str, Any] = cast("list[dict[str, Any]]", errors())[0]
        return f"{'.'.join(map(str, first['loc']))}: {first['msg']}"
    return str(error)


def _config_of(path: Path, config: Path | None) -> tuple[Path | None, dict[str, Any]]:
    if config is None:
        beside = path.parent / "test_config.json"
        config = beside if beside.is_file() else None
    if config is None:
        return None, {"criteria": dict(DEFAULT_CRITERIA)}
    data = read_json(config)
    if not isinstance(data, dict):
        raise RawInputError(f"{config}: ASE907 not an eval config")
    return config, cast("dict[str, Any]", data)


def _check(sets: list[RawSet]) -> None:
    seen: dict[str, Path] = {}
    for raw in sets:
        set_id = str(raw.data.get("eval_set_id"))
        if set_id in seen:
            place, other = _place(raw.path, "eval_set_id"), _place(seen[set_id], "eval_set_id")
            said = "the set is named twice" if place == other else f"eval_set_id {set_id!r} is also in {other}"
            raise RawInputError(f"{place}: ASE908 {said}; {_apart(place == other)}")
        seen[set_id] = raw.path
        ids = [c["eval_id"] for c in raw.data["eval_cases"]]
        if not ids:
            place = _place(raw.path, "eval_cases")
            raise RawInputError(f"{place}: ASE908 the set has no cases; nothing would be judged")
        twice = sorted(i for i, times in Counter(ids).items() if times > 1)
        if twice:
            first, second = [number for number, one in enumerate(ids) if one == twice[0]][:2]
            place = _place(raw.path, "eval_cases", second, "eval_id")
            line = _place(raw.path, "eval_cases", first, "eval_id").rsplit(":", 2)[1]
            raise RawInputError(
                f"{place}: ASE908 eval_id {twice[0]!r} stands twice, first in line {line}; give every case its own"
            )
        unknown = [i for i in raw.selected if i not in ids]
        if unknown:
            near = difflib.get_close_matches(unknown[0], ids, 1)
            hint = f"did you mean {near[0]}?" if near else f"there are: {', '.join(ids)}"
            raise RawInputError(f"{raw.path}: ASE901 no case {unknown[0]!r}; {hint}")


def _apart(same: bool) -> str:
    return "name it once, with all its cases behind the colon" if same else "rename one of them"


def _place(path: Path, *keys: str | int) -> str:
    """``path:line:column`` of a value that stands in an eval set, whichever way its key is spelled."""
    text = path.read_text(encoding="utf-8-sig")
    line, column = locate(text, keys)
    if keys[-1] == "eval_id" and (line, column) == locate(text, keys[:-1]):
        line, column = locate(text, (*keys[:-1], "evalId"))
    return f"{path}:{line}:{column}"


def compile_sets(
    sets: list[RawSet], agent_dir: Path, findings: list[Finding] | None = None, unknown: Sequence[Finding] = ()
) -> CompiledPlan:
    """Cases out of raw sets; each set is its own group so that its config's simulator governs it.

    Args:
        findings: what lint says of the sets.
        unknown: what lint says of criteria that are no metrics; told when ADK has none of that name either.
    """
    compiled = CompiledPlan("adk_sets", str(agent_dir), str(Path.cwd()))
    compiled.extra["files"] = [str(p) for raw in sets for p in (raw.path, raw.config_path) if p]
    compiled.extra["selectors"] = [_selector(raw) for raw in sets]
    several = len(sets) > 1
    for index, raw in enumerate(sets):
        group = f"{index}" if several else ""
        for data in raw.data["eval_cases"]:
            if raw.selected and data["eval_id"] not in raw.selected:
                continue
            case = _case(raw, data, group)
            _tell_unknown(case, raw, unknown)
            case.findings = [
                f
                for f in findings or []
                if f.case_id == data["eval_id"] and f.path == str(raw.path) and f.code not in JUDGED_HERE
            ]
            if several and any(c.case_id == case.case_id for c in compiled.cases):
                case.case_id = f"{raw.data['eval_set_id']}/{case.case_id}"
            compiled.cases.append(case)
        for half in ("fixed", "simulated"):
            compiled.sets.append(
                CompiledSet(
                    half,
                    group,
                    str(raw.data["eval_set_id"]),
                    str(raw.path.parent),
                    raw.data,
                    {"user_simulator_config": _either(raw.config, "user_simulator_config", "userSimulatorConfig")},
                )
            )
        if raw.config_path is None:
            compiled.decisions.append(f"{raw.path}: no config, ADK's default criteria apply")
    compiled.findings = [f for f in findings or [] if f.case_id is None]
    return compiled


def _either(data: dict[str, Any], snake: str, camel: str) -> Any:
    return data.get(snake, data.get(camel))


def _case(raw: RawSet, data: dict[str, Any], group: str) -> Case:
    simulated = data.get("conversation_scenario") is not None
    case = Case("simulated" if simulated else "fixed", data["eval_id"], data, group=group)
    simulator: dict[str, Any] = _either(raw.config, "user_simulator_config", "userSimulatorConfig") or {}
    if simulated:
        case.max_turns = _either(simulator, "max_allowed_invocations", "maxAllowedInvocations")
    custom: dict[str, Any] = _either(raw.config, "custom_metrics", "customMetrics") or {}
    criteria: dict[str, Any] = raw.config.get("criteria") or {}
    for name, value in criteria.items():
        case.criteria.append(criterion_of(name, value, custom.get(name), data, simulated))
    _leave_to_adk(case)
    if data.get("final_session_state") and not simulated:
        # ADK stores this expectation and no metric of it reads it.
        expected = {k: _literal(v) for k, v in data["final_session_state"].items()}
        case.criteria.append(Criterion("final_state_v1", "deterministic", "ours", 1.0, params={"expect": expected}))
    case.criteria.sort(key=lambda c: c.kind == "judged")
    return case


def _leave_to_adk(case: Case) -> None:
    """In a generated set what ADK's trajectory criterion cannot tell stands beside it: there ADK judges, as under `adk eval`."""
    ours = next((c for c in case.criteria if c.name == "tool_args_v1"), None)
    adks = next((c for c in case.criteria if c.name == "tool_trajectory_avg_score"), None)
    if ours is None or adks is None:
        return
    beside: list[Any] = ours.params.get("turns") or []
    stated: list[Any] = adks.params.get("turns") or []
    if stated and len(beside) == len(stated) and None not in beside and None not in stated:
        adks.params[ADK_JUDGES] = True


def _tell_unknown(case: Case, raw: RawSet, findings: Sequence[Finding]) -> None:
    for criterion in case.criteria:
        if criterion.source != "adk" or criterion.name in CATALOGUE:
            continue
        for finding in findings:
            if finding.path == str(raw.config_path) and f"`{criterion.name}`" in finding.message:
                told = "; ".join(filter(None, (finding.message, finding.help)))
                criterion.params[NAMED_WRONG] = f"{finding.place()}: {finding.code} {told}"
                break


def criterion_of(
    name: str, value: Any, custom: dict[str, Any] | None, data: dict[str, Any], simulated: bool
) -> Criterion:
    """One entry of a config's ``criteria`` as it governs one case."""
    options: dict[str, Any] = dict(cast("dict[str, Any]", value)) if isinstance(value, dict) else {"threshold": value}
    threshold = options.get("threshold")
    limit = float(threshold) if isinstance(threshold, int | float) else None
    if custom is not None:
        code: dict[str, Any] = _either(custom, "code_config", "codeConfig") or {}
        function = str(code.get("name", ""))
        ours = function.removeprefix(OURS_PREFIX) if function.startswith(OURS_PREFIX) else ""
        if ours in CATALOGUE:
            info = CATALOGUE[ours]
            return Criterion(ours, info.kind, "ours", limit, options, _params(ours, data, options))
        return Criterion(name, "deterministic", "team", limit, options, function=function)
    info = CATALOGUE.get(name)
    criterion = Criterion(name, info.kind if info else "deterministic", "adk", limit, options)
    if name == "tool_trajectory_avg_score" and not simulated and _match_type(options) is not None:
        criterion.params = _trajectory(data, options)
    return criterion


def _match_type(options: dict[str, Any]) -> str | None:
    """The match type as ADK reads it; None when ADK would refuse it (it is then left to ADK to refuse)."""
    value = _either(options, "match_type", "matchType")
    if value is None:
        return "EXACT"
    if isinstance(value, int) and not isinstance(value, bool):
        return MATCH_TYPES[value] if 0 <= value < len(MATCH_TYPES) else None
    text = str(value).strip().upper().replace("-", "_").replace(" ", "_")
    return text if text in MATCH_TYPES else None


def _trajectory(data: dict[str, Any], options: dict[str, Any]) -> dict[str, Any]:
    ignore_args = bool(_either(options, "ignore_args", "ignoreArgs"))
    turns: list[dict[str, Any] | None] = []
    for invocation in data["conversation"]:
        intermediate = invocation.get("intermediate_data")
        if intermediate is None:
            turns.append(None)
            continue
        calls = expected_calls(intermediate)
        turns.append({"expect": [{"calls": [_expected(c, ignore_args)]} for c in calls]})
    return {"match_type": _match_type(options), "turns": turns}


def _expected(call: dict[str, Any], ignore_args: bool) -> dict[str, Any]:
    if ignore_args:
        return {"name": call.get("name", "")}
    # ADK compares the whole set of arguments; what looks like a matcher is a literal in ADK's own files.
    given: dict[str, Any] = call.get("args") or {}
    args: dict[str, Any] = {k: {"equals": v} if isinstance(v, dict | list) else v for k, v in given.items()}
    return {"name": call.get("name", ""), "args": args, "args_exact": True}


def _literal(value: Any) -> Any:
    """What looks like a matcher is a literal in ADK's own files."""
    return {"equals": cast("Any", value)} if isinstance(value, dict | list) else value


def expected_calls(intermediate: dict[str, Any]) -> list[dict[str, Any]]:
    """The calls an ``intermediate_data`` of either shape expects, in order."""
    if "invocation_events" in intermediate:
        events: list[dict[str, Any]] = intermediate["invocation_events"]
        contents: list[dict[str, Any]] = [event.get("content") or {} for event in events]
        nested: list[list[dict[str, Any]]] = [content.get("parts") or [] for content in contents]
        parts = [part for inner in nested for part in inner]
        return [p["function_call"] for p in parts if p.get("function_call")]
    return list(intermediate.get("tool_uses") or [])


def _params(name: str, data: dict[str, Any], options: dict[str, Any]) -> dict[str, Any]:
    """Our metric's parameters out of the rubrics of a generated set, else out of the criterion's own extras."""
    kind = rubric_type(name)
    rubrics: list[dict[str, Any]] = data.get("rubrics") or []
    params: dict[str, Any] = {}
    for rubric in (r for r in rubrics if r.get("type") == kind):
        params |= json.loads(rubric["rubric_content"]["text_property"])
    turns: list[Any] = []
    invocations: list[dict[str, Any]] = data.get("conversation") or []
    for invocation in invocations:
        of_turn: list[dict[str, Any]] = invocation.get("rubrics") or []
        own = [r for r in of_turn if r.get("type") == kind]
        turns.append(json.loads(own[0]["rubric_content"]["text_property"]) if own else None)
    if any(t is not None for t in turns):
        params["turns"] = turns
    if not params:
        known = {"threshold", "include_intermediate_responses_in_final"}
        params = {k: v for k, v in options.items() if k not in known}
    return params
