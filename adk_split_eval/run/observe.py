"""The layer every model call passes through: who asked, for which case and criterion, and what came back.

Agent, simulator and judge reach their models in different ways, but all of them end in
``BaseLlm.generate_content_async``. That method is wrapped once per model class. Outside a watched unit the wrapper is
transparent. Inside one it records the call, strips ADK's own retry options (they would multiply with ours), retries
what is worth retrying, limits concurrency per model name and bounds the time of a call.
"""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import functools
import random
import sys
import time
import weakref
from collections.abc import AsyncGenerator, Callable, Generator, Iterator
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, cast

from adk_split_eval.run.clients import is_transient, retry_after, strip_retries

Role = Literal["agent", "simulator", "judge"]


@dataclass(slots=True)
class ModelCall:
    """One model call as seen from outside.

    Attributes:
        role: who asked.
        criterion: which criterion, for a judge.
        model: model name in the request (or of the model object).
        text: the answer's text parts joined (thoughts left out); None when nothing came back.
        error: error code or exception, when the call failed in the end.
        attempts: 1 plus the number of retries.
        seconds: wall-clock time, retries included.
    """

    role: Role
    criterion: str | None
    model: str
    text: str | None = None
    error: str | None = None
    attempts: int = 1
    seconds: float = 0.0
    retried: list[str] = field(default_factory=list[str])


@dataclass(slots=True)
class CallPolicy:
    """How model calls are made: retries, time limit per attempt (seconds) and concurrent calls per model name.

    Attributes:
        longest_delay: upper bound of the growing delay between tries.
        longest_wait: upper bound of what a server may ask for with ``Retry-After``.
    """

    attempts: int = 4
    first_delay: float = 0.5
    longest_delay: float = 30.0
    longest_wait: float = 300.0
    timeout: float | None = 300.0
    limits: dict[str, int] = field(default_factory=dict[str, int])
    default_limit: int = 0


class Pace(Protocol):
    """What hears how the models bear the calls; times are those of ``time.monotonic``."""

    def answered(self, since: float) -> None: ...

    def throttled(self, since: float) -> None: ...


@dataclass(slots=True)
class Watcher:
    """Collects what happens inside one unit.

    Attributes:
        blocked: what was said when its code was interrupted because it let nothing else run.
    """

    unit: str
    seed: int
    policy: CallPolicy = field(default_factory=CallPolicy)
    gates: dict[str, asyncio.Semaphore] = field(default_factory=dict[str, asyncio.Semaphore])
    calls: list[ModelCall] = field(default_factory=list[ModelCall])
    failures: list[tuple[str, BaseException]] = field(default_factory=list[tuple[str, BaseException]])
    on_call: Callable[[ModelCall], None] | None = None
    pace: Pace | None = None
    blocked: str = ""
    tasks: weakref.WeakSet[asyncio.Task[Any]] = field(default_factory=weakref.WeakSet[Any])

    def gate(self, model: str) -> asyncio.Semaphore | None:
        """The semaphore shared by all units for this model name, or None when it is not limited."""
        limit = self.policy.limits.get(model, self.policy.default_limit)
        if limit <= 0:
            return None
        return self.gates.setdefault(model, asyncio.Semaphore(limit))

    def calls_of(self, role: Role, criterion: str | None = None, since: int = 0) -> list[ModelCall]:
        return [c for c in self.calls[since:] if c.role == role and (criterion is None or c.criterion == criterion)]


_watcher: contextvars.ContextVar[Watcher | None] = contextvars.ContextVar("adk_split_eval_watcher", default=None)
_asker: contextvars.ContextVar[tuple[Role, str | None]] = contextvars.ContextVar(
    "adk_split_eval_asker", default=("agent", None)
)
_in_a_model: contextvars.ContextVar[bool] = contextvars.ContextVar("adk_split_eval_in_a_model", default=False)


def current_watcher() -> Watcher | None:
    """The watcher of the unit this task works for, if any."""
    return _watcher.get()


@contextlib.contextmanager
def watching(watcher: Watcher) -> Generator[Watcher]:
    """Everything awaited inside belongs to this watcher's unit; scripted models choose by its seed."""
    token = _watcher.set(watcher)
    scripted = sys.modules.get("adk_split_eval.models.scripted")
    seed_token: Any = scripted.seed_of_this_task.set(watcher.seed) if scripted is not None else None
    try:
        yield watcher
    finally:
        if scripted is not None:
            scripted.seed_of_this_task.reset(seed_token)
        _watcher.reset(token)


@contextlib.contextmanager
def asking_as(role: Role, criterion: str | None = None) -> Generator[None]:
    """Model calls made inside are made by ``role`` (for ``criterion``)."""
    token = _asker.set((role, criterion))
    try:
        yield
    finally:
        _asker.reset(token)


def install(base_llm: type[Any]) -> None:
    """Wrap every model class there is and will be. Idempotent."""
    for cls in _subclasses(base_llm):
        _wrap(cls, base_llm)
    if "_adk_split_eval_hooked" in base_llm.__dict__:
        return
    original_hook = base_llm.__dict__.get("__init_subclass__")

    def hook(cls: type[Any], **kwargs: Any) -> None:
        if original_hook is not None:
            original_hook.__func__(cls, **kwargs)
        else:
            super(base_llm, cls).__init_subclass__(**kwargs)
        _wrap(cls, base_llm)

    type.__setattr__(base_llm, "__init_subclass__", classmethod(hook))
    type.__setattr__(base_llm, "_adk_split_eval_hooked", True)


def _subclasses(cls: type[Any]) -> Iterator[type[Any]]:
    for child in cls.__subclasses__():
        yield child
        yield from _subclasses(child)


