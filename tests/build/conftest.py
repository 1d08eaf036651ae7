"""Plans for the tests of this room: written to a temporary folder and loaded as a team's own would be."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from adk_split_eval.build import compile_plan
from adk_split_eval.plan import load_plan
from adk_split_eval.record import CompiledPlan

HEAD = "plan_id: desk\nagent: desk_agent\n"
MODELS = "models: {simulator: scripted/user, judge: scripted/judge}\n"


@pytest.fixture
def compiled(tmp_path: Path) -> Callable[[str], CompiledPlan]:
    """Compile the text of a plan (after the plan id and agent)."""

    def compile_text(body: str) -> CompiledPlan:
        path = tmp_path / "desk.plan.yaml"
        path.write_text(HEAD + body, encoding="utf-8")
        return compile_plan(load_plan(path))

    return compile_text
