"""Vocabulary of time expressions, with all meanings of each word.

A word can have several meanings: "second" is a unit and an ordinal. Its Token carries all of them, and the reader of a
form asks for the meaning it needs.
"""

from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Literal

Unit = Literal[
    "second", "minute", "hour", "day", "business day", "weekend", "week", "fortnight", "month", "quarter", "year",
    "decade", "century",
]  # fmt: skip

WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip


class NamedTime:
    """Time of day with a name. A `part` of the day ("morning") also tells am from pm beside an hour."""

    __slots__ = ("hour", "minute", "name", "part", "second")

    def __init__(self, name: str, hour: int, minute: int = 0, second: int = 0, *, part: bool = False) -> None:
        self.name, self.hour, self.minute, self.second, self.part = name, hour, minute, second, part


class Token:
    """One word, number or sign. Attributes that do not apply are None; `text` is lower case."""

    number: int | None = None
    """Value of a numeral or number word."""
    digits: int = 0
    """The number of digits of the numeral as written; 0 for a word."""
    decimal: tuple[int, int] | None = None
    """A decimal numeral as (numerator, denominator)."""
    ordinal: int | None = None
    """1 for "first" and "1st"; -1 for "last"."""
    unit: Unit | None = None
    weekday: int | None = None
    """0 is Monday."""
    weekdays: int | None = None
    """Like `weekday`, but set for the plural too. Only forms with a count use it."""
    month: int | None = None
    direction: int | None = None
    """0 for "this", 1 for "next", -1 for "last"."""
    named: NamedTime | None = None
    day: int | None = None
    """Days from today: "tomorrow" is 1."""
    edge: Literal["start", "middle", "end"] | None = None
    meridiem: Literal["am", "pm"] | None = None
    clock: tuple[int, int, int | None, int] | None = None
    """Hour, minute, second (None where not written), microsecond."""
    date: tuple[str, ...] | None = None
    """The parts of a date in figures, and the sign between them last."""

    def __init__(self, text: str) -> None:
        self.text = text


Tokens = list[Token]
END = Token("")

_UNITS: dict[Unit, str] = {
    "second": "s sec secs second seconds",
    "minute": "m min mins minute minutes",
    "hour": "h hr hrs hour hours",
    "day": "d day days",
    "business day": "workday workdays",
    "weekend": "weekend weekends",
    "week": "w wk wks week weeks",
    "fortnight": "fortnight fortnights",
    "month": "mo mos mth mths month months",
    "quarter": "qtr qtrs quarter quarters",
    "year": "y yr yrs year years",
    "decade": "decade decades",
    "century": "century centuries",
}
_WEEKDAYS = (
    "mon mond monda monday",
    "tue tues tuesd tuesday",
    "wed weds wedn wedne wednesday",
    "thu thur thurs thursday",
    "fri frid frida friday",
    "sat satu satur saturday",
    "sun sund sunda sunday",
)
_MONTHS = (
    "jan january", "feb febr february", "mar march", "apr april", "may", "jun june", "jul july", "aug august",
    "sep sept september", "oct october", "nov november", "dec december",
)  # fmt: skip
_SMALL = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
)
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_SMALL_ORDINALS = (
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth "
    "sixteenth seventeenth eighteenth nineteenth"
)
_NAMED = {
    "morning": NamedTime("morning", 9, part=True),
    "sob": NamedTime("start of business", 9),
    "noon": NamedTime("noon", 12),
    "midday": NamedTime("noon", 12),
    "noontime": NamedTime("noon", 12),
    "lunch": NamedTime("lunch", 12),
    "lunchtime": NamedTime("lunch", 12),
    "afternoon": NamedTime("afternoon", 13, part=True),
    "eob": NamedTime("end of business", 17),
    "cob": NamedTime("end of business", 17),
    "evening": NamedTime("evening", 18, part=True),
    "night": NamedTime("night", 21, part=True),
    "midnight": NamedTime("midnight", 0),
    "eod": NamedTime("end of day", 23, 59, 59),
}
_DIRECTIONS = {
    0: "this current",
    1: "next coming upcoming following",
    -1: "last past previous prior",
}
_DAYS = {0: "today tonight tonite", 1: "tomorrow tmrw tmr tmw tomorow tommorow tommorrow", -1: "yesterday"}
_EDGES: dict[Literal["start", "middle", "end"], str] = {
    "start": "start beginning begin",
    "middle": "mid middle",
    "end": "end",
}
_PLAIN = (
    "' + , - / a after ago an and at back before business by close couple earlier eom eoq eow eoy few from half "
    "hence hundred in just later minus moment more now oclock of on pair past plus q right same thousand till time "
    "to weekday weekdays within working"
)


@lru_cache(maxsize=1)
def words() -> dict[str, Token]:
    """Return the vocabulary by lower-case word, with all meanings. Built once, on first use."""
    vocabulary: dict[str, Token] = {}

    def word(text: str) -> Token:
        return vocabulary.setdefault(text, Token(text))

    for text in _PLAIN.split():
        word(text)
    for unit, texts in _UNITS.items():
        for text in texts.split():
            word(text).unit = unit
    for name, named in _NAMED.items():
        word(name).named = named
    for edge, texts in _EDGES.items():
        for text in texts.split():
            word(text).edge = edge
    _add_numbered(word)
    _add_numbers(word)
    return vocabulary


def _add_numbered(word: Callable[[str], Token]) -> None:
    tables: tuple[tuple[str, Iterable[tuple[int, str]]], ...] = (
        ("weekday", enumerate(_WEEKDAYS)),
        ("weekdays", enumerate(map("{0} {0}s".format, map(str.lower, WEEKDAYS)))),
        ("month", enumerate(_MONTHS, 1)),
        ("direction", _DIRECTIONS.items()),
        ("day", _DAYS.items()),
    )
    for meaning, table in tables:
        for number, texts in table:
            for text in texts.split():
                setattr(word(text), meaning, number)


def _add_numbers(word: Callable[[str], Token]) -> None:
    for number, text in enumerate(_SMALL.split()):
        word(text).number = number
    for number, text in enumerate(_TENS.split(), 2):
        word(text).number = number * 10
    for number, text in enumerate(_SMALL_ORDINALS.split(), 1):
        word(text).ordinal = number
    word("last").ordinal = -1
    word("twentieth").ordinal = 20
    word("thirtieth").ordinal = 30
