"""The layer every model call passes through, on stand-ins for ADK's model classes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from types import SimpleNamespace
from typing import Any

import pytest

from adk_split_eval.run import observe
from adk_split_eval.run.observe import CallPolicy, Watcher, asking_as, install, watching


def make_base() -> type[Any]:
    class Base:
        model = "base"

        async def generate_content_async(self, llm_request: Any, stream: bool = False) -> AsyncGenerator[Any, None]:
            raise NotImplementedError
            yield

    return Base


def answer(text: str, **more: Any) -> Any:
    part = SimpleNamespace(text=text, thought=None, function_call=None)
    return SimpleNamespace(content=SimpleNamespace(parts=[part]), error_code=None, partial=None, **more)


class HttpError(Exception):
    def __init__(self, code: int, headers: dict[str, str] | None = None) -> None:
        super().__init__(f"status {code}")
        self.code = code
        self.response = SimpleNamespace(status_code=code, headers=headers or {})


class Waits:
    """Stands in for ``asyncio.sleep`` and remembers how long it was asked to wait."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.seconds: list[float] = []
        monkeypatch.setattr(observe.asyncio, "sleep", self)

    async def __call__(self, seconds: float) -> None:
        self.seconds.append(seconds)


async def collect(model: Any, request: Any) -> list[str]:
    return [r.content.parts[0].text async for r in model.generate_content_async(request)]


def watched(model: Any, policy: CallPolicy | None = None, request: Any = None) -> tuple[list[str], Watcher]:
    watcher = Watcher("simulated/S/0", seed=1, policy=policy or CallPolicy(first_delay=0.0))

    async def run() -> list[str]:
        with watching(watcher), asking_as("judge", "hallucinations_v1"):
            return await collect(model, request or SimpleNamespace(model="m", config=None))

    return asyncio.run(run()), watcher


def test_a_call_is_recorded_with_who_asked() -> None:
    base = make_base()
    install(base)

    class Model(base):  # defined after the installation: wrapped when it is born
        async def generate_content_async(self, llm_request: Any, stream: bool = False) -> AsyncGenerator[Any, None]:
            yield answer("yes")

    texts, watcher = watched(Model())
    assert texts == ["yes"]
    (call,) = watcher.calls
    assert (call.role, call.criterion, call.model, call.text, call.error) == (
        "judge",
        "hallucinations_v1",
        "m",
        "yes",
        None,
    )


def test_outside_a_unit_it_is_transparent_and_wraps_once() -> None:
    base = make_base()

    class Model(base):
        async def generate_content_async(self, llm_request: Any, stream: bool = False) -> AsyncGenerator[Any, None]:
            yield answer("plain")

    install(base)
    wrapped = Model.generate_content_async
    install(base)
    assert Model.generate_content_async is wrapped
    assert asyncio.run(collect(Model(), SimpleNamespace(model="m", config=None))) == ["plain"]


def test_a_subclass_that_calls_its_parent_counts_once() -> None:
    base = make_base()
    install(base)

    class Parent(base):
        async def generate_content_async(self, llm_request: Any, stream: bool = False) -> AsyncGenerator[Any, None]:
            yield answer("parent")

    class Child(Parent):
        async def generate_content_async(self, llm_request: Any, stream: bool = False) -> AsyncGenerator[Any, None]:
            async for response in super().generate_content_async(llm_request):
                yield response

    _, watcher = watched(Child())
    assert len(watcher.calls) == 1


def test_a_method_that_is_mixed_in_is_observed_too() -> None:
    base = make_base()

    class Mixin:
        async def generate_content_async(self, llm_request: Any, stream: bool = False) -> AsyncGenerator[Any, None]:
            yield answer("mixed")

    class Before(Mixin, base):
        pass

    install(base)

    class After(Mixin, base):
        pass

    for model in (Before(), After()):
        texts, watcher = watched(model)
        assert texts == ["mixed"]
        assert [c.text for c in watcher.calls] == ["mixed"]


def test_a_model_that_asks_another_counts_and_retries_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """As proxies do; with one place for that model, the second would wait for the first for ever."""
    Waits(monkeypatch)
    base = make_base()
    install(base)
    tries = 0

    class Inner(base):
        async def generate_content_async(self, llm_request: Any, stream: bool = False) -> AsyncGenerator[Any, None]:
            nonlocal tries
            tries += 1
            raise HttpError(503)
            yield

    class Proxy(base):
        async def generate_content_async(self, llm_request: Any, stream: bool = False) -> AsyncGenerator[Any, None]:
            async for response in Inner().generate_content_async(SimpleNamespace(model="m", config=None)):
                yield response

    watcher = Watcher("fixed/F/0", 1, CallPolicy(attempts=3, first_delay=0.0, limits={"m": 1}))

    async def run() -> None:
        with watching(watcher):
            await collect(Proxy(), SimpleNamespace(model="m", config=None))

    with pytest.raises(HttpError, match="503"):
        asyncio.run(run())
    assert tries == 3
    assert [c.attempts for c in watcher.calls] == [3]


