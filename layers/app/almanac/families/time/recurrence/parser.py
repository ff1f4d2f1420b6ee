"""Parser of RRULE text. It refuses everything that RFC 5545 forbids, with the problem and a correct form."""

import re
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime
from functools import lru_cache
from typing import Any, cast

from almanac.families.time.recurrence.rule import WEEKDAYS, Frequency, Rule, Skip, WeekdayNum
from almanac.kernel.errors import InvalidInput

MAX_TEXT_LENGTH = 2_000
_FREQUENCIES = ("YEARLY", "MONTHLY", "WEEKLY", "DAILY", "HOURLY", "MINUTELY", "SECONDLY")
_SKIPS = ("OMIT", "BACKWARD", "FORWARD")
_NUMBER = re.compile(r"[+-]?[0-9]{1,9}\Z")
_DAY = re.compile(r"([+-]?[0-9]{1,2})?(MO|TU|WE|TH|FR|SA|SU)\Z")
_UNTIL = re.compile(r"([0-9]{4})([0-9]{2})([0-9]{2})(?:T([0-9]{2})([0-9]{2})([0-9]{2})(Z?))?\Z")

# Part -> (lowest, highest, whether counting from the end is allowed).
_RANGES = {
    "BYSECOND": (0, 60, False),
    "BYMINUTE": (0, 59, False),
    "BYHOUR": (0, 23, False),
    "BYMONTHDAY": (1, 31, True),
    "BYYEARDAY": (1, 366, True),
    "BYWEEKNO": (1, 53, True),
    "BYMONTH": (1, 12, False),
    "BYSETPOS": (1, 366, True),
}


@lru_cache(maxsize=512)
def parse_rule(text: str) -> Rule:
    """Parse an RRULE value, with or without the `RRULE:` prefix, in any letter case.

    Raises InvalidInput (path `rrule`, code INVALID_RRULE) for anything that RFC 5545 and RFC 7529 do not allow.
    """
    values: dict[str, Any] = {}
    for name, value in _split(text):
        field = name.lower()
        if field in values:
            raise invalid_rule(f"{name} is given twice.", f"Give {name} once, with all its values separated by commas.")
        values[field] = _PARTS[name](name, value) if name in _PARTS else _numbers(name, value)
    if "freq" not in values:
        raise invalid_rule("The rule has no FREQ.", "Begin it with the frequency, e.g. FREQ=WEEKLY;BYDAY=MO,WE,FR.")
    if "skip" in values and "rscale" not in values:
        raise invalid_rule("SKIP needs RSCALE.", f"Write RSCALE=GREGORIAN;…;SKIP={values['skip']}.")
    rule = Rule(**values)
    refuse_forbidden_combination(rule)
    return rule


def _split(text: str) -> list[tuple[str, str]]:
    shown = text.strip()
    if len(shown) > MAX_TEXT_LENGTH:
        raise invalid_rule(f"The rule is longer than {MAX_TEXT_LENGTH} characters.", "Give one recurrence rule.")
    if len(shown.splitlines()) > 1:
        raise invalid_rule(
            "The rule has more than one line.",
            "Give one RRULE value; the start and excluded or added dates are arguments of their own.",
        )
    body = shown.upper().removeprefix("RRULE:").strip().removesuffix(";")
    if not body:
        raise invalid_rule("The rule is empty.", "Give an RFC 5545 rule, e.g. FREQ=DAILY;COUNT=5.")
    parts: list[tuple[str, str]] = []
    for part in body.split(";"):
        name, equals, value = (piece.strip() for piece in part.partition("="))
        if not (name and equals and value):
            raise invalid_rule(f'"{part.strip()}" is not NAME=VALUE.', "Separate parts by single semicolons.")
        if name not in _PARTS and name not in _RANGES:
            raise invalid_rule(*_unknown(name))
        parts.append((name, value))
    return parts


def _unknown(name: str) -> tuple[str, str]:
    if name == "BYEASTER":
        return "BYEASTER is not part of RFC 5545.", "List the Easter dates as added dates instead."
    if name.split(":", maxsplit=1)[0].split(";", maxsplit=1)[0] in ("DTSTART", "EXDATE", "RDATE", "EXRULE"):
        return f"{name} does not belong into the rule.", "Give only the RRULE value; dates are arguments of their own."
    return f"{name} is not a part of a recurrence rule.", f"Known parts: {', '.join([*_PARTS, *_RANGES])}."


def _number(name: str, text: str) -> int:
    if not _NUMBER.match(text):
        raise invalid_rule(f'{name} has "{text}", which is not a whole number.', f"Write e.g. {name}=1.")
    return int(text)


def _positive(name: str, text: str) -> int:
    number = _number(name, text)
    if number < 1:
        raise invalid_rule(f"{name}={text} is below 1.", f"Write {name}=1 or more, or leave {name} out.")
    return number


def _numbers(name: str, text: str) -> tuple[int, ...]:
    low, high, signed = _RANGES[name]
    span = f"{low} to {high}{f' or -{high} to -{low}, counted from the end' if signed else ''}"
    found: set[int] = set()
    for piece in text.split(","):
        if name == "BYMONTH" and piece.strip().endswith("L"):
            raise invalid_rule(f"BYMONTH={piece.strip()} is a leap month.", "The Gregorian calendar has none.")
        number = _number(name, piece.strip())
        if not low <= (abs(number) if signed else number) <= high:
            raise invalid_rule(f"{name}={number} is out of range.", f"{name} goes from {span}.")
        found.add(number)
    # RFC 5545 3.3.12: an implementation without leap seconds reads second 60 as 59.
    return tuple(sorted({min(number, 59) for number in found} if name == "BYSECOND" else found))


