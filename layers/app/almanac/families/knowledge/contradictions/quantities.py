"""Quantities in a text: what is measured, and the spans of possible values.

    "12 employees"     {"employee": 12 to 12}        "about 12 employees"   {"employee": 9 to 15}
    "1.8 m"            {"length": 1800 to 1800}      "5 ft 11 in"           {"length": 1803.4 to 1803.4}
    "over 40 %"        {"%": from 40 on}             "v3.11"                {"version": 3.11, all that begins so}
    "2026-03"          {"date": that month}          "10 pm"                {"time of day": 1320 to 1320}

Two texts differ if they measure the same thing and their spans have no value in common. Texts that cannot be compared
do not differ.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from math import inf, nextafter

from almanac.families.knowledge.contradictions.dates import date_spans

UNITS: Mapping[str, tuple[str, float]] = {
    **dict.fromkeys(("mm", "millimetre", "millimeter"), ("length", 1.0)),
    **dict.fromkeys(("cm", "centimetre", "centimeter"), ("length", 10.0)),
    **dict.fromkeys(("m", "metre", "meter"), ("length", 1000.0)),
    **dict.fromkeys(("km", "kilometre", "kilometer"), ("length", 1e6)),
    **dict.fromkeys(("in", "inch", "inche"), ("length", 25.4)),
    **dict.fromkeys(("ft", "foot", "feet"), ("length", 304.8)),
    **dict.fromkeys(("mi", "mile"), ("length", 1_609_344.0)),
    **dict.fromkeys(("g", "gram", "gramme"), ("mass", 1.0)),
    **dict.fromkeys(("kg", "kilo", "kilogram"), ("mass", 1000.0)),
    **dict.fromkeys(("t", "tonne"), ("mass", 1e6)),
    **dict.fromkeys(("lb", "pound"), ("mass", 453.592)),
    **dict.fromkeys(("oz", "ounce"), ("mass", 28.3495)),
    **dict.fromkeys(("ms", "millisecond"), ("time", 0.001)),
    **dict.fromkeys(("s", "sec", "second"), ("time", 1.0)),
    **dict.fromkeys(("min", "minute"), ("time", 60.0)),
    **dict.fromkeys(("h", "hr", "hour"), ("time", 3600.0)),
    **dict.fromkeys(("d", "day"), ("time", 86_400.0)),
    **dict.fromkeys(("week", "wk"), ("time", 604_800.0)),
    **dict.fromkeys(("b", "byte"), ("data", 1.0)),
    **dict.fromkeys(("kb", "kilobyte"), ("data", 1e3)),
    **dict.fromkeys(("mb", "megabyte"), ("data", 1e6)),
    **dict.fromkeys(("gb", "gigabyte"), ("data", 1e9)),
    **dict.fromkeys(("tb", "terabyte"), ("data", 1e12)),
    **dict.fromkeys(("kib",), ("data", 1024.0)),
    **dict.fromkeys(("mib",), ("data", 1024.0**2)),
    **dict.fromkeys(("gib",), ("data", 1024.0**3)),
    **dict.fromkeys(("kmh", "kph"), ("speed", 1.0)),
    **dict.fromkeys(("mph",), ("speed", 1.609344)),
    **dict.fromkeys(("%", "percent", "pct"), ("%", 1.0)),
    **dict.fromkeys(("$", "usd", "dollar"), ("USD", 1.0)),
    **dict.fromkeys(("€", "eur", "euro"), ("EUR", 1.0)),
    **dict.fromkeys(("£", "gbp"), ("GBP", 1.0)),
}

Span = tuple[float, float]
Spans = tuple[Span, ...]

MAX_CHARACTERS = 120
"""Maximum length. In longer prose, a number is only one detail among others."""
_NEAR = 0.25
_PARTS, _PER_PART = 4, 4096
"""Parts of a version and their maximum. Within these limits a float represents a version exactly."""
_ROUNDED = 0.01
"""Tolerance for values in different units, since converted values are usually rounded."""

_NUMBER = r"[-+]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?"
_SCALES = {"k": 1e3, "thousand": 1e3, "m": 1e6, "mn": 1e6, "million": 1e6, "bn": 1e9, "billion": 1e9, "trillion": 1e12}
_LONG_SCALES = frozenset(["k", "thousand", "mn", "million", "bn", "billion", "trillion"])
_MEASURES = frozenset(measured for measured, _ in UNITS.values()) | {"date", "day of year", "time of day"}
_BINARY = 0.1
"""Tolerance for bytes, since some units count by 1024."""

_BOUNDS = tuple(
    (bound, re.compile(rf"^(?:{words})\s*", re.IGNORECASE))
    for bound, words in (
        ("about", r"about|around|approximately|approx\.?|roughly|nearly|almost|some|circa|c\.|~|≈"),
        ("least", r"at least|minimum(?: of)?|no less than|>=|≥"),
        ("more", r"over|more than|above|>"),
        ("most", r"at most|up to|maximum(?: of)?|no more than|<=|≤"),
        ("less", r"under|less than|fewer than|below|<"),
    )
)
_PLUS = re.compile(rf"^({_NUMBER}k?)\s?\+(.*)$")
_WORDS = {
    word: number
    for number, word in enumerate("two three four five six seven eight nine ten eleven twelve".split(), 2)  # noqa: SIM905
} | {"twenty": 20, "thirty": 30, "fifty": 50}
_WORD_FIRST = re.compile(rf"^(?:{'|'.join(_WORDS)})\b(?!-)", re.IGNORECASE)
_FEET = re.compile(r"""^(\d)['\u2032]\s?(\d{1,2})["\u2033]$""")
_POINTS = re.compile(r"\d{1,3}(?:\.\d{3})+,\d+")
_EXACT = re.compile(r"^(?:exactly|just|only|currently|now)\s+", re.IGNORECASE)
_RANGE = re.compile(rf"^({_NUMBER})\s*(?:-|\u2013|to)\s*({_NUMBER})(.*)$", re.IGNORECASE)
_PART = re.compile(
    rf"\s*(?P<sign>[$€£])?\s*(?P<number>{_NUMBER})\s*(?P<scale>(?:k|thousand|mn|million|bn|billion|trillion)\b)?"
    r"\s*(?P<unit>km/h|°\s?[cf]\b|%|[$€£]|[^\W\d_]+)?\.?",
    re.IGNORECASE,
)
_VERSION = re.compile(
    r"^(?:(?P<name>(?!v\d|version\b)[^\W\d][\w+#. -]{0,40}?)\s+)?(?:v|version\s+)?(?P<number>\d+(?:\.\d+)*)$",
    re.IGNORECASE,
)
_MARKED = re.compile(r"(?:^|\s)v(?:ersion\s+)?\d|\d\.\d+\.\d", re.IGNORECASE)
_CLOCK = re.compile(
    r"^(?:at\s+)?(?:(?P<h>\d{1,2})[:.](?P<m>\d\d)(?:\s*(?P<half>[ap])\.?m\.?)?"
    r"|(?P<hour>\d{1,2})\s*(?P<noon>[ap])\.?m\.?)$",
    re.IGNORECASE,
)


@lru_cache(1024)
def quantities_in(text: str, *, versioned: bool = False) -> Mapping[str, Spans]:
    """Return the quantities in a text, each with its possible values; empty if the text has no number. With
    `versioned`, numbers are versions, so 3.10 comes after 3.9."""
    plain = _in_figures(" ".join(text.split()).rstrip(".!"))
    if len(plain) > MAX_CHARACTERS or not any(map(str.isdigit, plain)):
        return {}
    found: dict[str, Spans] = {}
    dates = date_spans(plain)
    found.update(dates)
    found.update(_clock(plain))
    versions = dict(_version(plain, versioned=versioned))
    found.update(versions)
    if not (versioned and versions) and (not dates or plain.isdigit()):
        found.update(_amount(plain))
    return found


def may_be_equal(one: Mapping[str, Spans], other: Mapping[str, Spans]) -> bool | None:
    """Return whether two quantities can have the same value; None if they do not measure the same thing."""
    shared = one.keys() & other.keys()
    if "date" in shared:
        # With years given, the same day of another year differs.
        return _meet("date", one["date"], other["date"])
    if shared:
        return any(_meet(name, one[name], other[name]) for name in shared)
    # Under one predicate, "12" and "15 employees" are both counts.
    for bare, counted in ((one, other), (other, one)):
        noun = next(iter(counted), "")
        if "" in bare and len(counted) == 1 and noun not in _MEASURES and not noun.startswith("version"):
            return _meet("", bare[""], counted[noun])
    return None


def _meet(name: str, one: Spans, other: Spans) -> bool:
    near = _BINARY if name == "data" else _ROUNDED if name in ("length", "mass", "speed") else 0.0
    return any(_touch(a, b, near) for a in one for b in other)


def _touch(one: Span, other: Span, near: float) -> bool:
    low, high = max(one[0], other[0]), min(one[1], other[1])
    return low <= high or (near > 0 and low - high <= near * abs(low))


def _amount(text: str) -> Iterator[tuple[str, Spans]]:
    bound, rest = _split_bound(text)
    between = _RANGE.match(rest)
    if between is not None and _is_label(between):
        return
    if between is not None:
        low, high = _sum(between[1] + between[3]), _sum(between[2] + between[3])
        if low and high and low[0] == high[0] and low[1] <= high[1]:
            yield low[0], ((low[1], high[1]),)
        return
    total = _sum(rest)
    if total is not None:
        yield total[0], (_span_of(total[1], bound),)


def _is_label(between: re.Match[str]) -> bool:
    """Return whether the range is a label made of digits, such as 555-1234."""
    return not between[3].strip() and len(between[2]) > 3 and "-" in between[0]


def _split_bound(text: str) -> tuple[str, str]:
    for bound, pattern in _BOUNDS:
        if found := pattern.match(text):
            return bound, text[found.end() :]
    if plus := _PLUS.match(text):
        return "least", f"{plus[1]}{plus[2]}"
    return "", _EXACT.sub("", text)


def _span_of(value: float, bound: str) -> Span:
    match bound:
        case "about":
            return (value - abs(value) * _NEAR, value + abs(value) * _NEAR)
        case "least":
            return (value, inf)
        case "more":
            return (nextafter(value, inf), inf)
        case "most":
            return (-inf, value)
        case "less":
            return (-inf, nextafter(value, -inf))
        case _:
            return (value, value)


def _sum(text: str) -> tuple[str, float] | None:
    """Return the measure and its amount, adding parts of one kind such as 1 h 30 min. Return None if the text contains
    anything else."""
    at, measured, total = 0, "", 0.0
    for count in range(4):
        part = _PART.match(text, at)
        if part is None:
            break
        what, value = _measure(part)
        if count and (what != measured or what not in ("length", "mass", "time")):
            return None
        measured, total, at = what, total + value, part.end()
    rest = text[at:].strip()
    if at == 0 or (rest and (not measured or not _is_noun(rest))):
        return None
    # "12 full time employees" counts something other than "12 employees" does.
    return (f"{measured} {rest.lower()}" if rest else measured), total


def _is_noun(text: str) -> bool:
    return len(text) <= 40 and all(part.isalpha() for part in text.split())


def _measure(part: re.Match[str]) -> tuple[str, float]:
    number = float(part["number"].replace(",", ""))
    scale = (part["scale"] or "").lower()
    number *= _SCALES[scale] if scale in _LONG_SCALES else 1.0
    unit = (part["sign"] or part["unit"] or "").lower()
    if part["sign"] and (part["unit"] or "").lower() == "m":
        return UNITS[unit][0], number * _SCALES["m"]
    if unit == "km/h":
        unit = "kmh"
    known = UNITS.get(unit) or UNITS.get(unit.removesuffix("s"))
    if known is not None:
        return known[0], number * known[1]
    return _singular(unit), number


def _singular(noun: str) -> str:
    if noun in ("people", "persons"):
        return "person"
    if noun.endswith("ies") and len(noun) > 4:
        return f"{noun[:-3]}y"
    return noun[:-1] if noun.endswith("s") and not noun.endswith("ss") and len(noun) > 2 else noun


def _version(text: str, *, versioned: bool) -> Iterator[tuple[str, Spans]]:
    """Yield the span of a version. It covers all versions that begin with it: 3.11 covers 3.11.2."""
    found = _VERSION.match(text)
    if found is None or not (versioned or found["name"] or _MARKED.search(text) or "." in found["number"]):
        return
    numbers = [int(part[:9]) for part in found["number"].split(".")]
    if len(numbers) > _PARTS or max(numbers) >= _PER_PART:
        return
    name = (found["name"] or "").strip().lower().removesuffix(" version").removesuffix(" v")
    yield f"version {name}".strip(), (_version_span(numbers),)


def _version_span(numbers: Iterable[int]) -> Span:
    low, width = 0.0, 1.0
    for number in numbers:
        width /= _PER_PART
        low += number * width
    return (low, low + width / 2)


def _in_figures(text: str) -> str:
    """Return the text with number words, feet and inches, and continental numbers rewritten: twelve, 6'2" and
    1.200,50."""
    text = _WORD_FIRST.sub(lambda found: str(_WORDS[found[0].lower()]), text)
    text = _FEET.sub(r"\1 ft \2 in", text)
    return _POINTS.sub(lambda found: found[0].replace(".", "").replace(",", "."), text)


def _clock(text: str) -> Iterator[tuple[str, Spans]]:
    found = _CLOCK.match(text)
    if found is None:
        return
    hour, minute = int(found["h"] or found["hour"]), int(found["m"] or 0)
    half = (found["half"] or found["noon"] or "").lower()
    if minute > 59 or hour > (12 if half else 23) or (half and hour == 0):
        return
    if half:
        hour = hour % 12 + (12 if half == "p" else 0)
    minutes = float(60 * hour + minute)
    yield "time of day", ((minutes, minutes),)