def _wrap(cls: type[Any], base_llm: type[Any]) -> None:
    home = next((c for c in cls.__mro__ if "generate_content_async" in c.__dict__), cls)
    if home is not cls and issubclass(home, base_llm):
        # Another model class's, which is wrapped itself.
        return
    # Its own, or that of a class which is mixed in and is no model by itself.
    original = home.__dict__.get("generate_content_async")
    if original is None or getattr(original, "_adk_split_eval", False):
        return

    @functools.wraps(original)
    async def observed(self: Any, llm_request: Any, *args: Any, **kwargs: Any) -> AsyncGenerator[Any, None]:
        watcher = _watcher.get()
        if watcher is None or _in_a_model.get():
            # What a model does to answer, by its parent's method or another model, is one call: counted and tried as one.
            if watcher is not None:
                strip_retries(self, llm_request)
            async for response in original(self, llm_request, *args, **kwargs):
                yield response
            return
        async for response in _observe(watcher, original, self, llm_request, args, kwargs):
            yield response

    observed._adk_split_eval = True  # type: ignore[attr-defined]
    type.__setattr__(cls, "generate_content_async", observed)


async def _observe(
    watcher: Watcher, original: Any, model: Any, request: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> AsyncGenerator[Any, None]:
    role, criterion = _asker.get()
    name = str(getattr(request, "model", None) or getattr(model, "model", "") or type(model).__name__)
    call = ModelCall(role, criterion, name)
    watcher.calls.append(call)
    strip_retries(model, request)
    started = time.monotonic()
    gate = watcher.gate(name)
    try:
        if gate is not None:
            await gate.acquire()
        try:
            async for response in _with_retries(watcher, call, original, model, request, args, kwargs):
                _note(call, response)
                yield response
        finally:
            if gate is not None:
                gate.release()
    except Exception as error:
        call.error = describe(error)
        raise
    finally:
        call.seconds = time.monotonic() - started
        if watcher.pace is not None and call.error is None and not call.retried:
            watcher.pace.answered(started)
        if call.text is None and call.error is None:
            call.error = "no text"
        if watcher.on_call is not None:
            watcher.on_call(call)


async def _with_retries(
    watcher: Watcher,
    call: ModelCall,
    original: Any,
    model: Any,
    request: Any,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
) -> AsyncGenerator[Any, None]:
    policy = watcher.policy
    jitter = random.Random(watcher.seed + len(watcher.calls))
    for attempt in range(1, policy.attempts + 1):
        call.attempts = attempt
        answered = False
        began = time.monotonic()
        generator = original(model, request, *args, **kwargs)
        try:
            while True:
                try:
                    response = await _next(generator, policy.timeout)
                except StopAsyncIteration:
                    return
                answered = True
                yield response
        except Exception as error:
            if watcher.pace is not None and is_transient(error):
                watcher.pace.throttled(began)
            # A half-answered call is not repeated: its first part has already been acted upon.
            if answered or attempt == policy.attempts or not is_transient(error):
                raise
            call.retried.append(describe(error))
            await asyncio.sleep(_delay(policy, attempt, error, jitter))
        finally:
            await generator.aclose()


async def _next(generator: Any, timeout: float | None) -> Any:
    token = _in_a_model.set(True)
    try:
        return await _next_in_time(generator, timeout)
    finally:
        _in_a_model.reset(token)


async def _next_in_time(generator: Any, timeout: float | None) -> Any:
    if timeout is None:
        return await generator.__anext__()
    scope = asyncio.timeout(timeout)
    try:
        async with scope:
            return await generator.__anext__()
    except TimeoutError as late:
        if scope.expired():
            raise TimeoutError(f"the model did not answer within {timeout:g} s") from late
        raise


def _delay(policy: CallPolicy, attempt: int, error: BaseException, jitter: random.Random) -> float:
    asked = retry_after(error)
    if asked is not None:
        # Never earlier than asked, and not all units at the same moment.
        return min(asked * (1 + jitter.random() / 10), policy.longest_wait)
    return min(policy.first_delay * 2 ** (attempt - 1), policy.longest_delay) * (0.5 + jitter.random() / 2)


def _note(call: ModelCall, response: Any) -> None:
    code = getattr(response, "error_code", None)
    if code:
        message = getattr(response, "error_message", None)
        call.error = f"{code}: {message}" if message else str(code)
    parts: list[Any] = getattr(getattr(response, "content", None), "parts", None) or []
    text = "".join(p.text for p in parts if getattr(p, "text", None) and not getattr(p, "thought", None))
    has_call = any(getattr(p, "function_call", None) for p in parts)
    if text or has_call:
        # A streamed answer comes in pieces and then once more as a whole.
        if getattr(response, "partial", None) or call.text is None:
            call.text = (call.text or "") + text
        else:
            call.text = text or call.text


def describe(error: BaseException) -> str:
    """``TypeName: message``, or the type alone when there is no message; what a validation refused is added."""
    message = str(error).strip()
    text = f"{type(error).__name__}: {message}" if message else type(error).__name__
    refused = _refused(error.__cause__)
    return f"{text} ({refused})" if refused else text


def _refused(cause: BaseException | None) -> str | None:
    """The first thing a pydantic model refused: which field, why, and what it was given."""
    problems: Any = getattr(cause, "errors", None)
    if not callable(problems):
        return None
    first: Any = next(iter(cast("list[Any]", problems())), None)
    if not isinstance(first, dict):
        return None
    problem = cast("dict[str, Any]", first)
    place = ".".join(str(part) for part in problem.get("loc", ()))
    return f"{place}: {problem.get('msg')}, given {str(problem.get('input'))[:80]!r}"
