"""Session pinned by two cases.

## What it does
Reports two cases with the same `session_id`, user and app.

## Why is this bad?
They share one session: the second sees the first one's conversation, and its own start `state` is ignored.

## Example
`"session_id": "s1"` in two cases.

## Use instead
No pinned id, or one a case.
"""

from collections.abc import Iterator

from adk_split_eval.lint.project import Project
from adk_split_eval.lint.rule import Report, Rule
from adk_split_eval.lint.rules._common import case_path, quoted
from adk_split_eval.lint.shapes import as_object
from adk_split_eval.lint.views import EvalSet, case_id


def check(project: Project) -> Iterator[Report]:
    seen: dict[tuple[str, str, str], tuple[EvalSet, int]] = {}
    for eval_set in project.sets:
        if not eval_set.survey.sessions or (
            "session_id" not in eval_set.document.text and "sessionId" not in eval_set.document.text
        ):
            continue
        for index, case in eval_set.cases:
            session = as_object(case.get("session_input"))
            pinned = session.get("session_id")
            if not isinstance(pinned, str) or not pinned:
                continue
            key = (str(session.get("app_name")), str(session.get("user_id")), pinned)
            if key in seen:
                other, other_index = seen[key]
                yield Report(eval_set.document, case_path(index, "session_input", "session_id"), f"session `{quoted(pinned)}` is pinned by another case as well: they share one session, and this state is ignored",
                             "leave session_id out, or give each case its own", case_id=case_id(case),
                             related=[(other.document, case_path(other_index, "session_input", "session_id"), "the other one")])  # fmt: skip
            else:
                seen[key] = (eval_set, index)


RULE = Rule(
    "ASE505",
    "pinned-session-shared",
    "Session pinned by two cases",
    "error",
    "project",
    check,
    since="2.7",
    module=__name__,
)
