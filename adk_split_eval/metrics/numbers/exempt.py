"""What a text may number without a source: list numbering, headings, ordinals, labels, links and set phrases.

Every rule here is listed in docs/grounded-numbers.md; nothing else is let through silently.
"""

from __future__ import annotations

import re

Span = tuple[int, int]

_LINE_NUMBER = re.compile(
    r"^[ \t>*_#+•·▪◦\-]{0,24}(?P<open>[(\[])?(?P<n>[0-9]{1,3})(?:[*_]{0,2}[)\]、]|[*_]{0,2}\.(?=[*_]{0,2}[ \t])|[*_]{0,2}\.(?=[^\W\d_]))[*_]{0,2}[ \t]*(?=\S)",
    re.MULTILINE,
)
_HEADING = re.compile(
    r"^[ \t]{0,3}#{1,6}[ \t]+[*_]{0,2}(?P<n>[0-9]{1,3}(?:\.[0-9]{1,3})*)(?:[.):、]|(?=[ \t]))", re.MULTILINE
)
_TABLE_ROW = re.compile(r"^[ \t]*\|[ \t]*[*#]{0,2}(?P<n>[0-9]{1,4})[.*]{0,2}[ \t]*\|", re.MULTILINE)
_INLINE_NUMBER = re.compile(r"(?:(?<=[:：;；。.!?！？，,])[ \t]{0,2}|[ \t])(?P<n>[0-9]{1,2})[.)、](?=[ \t]?[^\W\d_])")
_PARENTHESISED = re.compile(r"\((?P<n>[0-9]{1,2})\)(?=[ \t]?[^\W\d_])")
_BULLET = re.compile(r"^[ \t]*(?:[-*•·▪◦+]|[①-⑳])[ \t]*(?=\S)", re.MULTILINE)
_TABLE_LINE = re.compile(r"^[ \t]*\|[^\n]*\|[ \t]*$", re.MULTILINE)
_TABLE_RULE = re.compile(r"^[ \t]*\|[ \t:|\-]+\|[ \t]*$", re.MULTILINE)

OPAQUE = re.compile(
    r"(?:https?|ftp)://[!-;=?-~]+|(?<![\w.@])www\.[!-;=?-~]+"  # links, up to a space, "<", ">" or non-ASCII
    r"|(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,6}"  # e-mail addresses
    r"|</?[A-Za-z][^<>\n]{0,300}>|&\#?\w{1,10};"  # tags and entities
)
_PHRASE = re.compile(
    r"[0-9](?=\u20e3)"  # keycaps
    r"|第\s?[0-9]{1,4}"
    r"|\[[0-9]{1,3}\](?!\w)"  # citation marks
    r"|(?<=\.[0-9])\s?/\s?(?:5|10|100)(?![0-9])|\bout\sof\s(?:5|10|100)(?![0-9])|满分\s?(?:5|10|100)(?![0-9])"  # rating scales
    r"|\b(?:last|first|final)\s[0-9]{1,2}(?=\s(?:digits?|characters?|letters?|numbers?)\b)"
    r"|\b[0-9]{1,2}(?=[- ]digits?\b)|[后後前末][0-9]{1,2}位|[0-9]{1,2}(?=位(?:数|數|密码|验证码))"
    r"|(?<![0-9A-Za-z/])(?:24[x/×*]7|7[x×*]24|B2[BCG]|C2[BC]|P2P|O2O|2FA|MP[34]|[23]D|[48]K|[2-6]G|A4|H5|UTF-8|1-on-1|Web3)"
    r"(?![0-9A-Za-z/])",
    re.IGNORECASE,
)
_LABEL = re.compile(
    r"(?<![0-9.,])[0-9]{1,4}(?:st|nd|rd|th)\b"  # 1st
    r"|\b(?:step|option|tip|example|scenario|method|choice|question|schritt|étape|paso|opción)s?[ \t]?\#?[0-9]{1,2}(?![0-9])"
    r"|(?:步骤|步驟|方案|选项|選項|方法|情况|情況|问题|問題|示例|方式|途径)\s?[0-9]{1,2}(?![0-9])",
    re.IGNORECASE,
)
_SAFE_WITHOUT_SEQUENCE = 20


def opaque_spans(text: str) -> list[Span]:
    """Links, tags, ordinals and set phrases of folded ``text``: whatever touches them states nothing. Sorted."""
    numbers = _numbering(list(_LINE_NUMBER.finditer(text)), _SAFE_WITHOUT_SEQUENCE)
    spans = [m.span() for m in OPAQUE.finditer(text)]
    spans += [m.span() for m in _PHRASE.finditer(text)]
    spans += numbers if len(numbers) > 1 else []
    return sorted(spans)


def numbering_spans(text: str) -> list[Span]:
    """List numbers, headings and labels: these excuse a bare number only ("1. Mai" is a date, "方案3天" a duration). Sorted."""
    spans = [m.span() for m in _LABEL.finditer(text)]
    spans += [m.span("n") for m in _HEADING.finditer(text)]
    spans += _numbering(list(_LINE_NUMBER.finditer(text)), _SAFE_WITHOUT_SEQUENCE)
    spans += _numbering(list(_PARENTHESISED.finditer(text)), 1)
    spans += _numbering([m for m in _INLINE_NUMBER.finditer(text) if int(m["n"]) > 1 or _introduced(text, m)], 1)
    spans += _table_numbers(text)
    return sorted(spans)


def _introduced(text: str, match: re.Match[str]) -> bool:
    return match.start() > 0 and text[match.start() - 1] in ":：;；。.!?！？"


def _numbering(matches: list[re.Match[str]], safe: int) -> list[Span]:
    """Numbers that count up: small ones always (up to ``safe``), others after their predecessor."""
    spans: list[Span] = []
    seen: set[int] = set()
    for match in matches:
        number = int(match["n"])
        if number <= safe or number - 1 in seen:
            seen.add(number)
            spans.append(match.span("n"))
    return spans


def _table_numbers(text: str) -> list[Span]:
    """First cells of a table that number its rows 1, 2, 3…"""
    spans: list[Span] = []
    expected = 1
    for row in _TABLE_ROW.finditer(text):
        number = int(row["n"])
        if number == 1:
            expected = 1
        if number == expected:
            spans.append(row.span("n"))
            expected += 1
    return spans


def own_list_lengths(text: str) -> frozenset[int]:
    """How many items the text's own lists and tables show: a count the reader can check on the spot."""
    numbers = [int(m["n"]) for m in _LINE_NUMBER.finditer(text)]
    rows = sum(1 for _ in _TABLE_LINE.finditer(text)) - 2 * sum(1 for _ in _TABLE_RULE.finditer(text))
    bullets = sum(1 for _ in _BULLET.finditer(text))
    lengths = {len(numbers), max(numbers, default=0), bullets, rows}
    return frozenset(n for n in lengths if n > 1)
