"""Interpreter of whole expressions: offsets from now, offsets from another moment, or a moment. It must use every
token."""

import re
from dataclasses import dataclass, replace
from datetime import UTC, datetime, time, timedelta
from typing import Literal, cast
from zoneinfo import ZoneInfo

from almanac.families.time.core.zones import UTC_ZONE
from almanac.families.time.expressions.context import Context, WeekStart
from almanac.families.time.expressions.durations import Duration, read_duration
from almanac.families.time.expressions.iso import read_machine_time, split_offset
from almanac.families.time.expressions.lexer import MAX_LENGTH, UnknownWord, normalise, tokenise
from almanac.families.time.expressions.moments import Moment, read_moment
from almanac.families.time.expressions.refusal import ambiguous, echo, impossible, not_understood
from almanac.families.time.expressions.vocabulary import END, Tokens, words
from almanac.kernel.errors import InvalidInput

Grain = Literal["second", "minute", "hour", "day", "week", "month", "quarter", "year"]

_BACK = frozenset(("ago", "back", "earlier", "before"))
_ON = frozenset(("hence", "later"))
_COUNTABLE = frozenset(("minute", "hour", "day", "week", "month", "year"))
_COUNTED_BY = frozenset(("after", "before", "from", "ago"))
_PAST = "read as today, although that is past"
_SIGNS = {"+": 1, "plus": 1, "-": -1, "minus": -1}


@dataclass(frozen=True, slots=True)
class Interpretation:
    """Meaning of an expression.

    `local` is the naive wall time in the requested zone. `instant` (UTC) is set if the expression names an absolute
    instant (an offset from UTC, an epoch, elapsed hours); `local` is then derived from it. `grain` is the finest unit
    of the expression. `note` names the chosen reading if several exist, else it is empty.
    """

    local: datetime
    instant: datetime | None
    grain: Grain
    note: str = ""


def understand(expression: str, anchor: datetime, zone: ZoneInfo, week_start: WeekStart = "monday") -> Interpretation:
    """Interpret an English or machine-written time, relative to `anchor` (aware) in `zone`.

    Raises InvalidInput: UNKNOWN_EXPRESSION, with the nearest forms, for words outside the grammar; AMBIGUOUS_EXPRESSION
    if two readings are equally good; IMPOSSIBLE_TIME if the words are clear but no such time exists.
    """
    if len(expression) > MAX_LENGTH:
        raise InvalidInput(
            f'The time expression "{echo(expression)}" is longer than {MAX_LENGTH} characters.',
            'Pass only the words that name the time, e.g. "next Tuesday at 2pm".',
            path="expression",
            code="UNKNOWN_EXPRESSION",
        )
    try:
        return _understand(expression, anchor, zone, week_start)
    except OverflowError:
        raise impossible(f'"{echo(expression)}" leads outside the years 1 to 9999.', "Ask for a nearer time.") from None


def _understand(expression: str, anchor: datetime, zone: ZoneInfo, week_start: WeekStart) -> Interpretation:
    text = normalise(expression)
    if text[:1].isdigit() or text[:1] in ("@", "e"):
        machine = read_machine_time(text)
        if machine is not None:
            return _interpretation(machine.local, machine.instant, machine.grain, "", zone)
    try:
        at_offset = split_offset(text)
        if at_offset is not None:
            interpretation = _read_at_offset(*at_offset, anchor, zone, week_start)
        else:
            interpretation = _read(tokenise(text), Context(anchor, zone, week_start))
    except UnknownWord as error:
        raise not_understood(expression, str(error.args[0])) from None
    if interpretation is None:
        raise not_understood(expression)
    return _with_minutes_note(expression, interpretation) if "M" in expression else interpretation


def _with_minutes_note(expression: str, interpretation: Interpretation) -> Interpretation:
    """Add a note that "+1M" was read as a minute, like "+1m", because the caller may have meant a month."""
    if interpretation.note or not re.search(r"\d\s?M(?![A-Za-z.])", expression):
        return interpretation
    return replace(interpretation, note='"M" read as minutes; months are "mo"')


def _interpretation(local: datetime, instant: datetime | None, grain: str, note: str, zone: ZoneInfo) -> Interpretation:
    if instant is not None:
        local = instant.astimezone(zone).replace(tzinfo=None, fold=0)
    return Interpretation(local, instant, cast(Grain, grain), note)


def _read(tokens: Tokens, context: Context) -> Interpretation | None:
    if _is_now(tokens, 0):
        return _chain(tokens, _after_now(tokens, 0), context.now, context.anchor, "second", "", context)
    sign = _SIGNS.get(tokens[0].text)
    if sign is not None:
        found = read_duration(tokens, 1)
        return _from_now(tokens, found[1], found[0], sign, context) if found else None
    if tokens[0].text in ("in", "within"):
        found = read_duration(tokens, 1)
        if found is not None:
            return _read_ahead(tokens, found[1], found[0], context)
    found = read_duration(tokens, 0)
    if found is not None:
        interpretation = _read_counted(tokens, found[1], found[0], context)
        if interpretation is not None:
            return interpretation
    if tokens[0].text in _COUNTABLE and tokens[1].text in _COUNTED_BY:  # "the day after Friday", "week ago"
        found = read_duration([words()["one"], *tokens], 0)
        interpretation = found and _read_counted(tokens, 1, found[0], context)
        if interpretation is not None:
            return interpretation
    return _read_moment_and_steps(tokens, context)


