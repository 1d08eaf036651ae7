"""ADK's own model clients against a small server of ours on the loopback interface: retries as a team will meet them."""

from __future__ import annotations

import asyncio
import email.utils
import gc
import http.server
import json
import sys
import threading
import time
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest

from adk_split_eval.run import adk
from adk_split_eval.run.observe import CallPolicy, Watcher, install, watching

POLICY = CallPolicy(attempts=3, first_delay=0.01, timeout=60.0)


@dataclass
class Server:
    """Answers with the next of ``answers`` (the last one for ever): ``(status, headers, body)``, what gives it, or a pause in seconds."""

    answers: list[Any] = field(default_factory=list[Any])
    paths: list[str] = field(default_factory=list[str])
    times: list[float] = field(default_factory=list[float])
    url: str = ""

    def next(self) -> Any:
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        return answer() if callable(answer) else answer


@pytest.fixture
def server() -> Iterator[Server]:
    told = Server()
    ended = threading.Event()

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            self.rfile.read(int(self.headers.get("content-length", 0)))
            told.paths.append(self.path)
            told.times.append(time.monotonic())
            answer = told.next()
            if isinstance(answer, float):
                ended.wait(answer)
                self.close_connection = True
                return
            status, headers, body = answer
            data = (body if isinstance(body, str) else json.dumps(body)).encode()
            self.send_response(status)
            for name, value in {
                "content-type": "application/json",
                "content-length": str(len(data)),
                **headers,
            }.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: Any) -> None:
            pass

    running = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    running.daemon_threads = True
    told.url = f"http://127.0.0.1:{running.server_address[1]}"
    thread = threading.Thread(target=running.serve_forever, daemon=True)
    thread.start()
    yield told
    ended.set()
    running.shutdown()
    running.server_close()
    thread.join()


GEMINI = {"candidates": [{"content": {"role": "model", "parts": [{"text": "at last"}]}, "finishReason": "STOP"}]}
OPENAI = {
    "id": "c",
    "object": "chat.completion",
    "created": 1,
    "model": "m",
    "choices": [{"index": 0, "message": {"role": "assistant", "content": "at last"}, "finish_reason": "stop"}],
    "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
}


@pytest.fixture(autouse=True)
def leftovers() -> Iterator[None]:
    """The clients close their sockets when they are collected, with a warning; that is theirs."""
    yield
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        litellm = sys.modules.get("litellm")
        if litellm is not None:
            litellm.in_memory_llm_clients_cache.flush_cache()
        gc.collect()


