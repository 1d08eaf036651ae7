"""Recordings: what was recorded is replayed, what was not is an error, and files are checked."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from google.adk.models.llm_request import LlmRequest
from google.adk.models.registry import LLMRegistry
from google.genai import types

from adk_split_eval.models import NotRecordedError, register_recorded, register_scripted
from adk_split_eval.models.recorded import request_hash


def _request(text: str, *, call_id: str | None = None) -> LlmRequest:
    contents = [types.Content(role="user", parts=[types.Part(text=text)])]
    if call_id is not None:
        call = types.FunctionCall(name="look", args={"a": 1}, id=call_id)
        contents.append(types.Content(role="model", parts=[types.Part(function_call=call)]))
    return LlmRequest(contents=contents)


def _ask(text: str) -> Any:
    async def first() -> Any:
        llm = LLMRegistry.new_llm("recorded/talk")
        return [item async for item in llm.generate_content_async(_request(text))]

    (response,) = asyncio.run(first())
    return response.content.parts[0].text


@pytest.fixture
def recording(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("ADK_SPLIT_EVAL_RECORD", raising=False)
    (tmp_path / "real.yaml").write_text("rules:\n  - say: 'real {user} 你好'\n", "utf-8")
    register_scripted(tmp_path / "real.yaml")
    path = tmp_path / "talk.jsonl"
    path.write_text('{"model": "scripted/real"}\n', "utf-8")
    register_recorded(path)
    return path


def test_recorded_then_replayed(recording: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with pytest.raises(NotRecordedError, match=r"holds no answer to request [0-9a-f]{12} \(0 others recorded\)"):
        _ask("one")
    monkeypatch.setenv("ADK_SPLIT_EVAL_RECORD", "1")
    assert _ask("one") == "real one 你好"
    assert _ask("one") == "real one 你好"
    monkeypatch.delenv("ADK_SPLIT_EVAL_RECORD")
    assert len(recording.read_text("utf-8").splitlines()) == 2
    (tmp_path / "real.yaml").write_text("rules:\n  - say: changed\n", "utf-8")
    register_scripted(tmp_path / "real.yaml")
    register_recorded(recording)
    assert _ask("one") == "real one 你好"
    with pytest.raises(NotRecordedError):
        _ask("two")


def test_ids_do_not_change_a_request() -> None:
    assert request_hash(_request("a", call_id="1")) == request_hash(_request("a", call_id="2"))
    assert request_hash(_request("a", call_id="1")) != request_hash(_request("b", call_id="1"))


@pytest.mark.parametrize(
    ("text", "line"),
    [("", 1), ("nonsense\n", 1), ('{"request": "a"}\n', 1), ('{"model": "m"}\n{"request": "a"}\n', 2)],
)
def test_no_recording(tmp_path: Path, text: str, line: int) -> None:
    (tmp_path / "talk.jsonl").write_text(text, "utf-8")
    with pytest.raises(NotRecordedError, match=f"talk.jsonl:{line}:1: expected"):
        register_recorded(tmp_path)


def test_missing_file(tmp_path: Path) -> None:
    with pytest.raises(NotRecordedError, match="cannot be read"):
        register_recorded(tmp_path / "gone.jsonl")


def test_unregistered_name(recording: Path) -> None:
    async def ask() -> None:
        async for _ in LLMRegistry.new_llm("recorded/never").generate_content_async(_request("a")):
            pass

    with pytest.raises(NotRecordedError, match=r"no recording is registered as 'recorded/never' .*recorded/talk"):
        asyncio.run(ask())
