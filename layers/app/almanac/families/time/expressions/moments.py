"""Moments: a day and a time of day, in either order, as one wall time: "5pm tomorrow", "Friday the 6th at noon".

The reader takes the pieces one after another, and each kind only once. It combines them at the end: a weekday beside a
date must agree with it, and a part of the day tells am from pm.
"""

from datetime import datetime, time, timedelta

from almanac.families.time.expressions.clock_times import Clock, read_clock, resolve_clock
from almanac.families.time.expressions.context import Context
from almanac.families.time.expressions.dates import reads_as_time, with_year
from almanac.families.time.expressions.day_forms import read_day
from almanac.families.time.expressions.days import Day, day_label
from almanac.families.time.expressions.periods import read_year
from almanac.families.time.expressions.refusal import ambiguous, impossible
from almanac.families.time.expressions.vocabulary import END, WEEKDAYS, NamedTime, Tokens
from almanac.families.time.expressions.weekdays import in_week, next_weekday

_BEFORE_DAY = frozenset(("", "on", "of", "in", "by"))
_BEFORE_TIME = frozenset(("", "at", "in", "by"))


class Pieces:
    """Pieces of one moment read so far."""

    __slots__ = ("after_at", "clock", "day", "part", "tonight", "weekday")

    def __init__(self) -> None:
        self.day: Day | None = None
        self.weekday: int | None = None
        self.clock: Clock | None = None
        self.part: NamedTime | None = None
        self.tonight = self.after_at = False

    def empty(self) -> bool:
        return self.day is None and self.weekday is None and self.clock is None and self.part is None


class Moment:
    """Wall time with its precision and a note on how it was read.

    `timed`: the words give a time of day; `only_time`: they give nothing else. `whole`: the moment is a day, not a
    period.
    """

    __slots__ = ("grain", "local", "note", "only_time", "timed", "whole")

    def __init__(self, local: datetime, grain: str, note: str, *, timed: bool, only_time: bool, whole: bool) -> None:
        self.local, self.grain, self.note = local, grain, note
        self.timed, self.only_time, self.whole = timed, only_time, whole


def read_moment(tokens: Tokens, at: int, context: Context) -> tuple[Moment, int] | None:
    """Read the longest moment from `at` on. Raises InvalidInput if the words are clear but contradict each other."""
    pieces, start = Pieces(), at
    while tokens[at] is not END:
        following = _read_piece(tokens, at, pieces, context)
        if following is None:
            break
        at = following
    moment = resolve_pieces(pieces, context) if at > start else None
    return None if moment is None else (moment, at)


def _read_piece(tokens: Tokens, at: int, pieces: Pieces, context: Context) -> int | None:
    if tokens[at].text in (",", "of") and pieces.empty():
        return None
    at += tokens[at].text == ","
    lead = tokens[at].text if tokens[at].text in ("at", "on", "in", "of", "by") else ""
    at += bool(lead)
    token = tokens[at]
    if lead in _BEFORE_DAY:
        if pieces.day is None and (found := read_day(tokens, at, context, lead)) is not None:
            pieces.day, at = found
            if token.text in ("tonight", "tonite"):
                pieces.tonight, pieces.part = True, tokens[at - 1].named or _NIGHT
            return at
        if pieces.weekday is None and token.weekday is not None:
            pieces.weekday = token.weekday
            return at + 1
        if pieces.day is not None and not pieces.day.fixed and lead in ("", "of"):
            year = None if reads_as_time(tokens[at]) else read_year(tokens, at, context)
            if year is not None and (dated := with_year(pieces.day, year[0])) is not None:
                pieces.day = dated
                return year[1]
    return _read_time_piece(tokens, at, pieces, context, lead) if lead in _BEFORE_TIME else None


_NIGHT = NamedTime("night", 21, part=True)
_DAWN = 6


def _read_time_piece(tokens: Tokens, at: int, pieces: Pieces, context: Context, lead: str) -> int | None:
    direction = tokens[at].direction
    named = tokens[at + 1].named
    if direction is not None and named is not None and pieces.day is None and not lead:
        if direction > 0 or not named.part or (direction < 0 and named.name != "night"):
            return None
        pieces.day, pieces.part = Day(context.today + timedelta(days=direction)), named
        return at + 2
    if pieces.clock is None and tokens[at + 1].text == "time" and (direction == 0 or tokens[at].text == "same"):
        now = context.now
        pieces.clock = Clock(now.hour, now.minute, now.second, now.microsecond, needs_day=True)
        return at + 2
    named = tokens[at].named
    if named is not None and named.part:
        if pieces.part is not None:
            return None
        pieces.part = named
        return at + 1
    if pieces.clock is not None or (found := read_clock(tokens, at)) is None:
        return None
    pieces.clock, at = found
    pieces.after_at = lead == "at"
    return at


def resolve_pieces(pieces: Pieces, context: Context) -> Moment | None:
    """Return what the pieces mean together, or None if they do not belong together."""
    clock, part = pieces.clock, pieces.part
    if clock is not None and part is None and not _stands_alone(clock, pieces):
        return None
    at, note = resolve_clock(clock, part)
    day = _resolve_day(pieces, at, context)
    if day is None or (at is not None and (day.complete or day.unit != "day")):
        return None
    notes = [day.note, note]
    only_time = pieces.day is None and pieces.weekday is None
    local = datetime.combine(day.start, at or day.at or time())
    if part is not None and at is not None and at.hour < _DAWN and not only_time:
        if not pieces.tonight:
            raise ambiguous("A night has two dates.", 'Name the date, e.g. "Saturday at 1am", or use "tonight".')
        if local < context.now:
            local += timedelta(days=1)
    grain = _grain(clock, part, day)
    joined_notes = "; ".join(dict.fromkeys(filter(None, notes)))
    return Moment(local, grain, joined_notes, timed=at is not None, only_time=only_time, whole=day.unit == "day")


def _stands_alone(clock: Clock, pieces: Pieces) -> bool:
    if clock.needs_day:
        return pieces.day is not None or pieces.weekday is not None
    if clock.bare and not clock.sure and pieces.after_at:
        raise ambiguous(
            f'"at {clock.hour}" does not say am or pm.',
            f'Say "{clock.hour}am", "{clock.hour}pm", or a time of the 24-hour clock such as "{clock.hour:02d}:00".',
        )
    return not clock.bare or (clock.sure and pieces.after_at)


def _grain(clock: Clock | None, part: NamedTime | None, day: Day) -> str:
    if clock is not None:
        return "minute" if clock.second is None else "second"
    if part is not None:
        return "minute"
    if day.at is not None:
        return "second" if day.at.second else "day"
    return "day" if day.unit == "weekend" else day.unit


def _resolve_day(pieces: Pieces, at: time | None, context: Context) -> Day | None:
    day, weekday = pieces.day, pieces.weekday
    if weekday is None:
        return day if day is not None else Day(context.today)
    if day is None:
        return next_weekday(weekday, context, today_counts=at is not None and at > context.now.time())
    if day.unit == "week":
        return in_week(weekday, day)
    if day.unit != "day":
        return None
    if day.start.weekday() == weekday:
        return day
    for other in day.others:
        if other.weekday() == weekday:
            return Day(other, note=f"read as {day_label(other)}, the nearest such day that is a {WEEKDAYS[weekday]}")
    raise impossible(
        f"{day.start.isoformat()} is a {WEEKDAYS[day.start.weekday()]}, not a {WEEKDAYS[weekday]}.",
        "Leave out the weekday or correct the date.",
    )