@pytest.fixture(params=["gemini", "litellm"])
def client(request: pytest.FixtureRequest, server: Server, monkeypatch: pytest.MonkeyPatch) -> tuple[Any, Any]:
    """``(model, good answer)``."""
    adk.load()
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    if request.param == "gemini":
        from google.adk.models.google_llm import Gemini

        monkeypatch.setenv("GOOGLE_API_KEY", "no-key")
        monkeypatch.setenv("GOOGLE_GEMINI_BASE_URL", server.url)
        monkeypatch.setenv("GOOGLE_GENAI_USE_VERTEXAI", "0")
        return Gemini(model="gemini-2.5-flash"), GEMINI
    monkeypatch.setenv("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    pytest.importorskip("litellm")
    from google.adk.models.lite_llm import LiteLlm

    return LiteLlm(model="openai/m", api_base=f"{server.url}/v1", api_key="no-key"), OPENAI


def ask(model: Any, policy: CallPolicy = POLICY) -> tuple[list[str], Watcher, BaseException | None]:
    from google.adk.models.llm_request import LlmRequest
    from google.genai import types

    install(adk.load().BaseLlm)
    watcher = Watcher("fixed/F/0", 1, policy)
    content = types.Content(role="user", parts=[types.Part(text="hello?")])
    config = types.GenerateContentConfig(
        http_options=types.HttpOptions(retry_options=types.HttpRetryOptions(attempts=7, initial_delay=5.0))
    )
    request = LlmRequest(model=model.model, contents=[content], config=config)

    async def call() -> tuple[list[str], BaseException | None]:
        texts: list[str] = []
        try:
            with watching(watcher):
                async for response in model.generate_content_async(request):
                    parts = (response.content.parts or []) if response.content else []
                    texts += [p.text for p in parts if p.text]
        except Exception as error:  # noqa: BLE001 - what it was is what is looked at
            return texts, error
        return texts, None

    texts, error = asyncio.run(call())
    return texts, watcher, error


@pytest.mark.filterwarnings("ignore")
def test_throttled_once(client: tuple[Any, Any], server: Server) -> None:
    model, good = client
    server.answers = [(429, {"retry-after": "0"}, {"error": {"code": 429, "message": "slow down"}}), (200, {}, good)]
    texts, watcher, error = ask(model)
    assert error is None
    assert texts == ["at last"]
    (call,) = watcher.calls
    assert call.attempts == 2
    assert "slow down" in call.retried[0]
    assert len(server.paths) == 2


@pytest.mark.filterwarnings("ignore")
def test_broken_for_ever(client: tuple[Any, Any], server: Server) -> None:
    model, _ = client
    server.answers = [(500, {}, {"error": {"code": 500, "message": "out of order"}})]
    texts, watcher, error = ask(model)
    assert texts == []
    assert error is not None
    assert "out of order" in (watcher.calls[0].error or "")
    assert len(server.paths) == 3, "three tries, not multiplied by the client's own"


@pytest.mark.filterwarnings("ignore")
def test_never_answers(client: tuple[Any, Any], server: Server) -> None:
    model, _ = client
    server.answers = [60.0]
    started = time.monotonic()
    _, watcher, error = ask(model, CallPolicy(attempts=2, first_delay=0.01, timeout=0.5))
    assert time.monotonic() - started < 20
    assert isinstance(error, TimeoutError)
    assert watcher.calls[0].error == "TimeoutError: the model did not answer within 0.5 s"
    assert watcher.calls[0].attempts == 2


@pytest.mark.filterwarnings("ignore")
def test_garbage(client: tuple[Any, Any], server: Server) -> None:
    model, _ = client
    server.answers = [(200, {}, "<html>a login page</html>")]
    texts, watcher, error = ask(model)
    assert texts == []
    assert error is not None or watcher.calls[0].error


@pytest.mark.filterwarnings("ignore")
def test_refused_is_not_tried_again(client: tuple[Any, Any], server: Server) -> None:
    model, _ = client
    server.answers = [(403, {}, {"error": {"code": 403, "message": "no such key"}})]
    _, watcher, error = ask(model)
    assert error is not None
    assert "no such key" in (watcher.calls[0].error or "")
    assert len(server.paths) == 1


@pytest.mark.filterwarnings("ignore")
def test_a_date_to_wait_for(client: tuple[Any, Any], server: Server) -> None:
    model, good = client

    def later() -> Any:
        soon = email.utils.formatdate(time.time() + 2.0, usegmt=True)
        return 503, {"retry-after": soon}, {"error": {"code": 503, "message": "later"}}

    server.answers = [later, (200, {}, good)]
    texts, watcher, _ = ask(model)
    assert texts == ["at last"]
    assert watcher.calls[0].attempts == 2
    assert server.times[1] - server.times[0] > 0.9, "a date has whole seconds: one or two from now"


@pytest.mark.filterwarnings("ignore")
def test_seconds_to_wait_for(client: tuple[Any, Any], server: Server) -> None:
    model, good = client
    server.answers = [(429, {"retry-after": "1"}, {"error": {"code": 429, "message": "slow down"}}), (200, {}, good)]
    texts, _, _ = ask(model)
    assert texts == ["at last"]
    assert server.times[1] - server.times[0] >= 1.0, "never earlier than asked"


@pytest.mark.filterwarnings("ignore")
def test_google_says_in_the_body_how_long_to_wait(client: tuple[Any, Any], server: Server) -> None:
    model, good = client
    if good is not GEMINI:
        pytest.skip("only Google's errors have it")
    detail = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "1s"}
    error = {"code": 429, "message": "quota", "status": "RESOURCE_EXHAUSTED", "details": [detail]}
    server.answers = [(429, {}, {"error": error}), (200, {}, good)]
    texts, _, _ = ask(model)
    assert texts == ["at last"]
    assert server.times[1] - server.times[0] >= 1.0


@pytest.mark.filterwarnings("ignore")
def test_the_last_of_several_errors_is_the_one_that_is_told(client: tuple[Any, Any], server: Server) -> None:
    model, _ = client
    kinds = [(429, "too many"), (500, "out of order"), (503, "closed for today")]
    server.answers = [(code, {}, {"error": {"code": code, "message": text}}) for code, text in kinds]
    _, watcher, error = ask(model)
    assert "closed for today" in str(error)
    (call,) = watcher.calls
    assert "closed for today" in (call.error or "")
    assert [text in told for (_, text), told in zip(kinds, call.retried, strict=False)] == [True, True]
    assert len(server.paths) == 3


def with_retries_of_their_own(server: Server, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Models as people configure them: retries of the model's, of the client's, behind ADK's model that falls back."""
    from google.adk.models import _fallback_model, google_llm
    from google.genai import Client, types

    monkeypatch.setenv("GOOGLE_API_KEY", "no-key")
    monkeypatch.setenv("GOOGLE_GEMINI_BASE_URL", server.url)
    monkeypatch.setenv("GOOGLE_GENAI_USE_VERTEXAI", "0")
    own = types.HttpRetryOptions(attempts=5, initial_delay=0.01)
    gemini = google_llm.Gemini(model="gemini-2.5-flash", retry_options=own)
    return {
        "model": gemini,
        "client": google_llm.Gemini(
            model="gemini-2.5-flash",
            client=Client(http_options=types.HttpOptions(retry_options=own, base_url=server.url)),
        ),
        "fallback": _fallback_model.FallbackModel(models=[gemini]),
    }


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", ["model", "client", "fallback"])
def test_retries_of_the_client_do_not_multiply(kind: str, server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    adk.load()
    server.answers = [(503, {}, {"error": {"code": 503, "message": "closed"}})]
    model = with_retries_of_their_own(server, monkeypatch)[kind]
    _, watcher, error = ask(model)
    assert error is not None
    assert [c.attempts for c in watcher.calls] == [3]
    assert len(server.paths) == 3
