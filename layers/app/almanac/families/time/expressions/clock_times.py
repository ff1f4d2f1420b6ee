"""Times of day: "2pm", "14:05", "half past eight", "ten thirty am", "noon", "8 in the evening"."""

from datetime import time

from almanac.families.time.expressions.amounts import read_count
from almanac.families.time.expressions.refusal import ambiguous, impossible
from almanac.families.time.expressions.vocabulary import NamedTime, Tokens

_BUSINESS = {"start": NamedTime("start of business", 9), "end": NamedTime("end of business", 17)}
_DAY = {"start": NamedTime("start of day", 0), "end": NamedTime("end of day", 23, 59, 59)}


class Clock:
    """Time of day. `sure`: the words fix am or pm, or leave no doubt about it.

    `bare` is a mere number and `needs_day` four figures: both count as a time only next to words that make them one.
    """

    __slots__ = ("bare", "hour", "microsecond", "minute", "name", "needs_day", "second", "sure")

    def __init__(
        self,
        hour: int,
        minute: int = 0,
        second: int | None = None,
        microsecond: int = 0,
        *,
        sure: bool = True,
        bare: bool = False,
        name: str = "",
        needs_day: bool = False,
    ) -> None:
        if hour > 23 or minute > 59 or (second or 0) > 59:
            raise impossible(
                f"There is no time of day {hour:02d}:{minute:02d}.",
                "Hours run from 0 to 23 (1 to 12 with am or pm), minutes and seconds from 0 to 59.",
            )
        self.hour, self.minute, self.second, self.microsecond = hour, minute, second, microsecond
        self.sure, self.bare, self.name, self.needs_day = sure, bare, name, needs_day

    def time(self) -> time:
        return time(self.hour, self.minute, self.second or 0, self.microsecond)


Read = tuple[Clock, int]
_RELATIONS = ("past", "after", "to", "till", "before")


def read_clock(tokens: Tokens, at: int) -> Read | None:
    """Read a time of day, without a day or a part of the day beside it."""
    token = tokens[at]
    if token.clock is not None:
        hour, minute, second, microsecond = token.clock
        if (named := tokens[at + 1].named) is not None and not named.part:
            return _twelve(hour, minute, named, at + 2)
        if tokens[at + 1].unit == "hour":  # "14:00 hours"
            return Clock(hour, minute, second, microsecond), at + 2
        return _with_meridiem(tokens, at + 1, hour, minute, second, microsecond)
    if token.named is not None and not token.named.part:
        return _clock_of(token.named), at + 1
    if token.edge is not None or token.text == "close":
        return _read_edge(tokens, at)
    if token.text in ("half", "quarter", "a"):
        return _read_past(tokens, at + (token.text == "a"))
    if token.decimal is not None:
        return _read_dotted(tokens, at)
    return _read_number(tokens, at)


def _clock_of(named: NamedTime) -> Clock:
    return Clock(named.hour, named.minute, named.second or None, name=named.name)


def _twelve(hour: int, minute: int, named: NamedTime, after: int) -> Read | None:
    """ "12 noon", "12:00 midnight"."""
    if hour != 12 or minute or named.name not in ("noon", "midnight"):
        return None
    return _clock_of(named), after


def _with_meridiem(
    tokens: Tokens, at: int, hour: int, minute: int, second: int | None = None, microsecond: int = 0
) -> Read:
    meridiem = tokens[at].meridiem
    if meridiem is None:
        return Clock(hour, minute, second, microsecond, sure=not 1 <= hour <= 12), at
    if not 1 <= hour <= 12:
        raise impossible(f"There is no hour {hour} {meridiem}.", "With am or pm, hours run from 1 to 12.")
    return Clock(hour % 12 + 12 * (meridiem == "pm"), minute, second, microsecond), at + 1


def _read_edge(tokens: Tokens, at: int) -> Read | None:
    """ "end of business", "close of business day", "end of day"."""
    edge = "end" if tokens[at].text == "close" else tokens[at].edge or ""
    following = at + 1 + (tokens[at + 1].text == "of")
    if tokens[following].text == "business" and edge in _BUSINESS:
        return _clock_of(_BUSINESS[edge]), following + 1 + (tokens[following + 1].text == "day")
    if tokens[following].text == "day" and edge in _DAY and tokens[at].text != "close":
        return _clock_of(_DAY[edge]), following + 1
    return None


def _read_past(tokens: Tokens, at: int) -> Read | None:
    """ "half past eight", "quarter to five pm"."""
    minutes = {"half": 30, "quarter": 15}.get(tokens[at].text)
    return None if minutes is None else _past(tokens, at + 1, minutes)


