"""``recorded/<name>``: a model that answers from a recording, by the content of the request.

A recording is a JSON Lines file ``<name>.jsonl``. Its first line names the real model, ``{"model": "..."}``; every
other line is one answer, ``{"request": <hash>, "response": {...}}``. A request that is not in it is an error, except
while recording (environment variable ``ADK_SPLIT_EVAL_RECORD=1``): then the real model is asked and its answer kept.
Equal requests have one answer, so a recording cannot show how much a model varies.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.adk.models.registry import LLMRegistry
from typing_extensions import override

PREFIX = "recorded/"
RECORD_VARIABLE = "ADK_SPLIT_EVAL_RECORD"


class NotRecordedError(LookupError):
    """The recording holds no answer to this request, or cannot be read."""


@dataclass(slots=True)
class Recording:
    """One recording: its file, the real model behind it, and the answers by request hash."""

    path: Path
    model: str
    answers: dict[str, dict[str, Any]] = field(default_factory=dict[str, "dict[str, Any]"])

    def keep(self, key: str, response: LlmResponse) -> None:
        """Remember an answer and append it to the file."""
        data = response.model_dump(mode="json", by_alias=False, exclude_none=True)
        self.answers[key] = data
        line = json.dumps({"request": key, "response": data}, ensure_ascii=False, sort_keys=True)
        with self.path.open("a", encoding="utf-8") as out:
            out.write(line + "\n")


_recordings: dict[str, Recording] = {}


class RecordedLlm(BaseLlm):
    """Answers from the recording registered under its name (see :func:`register_recorded`)."""

    @classmethod
    @override
    def supported_models(cls) -> list[str]:
        return [r"recorded/.+"]

    @override
    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        """The recorded answer, as one complete response.

        Raises:
            NotRecordedError: there is none, and nothing is being recorded.
        """
        recording = _recordings.get(self.model)
        if recording is None:
            have = ", ".join(sorted(_recordings)) or "none"
            raise NotRecordedError(f"no recording is registered as {self.model!r} (registered: {have})")
        key = request_hash(llm_request)
        if key in recording.answers:
            yield LlmResponse.model_validate(recording.answers[key])
        elif os.environ.get(RECORD_VARIABLE) == "1":
            real = LLMRegistry.new_llm(recording.model)
            asked = llm_request.model_copy(update={"model": recording.model})
            async for response in real.generate_content_async(asked, stream=False):
                recording.keep(key, response)
                yield response
        else:
            raise NotRecordedError(
                f"{self.model}: {recording.path} holds no answer to request {key[:12]} "
                f"({len(recording.answers)} others recorded); set {RECORD_VARIABLE}=1 to ask {recording.model} and keep it"
            )


def register_recorded(source: Path | str) -> list[str]:
    """Make recordings usable as models ``recorded/<name>``, in this process.

    Args:
        source: a folder of ``<name>.jsonl`` files, or one such file.

    Raises:
        NotRecordedError: a file is no recording; the message names file and line.
    """
    path = Path(source)
    files = sorted(path.glob("*.jsonl")) if path.is_dir() else [path]
    if not files:
        raise NotRecordedError(f"{path}: holds no recording (<name>.jsonl)")
    for file in files:
        _recordings[f"{PREFIX}{file.stem}"] = _read(file)
    LLMRegistry.register(RecordedLlm)
    return [f"{PREFIX}{file.stem}" for file in files]


def request_hash(request: LlmRequest) -> str:
    """A hash of what a request asks: its words, calls, results, instruction and tool names, and no ids or settings."""
    config = cast(Any, request.config)
    parts: list[Any] = [
        content.model_dump(mode="json", exclude_none=True, exclude={"parts": {"__all__": {"thought_signature"}}})
        for content in request.contents
    ]
    for content in parts:
        for part in content.get("parts", []):
            for kind in ("function_call", "function_response"):
                if kind in part:
                    part[kind].pop("id", None)
    instruction: Any = config.system_instruction
    asked = {
        "contents": parts,
        "instruction": instruction if isinstance(instruction, (str, type(None))) else repr(instruction),
        "tools": sorted(request.tools_dict),
    }
    text = json.dumps(asked, ensure_ascii=True, sort_keys=True)
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def _read(path: Path) -> Recording:
    try:
        lines = path.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as problem:
        raise NotRecordedError(f"{path}: cannot be read: {problem}") from None
    recording: Recording | None = None
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            row: Any = json.loads(line)
            if recording is None:
                recording = Recording(path, str(row["model"]))
            else:
                recording.answers[str(row["request"])] = dict(row["response"])
        except (ValueError, KeyError, TypeError):
            wanted = '{"model": ...}' if recording is None else '{"request": ..., "response": {...}}'
            raise NotRecordedError(f"{path}:{number}:1: expected {wanted}") from None
    if recording is None:
        raise NotRecordedError(f'{path}:1:1: expected {{"model": ...}}, the file is empty')
    return recording
