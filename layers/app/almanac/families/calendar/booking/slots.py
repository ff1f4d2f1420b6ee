"""Time of a booking: one slot, or the slots of a series as far ahead as they are checked."""

from collections.abc import Sequence
from datetime import UTC, date, datetime, time
from itertools import pairwise
from typing import NamedTuple
from zoneinfo import ZoneInfo

from msgspec.structs import replace

from almanac.families.calendar.model.availability import Interval, check_window
from almanac.families.calendar.model.events import AllDay, Event, When, convert_to_zone
from almanac.families.calendar.model.instance_ids import rule_of
from almanac.families.calendar.model.instances import (
    Recurrence,
    interval_of,
    is_too_dense,
    recurrence_of,
    split_series,
    times,
)
from almanac.families.time.core.zones import UTC_ZONE, place_zone
from almanac.families.time.recurrence import expand, parse_rule
from almanac.kernel.errors import InvalidInput
from almanac.kernel.instants import instant_at, milliseconds

HORIZON_MS = 732 * 86_400_000
"""Span after its first instance in which a series is checked for conflicts, in milliseconds: two years."""
MOST_INSTANCES = 2000


class Slots(NamedTuple):
    """Checked `instances` in order of their starts, and the `span` from the first to the last.

    `checked_until` is the end of the checked time if the series continues after it.
    """

    instances: Sequence[Interval]
    span: Interval
    checked_until: int | None = None


def event_template(start: datetime | date, end: datetime | date, recurrence: str | None, zone: ZoneInfo) -> Event:
    """Return the booking as an event without id and texts: aware datetimes on the clocks of `zone`, or whole days.

    Raises InvalidInput for an empty slot, and for a rule that does not include its start.
    """
    first, last = _days(start, end) if not isinstance(start, datetime) else _times(start, end, zone)
    event = Event(id="", uid="", start=first, end=last)
    if recurrence is None:
        return event
    series = replace(event, rrule=_rule_text(recurrence))
    _refuse_other_start(series)
    return series


def _rule_text(recurrence: str) -> str:
    try:
        return str(parse_rule(recurrence))
    except InvalidInput as wrong:
        raise InvalidInput(
            f"The recurrence is not understood: {wrong.message}", wrong.hint, path="recurrence", code=wrong.code
        ) from None


def event_with_slots(
    start: datetime | date, end: datetime | date, recurrence: str | None, zone: ZoneInfo
) -> tuple[Event, Slots]:
    """Return the event as `event_template` does, and its slots."""
    event = event_template(start, end, recurrence, zone)
    return event, slots_of(event, zone)


def slots_of(event: Event, zone: ZoneInfo) -> Slots:
    """Return the time of a single event, or the instances of a series within two years. Whole days begin at midnight in
    `zone`.

    Raises InvalidInput for a series with too many instances, or with instances that overlap each other.
    """
    first = interval_of(event, zone)
    if not event.is_series:
        return Slots((first,), first)
    if is_too_dense(event, zone):
        raise _too_many()
    horizon = Interval(first.start, first.start + HORIZON_MS)
    recurrence = recurrence_of(event, zone)
    slots = [Interval(*one) for one in times(recurrence, horizon)]
    if len(slots) > MOST_INSTANCES:
        raise _too_many()
    for one, following in pairwise(slots):
        if one.overlaps(following):
            raise InvalidInput(
                "The instances of the series overlap each other.",
                "Make the event shorter, or let it recur less often.",
                path="recurrence",
            )
    goes_on = _goes_on(recurrence, horizon.end)
    span = Interval(slots[0].start, slots[-1].end) if slots else first
    return Slots(slots, span, horizon.end if goes_on else None)


