"""Expected values: comparison by value or matcher, with typed differences. The one place that knows what matchers mean.

Rules, decided here and nowhere else:

* Types are compared too: ``1`` is not ``"1"`` and not ``true``; ``1`` is ``1.0``. NaN equals NaN (a declared value must
  match itself), infinities equal themselves.
* Strings are compared character by character. Two that differ only in Unicode normalisation differ, and the difference
  says so.
* A dict whose keys are exactly those of a matcher is a matcher, at any depth; every other dict or list is compared
  whole, matchers inside it honoured. Only the *top level* of arguments, responses and states is partial.
* ``{any: true}`` the key is there · ``{regex: r}`` ``re.search`` in a string · ``{one_of: [..]}`` equals one of them ·
  ``{approx: x, within: y}`` a number (no boolean, no numeric string) at most ``y`` away, in exact decimal arithmetic;
  without ``within`` a relative 1e-9 · ``{contains: v}`` a substring of a string; an element of a list (every one, when
  ``v`` is a list); keys with their values in a dict, or a key when ``v`` is a string · ``{gt: x}``, ``{lt: y}``, or both:
  a number strictly beyond · ``{equals: v}`` exactly ``v``, whatever it looks like.

Nothing here recurses into data, so nesting depth is bounded by memory alone.
"""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any, cast

from adk_split_eval.metrics.differences import Difference, is_number
from adk_split_eval.metrics.text import quote, show

_KEY_SETS: tuple[frozenset[str], ...] = tuple(
    frozenset(keys)
    for keys in (
        {"any"},
        {"regex"},
        {"one_of"},
        {"approx"},
        {"approx", "within"},
        {"contains"},
        {"gt"},
        {"lt"},
        {"gt", "lt"},
        {"equals"},
    )
)
_PLAIN_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*\Z")
_MATCHER_DEPTH = 60
_RELATIVE = Fraction(1, 10**9)


class ParameterError(ValueError):
    """Parameters of a metric that make no sense; the metric answers not_evaluated with this message."""


def is_matcher(value: Any) -> bool:
    """Whether ``value`` is a dict with exactly the keys of a matcher."""
    if not isinstance(value, dict) or not 1 <= len(cast(dict[Any, Any], value)) <= 2:
        return False
    return frozenset(cast(dict[Any, Any], value)) in _KEY_SETS


def holds_matcher(value: Any) -> bool:
    """Whether a matcher stands anywhere in ``value``."""
    return any(is_matcher(part) for part in _parts(value))


def literal(value: Any) -> Any:
    """``value`` as an expectation that matches exactly it: wrapped in ``{equals: ...}`` where it would read as a matcher."""
    return {"equals": value} if holds_matcher(value) else value


def problems(value: Any) -> list[str]:
    """What is wrong with the matchers in an expected value (bad regex, text where a number belongs); empty when sound."""
    found: list[str] = []
    stack: list[tuple[Any, int]] = [(value, 0)]
    while stack:
        part, depth = stack.pop()
        if depth > _MATCHER_DEPTH:
            return [*found, f"matchers nested more than {_MATCHER_DEPTH} deep"]
        if not is_matcher(part):
            stack.extend((child, depth) for child in _children(part))
            continue
        problem = _problem(part)
        if problem:
            found.append(f"{show(part)}: {problem}")
        stack.extend((part[key], depth + 1) for key in ("one_of", "contains") if key in part)
    return found


def require_sound(value: Any, where: str) -> None:
    """Raise :class:`ParameterError` when ``value`` holds an unusable matcher; ``where`` names the parameter."""
    found = problems(value)
    if found:
        raise ParameterError(f"{where}: {'; '.join(found)}")


def matches(expected: Any, actual: Any, *, as_literal: bool = False) -> bool:
    """Whether ``actual`` is what ``expected`` asks for. ``as_literal``: no dict is a matcher."""
    return next(_differences(expected, actual, "", as_literal, 0), None) is None


