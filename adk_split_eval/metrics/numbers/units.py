"""Units beside numbers: currencies, percent, durations, measures and counts, before and after the number."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal

from adk_split_eval.metrics.numbers.reading import Kind, Unit


def words_of(text: str) -> frozenset[str]:
    """The words of ``text``: tables read better as lines of words."""
    return frozenset(text.split())


_CURRENCIES: dict[str, str] = {
    "$": "USD|CAD|AUD|NZD|HKD|SGD|TWD|MXN", "us$": "USD", "hk$": "HKD", "nt$": "TWD", "a$": "AUD", "c$": "CAD", "s$": "SGD",
    "nz$": "NZD", "r$": "BRL", "€": "EUR", "£": "GBP", "¥": "CNY|JPY", "₹": "INR", "₩": "KRW", "₽": "RUB", "₺": "TRY",
    "฿": "THB", "₫": "VND", "₱": "PHP", "₴": "UAH", "₪": "ILS", "₦": "NGN",
    "rmb": "CNY", "人民币": "CNY", "cn¥": "CNY", "jp¥": "JPY", "rs": "INR|PKR|LKR", "rs.": "INR|PKR|LKR", "fr.": "CHF",
    "kr": "SEK|NOK|DKK", "kr.": "SEK|NOK|DKK", "zł": "PLN",
    "dollar": "USD|CAD|AUD|NZD|HKD|SGD|TWD", "dollars": "USD|CAD|AUD|NZD|HKD|SGD|TWD", "bucks": "USD|CAD|AUD", "euro": "EUR", "euros": "EUR",
    "yuan": "CNY", "renminbi": "CNY", "yen": "JPY", "won": "KRW", "rupee": "INR|PKR|LKR", "rupees": "INR|PKR|LKR",
    "ruble": "RUB", "rubles": "RUB", "francs": "CHF", "pesos": "MXN|PHP",
    "元": "CNY|HKD|TWD|USD|SGD", "块": "CNY|HKD|TWD", "块钱": "CNY|HKD|TWD", "圆": "CNY|HKD|TWD|JPY", "塊": "CNY|HKD|TWD",
    "元人民币": "CNY", "元钱": "CNY|HKD|TWD", "元整": "CNY|HKD|TWD", "刀": "USD", "美元": "USD", "美金": "USD", "港元": "HKD", "港币": "HKD", "新台币": "TWD", "台币": "TWD",
    "日元": "JPY", "円": "JPY", "欧元": "EUR", "英镑": "GBP", "韩元": "KRW", "澳元": "AUD", "加元": "CAD", "원": "KRW", "卢布": "RUB",
    "руб": "RUB", "рублей": "RUB", "₽.": "RUB",
}  # fmt: skip
CODES = words_of(
    "USD EUR GBP CNY JPY HKD TWD SGD AUD CAD NZD CHF INR KRW RUB BRL MXN SEK NOK DKK PLN TRY THB VND PHP IDR MYR ZAR AED SAR "
    "ILS UAH CZK HUF RON NGN KES EGP PKR BDT LKR ARS CLP COP PEN"
)
"""Currency codes of ISO 4217 that are recognised."""
_CURRENCIES.update({code.lower(): code for code in CODES})


def _table() -> dict[str, tuple[Unit, ...]]:
    table: dict[str, tuple[Unit, ...]] = {}

    def add(kind: Kind, words: str, factor: str = "1", name: str = "") -> None:
        for word in words.split():
            table[word] = (*table.get(word, ()), Unit(kind, Decimal(factor), name))

    for word, codes in _CURRENCIES.items():
        add("money", word, name=codes)
    add("money", "cent cents ¢", "0.01", "USD|EUR|CAD|AUD|NZD|SGD|HKD")
    add("money", "pence", "0.01", "GBP")
    add("money", "pound pounds quid", name="GBP")
    add(
        "percent",
        "% percent percents pct prozent procent percento процентов procento パーセント 퍼센트 个百分点 百分点",
    )
    add("percent", "‰ 个千分点", "0.1")
    add("duration", "second seconds sec secs sekunde sekunden seconde secondes segundo segundos 秒 秒钟 초")
    add("duration", "minute minutes min mins minuten minuto minutos 分钟 分鐘 분", "60")
    add(
        "duration",
        "hour hours hr hrs h std stunde stunden heure heures hora horas 小时 个小时 小時 個小時 钟头 个钟头 時間 시간",
        "3600",
    )
    add("duration", "day days d tag tage tagen werktag werktage werktagen jour jours día días dia dias giorni dagen 天 日内 日間 个工作日 工作日 个自然日 自然日 个交易日 營業日 営業日 일 дней дня день", "86400")  # fmt: skip
    add(
        "duration",
        "week weeks wk wks woche wochen semaine semaines semana semanas 周 个周 星期 个星期 個星期 个礼拜 週間 주",
        "604800",
    )
    add("months", "month months monat monate monaten mois mes meses 个月 個月 か月 ヶ月 カ月 개월")
    add("months", "year years yr yrs jahr jahre jahren ans année années año años 年 周年 年间 년", "12")
    add("measure", "mg 毫克", "0.001", "g")
    add("measure", "g gram grams 克", name="g")
    add("measure", "kg kgs kilogram kilograms 公斤 千克", "1000", "g")
    add("measure", "斤", "500", "g")
    add("measure", "lb lbs pound pounds 磅", "453.59237", "g")
    add("measure", "oz ounce ounces 盎司", "28.349523125", "g")
    add("measure", "mm 毫米", "0.001", "m")
    add("measure", "cm 厘米 公分", "0.01", "m")
    add("measure", "m meter meters metre metres 米", name="m")
    add("measure", "km kilometer kilometers kilometre kilometres 公里 千米", "1000", "m")
    add("measure", "mile miles 英里", "1609.344", "m")
    add("measure", "ft feet 英尺", "0.3048", "m")
    add("measure", "inch inches 英寸 寸", "0.0254", "m")
    add("measure", "ml 毫升", "0.001", "l")
    add("measure", "l liter liters litre litres 升", name="l")
    add("measure", "kb", "1000", "byte")
    add("measure", "mb", "1000000", "byte")
    add("measure", "gb", "1000000000", "byte")
    add("measure", "tb", "1000000000000", "byte")
    add("measure", "°c ℃ 摄氏度", name="°C")
    add("measure", "°f ℉ 华氏度", name="°F")
    add("measure", "kwh 度电", name="kwh")
    add("measure", "m² sqm 平方米 平米", name="m2")
    add("count", "item items order orders piece pieces pcs unit units people persons person guests guest tickets ticket times copies "
        "package packages parcel parcels box boxes product products artikel stück bestellungen articles commandes pedidos artículos "
        "个 個 件 单 次 张 张票 本 份 人 位 名 台 部 款 笔 封 袋 箱 盒 瓶 包 套 双 只 支 间 列 种 颗 枚 條 條訂單 条 개 명 個人 点人 つ 枚組")  # fmt: skip
    return table


AFTER = _table()
"""Lower-cased word or sign after a number → what it may mean."""

MULTIPLIERS: dict[str, int] = {
    "k": 10**3, "thousand": 10**3, "tsd": 10**3, "mille": 10**3, "million": 10**6, "millions": 10**6, "mn": 10**6, "mio": 10**6,
    "m": 10**6, "b": 10**9, "bn": 10**9, "billion": 10**9, "billions": 10**9, "mrd": 10**9, "trillion": 10**12,
    "lakh": 10**5, "lakhs": 10**5, "crore": 10**7, "crores": 10**7, "hundred": 100, "millones": 10**6, "millionen": 10**6,
}  # fmt: skip
"""Words after a number that multiply it; single letters only when written against the digits."""

ORDINAL_ENDINGS = words_of("st nd rd th er ère e eme ème º ª ste de te ers")
_EMPHASIS = "*_`~"
_WORD = re.compile(r"[^\W\d_]{1,24}(?![^\W\d_])")
_QUALIFIERS = words_of("business working calendar full more additional extra consecutive")
VAGUE = "多余幾几来"
_BEFORE = re.compile(
    r"(?:(?<![^\W\d_])(?:US|HK|NT|NZ|CN|JP|[ACSR])?[$¥]|[€£₹₩₽₺฿₫₱₴₪₦]|人民币|美元|港币|欧元|英镑|"
    r"(?<![^\W_])(?:" + "|".join(sorted(CODES)) + r"|RMB|Rs\.?|kr\.?|Fr\.))[\s:*_`]{0,4}$"
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class After:
    """What follows a number: a multiplier, the units it may be in, and where it ends."""

    units: tuple[Unit, ...]
    end: int
    multiplier: int = 1
    alternative: bool = False


def _skip(text: str, index: int) -> int:
    """Past emphasis marks and at most two spaces."""
    stop = min(len(text), index + 6)
    spaces = 0
    while index < stop:
        if text[index] in _EMPHASIS:
            index += 1
        elif text[index] in " \u202f" and spaces < 2:
            spaces += 1
            index += 1
        else:
            break
    return index


def is_letter(character: str) -> bool:
    """Whether the character joins digits to one token: letters of alphabets that put spaces between words."""
    if character.isascii():
        return character.isalpha()
    return "\u00c0" <= character <= "\u052f" and not "\u0250" <= character < "\u0370" and character not in "×÷"


def unit_after(text: str, end: int) -> After | None:
    """Units and multiplier right after a number that ends at ``end``; None when there is none."""
    start = _skip(text, end)
    if start >= len(text):
        return None
    character = text[start]
    if character == "-" and start == end and start + 1 < len(text) and is_letter(text[start + 1]):
        start += 1
        character = text[start]
    if is_letter(character):
        return _word_after(text, end, start)
    if character > "\u2e7f":
        return _glyphs_after(text, start)
    pair = text[start : start + 2].lower()
    for sign in (pair, character):
        if sign in AFTER:
            follows = _skip(text, start + len(sign))
            if start > end and AFTER[sign][0].kind == "money" and follows < len(text) and text[follows].isdigit():
                return None  # the sign belongs to the next number
            return After(AFTER[sign], start + len(sign))
    return None


def _word_after(text: str, end: int, start: int) -> After | None:
    match = _WORD.match(text, start)
    if match is None:
        return None
    word, stop = match.group().lower(), match.end()
    glued = start == end
    if stop < len(text) and text[stop].isdigit():
        return None
    if word in MULTIPLIERS and (len(word) > 1 or glued):
        factor = MULTIPLIERS[word]
        dot = 1 if word in ("mio", "mrd", "tsd") and text[stop : stop + 1] == "." else 0
        further = unit_after(text, stop + dot)
        units = further.units if further is not None and further.multiplier == 1 else ()
        return After(units, further.end if further is not None and units else stop, factor, word in ("m", "b"))
    if word in _QUALIFIERS:
        follows = _skip(text, stop)
        if text[follows : follows + 1] == "-":
            follows += 1
        next_word = _WORD.match(text, follows)
        units = AFTER.get(next_word.group().lower()) if next_word is not None else None
        return After(units, next_word.end()) if units and next_word is not None else None
    if word in AFTER and (len(word) > 1 or glued or word in "gml"):
        return After(AFTER[word], stop)
    return None


def _glyphs_after(text: str, start: int) -> After | None:
    if text[start] in VAGUE:
        start += 1
    for length in (5, 4, 3, 2, 1):
        glyphs = text[start : start + length]
        if len(glyphs) == length and glyphs in AFTER:
            return After(AFTER[glyphs], start + length)
    return None


def unit_before(text: str, start: int) -> tuple[tuple[Unit, ...], int] | None:
    """Currency sign, code or 百分之 right before a number that starts at ``start``, and where it begins."""
    floor = max(0, start - 14)
    window = text[floor:start]
    if window.endswith("百分之"):
        return AFTER["%"], start - 3
    if window.endswith("千分之"):
        return AFTER["‰"], start - 3
    match = _BEFORE.search(window)
    if match is None:
        return None
    sign = match.group().rstrip(" :*_`\u202f\t\n\r").lower()
    return (AFTER[sign], floor + match.start()) if sign in AFTER else None
