"""Moves of a series to another time, with its rule, dates and periods.

A series recurs in its own zone, but a caller in another zone names a time of that zone. The named instance moves to
exactly that time, and the others to the same local time in the zone of the series.
"""

from dataclasses import replace as with_parts
from datetime import date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from msgspec.structs import replace

from almanac.families.calendar.model.events import AllDay, Event, Period, When, ZonedTime, convert_to_zone
from almanac.families.calendar.model.instance_ids import slot_day
from almanac.families.calendar.model.overrides import move_to
from almanac.families.planner.core.slot_moves import Move, at_clock
from almanac.families.planner.edits.timing import clock_of, days_between
from almanac.families.planner.events.series import end_of_day
from almanac.families.time.core.zones import UTC_ZONE
from almanac.families.time.recurrence import Rule, WeekdayNum, parse_rule
from almanac.kernel.errors import InvalidInput


def move_between(before: When, after: When) -> Move | None:
    """Return the move that takes the slot `before` to `after`; None for equal slots."""
    if before == after:
        return None
    zone = before.zone if isinstance(before, ZonedTime) else None
    return Move(days_between(before, after), clock_of(after), after.zone if isinstance(after, ZonedTime) else "", zone)


def anchor_move(slot: When, zone: ZoneInfo) -> Move | None:
    """Return the move that makes a series recur in `zone`, at the local time of `slot` there; None if it does
    already."""
    if isinstance(slot, AllDay) or slot.zone == zone.key:
        return None
    return Move(0, convert_to_zone(slot.instant, zone).local.time(), zone.key, zone.key)


def shift_move(slot: ZonedTime, target: ZonedTime, zone: ZoneInfo) -> Move | None:
    """Return the move of a series that happens several times a day, which takes `slot` to `target` on the clocks of
    `zone`; None if nothing moves."""
    there = target if target.zone == zone.key else convert_to_zone(target.instant, zone)
    shift = round((there.local - slot.local).total_seconds())
    if shift == 0 and slot.zone == zone.key:
        return None
    return Move(0, there.local.time(), zone.key, slot.zone, shift)


def move_series(series: Event, move: Move, *, keeps_rule: bool = True) -> Event:
    """Return the moved series. Without `keeps_rule` its rule is about to be replaced. Raises InvalidInput if its rule
    cannot be expressed for the new days."""
    start = move.of(series.start)
    event = move_to(series, start.day if isinstance(start, AllDay) else start)
    event = replace(event, exdates=tuple(map(move.of, series.exdates)), rdates=tuple(map(move.of, series.rdates)))
    event = replace(event, periods=tuple(filter(None, (_move_period(move, period) for period in series.periods))))
    if series.rrule is None or not keeps_rule:
        return event

    def move_rule(text: str) -> str:
        rule = _with_clock(with_last_day(parse_rule(text), series.start, start, move.days), move.clock)
        return str(_shift_days(rule, move.days, series) if move.days else rule)

    return replace(
        event,
        rrule=move_rule(series.rrule),
        further_rrules=tuple(map(move_rule, series.further_rrules)),
        exrules=tuple(map(move_rule, series.exrules)),
    )


def _move_period(move: Move, period: Period) -> Period | None:
    """Return the moved period with its local length; None if the instances become whole days."""
    start, before, end = move.of(period.start), period.start, period.end
    if isinstance(start, AllDay) or isinstance(before, AllDay) or isinstance(end, AllDay):
        return None
    return Period(start, ZonedTime(start.local + (end.local - before.local), start.zone))


def _with_clock(rule: Rule, clock: time | None) -> Rule:
    """Return the rule with its time of day, if it names one, set to `clock`."""
    hours, minutes, seconds = ((clock.hour,), (clock.minute,), (clock.second,)) if clock is not None else ((), (), ())
    return with_parts(
        rule,
        byhour=hours if rule.byhour else (),
        byminute=minutes if rule.byminute else (),
        bysecond=seconds if rule.bysecond else (),
    )


def _shift_days(rule: Rule, days: int, series: Event) -> Rule:
    """Return the rule with its weekdays and its start of weeks shifted by `days`."""
    named = (rule.bymonth, rule.byweekno, rule.byyearday, rule.bymonthday, rule.bysetpos)
    if rule.freq not in ("DAILY", "WEEKLY") or any(named) or any(day.nth for day in rule.byday):
        zone = series.start.zone if isinstance(series.start, ZonedTime) else ""
        raise InvalidInput(
            f"The series recurs on days of {zone}, and the new time falls on another day there.",
            f'Give a recurrence with it, pass timezone "{zone}" and the time there, or pass scope "this".',
            path="time",
        )
    byday = tuple(sorted(WeekdayNum((day.weekday + days) % 7) for day in rule.byday))
    return with_parts(rule, byday=byday, wkst=(rule.wkst + days) % 7)


def days_moved(move: Move, start: When) -> int:
    """Return by how many days a series that starts at `start` moves. If it moves to another zone, some instances may
    move by a day more or less."""
    return (slot_day(move.of(start)) - slot_day(start)).days


def may_change_days(move: Move | None, start: When) -> bool:
    """Return whether instances of a series that starts at `start` may move to other days."""
    if move is None:
        return False
    return (
        move.days != 0
        or move.shift is not None
        or (isinstance(start, ZonedTime) and move.day_zone not in (None, start.zone))
    )


def new_day_of(move: Move, start: When, day: date) -> date:
    """Return the new day of the instance on `day`, for a series that started at `start`."""
    slot = at_clock(AllDay(day), clock_of(start), start.zone if isinstance(start, ZonedTime) else "")
    return slot_day(move.of(slot))


def with_last_day(rule: Rule, before: When, after: When, days: int = 0) -> Rule:
    """Return the rule with its last day kept, or shifted by `days`, for a series that moves from `before` to
    `after`."""
    until = rule.until
    if until is None:
        return rule
    last = until
    if isinstance(until, datetime):
        zone = before.tzinfo if isinstance(before, ZonedTime) else UTC_ZONE
        local = until.astimezone(zone).replace(tzinfo=None) if until.tzinfo else until
        first = before.local.time() if isinstance(before, ZonedTime) else time()
        last = local.date() if first <= local.time() else local.date() - timedelta(days=1)
    last += timedelta(days=days)
    return with_parts(rule, until=last if isinstance(after, AllDay) else end_of_day(last, after.tzinfo))