def compare(expected: Any, actual: Any, path: str = "", *, as_literal: bool = False) -> list[Difference]:
    """All differences in document order; empty when they match.

    Raises:
        ParameterError: ``expected`` holds an unusable matcher.
    """
    return list(_differences(expected, actual, path, as_literal, 0))


def compare_keys(
    expected: Mapping[str, Any],
    actual: Mapping[str, Any],
    path: str = "args",
    *,
    exact: bool = False,
    as_literal: bool = False,
) -> list[Difference]:
    """Differences of a set of arguments (or a response, or a state): only the keys given, unless ``exact``."""
    return list(iter_key_differences(expected, actual, path, exact=exact, as_literal=as_literal))


def iter_key_differences(
    expected: Mapping[str, Any], actual: Mapping[str, Any], path: str, *, exact: bool, as_literal: bool
) -> Iterator[Difference]:
    """As :func:`compare_keys`, one by one: the first answers whether there is any."""
    for key, value in expected.items():
        inner = _key_path(path, key)
        if key in actual:
            yield from _differences(value, actual[key], inner, as_literal, 0)
        else:
            yield Difference(inner, value, None, "missing")
    if exact:
        for key, value in actual.items():
            if key not in expected:
                yield Difference(_key_path(path, key), None, value, "extra")


def _differences(expected: Any, actual: Any, path: str, as_literal: bool, depth: int) -> Iterator[Difference]:
    stack: list[tuple[str, Any, Any, bool, str]] = [(path, expected, actual, as_literal, "value")]
    while stack:
        where, want, have, plain, kind = stack.pop()
        if kind != "value":
            yield Difference(where, want, have, kind)
        elif not plain and is_matcher(want):
            if "equals" in want:
                stack.append((where, want["equals"], have, True, "value"))
            elif not _matcher_holds(want, have, depth):
                yield Difference(where, want, have, "matcher")
        elif isinstance(want, dict) and isinstance(have, Mapping):
            stack.extend(reversed(_dict_steps(where, cast(dict[Any, Any], want), cast(Mapping[Any, Any], have), plain)))
        elif isinstance(want, list | tuple) and isinstance(have, list | tuple):
            stack.extend(reversed(_list_steps(where, cast(list[Any], want), cast(list[Any], have), plain)))
        elif not _same_scalar(want, have):
            yield Difference(where, want, have)


def _dict_steps(
    path: str, want: dict[Any, Any], have: Mapping[Any, Any], plain: bool
) -> list[tuple[str, Any, Any, bool, str]]:
    steps: list[tuple[str, Any, Any, bool, str]] = []
    for key, value in want.items():
        inner = _key_path(path, key)
        if key in have:
            steps.append((inner, value, have[key], plain, "value"))
        else:
            steps.append((inner, value, None, plain, "missing"))
    steps.extend((_key_path(path, key), None, value, plain, "extra") for key, value in have.items() if key not in want)
    return steps


def _list_steps(path: str, want: list[Any], have: list[Any], plain: bool) -> list[tuple[str, Any, Any, bool, str]]:
    steps = [
        (f"{path}[{index}]", left, right, plain, "value")
        for index, (left, right) in enumerate(zip(want, have, strict=False))
    ]
    if len(want) != len(have):
        steps.append((path, want, have, plain, "length"))
    return steps


def _same_scalar(want: Any, have: Any) -> bool:
    if is_number(want) and is_number(have):
        return want == have or (want != want and have != have)
    if isinstance(want, str) and isinstance(have, str):
        return want == have
    return type(want) is type(have) and bool(want == have)


def _matcher_holds(matcher: dict[str, Any], actual: Any, depth: int) -> bool:
    problem = _problem(matcher)
    if problem or depth >= _MATCHER_DEPTH:
        raise ParameterError(f"{show(matcher)}: {problem or 'matchers nested too deep'}")
    if "any" in matcher:
        return True
    if "regex" in matcher:
        return isinstance(actual, str) and compiled(matcher["regex"]).search(actual) is not None
    if "one_of" in matcher:
        return any(_holds(choice, actual, depth) for choice in matcher["one_of"])
    if "contains" in matcher:
        return _contains(matcher["contains"], actual, depth)
    if not is_number(actual):
        return False
    if "approx" in matcher:
        return _near(matcher["approx"], actual, matcher.get("within"))
    return ("gt" not in matcher or actual > matcher["gt"]) and ("lt" not in matcher or actual < matcher["lt"])


