"""What every model of the plan stands on: strictness, patterns that must compile, matchers that must be well formed."""

from __future__ import annotations

import math
import re
from typing import Annotated, Any, cast

from pydantic import AfterValidator, BaseModel, ConfigDict
from pydantic_core import PydanticCustomError


class StrictModel(BaseModel):
    """Base of all plan models: unknown keys refused, nothing coerced, no infinities."""

    model_config = ConfigDict(
        extra="forbid",
        strict=True,
        allow_inf_nan=False,
        populate_by_name=False,
        use_attribute_docstrings=False,
        validate_default=False,
    )


def complain(code: str, message: str, help: str = "") -> PydanticCustomError:
    """A validation error that already knows its code and mend; the loader adds the place.

    Braces are doubled because pydantic treats the message as a template.
    """
    return PydanticCustomError(code, message.replace("{", "{{").replace("}", "}}"), {"help": help})  # type: ignore[arg-type]


def check_regex(pattern: str) -> str:
    """``pattern`` itself when Python's ``re`` compiles it, else the error with its column."""
    try:
        re.compile(pattern)
    except (re.error, RecursionError, OverflowError) as error:
        raise complain(
            "ASE015",
            f"the regular expression {pattern!r} does not compile: {error}",
            "mend the pattern (Python's re syntax)",
        ) from None
    return pattern


def check_text(text: str) -> str:
    """``text`` itself when it says something."""
    if not text.strip():
        raise complain("ASE031", "the text is empty", "write what is said, or remove the entry")
    return text


def check_name(name: str) -> str:
    """``name`` itself when it is a usable identifier: not empty, no surrounding blanks."""
    if not name or name != name.strip():
        raise complain("ASE013", f"the name {name!r} is empty or has blanks around it", "write the name without blanks")
    return name


Regex = Annotated[str, AfterValidator(check_regex)]
"""A regular expression, searched (not anchored) with Python's ``re``."""

Words = Annotated[str, AfterValidator(check_text)]
"""Text that is not blank."""

Name = Annotated[str, AfterValidator(check_name)]
"""A name as code or ADK spells it."""

MATCHER_KEYS: frozenset[str] = frozenset(
    {"any", "regex", "one_of", "approx", "within", "contains", "gt", "lt", "equals"}
)
"""Keys that make a mapping a matcher instead of a literal value."""

_COMBINATIONS: frozenset[frozenset[str]] = frozenset(
    frozenset(keys)
    for keys in (
        ("any",),
        ("regex",),
        ("one_of",),
        ("approx", "within"),
        ("contains",),
        ("gt",),
        ("lt",),
        ("gt", "lt"),
        ("equals",),
    )
)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def check_matchers(value: Any) -> Any:
    """``value`` itself when every matcher in it, at any depth, is well formed.

    A mapping whose keys all belong to matchers but do not form one is refused: it would silently be compared as a
    literal.
    """
    pending: list[Any] = [value]
    while pending:
        current = pending.pop()
        if isinstance(current, dict):
            mapping = cast("dict[str, Any]", current)
            if mapping and MATCHER_KEYS.issuperset(mapping):
                _check_matcher(mapping)
                pending.extend(_nested(mapping))
            else:
                pending.extend(mapping.values())
        elif isinstance(current, list):
            pending.extend(cast("list[Any]", current))
    return value


def _nested(matcher: dict[str, Any]) -> list[Any]:
    return [] if "equals" in matcher else list(matcher.values())


def _check_matcher(matcher: dict[str, Any]) -> None:
    keys = frozenset(matcher)
    literal = "for a literal value that looks like a matcher write {equals: ...}"
    if keys not in _COMBINATIONS:
        needs = "approx needs within" if keys & {"approx", "within"} else "these keys do not go together"
        raise complain("ASE016", f"{{{', '.join(sorted(keys))}}} is no matcher: {needs}", literal)
    if "any" in matcher and matcher["any"] is not True:
        raise complain("ASE016", "the matcher any takes only true", literal)
    if "regex" in matcher:
        if not isinstance(matcher["regex"], str):
            raise complain("ASE016", "the matcher regex takes a pattern in quotes", literal)
        check_regex(matcher["regex"])
    if "one_of" in matcher and not (isinstance(matcher["one_of"], list) and matcher["one_of"]):
        raise complain("ASE016", "the matcher one_of takes a list of at least one value", literal)
    for key in ("approx", "within", "gt", "lt"):
        if key in matcher and not _is_number(matcher[key]):
            raise complain("ASE016", f"the matcher {key} takes a number", literal)
    if "within" in matcher and matcher["within"] < 0:
        raise complain("ASE016", "the matcher within takes a number that is not negative", literal)


Matchable = Annotated[Any, AfterValidator(check_matchers)]
"""A value compared by value, or a matcher; matchers are honoured at any depth."""