def slots_of_moved(series: Event, exceptions: Sequence[Event], zone: ZoneInfo, now: int) -> Slots:
    """Return the slots of a series under way and its exceptions, for two years from its start or from `now`, if that is
    later.

    Whole days begin at midnight in `zone`. Raises InvalidInput for a series with too many instances.
    """
    first = interval_of(series, zone)
    if is_too_dense(series, zone):
        raise _too_many()
    horizon = Interval(first.start, max(first.start, now) + HORIZON_MS)
    single, repeated = split_series([series, *exceptions], zone)
    slots = [Interval(*one) for repetition in repeated for one in times(repetition, horizon)]
    slots += [interval_of(one, zone) for one in single if one.takes_time]
    coming = _merge_overlaps(sorted(one for one in slots if one.end > now) or sorted(slots)[-1:] or [first])
    if len(coming) > MOST_INSTANCES:
        raise _too_many()
    goes_on = _goes_on(recurrence_of(series, zone), horizon.end)
    return Slots(coming, Interval(coming[0].start, coming[-1].end), horizon.end if goes_on else None)


def _merge_overlaps(slots: Sequence[Interval]) -> list[Interval]:
    """Merge overlapping slots, because a moved instance may overlap another one."""
    apart: list[Interval] = []
    for one in slots:
        if apart and apart[-1].overlaps(one):
            apart[-1] = Interval(apart[-1].start, max(apart[-1].end, one.end))
        else:
            apart.append(one)
    return apart


def slot_between(start: datetime, end: datetime) -> Interval:
    """Return the slot in whole seconds. Raises InvalidInput if it is empty or lies outside 1900 to 2200."""
    return check_window(milliseconds(start.replace(microsecond=0)), milliseconds(end.replace(microsecond=0)))


def _times(start: datetime, end: datetime | date, zone: ZoneInfo) -> tuple[When, When]:
    if not isinstance(end, datetime):
        raise _mixed_kinds()
    kept_in = place_zone(zone)
    begin, until = (convert_to_zone(instant_at(each), kept_in) for each in slot_between(start, end))
    return begin, until


def _days(start: date, end: datetime | date) -> tuple[When, When]:
    if isinstance(end, datetime):
        raise _mixed_kinds()
    if end == start:
        raise InvalidInput(
            '"end" is not after "start": the end of an all-day booking is excluded.',
            "For a single day give the next day as end.",
            path="end",
        )
    first, last = (milliseconds(datetime.combine(day, time(), UTC)) for day in (start, end))
    check_window(first, last)
    return AllDay(start), AllDay(end)


def _mixed_kinds() -> InvalidInput:
    return InvalidInput(
        '"start" and "end" must both be times or both be dates.',
        "Give two times with their offset, or two dates for an all-day booking; the end is excluded.",
        path="end",
    )


def _too_many() -> InvalidInput:
    return InvalidInput(
        f"The series has more than {MOST_INSTANCES} instances in two years.",
        "Let it recur less often, or end it with COUNT or UNTIL.",
        path="recurrence",
    )


def _refuse_other_start(series: Event) -> None:
    first = _first_instance(series)
    start = series.start.day if isinstance(series.start, AllDay) else series.start.local
    if first == start:
        return
    explanation = "It names no time from the start on."
    if first is not None:
        explanation = f"The first it names from then on is {first.isoformat()}: give that as start."
    raise InvalidInput("The recurrence does not include the start of the booking.", explanation, path="recurrence")


def _first_instance(series: Event) -> date | datetime | None:
    days = isinstance(series.start, AllDay)
    local = datetime.combine(series.start.day, time()) if isinstance(series.start, AllDay) else series.start.local
    zone = UTC_ZONE if isinstance(series.start, AllDay) else series.start.tzinfo
    occurrences = expand(rule_of(series), local, zone, limit=1).occurrences
    if not occurrences:
        return None
    return occurrences[0].local.date() if days else occurrences[0].local.replace(tzinfo=None)


def _goes_on(recurrence: Recurrence, horizon: int) -> bool:
    """Return whether a series has instances after the horizon, within four years of it if its rule has an end."""
    rule = rule_of(recurrence.event)
    if rule.count is None and rule.until is None:
        return True
    after = Interval(horizon, horizon + 2 * HORIZON_MS)
    return next(iter(times(recurrence, after)), None) is not None