def _read_moment_and_steps(tokens: Tokens, context: Context) -> Interpretation | None:
    """ "friday at noon", "friday at noon - 30 minutes"."""
    moment = read_moment(tokens, 0, context)
    if moment is None:
        return None
    parsed, at = moment
    note = parsed.note
    if parsed.only_time and parsed.local < context.now:
        note = f"{note}; {_PAST}" if note else _PAST
    return _chain(tokens, at, parsed.local, None, parsed.grain, note, context, parsed)


def _is_now(tokens: Tokens, at: int) -> bool:
    return tokens[at + (tokens[at].text in ("right", "just"))].text == "now"


def _after_now(tokens: Tokens, at: int) -> int:
    return at + 1 + (tokens[at].text in ("right", "just"))


def _read_ahead(tokens: Tokens, at: int, duration: Duration, context: Context) -> Interpretation | None:
    """ "in 2 days", "in 2 weeks' time", "in 2 days from now at 5pm"."""
    if tokens[at].text == "'" and tokens[at + 1].text == "time":
        at += 1
    at += tokens[at].text == "time"
    if tokens[at].text == "from" and _is_now(tokens, at + 1):
        at = _after_now(tokens, at + 1)
    return _from_now(tokens, at, duration, 1, context)


def _read_counted(tokens: Tokens, at: int, duration: Duration, context: Context) -> Interpretation | None:
    """ "2 days ago", "2 hours from now", "2 weeks from Friday", "3 days before yesterday", and a bare "2 hours"."""
    word, following = tokens[at].text, tokens[at + 1]
    if word == "ago" and following.day is not None and tokens[at + 2] is END:  # "a week ago yesterday"
        word = "before"
    if word in _BACK and (word != "before" or following is END):
        return _from_now(tokens, at + 1, duration, -1, context)
    if word in _ON:
        return _from_now(tokens, at + 1, duration, 1, context)
    if tokens[at] is END:
        if duration.grain == "second" and tokens[0].digits == 4:
            return None  # "0800 hours" is a time of day
        found = _from_now(tokens, at, duration, 1, context)
        return found and Interpretation(found.local, found.instant, found.grain, "read as that long from now")
    if word not in ("from", "after", "before"):
        return None
    sign = -1 if word == "before" else 1
    if _is_now(tokens, at + 1):
        return _from_now(tokens, _after_now(tokens, at + 1), duration, sign, context)
    found = read_moment(tokens, at + 1, context)
    if found is None or tokens[found[1]] is not END or not found[0].whole:
        return None
    if sign < 0 and found[0].only_time and found[0].local.time() == time():
        raise ambiguous("A time before midnight does not say which midnight.", 'Say "today at midnight" or "tomorrow".')
    return _shift_moment(found[0], duration, sign, context)


def _shift_moment(moment: Moment, duration: Duration, sign: int, context: Context) -> Interpretation:
    local, instant = duration.from_local(moment.local, sign, context)
    grain = moment.grain if moment.timed or duration.grain != "second" else "second"
    return _interpretation(local, instant, grain, moment.note, context.zone)


def _from_now(tokens: Tokens, at: int, duration: Duration, sign: int, context: Context) -> Interpretation | None:
    """Apply the duration to now, and then a time of day that follows a duration of whole days."""
    local, instant = duration.from_instant(context.anchor, sign, context)
    if tokens[at] is END:
        return _interpretation(local, instant, duration.grain, "", context.zone)
    if duration.grain == "second":
        return None
    found = read_moment(tokens, at, context)
    if found is None or tokens[found[1]] is not END or not found[0].only_time:
        return None
    joined = datetime.combine(local.date(), found[0].local.time())
    return _interpretation(joined, None, found[0].grain, found[0].note, context.zone)


def _chain(
    tokens: Tokens,
    at: int,
    local: datetime,
    instant: datetime | None,
    grain: str,
    note: str,
    context: Context,
    moment: Moment | None = None,
) -> Interpretation | None:
    """Apply the durations that follow a moment: "now + 2 hours", "Friday at noon - 30 minutes"."""
    while (sign := _SIGNS.get(tokens[at].text)) is not None:
        found = read_duration(tokens, at + 1)
        if found is None or (moment is not None and not moment.whole):
            return None
        duration, at = found
        if instant is not None:
            local, instant = duration.from_instant(instant, sign, context)
        else:
            local, instant = duration.from_local(local, sign, context)
        grain = duration.grain if grain != "minute" else grain
    if tokens[at] is not END:
        return None
    return _interpretation(local, instant, grain, note, context.zone)


def _read_at_offset(
    rest: str, offset: timedelta, anchor: datetime, zone: ZoneInfo, week: WeekStart
) -> Interpretation | None:
    """Read a time of day with an offset from UTC. Its day is the day in UTC."""
    context = Context(anchor, UTC_ZONE, week)
    interpretation = _read(tokenise(rest), context)
    if interpretation is None or interpretation.grain not in ("minute", "second") or interpretation.instant is not None:
        return None
    instant = interpretation.local.replace(tzinfo=UTC) - offset
    return _interpretation(instant, instant, interpretation.grain, interpretation.note, zone)