def _past(tokens: Tokens, at: int, minutes: int) -> Read | None:
    word = tokens[at].text
    if word not in _RELATIONS or not 0 < minutes < 60:
        return None
    if minutes == 30 and word != "past":
        return None
    found = read_clock(tokens, at + 1)
    if found is None or found[0].minute or found[0].second is not None:
        return None
    clock, after = found
    if clock.bare and not 1 <= clock.hour <= 12:
        return None
    hour, minute = (clock.hour, minutes) if word in ("past", "after") else ((clock.hour - 1) % 24, 60 - minutes)
    if clock.name == "midnight" and word not in ("past", "after"):
        raise ambiguous(
            "A time before midnight does not say which midnight.", 'Write it out, e.g. "tomorrow at 11:45pm".'
        )
    return Clock(hour, minute, sure=clock.sure and not clock.bare), after


def _read_dotted(tokens: Tokens, at: int) -> Read | None:
    """ "12.32 pm"."""
    hour, _, minute = tokens[at].text.partition(".")
    if tokens[at + 1].meridiem is None or len(hour) > 2 or len(minute) != 2:
        return None
    return _with_meridiem(tokens, at + 1, int(hour), int(minute))


def _read_number(tokens: Tokens, at: int) -> Read | None:
    """Read a time that begins with a number: "5 pm", "5 o'clock", "five thirty pm", "20 past 5", "12 noon", "1500
    hours"."""
    found = read_count(tokens, at)
    if found is None:
        return None
    if tokens[at].digits > 2:
        return _read_military(tokens, at)
    number, after = found
    following = tokens[after]
    if following.meridiem is not None or following.text == "oclock":
        return _with_meridiem(tokens, after + (following.text == "oclock"), number, 0)
    if following.named is not None and not following.named.part:
        return _twelve(number, 0, following.named, after + 1)
    if following.unit == "minute":
        return _past(tokens, after + 1, number)
    if following.text in _RELATIONS:
        return _past(tokens, after, number)
    if not tokens[at].digits and (minutes := read_count(tokens, after)) is not None:
        return _in_two_words(tokens, number, minutes)
    if number > 23 or following.unit is not None or following.month is not None or following.weekday is not None:
        return None
    return Clock(number, sure=number == 0 or number > 12, bare=True), after


def _in_two_words(tokens: Tokens, hour: int, minutes: tuple[int, int]) -> Read | None:
    """ "ten thirty am", "five thirty in the afternoon"."""
    minute, after = minutes
    if minute < 10:
        return None
    if tokens[after].meridiem is None:
        return (Clock(hour, minute, sure=False, bare=True), after) if hour < 24 and minute < 60 else None
    return _with_meridiem(tokens, after, hour, minute)


def _read_military(tokens: Tokens, at: int) -> Read | None:
    """ "0710", "1500 hours", "530pm"."""
    token = tokens[at]
    if token.number is None or token.digits > 4:
        return None
    hour, minute = divmod(token.number, 100)
    if tokens[at + 1].meridiem is not None:
        return _with_meridiem(tokens, at + 1, hour, minute)
    if token.digits != 4:
        return None
    if tokens[at + 1].unit == "hour" and hour < 24 and minute < 60:
        return Clock(hour, minute), at + 2
    if (token.text[0] == "0" or hour >= 22) and hour < 24 and minute < 60:
        return Clock(hour, minute, needs_day=True), at + 1
    return None


# For each part of the day: its hours on the 24-hour clock, and the hours of the 12-hour clock that mean pm in it.
_COVERS = {
    "morning": (range(12), range(0)),
    "afternoon": (range(12, 19), range(1, 7)),
    "evening": (range(15, 24), range(3, 12)),
    "night": (range(18, 24), range(6, 12)),
}
_AFTER_MIDNIGHT = range(6)
_ON_24_HOURS = "no am or pm given: read as {:%H:%M} on the 24-hour clock"


def resolve_clock(clock: Clock | None, part: NamedTime | None) -> tuple[time | None, str]:
    """Return the time of day, if any, and a note on how it was read.

    Raises InvalidInput if clock and part of the day contradict each other.
    """
    if clock is None:
        return None if part is None else time(part.hour, part.minute, part.second), ""
    if part is None:
        if clock.name == "midnight":
            return clock.time(), "midnight read as 00:00, the start of that day"
        note = "" if clock.sure or clock.second is not None else _ON_24_HOURS.format(clock.time())
        return clock.time(), note
    return _within(clock, part), ""


def _within(clock: Clock, part: NamedTime) -> time:
    covered, afternoon = _COVERS[part.name]
    hour = clock.hour
    if not clock.sure and hour in afternoon:
        hour += 12
    if part.name == "night":
        if hour in _AFTER_MIDNIGHT and clock.sure:
            covered = _AFTER_MIDNIGHT
        elif hour in (12, *_AFTER_MIDNIGHT):
            raise ambiguous(f'"{clock.hour} at night" has two readings.', "Say am or pm and the day, or use midnight.")
    if hour not in covered or (part.name == "morning" and hour == 0 and clock.name):
        raise impossible(f"{clock.time():%H:%M} is not in the {part.name}.", "Leave out one of the two.")
    return time(hour, clock.minute, clock.second or 0, clock.microsecond)
