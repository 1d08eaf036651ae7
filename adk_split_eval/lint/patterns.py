"""Regular expressions compiled when they are first used: a cold start needs few of the many there are."""

from __future__ import annotations

import re
from typing import Any, cast


class _Lazy:
    """Stands for a compiled pattern until one of its methods is asked for."""

    def __init__(self, text: str, flags: int) -> None:
        self._text = text
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        compiled = re.compile(self._text, self._flags)
        for method in ("search", "match", "fullmatch", "findall", "finditer", "sub"):
            setattr(self, method, getattr(compiled, method))
        return getattr(compiled, name)


def lazy(text: str, flags: int | re.RegexFlag = 0) -> re.Pattern[str]:
    """A pattern that compiles itself on first use."""
    return cast("re.Pattern[str]", _Lazy(text, int(flags)))
