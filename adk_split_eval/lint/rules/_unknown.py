"""Keys that ADK drops, and which of them are only remarks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from adk_split_eval.lint.config_view import Config, judge_fields
from adk_split_eval.lint.documents import Document
from adk_split_eval.lint.json_source import Path
from adk_split_eval.lint.project import Project
from adk_split_eval.lint.rules.expectation_on_scenario import EXPECTATIONS
from adk_split_eval.lint.schema import Problem
from adk_split_eval.lint.shapes import as_object
from adk_split_eval.lint.views import Json, case_id, stand_in_problems

COMMENTS = frozenset(
    {"$schema", "//", "comment", "comments", "description", "desc", "doc", "docs", "note", "notes", "title", "name", "author",
     "authors", "version", "tags", "tag", "labels", "category", "difficulty", "metadata", "created", "created_at", "updated_at",
     "todo", "source", "id", "priority", "license", "provenance"}
)  # fmt: skip

HINTS = {
    "num_runs": "it is an argument of AgentEvaluator, not a config key",
    "max_turns": "the simulator's limit is user_simulator_config.max_allowed_invocations",
    "max_invocations": "the simulator's limit is user_simulator_config.max_allowed_invocations",
    "judge_model": "judge options stand under judge_model_options of their criterion",
    "model": "the simulator's model stands under user_simulator_config, an agent's in its code",
    "metrics": "ADK reads `criteria`, a mapping from name to threshold",
    "rubric": "did you mean `rubrics` (a list)?",
    "expected_tool_use": "the old format's key; expected calls stand under conversation[].intermediate_data.tool_uses",
    "expected_tools": "expected calls stand under conversation[].intermediate_data.tool_uses",
    "reference": "the old format's key; the reference stands under conversation[].final_response",
    "expected_response": "the reference stands under conversation[].final_response",
    "expected_behavior": "ADK judges no free-text behaviour; use a rubric with a rubric-based criterion",
    "initial_session": "the old format's key; it is session_input now",
    "state": "session state stands under session_input.state",
    "app_name": "it stands under session_input",
    "expected_intermediate_agent_responses": "they stand under conversation[].intermediate_data.intermediate_responses",
}

_CAMEL = {("evalSetId",), ("evalCases",)}  # a rule of their own says what they are


def is_comment(name: str) -> bool:
    """Whether a key is a remark for people by its name."""
    return name.startswith(("_", "#", "//", "$", "x-")) or name.lower() in COMMENTS


def dropped(project: Project) -> Iterator[tuple[Document, Problem, str | None]]:
    """(document, unknown key, case) for each key a model ignores rather than forbids."""
    for eval_set in project.sets:
        if not eval_set.problems:
            continue
        names = {i: case_id(c) for i, c in eval_set.cases}
        for problem in eval_set.problems:
            if problem.what == "unknown" and problem.extra != "forbid" and problem.path not in _CAMEL:
                index = problem.path[1] if len(problem.path) > 1 else None
                case = names.get(index) if isinstance(index, int) else None
                if not (
                    problem.model == "EvalCase" and problem.name in EXPECTATIONS and _simulated(eval_set.cases, index)
                ):
                    yield eval_set.document, problem, case
    for document in project.documents:
        if document.kind in ("scenarios", "session"):
            for problem in stand_in_problems(document, project.knowledge):
                if problem.what == "unknown" and problem.extra != "forbid":
                    yield document, problem, None
    for config in project.configs:
        if config.document is not None:
            for problem in config_problems(config, project):
                yield config.document, problem, None


def _simulated(cases: list[tuple[int, Json]], index: Any) -> bool:
    return any(i == index and "conversation_scenario" in c for i, c in cases)


def config_problems(config: Config, project: Project) -> Iterator[Problem]:
    """Unknown keys of a config that nothing reads, each once."""
    instead = {"criteria", *(("metrics",) if not config.criteria else ())}
    for problem in config.problems:
        if problem.what != "unknown" or problem.extra == "forbid" or problem.model == "BaseCriterion":
            continue
        if (
            len(problem.path) == 1
            and not config.criteria
            and (problem.expected == "criteria" or problem.name in instead)
        ):
            continue
        yield problem
    misplaced = judge_fields(project.knowledge)
    for criterion in config.criteria:
        if criterion.metric is None or not isinstance(criterion.raw, dict):
            continue
        for problem in criterion.problems:
            if (
                problem.what == "unknown"
                and problem.extra != "forbid"
                and not (problem.name in misplaced and len(problem.path) == 3)
            ):
                yield problem


def misplaced_options(config: Config, project: Project) -> Iterator[tuple[Path, str]]:
    """Judge options that stand directly in a criterion of a judged metric."""
    fields = judge_fields(project.knowledge)
    for criterion in config.criteria:
        if criterion.metric is not None:
            for key in as_object(criterion.raw):
                if key in fields:
                    yield (*criterion.path, key), criterion.name
