"""Small builders of HTML: text goes in raw and comes out escaped, so no caller can forget."""

from __future__ import annotations

import html
from collections.abc import Iterable, Mapping

from adk_split_eval.record.text import safe_terminal


def escape(text: str) -> str:
    """``text`` as HTML text or attribute value; controls, bidi controls and lone surrogates as visible escapes."""
    return html.escape(safe_terminal(text, newlines=True), quote=True)


def tag(name: str, inner: str, css: str = "") -> str:
    """An element around ``inner``, which is HTML already."""
    attribute = f' class="{escape(css)}"' if css else ""
    return f"<{name}{attribute}>{inner}</{name}>"


def element(name: str, text: str, css: str = "") -> str:
    """An element around ``text``, which is escaped here."""
    return tag(name, escape(text), css)


def listing(items: Iterable[str]) -> str:
    """A bullet list of texts."""
    return tag("ul", "".join(element("li", item) for item in items))


def pairs(facts: Mapping[str, str]) -> str:
    """A list of label and text; empty texts are left out."""
    return tag("dl", "".join(element("dt", label) + element("dd", text) for label, text in facts.items() if text))


def folded(summary: str, inner: str, *, is_open: bool = False) -> str:
    """A ``details`` block; both arguments are HTML already. Works without a script."""
    return f"<details{' open' if is_open else ''}><summary>{summary}</summary>\n{inner}\n</details>"
