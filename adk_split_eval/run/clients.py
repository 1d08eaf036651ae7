"""What is known of model clients: which failures are worth another try, how long to wait, and their own retries.

Nothing is imported for it; an exception is known by what it carries, whichever client raised it.
"""

from __future__ import annotations

import contextlib
import math
import sys
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, cast

RETRIED_STATUS = frozenset({408, 429, 500, 502, 503, 504})
BROKEN_CONNECTIONS = frozenset(
    # Of httpx, aiohttp and the OpenAI client, none of which is imported for its names.
    {"TransportError", "ClientConnectionError", "ClientPayloadError", "APIConnectionError"}
)


def status_code(error: BaseException) -> int | None:
    """The HTTP status an exception carries, whichever client raised it."""
    for attribute in ("code", "status_code", "http_status"):
        value = getattr(error, attribute, None)
        if isinstance(value, int) and not isinstance(value, bool):
            return value
    response = getattr(error, "response", None)
    value = getattr(response, "status_code", None)
    return value if isinstance(value, int) else None


def is_transient(error: BaseException) -> bool:
    """429, 5xx, timeouts and broken connections are worth another try; everything else is final."""
    status = status_code(error)
    if status is not None:
        return status in RETRIED_STATUS
    if isinstance(error, TimeoutError | ConnectionError):
        return True
    return any(kind.__name__ in BROKEN_CONNECTIONS for kind in type(error).__mro__)


def retry_after(error: BaseException) -> float | None:
    """Seconds a server asked to wait: its ``Retry-After`` header (seconds or an HTTP date, RFC 9110 10.2.3), else the
    ``retryDelay`` in the details of a Google API error (google.rpc.RetryInfo)."""
    places = (getattr(error, "response", None), "headers"), (error, "headers"), (error, "litellm_response_headers")
    value: Any = None
    for thing, name in places:
        headers: Any = getattr(thing, name, None)
        with contextlib.suppress(AttributeError):
            value = value or headers.get("retry-after") or headers.get("Retry-After")
    seconds = _seconds(str(value).strip()) if value is not None else None
    return _retry_info(getattr(error, "details", None)) if seconds is None else seconds


def _seconds(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        try:
            moment = parsedate_to_datetime(text)
        except ValueError:
            return None
        moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        number = (moment - datetime.now(UTC)).total_seconds()
    return max(0.0, number) if math.isfinite(number) else None


def _retry_info(details: Any, depth: int = 0) -> float | None:
    """The first ``retryDelay`` (``"13s"``) anywhere in the details of an error."""
    if depth > 6 or not isinstance(details, dict | list):
        return None
    if isinstance(details, dict):
        found: dict[str, Any] = cast("dict[str, Any]", details)
        delay = found.get("retryDelay")
        if isinstance(delay, str) and (seconds := _seconds(delay.removesuffix("s"))) is not None:
            return seconds
        inner = list(found.values())
    else:
        inner = cast("list[Any]", details)
    return next((s for s in (_retry_info(i, depth + 1) for i in inner) if s is not None), None)


def strip_retries(model: Any, request: Any) -> None:
    """Retries of ADK's and of the clients below it, which would multiply with ours."""
    if getattr(model, "retry_options", None) is not None:
        with contextlib.suppress(Exception):
            model.retry_options = None
    # LiteLLM, and the OpenAI client below it, try three times by themselves.
    arguments: Any = getattr(model, "_additional_args", None)
    if type(model).__name__ == "LiteLlm" and isinstance(arguments, dict):
        cast("dict[str, Any]", arguments).update(max_retries=0, num_retries=0)
    config: Any = getattr(request, "config", None)
    options: Any = getattr(config, "http_options", None)
    once: Any = _one_try(model)
    if once is not None and config is not None:
        # A client may have been made with retries of its own; what stands in the request goes before that.
        changed = {"retry_options": once.HttpRetryOptions(attempts=1)}
        given: Any = once.HttpOptions() if options is None else options
    elif options is not None and options.retry_options is not None:
        changed, given = {"retry_options": None}, options
    else:
        return
    # The options object may be ADK's shared default: replaced, never changed.
    request.config = _changed(config, {"http_options": _changed(given, changed)})


def _changed(model: Any, update: dict[str, Any]) -> Any:
    return model.model_copy(update=update)


def _one_try(model: Any) -> Any:
    """The module that says "one try" for this model's client; None for clients that know no such thing."""
    is_gemini = any(kind.__name__ == "Gemini" for kind in type(model).__mro__)
    return sys.modules.get("google.genai.types") if is_gemini else None
