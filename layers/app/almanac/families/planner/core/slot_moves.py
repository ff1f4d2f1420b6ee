"""Moves of a series: the new slots of its instances."""

from datetime import datetime, time, timedelta

from msgspec import Struct

from almanac.families.calendar.model.events import AllDay, When, ZonedTime, convert_to_zone
from almanac.families.calendar.model.instance_ids import slot_day
from almanac.families.time.core.zones import find_zone


class Move(Struct, frozen=True):
    """A move of slots by `days` to `clock` in `zone`; `clock` None makes them whole days. The day of a slot is read in
    `day_zone`; None means the slot's own.

    A series that happens several times a day has no single clock: `shift` is the distance in seconds between the wall
    times of a slot in `day_zone` and in `zone`."""

    days: int
    clock: time | None
    zone: str
    day_zone: str | None = None
    shift: int | None = None

    def of(self, when: When) -> When:
        if isinstance(when, ZonedTime) and self.shift is not None and when.zone == self.zone != self.day_zone:
            return when  # moved before
        if isinstance(when, ZonedTime) and self.day_zone is not None and when.zone != self.day_zone:
            when = convert_to_zone(when.instant, find_zone(self.day_zone))
        if isinstance(when, ZonedTime) and self.shift is not None:
            return ZonedTime(when.local + timedelta(seconds=self.shift), self.zone, when.fold)
        return at_clock(when, self.clock, self.zone, self.days)


def at_clock(when: When, clock: time | None, zone: str, days: int = 0) -> When:
    """Return the slot `days` later at another time of day in `zone`; `clock` None makes it a whole day."""
    day = slot_day(when) + timedelta(days=days)
    return AllDay(day) if clock is None else ZonedTime(datetime.combine(day, clock), zone)
