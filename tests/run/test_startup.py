"""What a command imports: nothing heavy that it does not use, and no google-adk where none is needed."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

HEAVY = (
    "google.cloud.aiplatform",
    "vertexai",
    "agentplatform",
    "pandas",
    "nltk",
    "scipy",
    "rouge_score",
    "litellm",
    "openai",
)
SCRIPT = """
import json, sys
sys.argv = ["adk-split-eval", *json.loads(sys.argv[1])]
from adk_split_eval.cli import main
try:
    main.main(standalone_mode=True)
except SystemExit as end:
    print(json.dumps({"code": end.code, "modules": sorted(sys.modules)}), file=sys.stderr)
"""


def modules_after(arguments: list[str], folder: Path) -> tuple[int, set[str]]:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, json.dumps(arguments)], cwd=folder, capture_output=True, text=True, check=True
    )
    found = json.loads(done.stderr.splitlines()[-1])
    return int(found["code"] or 0), set(found["modules"])


def test_a_deterministic_run_imports_nothing_heavy(project: Any) -> None:
    project.many(fixed=1, simulated=1).write()
    code, modules = modules_after(["run", str(project.path)], project.root)
    assert code == 0
    assert "google.adk.evaluation.local_eval_service" in modules
    assert [m for m in HEAVY if m in modules] == []


@pytest.mark.parametrize(
    "arguments", [["--help"], ["run", "--help"], ["lint", "."], ["build", "--check"], ["pool", "list"]]
)
def test_no_adk_where_none_is_needed(arguments: list[str], project: Any) -> None:
    project.many(fixed=1).write()
    if arguments[0] == "build":
        modules_after(["build", str(project.path)], project.root)
    code, modules = modules_after(arguments, project.root)
    assert code == 0
    # `google` alone is a namespace that .pth files make when the interpreter starts.
    assert [m for m in modules if m.startswith(("google.adk", "google.genai"))] == []


def test_what_was_held_back_works_when_asked_for(project: Any) -> None:
    """ROUGE is one of them; its tokenizer needs no data on disk."""
    project.many(fixed=1)
    project.fixed_set = {"criteria": {"response_match_score": 0.5}}
    project.each_turn = {"expect_response": "done: F-0000"}
    result = project.run()
    criteria = {c.name: c for c in result.cases[0].criteria}
    assert criteria["response_match_score"].score == 1.0
    assert result.cases[0].verdict == "PASS"


ASKED = """
from adk_split_eval.run import adk
adk.load()
import sys
from google.adk.flows.llm_flows.context import _contents
assert "openai" not in sys.modules
newer = getattr(_contents, "_is_id_pairing_model", None)
is_asked = newer or (lambda model: isinstance(model, _contents._id_pairing_model_types()))
from google.adk.models.google_llm import Gemini
assert not is_asked(Gemini(model="gemini-2.5-flash"))
assert "openai" not in sys.modules
from google.adk.models.lite_llm import LiteLlm
class Own(LiteLlm):
    pass
assert is_asked(LiteLlm(model="openai/x")) and is_asked(Own(model="openai/x"))
assert not is_asked(Gemini(model="gemini-2.5-flash"))
"""


def test_which_models_pair_calls_by_id_is_known_without_their_libraries(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-W", "ignore", "-c", ASKED], cwd=tmp_path, check=True)


WHOLE = """
from adk_split_eval.run import adk
adk.load()
import sys
assert "pandas" not in sys.modules and "fastapi" not in sys.modules
from fastapi.openapi.models import OAuth2 as before
import fastapi
from fastapi.openapi.models import OAuth2
from google.adk.auth import auth_schemes
assert fastapi.FastAPI(title="x").openapi()["info"]["title"] == "x"
assert before is OAuth2 is auth_schemes.OAuth2
import google.adk.cli.fast_api
import pandas
assert pandas.DataFrame({"a": [1]}).shape == (1, 1)
from google.adk.evaluation import vertex_ai_eval_facade
assert vertex_ai_eval_facade.pd.DataFrame is pandas.DataFrame
"""


def test_what_was_held_back_is_whole_when_somebody_else_imports_it(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-W", "ignore", "-c", WHOLE], cwd=tmp_path, check=True)