def _days(name: str, text: str) -> tuple[WeekdayNum, ...]:
    found: set[WeekdayNum] = set()
    for piece in map(str.strip, text.split(",")):
        match = _DAY.match(piece)
        if match is None or (match[1] is not None and not 1 <= abs(int(match[1])) <= 53):
            raise invalid_rule(
                f'{name} has "{piece}", which is not a weekday.',
                "Write MO, TU, WE, TH, FR, SA or SU; a number from 1 to 53 or -53 to -1 may stand before it: -1FR.",
            )
        found.add(WeekdayNum(WEEKDAYS.index(match[2]), int(match[1] or 0)))
    return tuple(sorted(found))


def _until(name: str, text: str) -> datetime | date:
    match = _UNTIL.match(text)
    moment = _date_time(*map(int, filter(None, match.groups()[:6]))) if match else None
    if match is None or moment is None:
        raise invalid_rule(
            f'{name} has "{text}", which is not a date or time.',
            "Write UTC time as UNTIL=20261231T235959Z, or a date as UNTIL=20261231.",
        )
    if match[4] is None:
        return moment.date()
    return moment if match[7] else moment.replace(tzinfo=None)


def _date_time(year: int, month: int, day: int, hour: int = 0, minute: int = 0, second: int = 0) -> datetime | None:
    """Return the datetime in UTC; None if it does not exist. A leap second is read as second 59."""
    try:
        return datetime(year, month, day, hour, minute, 59 if second == 60 else second, tzinfo=UTC)
    except ValueError:
        return None


def _word(name: str, text: str, words: tuple[str, ...]) -> str:
    if text not in words:
        raise invalid_rule(f'{name} has "{text}", which does not exist.', f"{name} is one of {', '.join(words)}.")
    return text


def _rscale(name: str, text: str) -> str:
    if text != "GREGORIAN":
        raise invalid_rule(
            f"{name}={text}: only the Gregorian calendar is supported.",
            "Use RSCALE=GREGORIAN, or list the dates of the other calendar as added dates.",
        )
    return text


_PARTS: dict[str, Callable[[str, str], Any]] = {
    "FREQ": lambda name, text: cast(Frequency, _word(name, text, _FREQUENCIES)),
    "INTERVAL": _positive,
    "COUNT": _positive,
    "UNTIL": _until,
    "WKST": lambda name, text: WEEKDAYS.index(_word(name, text, WEEKDAYS)),
    "BYDAY": _days,
    "RSCALE": _rscale,
    "SKIP": lambda name, text: cast(Skip, _word(name, text, _SKIPS)),
}


def invalid_rule(message: str, hint: str) -> InvalidInput:
    """Return the error for an unusable rule: path `rrule`, code INVALID_RRULE."""
    return InvalidInput(message, hint, path="rrule", code="INVALID_RRULE")


def refuse_forbidden_combination(rule: Rule) -> None:
    """Raise InvalidInput (code INVALID_RRULE) for the first pair of parts that exclude each other."""
    for message, hint in (*_with_frequency(rule), *_with_each_other(rule)):
        raise invalid_rule(message, hint)


def _with_frequency(rule: Rule) -> Iterator[tuple[str, str]]:
    if rule.byweekno and rule.freq != "YEARLY":
        yield f"BYWEEKNO does not go with FREQ={rule.freq}.", "Use it with FREQ=YEARLY."
    if rule.byyearday and rule.freq in ("MONTHLY", "WEEKLY", "DAILY"):
        yield f"BYYEARDAY does not go with FREQ={rule.freq}.", "Use FREQ=YEARLY, or write BYMONTH and BYMONTHDAY."
    if rule.bymonthday and rule.freq == "WEEKLY":
        yield "BYMONTHDAY does not go with FREQ=WEEKLY.", "Use FREQ=MONTHLY, or FREQ=DAILY with BYDAY."
    if _is_numbered(rule) and rule.freq not in ("YEARLY", "MONTHLY"):
        yield (
            f"BYDAY with a number does not go with FREQ={rule.freq}.",
            "Use FREQ=MONTHLY or FREQ=YEARLY, or leave the number out.",
        )


def _with_each_other(rule: Rule) -> Iterator[tuple[str, str]]:
    if rule.count is not None and rule.until is not None:
        yield "COUNT and UNTIL exclude each other.", "Keep one of them."
    if rule.byweekno and _is_numbered(rule):
        yield "BYDAY with a number does not go with BYWEEKNO.", "Leave the number out: a week has each weekday once."
    if rule.byweekno and rule.bymonthday:
        yield "BYMONTHDAY does not go with BYWEEKNO: both say which days of the year are meant.", "Keep one of them."
    others = (rule.bymonth, rule.byweekno, rule.byyearday, rule.bymonthday, rule.byday)
    if rule.bysetpos and not any((*others, rule.byhour, rule.byminute, rule.bysecond)):
        yield (
            "BYSETPOS needs another BY part to choose from.",
            "Write e.g. FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1.",
        )


def _is_numbered(rule: Rule) -> bool:
    return any(day.nth for day in rule.byday)