def failing(errors: list[Exception]) -> Any:
    base = make_base()
    install(base)

    class Flaky(base):
        tries = 0

        async def generate_content_async(self, llm_request: Any, stream: bool = False) -> AsyncGenerator[Any, None]:
            type(self).tries += 1
            if errors:
                raise errors.pop(0)
            yield answer("at last")

    return Flaky()


def test_transient_errors_are_retried_and_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    waits = Waits(monkeypatch)
    texts, watcher = watched(failing([HttpError(429, {"retry-after": "7"}), HttpError(503)]))
    assert texts == ["at last"]
    assert 7.0 <= waits.seconds[0] <= 7.7, "never earlier than asked, and with jitter"
    assert watcher.calls[0].attempts == 3
    assert watcher.calls[0].error is None
    assert len(watcher.calls[0].retried) == 2


def test_a_final_error_is_not_retried_and_not_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    waits = Waits(monkeypatch)
    model = failing([HttpError(400)])
    with pytest.raises(HttpError):
        watched(model)
    assert type(model).tries == 1
    assert waits.seconds == []


def test_the_last_error_surfaces_when_retries_run_out(monkeypatch: pytest.MonkeyPatch) -> None:
    Waits(monkeypatch)
    model = failing([HttpError(500), HttpError(502), HttpError(503), HttpError(504), HttpError(429)])
    with pytest.raises(HttpError, match="504"):
        watched(model, CallPolicy(attempts=4, first_delay=0.0))
    assert type(model).tries == 4


def test_a_hanging_model_is_cut_off() -> None:
    base = make_base()
    install(base)

    class Hanging(base):
        async def generate_content_async(self, llm_request: Any, stream: bool = False) -> AsyncGenerator[Any, None]:
            await asyncio.Event().wait()
            yield answer("never")

    with pytest.raises(TimeoutError, match="did not answer within"):
        watched(Hanging(), CallPolicy(attempts=1, timeout=0.05))


def test_no_text_is_an_error_of_the_call() -> None:
    base = make_base()
    install(base)

    class Mute(base):
        async def generate_content_async(self, llm_request: Any, stream: bool = False) -> AsyncGenerator[Any, None]:
            yield SimpleNamespace(content=None, error_code="SAFETY", error_message="blocked", partial=None)

    watcher = Watcher("u", 1)

    async def run() -> None:
        with watching(watcher):
            async for _ in Mute().generate_content_async(SimpleNamespace(model="m", config=None)):
                pass

    asyncio.run(run())
    assert watcher.calls[0].error == "SAFETY: blocked"


def test_calls_of_one_model_are_limited() -> None:
    base = make_base()
    install(base)
    running = 0
    most = 0

    class Slow(base):
        async def generate_content_async(self, llm_request: Any, stream: bool = False) -> AsyncGenerator[Any, None]:
            nonlocal running, most
            running += 1
            most = max(most, running)
            await asyncio.sleep(0.001)
            running -= 1
            yield answer("done")

    policy = CallPolicy(limits={"m": 2})
    gates: dict[str, asyncio.Semaphore] = {}

    async def one(number: int) -> None:
        with watching(Watcher(f"u{number}", number, policy, gates)):
            await collect(Slow(), SimpleNamespace(model="m", config=None))

    async def run() -> None:
        await asyncio.gather(*(one(n) for n in range(12)))

    asyncio.run(run())
    assert most == 2


class Options:
    def __init__(self, **values: Any) -> None:
        self.__dict__.update(values)

    def model_copy(self, update: dict[str, Any]) -> Options:
        return Options(**{**self.__dict__, **update})


def test_adks_own_retry_options_are_stripped_without_touching_the_shared_object() -> None:
    base = make_base()
    install(base)
    seen: list[Any] = []

    class Model(base):
        async def generate_content_async(self, llm_request: Any, stream: bool = False) -> AsyncGenerator[Any, None]:
            seen.append(llm_request.config.http_options.retry_options)
            yield answer("x")

    shared = Options(retry_options="seven attempts")
    watched(Model(), request=SimpleNamespace(model="m", config=Options(http_options=shared)))
    assert seen == [None]
    assert shared.retry_options == "seven attempts"
