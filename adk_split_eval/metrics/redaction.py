"""What a judge must not see: e-mail addresses, phone, card and id numbers, and whatever patterns a plan names.

Replacing is done before anything leaves for a judge, by the kind in square brackets: the sentence stays readable and the
judge can still tell that something stood there. A date is no phone number, and neither is a plain count.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, cast

from adk_split_eval.metrics.values import compiled

_EMAIL = re.compile(r"(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}")
_DATE = re.compile(r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}(?!\d)")
_DIGITS = re.compile(r"(?<![A-Za-z0-9_.@-])\+?\(?\d(?:[ ().-]{0,2}\d){5,22}[Xx]?(?![A-Za-z0-9_@])")
_ID = re.compile(r"\d{17}[\dXx]\Z|\d{3}-\d{2}-\d{4}\Z")
_MOBILE = re.compile(r"1[3-9]\d{9}\Z")
OWN = "[redacted]"


class Redactor:
    """Takes personal data and a team's own patterns out of texts.

    Args:
        patterns: regular expressions; what they match becomes ``[redacted]``. They come first.

    Raises:
        ParameterError: a pattern cannot be compiled.
    """

    def __init__(self, patterns: Sequence[str] = ()) -> None:
        self._own = [compiled(pattern) for pattern in patterns]

    def text(self, text: str) -> str:
        """``text`` without what must not be seen."""
        for pattern in self._own:
            text = pattern.sub(lambda match: OWN if match.group() else "", text)
        return _DIGITS.sub(_number, _EMAIL.sub("[e-mail]", text))

    def value(self, value: Any) -> Any:
        """JSON-like data with every text in it, keys included, redacted."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, dict):
            return {self.text(str(key)): self.value(item) for key, item in cast(dict[Any, Any], value).items()}
        if isinstance(value, list | tuple):
            return [self.value(item) for item in cast("list[Any] | tuple[Any, ...]", value)]
        if isinstance(value, int) and not isinstance(value, bool) and abs(value) >= 10**8:
            shown = self.text(str(value))
            return value if shown == str(value) else shown
        return value


def _number(match: re.Match[str]) -> str:
    kind = _kind(match.group())
    return match.group() if kind is None else f"[{kind}]"


def _kind(spelt: str) -> str | None:
    if _DATE.match(spelt):
        return None
    if _ID.match(spelt):
        return "id number"
    digits = re.sub(r"\D", "", spelt)
    if 13 <= len(digits) <= 19 and _luhn(digits):
        return "card number"
    separated = spelt.startswith("+") or any(c in spelt for c in " ()-")
    if 9 <= len(digits) <= 15 and (separated or _MOBILE.match(digits)):
        return "phone number"
    return None


def _luhn(digits: str) -> bool:
    doubled = [int(c) * (2 if place % 2 else 1) for place, c in enumerate(reversed(digits))]
    return sum(d - 9 if d > 9 else d for d in doubled) % 10 == 0