def _holds(expected: Any, actual: Any, depth: int) -> bool:
    return next(_differences(expected, actual, "", False, depth + 1), None) is None


def _contains(wanted: Any, actual: Any, depth: int) -> bool:
    if isinstance(actual, str):
        return isinstance(wanted, str) and wanted in actual
    if isinstance(actual, list | tuple):
        elements = cast(list[Any], actual)
        wishes = cast(list[Any], wanted) if isinstance(wanted, list) else [wanted]
        return all(any(_holds(wish, element, depth) for element in elements) for wish in wishes)
    if isinstance(actual, Mapping):
        mapping = cast(Mapping[Any, Any], actual)
        if isinstance(wanted, dict) and not is_matcher(wanted):
            pairs = cast(dict[Any, Any], wanted).items()
            return all(key in mapping and _holds(value, mapping[key], depth) for key, value in pairs)
        return isinstance(wanted, str) and wanted in mapping
    return False


def _near(target: Any, actual: Any, within: Any) -> bool:
    if not (_finite(target) and _finite(actual)):
        return _same_scalar(target, actual)
    wanted, had = _exact(target), _exact(actual)
    reach = max(abs(wanted), abs(had)) * _RELATIVE if within is None else _exact(within)
    return abs(had - wanted) <= reach


def _finite(number: Any) -> bool:
    return isinstance(number, int) or math.isfinite(number)  # math.isfinite refuses integers beyond a float's range


def _exact(number: Any) -> Fraction:
    """The number as written: 127.99 is exactly 0.01 below 128, which binary floats deny."""
    return Fraction(number) if isinstance(number, int) else Fraction(str(number))


@functools.lru_cache(maxsize=512)
def compiled(pattern: str) -> re.Pattern[str]:
    """The compiled ``pattern``.

    Raises:
        ParameterError: it is no regular expression.
    """
    try:
        return re.compile(pattern)
    except (re.error, OverflowError, RecursionError) as error:
        raise ParameterError(f"regex {quote(pattern)} cannot be compiled: {error}") from error


def _problem(matcher: dict[str, Any]) -> str | None:
    """Why a dict with a matcher's keys is no usable matcher; a literal dict of this look is written ``{equals: ...}``."""
    if "any" in matcher:
        return None if matcher["any"] is True else "any takes true; a literal of this look is written {equals: ...}"
    if "regex" in matcher:
        if not isinstance(matcher["regex"], str):
            return "regex takes a string"
        try:
            compiled(matcher["regex"])
        except ParameterError as error:
            return str(error)
        return None
    if "one_of" in matcher:
        choices = matcher["one_of"]
        return None if isinstance(choices, list) and choices else "one_of takes a list of at least one value"
    for key in ("approx", "within", "gt", "lt"):
        if key in matcher and not is_number(matcher[key]):
            return f"{key} takes a number"
    within = matcher.get("within", 0)
    if "approx" in matcher and not (_finite(within) and within >= 0):
        return "within takes a finite number, zero or more"
    if "gt" in matcher and "lt" in matcher and not matcher["gt"] < matcher["lt"]:
        return "no number is greater than gt and less than lt"
    return None


def _children(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return list(cast(dict[Any, Any], value).values())
    if isinstance(value, list | tuple):
        return list(cast(list[Any], value))
    return []


def _parts(value: Any) -> Iterator[Any]:
    stack = [value]
    while stack:
        part = stack.pop()
        yield part
        stack.extend(_children(part))


def _key_path(path: str, key: Any) -> str:
    text = str(key)
    if len(path) > 300:
        path = "…" + path[-200:]  # a hostile nesting must not make every path longer than the last
    if _PLAIN_KEY.match(text) and len(text) <= 60:
        return f"{path}.{text}" if path else text
    return f"{path}[{quote(text, 60)}]"
